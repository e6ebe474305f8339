/** Facets of more records than are counted, which are estimates from a sample. */
import { expect, it } from "vitest";
import { countFacets } from "../../src/search/facets.js";
import { INDEXES, TABLES } from "../../src/search/schema.js";
import { Sqlite } from "../../src/search/sqlite.js";

const RECORDS = 40_000;
/** Three in four records have the second endpoint, and one in ten has a picture. */
const ROWS = `WITH RECURSIVE n (at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM n WHERE at < ${RECORDS - 1})
INSERT INTO entity (id, endpoint, sort, names, targets, begins, ends, picture, changed)
SELECT at + 1, 1 + (at % 4 > 0), '', '', '[]', 1850, 1910, at % 10 = 0, 0 FROM n`;

it("facets of more than 10,000 records are close estimates, and say that they are estimates", () => {
  const sqlite = new Sqlite(":memory:");
  sqlite.exec(TABLES + INDEXES);
  sqlite.exec(ROWS);
  const query = { relations: [] };
  const all = { sql: "SELECT id FROM entity", values: [] };
  const { values, isEstimated } = countFacets(
    sqlite,
    { finding: { ids: all, query }, total: RECORDS },
    ["endpoint", "picture", "century"],
    10,
  );
  expect(isEstimated).toBe(true);
  const records = (facet: string): number[] =>
    values.filter((each) => each.facet === facet).map((each) => each.records);
  // An eighth is counted: the bound is over three standard deviations of such a sample.
  const bound = (share: number): number => 5 * Math.sqrt(4 * RECORDS * share * (1 - share));
  for (const [facet, share] of [["endpoint", 0.75] as const, ["picture", 0.9] as const]) {
    const [most, least] = records(facet);
    expect(Math.abs(most! - RECORDS * share), facet).toBeLessThan(bound(share));
    expect(most! + least!, facet).toBeCloseTo(RECORDS, -1);
  }
  expect(records("century")).toEqual([RECORDS, RECORDS]);
  const some = { sql: "SELECT id FROM entity WHERE id <= ?", values: [1_000] };
  expect(countFacets(sqlite, { finding: { ids: some, query }, total: 1_000 }, ["picture"], 10)).toEqual({
    isEstimated: false,
    values: [
      { facet: "picture", value: "no", records: 900 },
      { facet: "picture", value: "yes", records: 100 },
    ],
  });
  sqlite.close();
});
