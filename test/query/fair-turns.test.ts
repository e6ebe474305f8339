/** Turns at an engine that takes several queries at once. */
import { describe, expect, it } from "vitest";
import { inMemory, type QueryContext } from "../../src/query/engine.js";
import { MAX_WAITING_OF_CLIENT, MAX_WAITING_QUERIES } from "../../src/query/limits.js";
import { FairTurns } from "../../src/query/waiting.js";

const asking = (client: string, more: { timeout?: number; signal?: AbortSignal } = {}) => ({
  client,
  timeout: 60_000,
  ...more,
});
/** Take a turn. Resolves to what ends it. */
async function take(turns: FairTurns, context: QueryContext): Promise<() => void> {
  // Its body is still on its way.
  const result = { kind: "graph", format: "nt", sequence: 1, rows: undefined, ...inMemory(new Uint8Array()) } as const;
  const { release } = await turns.run(context, { run: async () => ({ ...result, bytes: undefined }) });
  return release;
}

const turned = () => new Promise((resolve) => setImmediate(resolve));

describe("turns", () => {
  it("are as many at once as there are places, and one of each client", async () => {
    const turns = new FairTurns(2);
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    for (const client of ["a", "a", "b", "c"]) {
      void take(turns, asking(client)).then((end) => {
        begun.push(client);
        ends.push(end);
      });
    }
    await turned();
    expect(begun).toEqual(["a", "b"]);
    ends[0]!();
    // Ended twice is ended once.
    ends[0]!();
    await turned();
    // Who has used it gives way to who has not.
    expect(begun).toEqual(["a", "b", "c"]);
    ends[1]!();
    await turned();
    expect(begun).toEqual(["a", "b", "c", "a"]);
  });

  it("are given up with whoever waits, and refused where too many do", async () => {
    const turns = new FairTurns(1);
    const end = await take(turns, asking("a"));
    const nobody = new AbortController();
    const left = take(turns, asking("b", { signal: nobody.signal }));
    nobody.abort();
    await expect(left).rejects.toMatchObject({ reason: "busy", message: "Nobody waits for the answer." });
    await expect(take(turns, asking("b", { signal: nobody.signal }))).rejects.toThrow("Nobody waits for the answer.");
    const waiting = Array.from({ length: MAX_WAITING_QUERIES }, (_, at) =>
      take(turns, asking(`c${Math.floor(at / MAX_WAITING_OF_CLIENT)}`)),
    );
    await expect(take(turns, asking("c0"))).rejects.toMatchObject({ reason: "too-many-waiting" });
    await expect(take(turns, asking("d"))).rejects.toMatchObject({
      reason: "busy",
      message: `${MAX_WAITING_QUERIES} queries are waiting already.`,
    });
    end();
    await Promise.all(waiting.map(async (next) => (await next)()));
  });
});
