/** What is started before all tests of a file or a `describe`, and stopped after them. */
import { afterAll, beforeAll } from "vitest";

/** Start something for all tests; its members are there when the first of them begins. */
export function startedForAll<Started extends { stop(): Promise<unknown> }>(start: () => Promise<Started>): Started {
  const started: Partial<Started> = {};
  beforeAll(async () => {
    Object.assign(started, await start());
  });
  afterAll(() => started.stop?.());
  return started as Started;
}
