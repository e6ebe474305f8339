/** Facets: what the records that a search finds have in common, counted. */
import { ENDPOINTS } from "../model/tables/endpoints.js";
import type { FacetName } from "../store/search.js";
import type { Part } from "./find.js";
import { targetsIn } from "./index-writer.js";
import { termNumber } from "./properties.js";
import type { Sqlite } from "./sqlite.js";

/** So many records are counted; of more, as many are taken as a sample. */
const COUNTED = 10_000;

/** Hashes of IRIs are below; a part of them is a sample of the records. */
const HASHES = 2 ** 48;

/** How many records have a value: of facets that refer the number of an entity, of others the value itself. */
interface CountedValue {
  readonly facet: FacetName;
  readonly value: string | number;
  readonly records: number;
}

/** The most frequent values of facets among some entities, of which there are so many. */
export function countFacets(
  sqlite: Sqlite,
  { sql, values }: Part,
  total: number,
  facets: readonly FacetName[],
  limit: number,
): { readonly values: readonly CountedValue[]; readonly isEstimated: boolean } {
  const share = Math.max(1, Math.ceil(total / COUNTED));
  const counts = new Map(facets.map((facet) => [facet, new Map<string | number, number>()]));
  const add = (facet: FacetName, value: string | number): void => {
    const ofFacet = counts.get(facet);
    ofFacet?.set(value, (ofFacet.get(value) ?? 0) + 1);
  };
  const referring = new Map(facets.map((facet) => [termNumber(facet) ?? -1, facet]));
  const rows = sqlite.rows<[number, number | null, number | null, Buffer]>(
    share === 1
      ? `SELECT endpoint, begins, ends, targets FROM entity WHERE id IN (${sql})`
      : `SELECT endpoint, begins, ends, targets FROM entity INDEXED BY entity_of_hash WHERE id IN (${sql}) AND hash < ?`,
    ...values,
    ...(share === 1 ? [] : [HASHES / share]),
  );
  for (const [endpoint, begins, ends, targets] of rows) {
    const kind = ENDPOINTS[endpoint - 1];
    if (kind !== undefined) add("endpoint", kind.name);
    if (begins !== null && ends !== null)
      for (const century of centuriesIn(begins, ends)) add("century", String(century));
    for (const { property, target } of targetsIn(targets)) {
      const facet = referring.get(property);
      if (facet !== undefined) add(facet, target);
    }
  }
  const counted = [...counts].flatMap(([facet, ofFacet]) =>
    [...ofFacet]
      .map(([value, records]) => ({ facet, value, records: records * share }))
      .sort((a, b) => b.records - a.records || (a.value < b.value ? -1 : 1))
      .slice(0, limit),
  );
  return { values: counted, isEstimated: share > 1 };
}

/** The first years of the centuries that a span touches; of a longer one than ten, of none. */
function centuriesIn(begins: number, ends: number): number[] {
  const [first, last] = [begins, ends].map((year) => Math.floor(year / 100) * 100) as [number, number];
  const count = (last - first) / 100 + 1;
  return count > 10 ? [] : Array.from({ length: count }, (_, at) => first + at * 100);
}
