import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  backlinkKey,
  iriKey,
  isHashed,
  numberKey,
  numberOfKey,
  propertyOfKey,
  recordBytes,
  recordOfBytes,
} from "../../../../src/store/embedded/format/keys.js";
import { forAll, runsOf } from "../../../properties.js";

describe("keys", () => {
  it("of IRIs are their bytes, or their hashes if they are too long for LMDB", () => {
    const iri = (bytes: number): string => `urn:${"x".repeat(bytes - 4)}`;
    expect(iriKey("urn:é").toString("utf8")).toBe("urn:é");
    expect(iriKey(iri(1978)).toString("utf8")).toBe(iri(1978));
    expect(isHashed(iriKey(iri(1978)))).toBe(false);
    expect(iriKey(iri(1979))).toHaveLength(33);
    expect(isHashed(iriKey(iri(1979)))).toBe(true);
    expect(iriKey(iri(1979))).not.toEqual(iriKey(iri(1980)));
  });

  it("of numbers sort like the numbers", () => {
    const number = fc.nat(Number.MAX_SAFE_INTEGER);
    forAll([number, number], runsOf(2_000), (a, b) => {
      expect(numberOfKey(numberKey(a))).toBe(a);
      expect(Math.sign(Buffer.compare(numberKey(a), numberKey(b)))).toBe(Math.sign(a - b));
    });
  });

  it("of backlinks contain hash and property, sort by them, and end before those of the next IRI", () => {
    const word = fc.nat(2 ** 32 - 1);
    const parts = fc.tuple(fc.record({ a: word, b: word, c: word }), fc.nat(0xffff));
    forAll([parts, parts], runsOf(2_000), (one, two) => {
      const [key, other] = [backlinkKey(...one), backlinkKey(...two)];
      expect(propertyOfKey(key)).toBe(one[1]);
      const byParts = one[0].a - two[0].a || one[0].b - two[0].b || one[0].c - two[0].c || one[1] - two[1];
      expect(Math.sign(Buffer.compare(key, other))).toBe(Math.sign(byParts));
      const isAfter = Buffer.compare(other, backlinkKey(one[0], 0xffff)) > 0;
      expect(isAfter).toBe(byParts < 0 && !other.subarray(0, 12).equals(key.subarray(0, 12)));
    });
  });

  it("of records in a group of backlinks sort like their numbers", () => {
    const number = fc.nat(2 ** 48 - 1);
    forAll([number, number], runsOf(2_000), (a, b) => {
      expect(recordOfBytes(recordBytes(a))).toBe(a);
      expect(Math.sign(Buffer.compare(recordBytes(a), recordBytes(b)))).toBe(Math.sign(a - b));
    });
  });
});
