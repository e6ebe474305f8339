/** Counts records in and out of the statistics of a store. */
import type { Mutable, StoreState } from "../format/database.js";
import { stored } from "../format/encoding.js";

/** Count an encoded record in or out. @param source the name of its source, if it has one */
export function countRecord(state: Mutable<StoreState>, value: Buffer, source: string | undefined, by: 1 | -1): void {
  countIn(state.endpoints, stored.endpoint(value) ?? "none", by);
  state.records += by;
  state.triples += by * stored.triples(value);
  if (!stored.valid(value)) state.invalid += by;
  countSource(state, source, by);
}

/** Count a record of a source in or out. */
export function countSource({ sources }: Mutable<StoreState>, source: string | undefined, by: 1 | -1): void {
  if (source !== undefined) countIn(sources, source, by);
}

/** Of what there is none, nothing is said. */
export function countIn(counts: { [name: string]: number }, name: string, by: 1 | -1): void {
  const count = (counts[name] ?? 0) + by;
  if (count === 0) delete counts[name];
  else counts[name] = count;
}
