/** The file for long answers: where the next one has room while others are read. */
import { ftruncateSync, writeSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import type { QueryResult } from "../../../src/query/engine.js";
import { MAX_SPOOLED, Spool } from "../../../src/query/oxigraph/spool.js";
import { FairTurns } from "../../../src/query/waiting.js";

function opened(): Spool {
  const spool = new Spool();
  onTestFinished(() => spool.close());
  return spool;
}

it("a slow reader takes no room but that of its own answer", async () => {
  const spool = opened();
  const slow = spool.answer(spool.room.start, 2 ** 20);
  for (let at = 0; at < 20; at++) {
    const { start, end } = spool.room;
    expect(end - start).toBe(MAX_SPOOLED - 2 ** 20);
    spool.answer(start, MAX_SPOOLED / 16).release();
    await turn();
  }
  slow.release();
  await turn();
  expect(spool.room).toEqual({ start: 0, end: MAX_SPOOLED });
});

it("an answer whose reader leaves during a read keeps its room until that read has ended", async () => {
  const spool = opened();
  writeSync(spool.descriptor, Buffer.alloc(100_000, "a"), 0, 100_000, 0);
  const { body, release } = spool.answer(0, 100_000);
  const pieces = body[Symbol.asyncIterator]();
  const first = pieces.next();
  release();
  expect(spool.room.start).toBe(100_000);
  expect((await first).value).toHaveLength(65_536);
  await turn();
  expect(spool.room).toEqual({ start: 0, end: MAX_SPOOLED });
  // The next answer begins with an empty file.
  ftruncateSync(spool.descriptor, 0);
  expect(await pieces.next()).toEqual({ done: true, value: undefined });
});

it("the next query of a client has the room of the answer before, which has been read", async () => {
  const spool = opened();
  const turns = new FairTurns();
  const ask = (begun: (start: number) => void = () => {}) =>
    turns.run<QueryResult>(
      { client: "x", timeout: 60_000 },
      {
        run: async () => {
          const { start } = spool.room;
          begun(start);
          return { kind: "graph", sequence: 1, ...spool.answer(start, 10) };
        },
      },
    );
  const first = await ask();
  let start = -1;
  const second = ask((at) => {
    start = at;
  });
  first.release();
  await second;
  expect(start).toBe(0);
});

it("the room for an answer is within the file, and none that is still being read", async () => {
  const step = fc.record({ share: fc.double({ min: 0.001, max: 1, noNaN: true }), released: fc.nat() });
  await fc.assert(
    fc.asyncProperty(fc.array(step), async (steps) => {
      const spool = new Spool();
      const reading: { start: number; end: number; release: () => void }[] = [];
      for (const { share, released } of steps) {
        const { start, end } = spool.room;
        expect(start).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(MAX_SPOOLED);
        expect(reading.filter((other) => other.start < end && start < other.end)).toEqual([]);
        const bytes = Math.ceil((end - start) * share);
        if (bytes > 0) reading.push({ start, end: start + bytes, ...spool.answer(start, bytes) });
        if (released % 2 === 0) reading.splice(released % Math.max(1, reading.length), 1)[0]?.release();
        await turn();
      }
      for (const { release } of reading) release();
      spool.close();
    }),
  );
});
