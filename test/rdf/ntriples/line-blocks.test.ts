/** Blocks of lines: they have the whole input, and each line as soon as it is complete. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { BlockReader, endOfLine } from "../../../src/rdf/ntriples/line-blocks.js";
import { forAll, runsOf } from "../../properties.js";

const texts = fc.string({ unit: fc.constantFrom("a", "é", "\n", "\r", "\r\n", "\uFEFF"), maxLength: 12 });

/** The place after the last line known to be complete. A carriage return at the end may be half of a line end. */
function wholeLines(bytes: Buffer): number {
  for (let at = bytes.length; at > 0; at--)
    if (bytes[at - 1] === 0x0a || (bytes[at - 1] === 0x0d && at < bytes.length && bytes[at] !== 0x0a)) return at;
  return 0;
}

it("the blocks are the whole text, cut between lines", () => {
  forAll([texts, fc.integer({ min: 1, max: 6 })], runsOf(10_000, 300), (text, size) => {
    const blocks: Buffer[] = [];
    const ends: number[] = [];
    const stream = new (class extends BlockReader {
      protected read(lines: Buffer, inputEnd: number): void {
        blocks.push(lines);
        ends.push(inputEnd);
      }

      protected failAtLine(problem: string): never {
        throw new Error(problem);
      }
    })();
    const bytes = Buffer.from(text);
    const mark = text.startsWith("\uFEFF") ? 3 : 0;
    for (let at = 0; at < bytes.length; at += size) {
      stream.push(bytes.subarray(at, at + size));
      const there = bytes.subarray(0, Math.min(at + size, bytes.length));
      const { length } = Buffer.concat(blocks);
      expect(length).toBeLessThanOrEqual(Math.max(0, wholeLines(there) - mark));
      expect(length).toBeGreaterThanOrEqual(there.lastIndexOf(0x0a) + 1 - mark);
    }
    stream.end();
    const hasEnd = text === "" || text.endsWith("\n");
    expect(Buffer.concat(blocks).toString()).toBe(text.slice(mark === 0 ? 0 : 1) + (hasEnd ? "" : "\n"));
    const last = blocks.at(-1)?.length ?? 0;
    const infinite = ends.map(() => Number.POSITIVE_INFINITY);
    expect(ends).toEqual(hasEnd ? infinite : [...infinite.slice(1), last - 1]);
  });
});

it.each([
  ["a\nb\n", 2],
  ["a\rb\n", 2],
  ["a\r\nb\n", 3],
  ["\n\n", 1],
  ["ab\n", 3],
])("the first line of %j ends at %i", (text, end) => {
  expect(endOfLine(Buffer.from(text), 0)).toBe(end);
});
