/** The statistics of a store: records counted in and out. */
import type { HeldStats } from "../../store.js";
import type { Mutable, StoreState } from "../format/database.js";
import { type HeldEntry, stored } from "../format/encoding.js";

/** Count an encoded record in or out. @param source the name of its source, if it has one */
export function countRecord(
  state: Mutable<Pick<StoreState, "endpoints" | "records" | "triples" | "invalid" | "sources">>,
  value: Buffer,
  source: string | undefined,
  by: 1 | -1,
): void {
  countIn(state.endpoints, stored.endpoint(value) ?? "none", by);
  state.records += by;
  state.triples += by * stored.triples(value);
  if (!stored.valid(value)) state.invalid += by;
  countSource(state, source, by);
}

/** Count a held record, or one that is held no more. */
export function countHeld(stats: Mutable<HeldStats>, { source }: HeldEntry, by: 1 | -1): void {
  stats.records += by;
  if (source !== null) countIn(stats.sources, source, by);
}

/** Count a record of a source, or one that it has no more. */
export function countSource(
  { sources }: Mutable<Pick<StoreState, "sources">>,
  source: string | undefined,
  by: 1 | -1,
): void {
  if (source !== undefined) countIn(sources, source, by);
}

/** Of what there is none, nothing is said. */
function countIn(counts: { [name: string]: number }, name: string, by: 1 | -1): void {
  const count = (counts[name] ?? 0) + by;
  if (count === 0) delete counts[name];
  else counts[name] = count;
}
