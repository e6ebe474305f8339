import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  iriHash,
  iriKey,
  isHashed,
  mentionKey,
  mentionOfKey,
  numberKey,
  numberOfKey,
} from "../../../../src/store/embedded/format/keys.js";

describe("keys", () => {
  it("of IRIs are their bytes as far as LMDB takes them, and hashes beyond", () => {
    const iri = (bytes: number): string => `urn:${"x".repeat(bytes - 4)}`;
    expect(iriKey("urn:é").toString("utf8")).toBe("urn:é");
    expect(iriKey(iri(1978)).toString("utf8")).toBe(iri(1978));
    expect(isHashed(iriKey(iri(1978)))).toBe(false);
    expect(iriKey(iri(1979))).toHaveLength(33);
    expect(isHashed(iriKey(iri(1979)))).toBe(true);
    expect(iriKey(iri(1979))).not.toEqual(iriKey(iri(1980)));
  });

  it("of numbers sort as the numbers do", () => {
    const number = fc.nat(Number.MAX_SAFE_INTEGER);
    fc.assert(
      fc.property(number, number, (a, b) => {
        expect(numberOfKey(numberKey(a))).toBe(a);
        expect(Math.sign(Buffer.compare(numberKey(a), numberKey(b)))).toBe(Math.sign(a - b));
      }),
    );
  });

  it("of mentions hold hash, property and record, and sort by them", () => {
    const parts = fc.tuple(fc.nat(2 ** 52 - 1), fc.nat(0xffff), fc.nat(2 ** 48 - 1));
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        expect(mentionOfKey(mentionKey(...a))).toEqual({ property: a[1], record: a[2] });
        const byParts = a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
        expect(Math.sign(Buffer.compare(mentionKey(...a), mentionKey(...b)))).toBe(Math.sign(byParts));
      }),
    );
  });

  it("from hashes of IRIs as collections number them hardly ever meet", () => {
    const hashes = new Set<number>();
    for (let number = 0; number < 300_000; number++) {
      hashes.add(iriHash(`https://data.museum.org/object/${number}`));
      hashes.add(iriHash(`http://vocab.getty.edu/aat/${300_000_000 + number}`));
    }
    expect(hashes.size).toBe(600_000);
    for (const hash of hashes) if (!(Number.isSafeInteger(hash) && hash < 2 ** 52)) throw new Error(`${hash}`);
  });
});
