/** Facets of more records than are counted: estimates from a sample of them; and those that are kept. */
import { expect, it } from "vitest";
import { countFacets, keepCounts, keptFacets } from "../../src/search/facets.js";
import { INDEXES, TABLES } from "../../src/search/schema.js";
import { Sqlite } from "../../src/search/sqlite.js";

const RECORDS = 40_000;
/** Three of four records are of the second endpoint, and one in ten has a picture. */
const ROWS = `WITH RECURSIVE n (at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM n WHERE at < ${RECORDS - 1})
INSERT INTO entity (id, endpoint, sort, names, targets, begins, ends, picture, changed)
SELECT at + 1, 1 + (at % 4 > 0), '', '', x'', 1850, 1910, at % 10 = 0, 0 FROM n`;

it("facets of more than 10,000 records are estimates near the truth, and say so", () => {
  const sqlite = new Sqlite(":memory:");
  sqlite.exec(TABLES + INDEXES);
  sqlite.exec(ROWS);
  const all = { sql: "SELECT id FROM entity", values: [] };
  const { values, isEstimated } = countFacets(sqlite, all, RECORDS, ["endpoint", "picture", "century"], 10, {});
  expect(isEstimated).toBe(true);
  const records = (facet: string): number[] =>
    values.filter((each) => each.facet === facet).map((each) => each.records);
  // A quarter of them is counted: five standard deviations of what such a sample gives.
  const bound = (share: number): number => 5 * Math.sqrt(4 * RECORDS * share * (1 - share));
  for (const [facet, share] of [["endpoint", 0.75] as const, ["picture", 0.9] as const]) {
    const [most, least] = records(facet);
    expect(Math.abs(most! - RECORDS * share), facet).toBeLessThan(bound(share));
    expect(most! + least!, facet).toBeCloseTo(RECORDS, -1);
  }
  expect(records("century")).toEqual([RECORDS, RECORDS]);
  const some = { sql: "SELECT id FROM entity WHERE id <= ?", values: [1_000] };
  expect(countFacets(sqlite, some, 1_000, ["picture"], 10, {})).toEqual({
    isEstimated: false,
    values: [
      { facet: "picture", value: "no", records: 900 },
      { facet: "picture", value: "yes", records: 100 },
    ],
  });
  sqlite.close();
});

it("facets without a query are counted when a hundredth of the records has changed, and exact ones are of their state alone", () => {
  const sqlite = new Sqlite(":memory:");
  sqlite.exec(TABLES + INDEXES + ROWS);
  const at = (sequence: number, records: number): void => {
    sqlite.exec(`DELETE FROM fact; INSERT INTO fact VALUES (0, ${sequence}, '')`);
    keepCounts(sqlite, sequence, records);
  };
  const pictured = (total: number, endpoint?: "place") =>
    keptFacets(sqlite, { endpoint, relations: [] }, total, ["picture", "changed"], 10)?.values.map(
      (each) => each.records,
    );
  at(RECORDS, RECORDS);
  const [without, having] = pictured(RECORDS) as [number, number];
  expect(without + having).toBe(RECORDS);
  expect(pictured(RECORDS / 4, "place")?.reduce((sum, each) => sum + each)).toBe(RECORDS / 4);
  sqlite.exec(`UPDATE entity SET picture = 1, changed = ${Math.floor(Date.now() / 1_000) - 60}`);
  at(RECORDS + 399, RECORDS);
  expect(pictured(RECORDS)).toEqual([without, having]);
  // Nobody says that of exact counts.
  expect(pictured(RECORDS / 4, "place")).toBeUndefined();
  at(RECORDS + 400, RECORDS);
  expect(pictured(RECORDS)).toEqual(Array.from({ length: 5 }, () => RECORDS));
  const asked = { relations: [], begins: 1900 };
  expect(keptFacets(sqlite, asked, RECORDS, ["picture"], 10)).toBeUndefined();
  sqlite.close();
});
