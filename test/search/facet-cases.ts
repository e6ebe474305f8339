/** Searches without texts over loaded records, and the facets that they must have. */
import fc from "fast-check";
import { expect } from "vitest";
import type { EndpointName } from "../../src/model/tables/names.js";
import { FACETS, type FacetValue, PERIODS, type Search, type SearchQuery } from "../../src/store/search.js";
import type { CountedBySparql } from "./counted-by-sparql.js";

/** More values than any facet of the records has. */
export const ALL_VALUES = 100_000;

/** Combinations of conditions, with values that the records have. */
export async function queriesOf(search: Search): Promise<fc.Arbitrary<SearchQuery>> {
  const { values } = await search.facets({}, FACETS, 20);
  const of = (facet: string): FacetValue[] => values.filter((each) => each.facet === facet);
  const referring = values.filter(({ value }) => value.includes(":"));
  const relation = fc.record({
    of: fc.constantFrom(...referring),
    isNot: fc.boolean(),
  });
  const relations = fc
    .array(relation, { maxLength: 4 })
    .map((all) => all.map(({ of: { facet, value }, isNot }) => ({ property: facet, target: value, isNot })));
  const begins = fc.constantFrom(...of("decade").map(({ value }) => Number(value)));
  return fc.record(
    {
      endpoint: fc.constantFrom(...of("endpoint").map(({ value }) => value as EndpointName)),
      relations,
      begins,
      ends: begins.map((year) => year + 120),
      under: fc.constantFrom(...referring.map(({ value }) => value)),
      isPictured: fc.boolean(),
      changed: fc.constantFrom(...Object.keys(PERIODS), "2020-01-01"),
    },
    { requiredKeys: [] },
  );
}

/** Expects the counts of SPARQL, or close estimates if a search has more than 10,000 hits. Resolves to whether they were estimates. */
export async function expectCounts(search: Search, sparql: CountedBySparql, query: SearchQuery): Promise<boolean> {
  const { values, isEstimated } = await search.facets(query, FACETS, ALL_VALUES);
  const expected = sparql.counts(query);
  const counted = new Map(values.map(({ facet, value, records }) => [`${facet} ${value}`, records]));
  const { total = 0 } = await search.find(query, { limit: 1 });
  const isNarrowed = Object.entries(query).some(([name, asked]) => name !== "endpoint" && String(asked) !== "");
  expect(isEstimated, JSON.stringify(query)).toBe(total > 10_000 && isNarrowed);
  if (!isEstimated)
    expect([...counted].map(String).sort(), JSON.stringify(query)).toEqual([...expected].map(String).sort());
  else {
    // The bound is six standard deviations of a sample of one in `share`, with an allowance for rare values.
    const share = total / 5_000;
    for (const [value, records] of expected)
      expect(Math.abs((counted.get(value) ?? 0) - records), value).toBeLessThan(
        6 * Math.sqrt(share * records) + 8 * share,
      );
  }
  return isEstimated;
}
