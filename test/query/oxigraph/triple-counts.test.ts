import { describe, expect, it } from "vitest";
import { TripleCounts } from "../../../src/query/oxigraph/merged-store.js";
import type { TextHash } from "../../../src/rdf/text-hash.js";
import { randomFrom } from "../../random.js";

/** Many keys begin at the same slots, and some differ in their last word alone. */
const keyOf = (number: number): TextHash => ({ a: number % 97, b: number >>> 3, c: (number % 8) * 2 });

describe("counts of triples", () => {
  it("are those of a map, however many there are, and are taken over by another table", () => {
    const random = randomFrom(7);
    const expected = new Map<number, number>();
    let counts = new TripleCounts();
    for (let step = 0; step < 20_000; step++) {
      const number = Math.floor(random() * 5_000);
      const before = expected.get(number) ?? 0;
      const isAdded = before === 0 || random() < 0.6;
      const after = before + (isAdded ? 1 : -1);
      expect(isAdded ? counts.add(keyOf(number)) : counts.remove(keyOf(number))).toBe(after);
      expected.set(number, after);
      if (step % 5_000 === 0) counts = new TripleCounts(counts.parts.counts, counts.parts.used);
    }
    for (const [number, count] of expected) expect(counts.add(keyOf(number))).toBe(count + 1);
  });

  it("take nothing away that was not added", () => {
    expect(() => new TripleCounts().remove(keyOf(1))).toThrow("no record states");
  });
});
