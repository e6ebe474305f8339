/** Facets: counts of the values that the hits of a search share; and the tally of all records, updated as they come and go. */
import { endpointNumber, endpointNumbered } from "../model/tables/names.js";
import { FACETS, type FacetName, PERIODS, type SearchQuery } from "../store/search.js";
import { secondsOf } from "./conditions.js";
import type { IndexSearch } from "./find.js";
import { termNumber } from "./properties.js";
import type { NumberedTarget } from "./schema.js";
import type { IndexQuery } from "./search-text.js";
import type { Cell, Cells, Sqlite } from "./sqlite.js";
import { lastOfPeriod, periodOf, SPANS, yearsText } from "./years.js";

/** Up to this many hits are all counted. Beyond, a random sample of about `SAMPLED` hits is counted. */
const COUNTED = 10_000;
const SAMPLED = 5_000;

/** `MIX` scatters the numbers of entities from 0 to `MIXED` - 1: the entities below a tenth of `MIXED`, for example, are a random tenth. */
const MIXED = 2 ** 32;
const MIX = `id * 2654435761 & ${MIXED - 1}`;

const PERIODS_OF_YEARS = Object.entries(SPANS) as readonly (readonly [keyof typeof SPANS, number])[];

/** The number of records that have a value: the number of an entity in facets of references, else the value itself. */
interface CountedValue {
  readonly facet: FacetName;
  readonly value: string | number;
  readonly records: number;
}

type NumberPair = readonly [value: number, records: number];
type CountedPair = readonly [value: string | number, records: number];

/** The columns of a record's row that facets count, apart from its references. */
export type CountedRow = [
  endpoint: number,
  begins: number | null,
  ends: number | null,
  picture: number,
  changed: number,
];

/** The facets of references, by the number of their property. */
const REFERRING = new Map(FACETS.flatMap((facet) => [[termNumber(facet) ?? -1, facet] as const]));

/** Count a record, facet by facet. Its years add 1 at the period in which they begin, and -1 at the period after the one in which they end. So the number of records that touch a period is the sum of the counts up to it. */
function countValuesOf(
  [endpoint, begins, ends, picture, changed]: CountedRow,
  targets: readonly NumberedTarget[],
  count: (facet: FacetName, value: number, by: number) => void,
  asked: Pick<SearchQuery, "begins" | "ends"> = {},
): void {
  if (endpoint > 0) count("endpoint", endpoint, 1);
  if (begins !== null && ends !== null) {
    for (const [facet, span] of PERIODS_OF_YEARS) {
      count(facet, periodOf(Math.max(begins, asked.begins ?? begins), span), 1);
      count(facet, lastOfPeriod(periodOf(Math.min(ends, asked.ends ?? ends), span), span) + 1, -1);
    }
  }
  count("picture", Math.min(picture, 1), 1);
  count("changed", changed, 1);
  for (const [property, target] of targets) {
    const facet = REFERRING.get(property);
    if (facet !== undefined) count(facet, target, 1);
  }
}

/** The most frequent values of facets among the hits of a search. Centuries and decades outside its years are not counted. */
export function countFacets(
  sqlite: Sqlite,
  { finding: { ids, query }, total }: { readonly finding: Pick<IndexSearch, "ids" | "query">; readonly total: number },
  facets: readonly FacetName[],
  limit: number,
) {
  const isEstimated = total > COUNTED;
  const counts = new Map<FacetName, Map<number, number>>(facets.map((facet) => [facet, new Map()]));
  const count = (facet: FacetName, value: number, by: number): void => {
    const ofFacet = counts.get(facet);
    ofFacet?.set(value, (ofFacet.get(value) ?? 0) + by);
  };
  // One JSON array of all rows takes half as long as many rows.
  const [answer] = sqlite.row<[string]>(
    `WITH found (id) AS (${ids.sql}) SELECT json_group_array(json_array(json(targets), endpoint, begins, ends, picture, changed))
FROM entity WHERE id IN (SELECT id FROM found WHERE (${MIX}) < ?)`,
    ...ids.values,
    Math.floor(isEstimated ? (MIXED / total) * SAMPLED : MIXED),
  )!;
  const rows = JSON.parse(answer) as [NumberedTarget[], ...CountedRow][];
  for (const [targets, ...row] of rows) countValuesOf(row, targets, count, query);
  const scale = isEstimated ? total / Math.max(1, rows.length) : 1;
  const values = facets.flatMap((facet) => mostFrequent(facet, [...counts.get(facet)!], limit));
  return { values: values.map((each) => ({ ...each, records: Math.round(each.records * scale) })), isEstimated };
}

/** The most frequent values of a facet, given the counts of `countValuesOf`; centuries and decades in chronological order. */
function mostFrequent(facet: FacetName, counted: readonly NumberPair[], limit: number): CountedValue[] {
  const most = mostOf(facet, SHOWN[facet]?.(counted, limit) ?? counted, limit);
  return facet in SPANS ? most.sort((a, b) => Number(a.value) - Number(b.value)) : most;
}

/** The values that most records have, with their numbers of records, the most frequent first. */
function mostOf(facet: FacetName, counted: readonly CountedPair[], limit: number): CountedValue[] {
  const isPeriod = facet in SPANS;
  const sorted = counted
    .filter(([, records]) => records > 0)
    .sort((a, b) => b[1] - a[1] || (isPeriod ? 0 : a[0] < b[0] ? -1 : 1));
  return sorted.slice(0, limit).map(([value, records]) => ({ facet, value, records }));
}

/** The periods that end now, each with its start in seconds since 1970. */
function periodsBegun(): readonly (readonly [period: string, since: number])[] {
  return Object.keys(PERIODS).map((period) => [period, secondsOf(period)]);
}

/** Makes the counts of a facet whose values are not entities: endpoints, periods, whether there is a picture. */
type Shown = (counted: readonly NumberPair[], limit: number) => readonly CountedPair[];
const SHOWN: Readonly<Partial<Record<FacetName, Shown>>> = {
  endpoint: (counted) => counted.map(([endpoint, records]) => [endpointNumbered(endpoint)!, records]),
  century: (counted, limit) => touched(counted, SPANS.century, limit),
  decade: (counted, limit) => touched(counted, SPANS.decade, limit),
  picture: (counted) => counted.map(([isPictured, records]) => [isPictured ? "yes" : "no", records]),
  changed: (counted) =>
    periodsBegun().map(([period, since]) => [
      period,
      counted.reduce((sum, [moment, records]) => sum + (moment >= since ? records : 0), 0),
    ]),
};

/** If the count is the same for more years than this, as in the Palaeolithic, only the periods of the first years are listed. */
const MAX_RUN = 2_000;

/** The number of records that touch each period of `span` years, by its first year, the latest first. Of a run of periods with the same count, at most `limit` are listed. */
function touched(changes: readonly NumberPair[], span: number, limit: number): CountedPair[] {
  // As in the tally, changes of 0 are left out: a record begins where another has ended.
  const order = changes.filter(([, by]) => by !== 0).sort(([a], [b]) => a - b);
  const counts: CountedPair[] = [];
  let touching = 0;
  for (const [at, [first, by]] of order.entries()) {
    touching += by;
    const end = Math.min(order[at + 1]?.[0] ?? first, first + Math.min(limit * span, MAX_RUN));
    for (let each = first; each < end && touching > 0; each = lastOfPeriod(each, span) + 1)
      counts.push([String(each), touching]);
  }
  return counts.reverse();
}

/** The label of a value that is not an IRI. */
export function labelOfValue(facet: FacetName, value: string): string {
  const first = Number(value);
  if (facet === "decade" && first > 1) return `${value}s`;
  if (facet === "century" || facet === "decade") return yearsText(first, lastOfPeriod(first, SPANS[facet]), " to ");
  if (facet === "picture") return value === "yes" ? "with a picture" : "without a picture";
  return facet === "changed" ? `in the last ${value}` : value;
}

/** The number that stands for all endpoints in the tally. */
const ALL = -1;

/** Changes to the tally, gathered and written together. */
export class FacetTally {
  /** By endpoint and facet, then by value: how many more records have it. */
  readonly #changes = new Map<number, Map<number, number>>();

  constructor(readonly sqlite: Sqlite) {}

  /** @param by -1 for a record that is removed */
  count(row: CountedRow, targets: readonly NumberedTarget[], by: 1 | -1): void {
    countValuesOf(row, targets, (facet, value, more) => this.add(row[0], facet, value, by * more));
  }

  /** Add to the number of records of an endpoint that have a value. */
  add(endpoint: number, facet: FacetName, value: number, by: number): void {
    for (const of of [ALL, endpoint]) {
      const key = of * FACETS.length + FACETS.indexOf(facet);
      const counts = this.#changes.get(key) ?? new Map<number, number>();
      this.#changes.set(key, counts.set(value, (counts.get(value) ?? 0) + by));
    }
  }

  flush(): void {
    for (const [key, counts] of this.#changes) {
      const endpoint = Math.floor(key / FACETS.length);
      const changes = [...counts].filter(([, by]) => by !== 0);
      const mayEmpty = changes.some(([, by]) => by < 0);
      for (const sql of mayEmpty ? [ADD, SWEEP] : [ADD])
        this.sqlite.run(sql, endpoint, key - endpoint * FACETS.length, JSON.stringify(changes));
    }
    this.#changes.clear();
  }
}

const ADD = `INSERT INTO tally SELECT ?1, ?2, value->>0, value->>1 FROM json_each(?3) WHERE true
ON CONFLICT DO UPDATE SET records = records + excluded.records`;
const SWEEP = `DELETE FROM tally WHERE endpoint = ?1 AND facet = ?2 AND records = 0
AND value IN (SELECT changed.value->>0 FROM json_each(?3) AS changed)`;

/** The most frequent values of facets from the tally, if the query asks for all records or those of an endpoint; else `undefined`. */
export function talliedFacets(
  sqlite: Sqlite,
  { endpoint, sort: _, relations, ...others }: IndexQuery,
  facets: readonly FacetName[],
  limit: number,
) {
  const isOther = relations.length > 0 || Object.values(others).some((each) => each !== undefined && each !== "");
  if (isOther) return undefined;
  const of = endpoint === undefined ? ALL : endpointNumber(endpoint);
  const values = facets.flatMap((facet) => {
    const rows = <T extends Cells>(sql: string, more: Cell) => sqlite.rows<T>(sql, of, FACETS.indexOf(facet), more);
    if (facet === "changed") return mostOf(facet, rows<[string, number]>(SINCE, JSON.stringify(periodsBegun())), limit);
    return mostFrequent(facet, rows<[number, number]>(MOST, termNumber(facet) === undefined ? -1 : limit), limit);
  });
  return { values, isEstimated: false };
}

/** The most frequent values. The very many values that only one record has are not in the SQL index, and are read only if there are too few others. */
const MOST = `SELECT * FROM (
  SELECT value, records FROM tally WHERE endpoint = ?1 AND facet = ?2 AND records > 1 ORDER BY records DESC, value LIMIT ?3
) UNION ALL SELECT value, records FROM tally WHERE endpoint = ?1 AND facet = ?2 AND records <= 1 LIMIT ?3`;
const SINCE = `SELECT begun.value->>0, (
  SELECT sum(records) FROM tally WHERE endpoint = ?1 AND facet = ?2 AND value >= begun.value->>1
) FROM json_each(?3) AS begun`;
