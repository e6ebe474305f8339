/** Turns of queries at an engine that runs several at once. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inMemory, type QueryContext } from "../../src/query/engine.js";
import { FairTurns, Scheduler, WAITING_LIMITS } from "../../src/query/waiting.js";
import { forAll, runsOf } from "../properties.js";

const asking = (client: string, more: { timeout?: number; signal?: AbortSignal } = {}) => ({
  client,
  timeout: 60_000,
  ...more,
});
/** Take a turn. Resolves to the function that ends it. */
async function take(turns: FairTurns, context: QueryContext): Promise<() => void> {
  // Without `bytes`: the body is still on its way.
  const result = { kind: "graph", sequence: 1, ...inMemory(new Uint8Array()) } as const;
  const { release } = await turns.run(context, { run: async () => ({ ...result, bytes: undefined }) });
  return release;
}

const turned = () => new Promise((resolve) => setImmediate(resolve));

describe("turns", () => {
  it("run at once in as many places as there are, one per client", async () => {
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
    // Ending it twice is the same as once.
    ends[0]!();
    await turned();
    // A client that has used the engine gives way to one that has not.
    expect(begun).toEqual(["a", "b", "c"]);
    ends[1]!();
    await turned();
    expect(begun).toEqual(["a", "b", "c", "a"]);
  });

  it("are given up when their client leaves, and refused when too many wait", async () => {
    const turns = new FairTurns(1);
    const end = await take(turns, asking("a"));
    const nobody = new AbortController();
    const left = take(turns, asking("b", { signal: nobody.signal }));
    nobody.abort();
    await expect(left).rejects.toMatchObject({ reason: "busy", message: "Nobody waits for the answer." });
    await expect(take(turns, asking("b", { signal: nobody.signal }))).rejects.toThrow("Nobody waits for the answer.");
    const waiting = Array.from({ length: WAITING_LIMITS.queue }, (_, at) =>
      take(turns, asking(`c${Math.floor(at / WAITING_LIMITS.queueOfClient)}`)),
    );
    await expect(take(turns, asking("c0"))).rejects.toMatchObject({ reason: "too-many-waiting" });
    await expect(take(turns, asking("d"))).rejects.toMatchObject({
      reason: "busy",
      message: `${WAITING_LIMITS.queue} queries are waiting already.`,
    });
    end();
    await Promise.all(waiting.map(async (next) => (await next)()));
  });
});

/** Queries of clients, by letter and number. */
const turn = (name: string) => ({ client: name[0]!, name });

/** The order in which all waiting queries have their turns, one at a time. */
function order(turns: Scheduler<ReturnType<typeof turn>>): string[] {
  const names: string[] = [];
  for (let next = turns.next(() => true); next !== undefined; next = turns.next(() => true)) {
    names.push(next.name);
    turns.end(next.client);
  }
  return names;
}

describe("turns in order", () => {
  it("rotate among the clients, and follow the order of arrival for each client", () => {
    const turns = new Scheduler<ReturnType<typeof turn>>();
    for (const name of ["a1", "a2", "a3", "b1", "c1", "b2"]) turns.add(turn(name));
    expect(order(turns)).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
  });

  it("are given to one query per client at a time, and pass over queries that cannot run", () => {
    const turns = new Scheduler<ReturnType<typeof turn>>();
    for (const name of ["a1", "a2", "b1"]) turns.add(turn(name));
    expect(turns.next(() => true)?.name).toBe("a1");
    expect(turns.next(({ name }) => name !== "b1")).toBeUndefined();
    expect(turns.next(() => true)?.name).toBe("b1");
    turns.end("a");
    expect(turns.next(() => true)?.name).toBe("a2");
    expect([turns.waiting.size, turns.waitingOf("a")]).toEqual([0, 0]);
  });

  it("prefer the client that has held processes for less time, but new clients not forever", () => {
    const turns = new Scheduler<ReturnType<typeof turn>>();
    const had: string[] = [];
    const take = (held: number): void => {
      const { client } = turns.next(() => true)!;
      had.push(client);
      turns.end(client, held);
      turns.add(turn(`${client}+`));
    };
    turns.add(turn("a1"));
    take(1_000);
    turns.add(turn("b1"));
    // A quick client is served until it has had as much time as the slow one.
    for (let count = 0; count < 10; count++) take(150);
    expect(had.join("")).toBe("abbbbbbbaba");
    // A client that comes later starts level with the others.
    turns.add(turn("c1"));
    for (let count = 0; count < 6; count++) take(1_000);
    expect(had.slice(-6).sort().join("")).toBe("aabbcc");
  });

  it("come to every client after at most one turn of each other, even if the others keep asking", () => {
    const clients = fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 40 });
    forAll([clients], runsOf(100), (asking) => {
      const turns = new Scheduler<ReturnType<typeof turn>>();
      turns.add(turn("z1"));
      for (const [number, client] of asking.entries()) turns.add(turn(`${client}${number}`));
      const had: string[] = [];
      for (let count = 0; count < 5; count++) {
        const next = turns.next(() => true)!;
        had.push(next.client);
        turns.end(next.client);
        // The client that had its turn asks again at once.
        turns.add(turn(`${next.client}+`));
      }
      expect(had).toContain("z");
      const others = new Set(asking).size;
      expect(new Set(had).size).toBe(Math.min(5, others + 1));
    });
  });
});
