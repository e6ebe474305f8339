/** A test that kills an engine run by the service, at random moments of loads, until it is in step again. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { objects, publish, type TestStore } from "../records.js";
import { seeded } from "../remote/changes.js";
import { compared, inStep, listening, managed, processesIn } from "./managed.js";

export interface Killed {
  /** The number of processes that the engine had. */
  readonly lives: number;
  /** Milliseconds from each kill until the engine was in step again, sorted. */
  readonly away: readonly number[];
}

/** Kill the engine this many times; afterwards it must equal the records, listen on loopback only and leave no process. */
export async function killedAndInStep(there: TestStore, kills: number, seed: string): Promise<Killed> {
  const random = seeded(seed);
  const engine = managed(there, { report: () => {} });
  await inStep(engine, there);
  const pids = new Set<number>();
  const away: number[] = [];
  for (let at = 0; at < kills; at++) {
    const pid = engine.pid!;
    pids.add(pid);
    await publish(there.store, objects(1 + Math.floor(random() * 30), `Kill ${at}`));
    await sleep(random() * 200);
    process.kill(pid, "SIGKILL");
    const begun = performance.now();
    while (engine.pid === pid) await sleep(5);
    await inStep(engine, there);
    away.push(performance.now() - begun);
  }
  pids.add(engine.pid!);
  expect(await compared(there)).toMatchObject({ missing: 0, surplus: 0 });
  for (const address of listening(engine.pid!)) expect(address).toMatch(/^127\.0\.0\.1:/);
  expect(processesIn(there.directory)).toEqual([engine.pid]);
  await engine.close();
  expect(processesIn(there.directory)).toEqual([]);
  return { lives: pids.size, away: away.sort((a, b) => a - b) };
}
