/** The statistics of a store, updated by adding and subtracting records. */
import type { HeldStats } from "../../store.js";
import type { Mutable, StoreState } from "../format/database.js";
import { type HeldEntry, stored } from "../format/encoding.js";

/** What a store counts of its records. */
export type StoredCounts = Mutable<
  Pick<StoreState, "records" | "triples" | "invalid" | "endpoints" | "sources" | "suffixed">
>;

/** The counts of a store without records. */
export function noCounts(): StoredCounts {
  return { records: 0, triples: 0, invalid: 0, endpoints: {}, sources: {}, suffixed: 0 };
}

/** Add an encoded record to the counts, or subtract it. @param source the name of its source, if it has one */
export function countRecord(counts: StoredCounts, value: Buffer, source: string | undefined, by: 1 | -1): void {
  countIn(counts.endpoints, stored.endpoint(value) ?? "none", by);
  counts.records += by;
  counts.triples += by * stored.triples(value);
  if (!stored.valid(value)) counts.invalid += by;
  countIn(counts.sources, source, by);
}

/** Add a held record to the counts, or subtract it. */
export function countHeld(stats: Mutable<HeldStats>, { source }: HeldEntry, by: 1 | -1): void {
  stats.records += by;
  countIn(stats.sources, source ?? undefined, by);
}

/** Add a record to the count of its source or endpoint, if it has one, or subtract it. A count of 0 is removed. */
export function countIn(counts: { [name: string]: number }, name: string | undefined, by: 1 | -1): void {
  if (name === undefined) return;
  const count = (Object.hasOwn(counts, name) ? counts[name]! : 0) + by;
  if (count === 0) delete counts[name];
  else counts[name] = count;
}
