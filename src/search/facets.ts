/** Facets: what the records that a search finds have in common, counted. */
import { ENDPOINTS } from "../model/tables/endpoints.js";
import { endpointNumber } from "../model/tables/names.js";
import { FACETS, type FacetName, PERIODS, type SearchQuery } from "../store/search.js";
import { secondsOf } from "./find.js";
import { termNumber } from "./properties.js";
import type { IndexQuery, Part } from "./sought.js";
import type { Sqlite } from "./sqlite.js";
import { targetsIn } from "./targets.js";

/** So many records are counted, and of more a sample. */
const COUNTED = 10_000;
const SAMPLED = 5_000;

/** Numbers of entities, mixed, are below; a part of them is a sample of the records. */
const MIXED = 2 ** 32;
const MIX = `id * 2654435761 & ${MIXED - 1}`;

/** Years of the periods that are counted. */
export const SPANS = { century: 100, decade: 10 } as const;

/** How many records have a value: of facets that refer the number of an entity, of others the value itself. */
interface CountedValue {
  readonly facet: FacetName;
  readonly value: string | number;
  readonly records: number;
}

type Counts = Map<string | number, number>;

/** What was counted of some entities: how many of them, and by facet the most frequent values; of changes all moments. */
interface Counted {
  readonly rows: number;
  readonly counts: Readonly<Partial<Record<FacetName, readonly CountedPair[]>>>;
}

type CountedPair = readonly [value: string | number, records: number];

type Years = Pick<SearchQuery, "begins" | "ends">;

/** The most frequent values of facets among some entities, of which there are so many; periods only of the years that are asked for. */
export function countFacets(
  sqlite: Sqlite,
  ids: Part,
  total: number,
  facets: readonly FacetName[],
  limit: number,
  asked: Years,
): FoundValues {
  return mostFrequent(countRows(sqlite, ids, total, facets, limit, asked), total, facets, limit);
}

interface FoundValues {
  readonly values: readonly CountedValue[];
  readonly isEstimated: boolean;
}

function mostFrequent(
  { rows, counts }: Counted,
  total: number,
  facets: readonly FacetName[],
  limit: number,
): FoundValues {
  const scale = total <= COUNTED ? 1 : total / Math.max(1, rows);
  const values = facets.flatMap((facet) => {
    const counted = counts[facet] ?? [];
    const found = facet === "changed" ? countedPeriods(counted) : counted;
    return found.slice(0, limit).map(([value, records]) => ({ facet, value, records: Math.round(records * scale) }));
  });
  return { values, isEstimated: total > COUNTED };
}

function countRows(
  sqlite: Sqlite,
  { sql, values }: Part,
  total: number,
  facets: readonly FacetName[],
  limit: number,
  asked: Years,
): Counted {
  const share = total <= COUNTED ? 1 : total / SAMPLED;
  const counts = new Map<FacetName, Counts>(facets.map((facet) => [facet, new Map()]));
  const add = (facet: FacetName, value: string | number): void => {
    const ofFacet = counts.get(facet);
    ofFacet?.set(value, (ofFacet.get(value) ?? 0) + 1);
  };
  const referring = new Map(facets.map((facet) => [termNumber(facet) ?? -1, facet]));
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
    add("changed", changed);
    for (const { property, target } of targetsIn(Buffer.from(targets, "hex"))) {
      const facet = referring.get(property);
      if (facet !== undefined) add(facet, target);
    }
  }
  for (const [facet, years] of Object.entries(SPANS) as [keyof typeof SPANS, number][])
    if (counts.has(facet)) counts.set(facet, countedSpans(spans, years, limit, asked));
  const sorted = [...counts].map(([facet, ofFacet]) => {
    const found = [...ofFacet].sort(byRecords);
    return [facet, facet === "changed" ? found : found.slice(0, limit)] as const;
  });
  return { rows: rows.length, counts: Object.fromEntries(sorted) };
}

function byRecords(a: CountedPair, b: CountedPair): number {
  return b[1] - a[1] || (a[0] < b[0] ? -1 : 1);
}

/** How many changed in each period until now. */
function countedPeriods(changes: readonly CountedPair[]): CountedPair[] {
  const counted = Object.keys(PERIODS).flatMap((period): CountedPair[] => {
    const since = secondsOf(period);
    const records = changes.reduce((sum, [moment, count]) => sum + (Number(moment) >= since ? count : 0), 0);
    return records === 0 ? [] : [[period, records]];
  });
  return counted.sort(byRecords);
}

/**
 * Count what pages ask for most, all records and those of each endpoint, once more when this share of the records has changed: however
 * often a store changes, a change costs the same. Estimates are that much behind; exact counts are of their state alone.
 */
const RECOUNTED_SHARE = 0.01;
/** The most values of a facet that somebody asks for. */
const KEPT_VALUES = 200;

/** @param records how many there are, of the state with this sequence number, which the index has */
export function keepCounts(sqlite: Sqlite, sequence: number, records: number): void {
  const [last] = sqlite.row<[number | null]>("SELECT max(sequence) FROM listing")!;
  if (last !== null && sequence - last < records * RECOUNTED_SHARE) return;
  sqlite.exec("DELETE FROM listing");
  const endpoints = sqlite.rows<[number, number]>("SELECT endpoint, count(*) FROM entity GROUP BY endpoint");
  for (const [endpoint, total] of [[ALL, records] as const, ...endpoints]) {
    const ids = { sql: `SELECT id FROM entity${endpoint === ALL ? "" : ` WHERE endpoint = ${endpoint}`}`, values: [] };
    const counted = countRows(sqlite, ids, total, FACETS, KEPT_VALUES, {});
    sqlite.run("INSERT INTO listing VALUES (?, ?, ?)", endpoint, sequence, JSON.stringify(counted));
  }
}

/** Stands for all endpoints. */
const ALL = -1;

/** What is kept for a search, of which there are so many records; `undefined` where it has to be counted. */
export function keptFacets(
  sqlite: Sqlite,
  { endpoint, sort: _, relations, ...others }: IndexQuery,
  total: number,
  facets: readonly FacetName[],
  limit: number,
): FoundValues | undefined {
  const isOther = limit > KEPT_VALUES || relations.length > 0;
  if (isOther || Object.values(others).some((each) => each !== undefined && each !== "")) return undefined;
  const of = endpoint === undefined ? ALL : endpointNumber(endpoint);
  const isKept = "SELECT counted FROM listing WHERE endpoint = ? AND (? OR sequence = (SELECT sequence FROM fact))";
  const [counted] = sqlite.row<[string]>(isKept, of, Number(total > COUNTED)) ?? [];
  return counted === undefined ? undefined : mostFrequent(JSON.parse(counted) as Counted, total, facets, limit);
}

type Span = readonly [begins: number, ends: number];

/** How many spans touch each of the periods of so many years, by their first years; of periods that the same touch no more than the limit. */
function countedSpans(
  spans: readonly Span[],
  years: number,
  limit: number,
  { begins = -Infinity, ends = Infinity }: Years,
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
