/** Searches without texts, of records that are loaded, and what facets have to say of them. */
import fc from "fast-check";
import { expect } from "vitest";
import type { EndpointName } from "../../src/model/tables/endpoints.js";
import { FACETS, type FacetValue, PERIODS, type Search, type SearchQuery } from "../../src/store/search.js";
import type { CountedBySparql } from "./counted-by-sparql.js";

/** More values than a facet of the records has. */
export const ALL_VALUES = 100_000;

/** Combinations of what searches ask for, of values that there are. */
export async function queriesOf(search: Search): Promise<fc.Arbitrary<SearchQuery>> {
  const { values } = await search.facets({}, FACETS, 20);
  const of = (facet: string): FacetValue[] => values.filter((each) => each.facet === facet);
  const referring = values.filter(({ value }) => value.includes(":"));
  const relation = fc.record({
    of: fc.constantFrom(...referring),
    isNot: fc.boolean(),
  });
  const relations = fc
    .array(relation, { maxLength: 2 })
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

/** Whether facets count what SPARQL counts, and the search finds what it finds. */
export async function expectCounts(search: Search, sparql: CountedBySparql, query: SearchQuery): Promise<void> {
  const { values, isEstimated } = await search.facets(query, FACETS, ALL_VALUES);
  expect(isEstimated).toBe(false);
  const counted = values.map(({ facet, value, records }) => [`${facet} ${value}`, records] as const);
  expect(counted.sort(), JSON.stringify(query)).toEqual([...sparql.counts(query)].sort());
}
