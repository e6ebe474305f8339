/** Walks over sound and damaged tables in parts. */
import fc from "fast-check";
import type { RangeOptions } from "lmdb";
import { expect, it } from "vitest";
import { partsOf, type TableEntry } from "../../../../src/store/embedded/format/checksummed-table.js";
import { TableDamagedError } from "../../../../src/store/errors.js";
import { forAll, runsOf } from "../../../properties.js";

const entry = (key: number): TableEntry => ({ key: Buffer.of(key), value: Buffer.of(key) });

/** A table that gives entries in this order, as LMDB would; a start is searched from the left. */
function tableOf(entries: readonly TableEntry[]) {
  return {
    directory: "there",
    name: "records",
    table: {
      getRange({ start, end, exclusiveStart, limit = Number.POSITIVE_INFINITY }: RangeOptions): readonly TableEntry[] {
        const isAfter = ({ key }: TableEntry): boolean =>
          start === undefined || key.compare(start as Buffer) > (exclusiveStart === true ? 0 : -1);
        const first = entries.findIndex(isAfter);
        const isBefore = ({ key }: TableEntry): boolean => end === undefined || key.compare(end as Buffer) < 0;
        return first === -1 ? [] : entries.slice(first, first + limit).filter(isBefore);
      },
    },
  };
}

it("a walk gives every entry of a range once, in order, in parts as long as allowed", () => {
  forAll(
    [
      fc.uniqueArray(fc.nat(255), { maxLength: 40 }),
      fc.integer({ min: 1, max: 10 }),
      fc.nat(255),
      fc.option(fc.nat(255), { nil: undefined }),
    ],
    runsOf(2_000),
    (keys, limit, from, to) => {
      const entries = [...keys].sort((a, b) => a - b).map((key) => entry(key));
      const range = { from: Buffer.of(from), ...(to === undefined ? {} : { to: Buffer.of(to) }) };
      const parts = [...partsOf(tableOf(entries), { limit, ...range })];
      const isWithin = ({ key }: TableEntry) => key[0]! >= from && key[0]! < (to ?? 256);
      expect(parts.flat()).toEqual(entries.filter(isWithin));
      expect([...partsOf(tableOf(entries), { limit })].flat()).toEqual(entries);
      for (const part of parts.slice(0, -1)) expect(part).toHaveLength(limit);
    },
  );
});

it("a walk ends with an error, not in a circle, if keys lead back, as those of a damaged page may", () => {
  const led = (...keys: readonly number[]) => ({
    ...tableOf([]),
    // Wherever a range starts, it continues with these keys.
    table: { getRange: ({ limit }: RangeOptions) => keys.map((key) => entry(key)).slice(0, limit) },
  });
  for (const limit of [1, 2, 3, 10]) {
    expect(() => [...partsOf(led(2, 3, 4), { limit })], String(limit)).toThrow(TableDamagedError);
    expect(() => [...partsOf(led(2, 9, 4), { limit })], String(limit)).toThrow(TableDamagedError);
  }
});
