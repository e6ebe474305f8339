/** The numbers of IRIs in the search index, which give back the same IRIs. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { entityOf, Iris, iriOfId } from "../../src/search/iris.js";
import { INDEXES, TABLES } from "../../src/search/schema.js";
import { Sqlite } from "../../src/search/sqlite.js";
import { forAll, runsOf } from "../properties.js";

it("any IRI has one number, which gives back the same IRI", () => {
  const part = fc.constantFrom("", "a", "1", "Ä", "object", "x".repeat(50));
  const separator = fc.constantFrom("/", "#", ":", "?", "=", "//", ".");
  const iri = fc.array(
    fc.tuple(part, separator, part).map((parts) => parts.join("")),
    { maxLength: 4 },
  );
  forAll(
    [
      fc.array(
        iri.map((parts) => parts.join("")),
        { maxLength: 20 },
      ),
      fc.boolean(),
    ],
    runsOf(500),
    (given, isFilling) => {
      const sqlite = new Sqlite(":memory:");
      sqlite.exec(TABLES + INDEXES);
      const iris = new Iris(sqlite, isFilling);
      const ids = given.map((each) => iris.idOf(each));
      iris.flush();
      expect(new Set(ids).size).toBe(new Set(given).size);
      for (const [at, id] of ids.entries()) {
        expect(iriOfId(sqlite, id)).toBe(given[at]);
        expect(entityOf(sqlite, given[at]!)).toBe(id);
        expect(new Iris(sqlite, false).idOf(given[at]!)).toBe(id);
      }
      expect(entityOf(sqlite, "urn:another")).toBeUndefined();
      sqlite.close();
    },
  );
});

it("a long IRI takes time linear in its length", () => {
  const sqlite = new Sqlite(":memory:");
  sqlite.exec(TABLES + INDEXES);
  const long = `urn:${"a".repeat(500_000)}:b`;
  const iris = new Iris(sqlite, false);
  const id = iris.idOf(long);
  iris.flush();
  expect(iriOfId(sqlite, id)).toBe(long);
  sqlite.close();
});
