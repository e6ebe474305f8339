/** Facets: what the records that a search finds have in common, counted. */
import { ENDPOINTS } from "../model/tables/endpoints.js";
import { type FacetName, PERIODS, type SearchQuery } from "../store/search.js";
import { secondsOf } from "./find.js";
import { termNumber } from "./properties.js";
import type { Part } from "./sought.js";
import type { Sqlite } from "./sqlite.js";
import { targetsIn } from "./targets.js";

/** So many records are counted, and of more a sample. */
const COUNTED = 10_000;
const SAMPLED = 5_000;

/** Numbers of entities, mixed, are below; a part of them is a sample of the records. */
const MIXED = 2 ** 32;
const MIX = `id * 2654435761 & ${MIXED - 1}`;

/** Years of the periods that are counted. */
const SPANS = { century: 100, decade: 10 } as const;

/** How many records have a value: of facets that refer the number of an entity, of others the value itself. */
interface CountedValue {
  readonly facet: FacetName;
  readonly value: string | number;
  readonly records: number;
}

type Counts = Map<string | number, number>;

/** The most frequent values of facets among some entities, of which there are so many; periods only of the years that are asked for. */
export function countFacets(
  sqlite: Sqlite,
  { sql, values }: Part,
  total: number,
  facets: readonly FacetName[],
  limit: number,
  asked: Pick<SearchQuery, "begins" | "ends">,
): { readonly values: readonly CountedValue[]; readonly isEstimated: boolean } {
  const share = total <= COUNTED ? 1 : total / SAMPLED;
  const counts = new Map<FacetName, Counts>(facets.map((facet) => [facet, new Map()]));
  const add = (facet: FacetName, value: string | number): void => {
    const ofFacet = counts.get(facet);
    ofFacet?.set(value, (ofFacet.get(value) ?? 0) + 1);
  };
  const referring = new Map(facets.map((facet) => [termNumber(facet) ?? -1, facet]));
  const periods = Object.keys(PERIODS).map((period) => [period, secondsOf(period)] as const);
  const spans: Span[] = [];
  // One answer of all rows takes half as long as an answer of many.
  const [answer] = sqlite.row<[string]>(
    `WITH found (id) AS (${sql}) SELECT json_group_array(json_array(endpoint, begins, ends, picture, changed, hex(targets)))
FROM entity WHERE id IN (SELECT id FROM found WHERE (${MIX}) < ?)`,
    ...values,
    Math.floor(MIXED / share),
  )!;
  const rows = JSON.parse(answer) as [number, number | null, number | null, number, number, string][];
  for (const [endpoint, begins, ends, picture, changed, targets] of rows) {
    const kind = ENDPOINTS[endpoint - 1];
    if (kind !== undefined) add("endpoint", kind.name);
    if (begins !== null && ends !== null) spans.push([begins, ends]);
    add("picture", picture > 0 ? "yes" : "no");
    for (const [period, since] of periods) if (changed >= since) add("changed", period);
    for (const { property, target } of targetsIn(Buffer.from(targets, "hex"))) {
      const facet = referring.get(property);
      if (facet !== undefined) add(facet, target);
    }
  }
  for (const [facet, years] of Object.entries(SPANS) as [keyof typeof SPANS, number][])
    if (counts.has(facet)) counts.set(facet, countedSpans(spans, years, limit, asked));
  const scale = share === 1 ? 1 : total / Math.max(1, rows.length);
  const counted = [...counts].flatMap(([facet, ofFacet]) =>
    [...ofFacet]
      .map(([value, records]) => ({ facet, value, records: Math.round(records * scale) }))
      .sort((a, b) => b.records - a.records || (a.value < b.value ? -1 : 1))
      .slice(0, limit),
  );
  return { values: counted, isEstimated: share > 1 };
}

type Span = readonly [begins: number, ends: number];

/** How many spans touch each of the periods of so many years, by their first years; of periods that the same touch no more than the limit. */
function countedSpans(
  spans: readonly Span[],
  years: number,
  limit: number,
  { begins = -Infinity, ends = Infinity }: Pick<SearchQuery, "begins" | "ends">,
): Counts {
  const firstOf = (year: number): number => Math.floor(year / years) * years;
  const changes = new Map<number, number>();
  const change = (first: number, by: number): void => void changes.set(first, (changes.get(first) ?? 0) + by);
  for (const span of spans) {
    change(firstOf(Math.max(span[0], begins)), 1);
    change(firstOf(Math.min(span[1], ends)) + years, -1);
  }
  const counts: Counts = new Map();
  const order = [...changes.keys()].sort((a, b) => a - b);
  let touching = 0;
  for (const [at, first] of order.entries()) {
    touching += changes.get(first)!;
    const end = Math.min(order[at + 1] ?? first, first + limit * years);
    for (let each = first; each < end && touching > 0; each += years) counts.set(String(each), touching);
  }
  return counts;
}

/** What a value is called that is no IRI. */
export function labelOfValue(facet: FacetName, value: string): string {
  if (facet === "century") return `${value} to ${Number(value) + SPANS.century - 1}`;
  if (facet === "decade") return `${value}s`;
  if (facet === "picture") return value === "yes" ? "with a picture" : "without a picture";
  return facet === "changed" ? `in the last ${value}` : value;
}
