/** The facet of a store that gives snapshots: one published state, to be read or dumped as a whole. */
import type { RecordGraph } from "../rdf/record-graph.js";
import type { RecordDamagedError } from "./errors.js";
import type { RecordMeta, StoreStats } from "./record.js";

/** A record with its number, which stays the same for as long as the record exists. */
export interface NumberedRecord {
  readonly number: number;
  readonly graph: RecordGraph;
}

export interface DescribedRecord extends NumberedRecord, Omit<RecordMeta, "valid" | "hash"> {}

/** A record before and after changes. `before` is `undefined` if it was created, `after` if it was deleted. */
export interface ChangedRecord {
  readonly iri: string;
  readonly before: NumberedRecord | undefined;
  readonly after: NumberedRecord | undefined;
}

/** One published state of a store, unaffected by later publications. It must be closed. */
export interface Snapshot extends Disposable {
  readonly stats: StoreStats;
  /** Identifies the state: snapshots of one store with equal `state` have the same records. */
  readonly state: string;
  /** The IRIs of all records, in IRI order, without those too long to be keys. */
  iris(): Iterable<string>;
  /** All records, or those of a chunk, in IRI order. A damaged record is skipped and passed to `onDamaged`; without it, the walk throws `RecordDamagedError`. */
  records(onDamaged?: (error: RecordDamagedError) => void, chunk?: Chunk): Iterable<DescribedRecord>;
  /** The record with this IRI. Throws `RecordDamagedError`. */
  record(iri: string): DescribedRecord | undefined;
  /** Each record that changed after a sequence number. `undefined` if an earlier version is no longer kept, or if there are more than `limit` changes or `triples` triples. Throws `RecordDamagedError`. */
  changesAfter(sequence: number, limit: number, triples?: number): readonly ChangedRecord[] | undefined;
  /** The records changed by the next changes after a sequence number: at most `limit` changes, and none after those whose versions have more than `triples` triples together. Throws `RecordDamagedError`. */
  nextChanges(
    sequence: number,
    limit: number,
    triples: number,
  ): { readonly through: number; readonly changed: readonly RecordVersions[] };
  /** All records, divided into chunks of `records` each. Throws `TableDamagedError`. */
  chunks(records: number): Iterable<Chunk>;
  close(): void;
}

/** A changed record. `before` has all versions that the changes replaced, `undefined` if one of them is no longer kept. */
export interface RecordVersions {
  readonly iri: string;
  readonly before: readonly RecordGraph[] | undefined;
  /** The record in the snapshot. */
  readonly after: RecordGraph | undefined;
}

/** A range of a snapshot's records, as data that can be sent to other threads. */
export interface Chunk {
  readonly from: string;
  readonly to: string | undefined;
}

export interface Snapshots {
  take(): Snapshot;
}
