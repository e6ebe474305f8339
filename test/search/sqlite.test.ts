import { expect, it } from "vitest";
import { isDamage, Sqlite } from "../../src/search/sqlite.js";

/** The error of a statement on a database that has one full-text table. */
function errorOf(sql: string): unknown {
  const sqlite = new Sqlite(":memory:");
  try {
    sqlite.exec("CREATE VIRTUAL TABLE word USING fts5 (names)");
    sqlite.rows(sql);
    return undefined;
  } catch (error) {
    return error;
  } finally {
    sqlite.close();
  }
}

it("a missing table is damage, a query that cannot be read or has too many values is none", () => {
  expect(isDamage(errorOf("SELECT * FROM entity"))).toBe(true);
  for (const sql of ["SELECT * FROM word WHERE word MATCH '(a'", `SELECT ${Array(40_000).fill("?")}`]) {
    const error = errorOf(sql);
    expect(error).toMatchObject({ code: "SQLITE_ERROR" });
    expect(isDamage(error)).toBe(false);
  }
});
