/** The tally of facets, which equals a count of all records after any changes. */
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { type EndpointName, endpointNumber } from "../../src/model/tables/names.js";
import { countFacets, talliedFacets } from "../../src/search/facets.js";
import { SEARCH_FILE } from "../../src/search/schema.js";
import { Sqlite } from "../../src/search/sqlite.js";
import { FACETS } from "../../src/store/search.js";
import { forAllAsync, runsOf } from "../properties.js";
import { SearchedStore } from "./searched-store.js";

const searched = new SearchedStore();
const LIMIT = 1_000;

const iri = fc.integer({ min: 0, max: 12 }).map((at) => `urn:${at}`);
const some = fc.uniqueArray(iri, { maxLength: 3 });
const year = fc.integer({ min: 1480, max: 1999 });
const content = fc.oneof(
  fc.record({
    endpoint: fc.constantFrom<EndpointName>("object", "person"),
    label: fc.constantFrom("One", "Two"),
    maker: fc.constantFrom("urn:m", "urn:n"),
    years: fc.tuple(year, fc.nat(120)).map(([begin, more]) => [String(begin), String(begin + more)] as const),
    refers: fc.record({ made_of: some, representation: some, member_of: some }),
  }),
  fc.record({
    endpoint: fc.constant<EndpointName>("digital"),
    refers: fc.record({ digitally_shows: some, access_point: fc.constant(["urn:file.jpg"]) }),
  }),
);

it("the tally of all records and of each endpoint equals a count of every record", async () => {
  const values = new Set<string>();
  await forAllAsync(
    [fc.dictionary(iri, content), fc.uniqueArray(iri, { maxLength: 4 })],
    runsOf(300, 25),
    async (put, gone) => {
      await searched.publish(
        put,
        gone.filter((each) => !(each in put)),
      );
      const sqlite = new Sqlite(join(searched.directory, SEARCH_FILE));
      for (const endpoint of [undefined, "object", "person", "digital"] as const) {
        const of = endpoint === undefined ? "" : ` WHERE endpoint = ${endpointNumber(endpoint)}`;
        const ids = { sql: `SELECT id FROM entity${of}`, values: [] };
        const counted = countFacets(sqlite, { finding: { ids, query: { relations: [] } }, total: 12 }, FACETS, LIMIT);
        expect(talliedFacets(sqlite, { endpoint, relations: [] }, FACETS, LIMIT)).toEqual(counted);
        for (const { facet, value } of counted.values) values.add(`${facet} ${value}`);
      }
      const left = sqlite.row<[number]>("SELECT count(*) FROM tally WHERE records = 0");
      sqlite.close();
      expect(left).toEqual([0]);
    },
  );
  for (const value of ["endpoint person", "picture yes", "picture no", "century 1500", "changed day"])
    expect([...values]).toContain(value);
});

it("the tally does not answer searches with more conditions, and gives the most frequent values first", async () => {
  const objects = Array.from({ length: 9 }, (_, at) => [`urn:${at}`, { maker: at < 6 ? "urn:m" : "urn:n" }] as const);
  await searched.publish(Object.fromEntries(objects));
  const sqlite = new Sqlite(join(searched.directory, SEARCH_FILE));
  for (const more of [{ text: "m" }, { begins: 1900 }, { relations: [{ property: 128, target: "urn:m" }] }])
    expect(talliedFacets(sqlite, { relations: [], ...more }, FACETS, LIMIT)).toBeUndefined();
  const [most, ...others] = talliedFacets(sqlite, { relations: [], sort: "date" }, ["carried_out_by"], 1)!.values;
  expect([most!.records, others]).toEqual([6, []]);
  sqlite.close();
});

it("counts the centuries before Christ as people do, and lists the latest first to be left in", async () => {
  await searched.publish({
    "urn:parthenon": { label: "Vase", years: ["-0499", "-0400"] },
    "urn:caesar": { label: "Vase", years: ["-0099", "0001"] },
    "urn:axe": { label: "Hand axe", years: ["-499999", "-299999"] },
    "urn:drawing": { label: "Drawing of a hand axe", years: ["1850", "1860"] },
  });
  const centuriesOf = async (text: string, limit: number): Promise<string[]> => {
    const { values } = await searched.search.facets({ text }, ["century"], limit);
    return values.map(({ label }) => label);
  };
  expect(await centuriesOf("vase", 20)).toEqual(["500 to 401 BC", "100 to 1 BC", "1 to 99"]);
  const ofAxes = await centuriesOf("axe", 20);
  expect([ofAxes.length, ofAxes[0], ofAxes.at(-1)]).toEqual([20, "499900 to 499801 BC", "1800 to 1899"]);
  // A time in which nothing changes does not fill a longer list.
  expect(await centuriesOf("axe", 200)).toHaveLength(21);
});

it("lists the first 2,000 years of a longer time with the same number of records, by the tally as by a count", async () => {
  await searched.publish({
    "urn:older": { label: "Older axe", years: ["-7999", "-5000"] },
    "urn:younger": { label: "Younger axe", years: ["-4999", "-3000"] },
  });
  for (const query of [{ endpoint: "object" }, { endpoint: "object", text: "axe" }] as const) {
    const { values } = await searched.search.facets(query, ["century"], 100);
    expect(values.map(({ value }) => Number(value))).toEqual(Array.from({ length: 20 }, (_, at) => 100 * at - 7_999));
  }
});
