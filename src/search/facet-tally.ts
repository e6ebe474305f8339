/** The tally of facets: of all records and of those of each endpoint, counted as records come and go. */
import { endpointNumber } from "../model/tables/names.js";
import { FACETS, type FacetName } from "../store/search.js";
import { type CountedRow, countValuesOf, type FoundValues, mostFrequent, mostOf, periodsBegun } from "./facets.js";
import { termNumber } from "./properties.js";
import type { NumberedTarget } from "./schema.js";
import type { IndexQuery } from "./search-text.js";
import type { Cell, Cells, Sqlite } from "./sqlite.js";

/** Stands for all endpoints. */
const ALL = -1;

/** Changes of the tally, which are written together. */
export class FacetTally {
  /** By endpoint and facet, of each value how many records more have it. */
  readonly #changes = new Map<number, Map<number, number>>();

  constructor(readonly sqlite: Sqlite) {}

  /** @param by -1 for a record that is taken out */
  count(row: CountedRow, targets: readonly NumberedTarget[], by: 1 | -1): void {
    countValuesOf(row, targets, (facet, value, more) => this.add(row[0], facet, value, by * more));
  }

  /** So many records more of an endpoint have a value. */
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
      const changes = JSON.stringify([...counts].filter(([, by]) => by !== 0));
      for (const sql of [ADD, SWEEP]) this.sqlite.run(sql, endpoint, key - endpoint * FACETS.length, changes);
    }
    this.#changes.clear();
  }
}

const ADD = `INSERT INTO tally SELECT ?1, ?2, value->>0, value->>1 FROM json_each(?3) WHERE true
ON CONFLICT DO UPDATE SET records = records + excluded.records`;
const SWEEP = `DELETE FROM tally WHERE endpoint = ?1 AND facet = ?2 AND records = 0
AND value IN (SELECT changed.value->>0 FROM json_each(?3) AS changed)`;

/** The most frequent values of facets of a search for all records, or for those of an endpoint; `undefined` of any other. */
export function talliedFacets(
  sqlite: Sqlite,
  { endpoint, sort: _, relations, ...others }: IndexQuery,
  facets: readonly FacetName[],
  limit: number,
): FoundValues | undefined {
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

/** Very many have values that nobody else has: those are in no index. */
const MOST = `SELECT * FROM (
  SELECT value, records FROM tally WHERE endpoint = ?1 AND facet = ?2 AND records > 1 ORDER BY records DESC, value LIMIT ?3
) UNION ALL SELECT value, records FROM tally WHERE endpoint = ?1 AND facet = ?2 AND records <= 1 LIMIT ?3`;
const SINCE = `SELECT begun.value->>0, (
  SELECT sum(records) FROM tally WHERE endpoint = ?1 AND facet = ?2 AND value >= begun.value->>1
) FROM json_each(?3) AS begun`;
