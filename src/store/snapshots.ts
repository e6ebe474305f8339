/** The facet of a store that keeps one state still, to be read as a whole or written down. */
import type { EndpointName } from "../model/tables/names.js";
import type { RecordGraph } from "../rdf/record-graph.js";
import type { RecordDamagedError } from "./errors.js";
import type { RecordMeta, StoreStats } from "./record.js";

/** A record, and a number that is its own for as long as it exists. */
export interface NumberedRecord {
  readonly number: number;
  readonly graph: RecordGraph;
}

export interface DescribedRecord extends NumberedRecord, Pick<RecordMeta, "endpoint" | "label" | "modified"> {}

/** A record before and after a change: `undefined` before its creation and after its deletion. */
export interface ChangedRecord {
  readonly iri: string;
  readonly before: NumberedRecord | undefined;
  readonly after: NumberedRecord | undefined;
}

/** One state of a store, which stays as it is while others publish. It has to be closed. Graphs come without contexts. */
export interface Snapshot extends Disposable {
  readonly sequence: number;
  /** How many triples the records have together, repeated ones included. */
  readonly triples: number;
  /** The IRIs of all records in their order, but for very long ones, which only the records say. */
  iris(): Iterable<string>;
  /** All records, in IRI order. `onDamaged` gets each that cannot be read, and is left out. */
  records(onDamaged: (error: RecordDamagedError) => void): Iterable<DescribedRecord>;
  /** The record of this IRI. Throws `RecordDamagedError`. */
  record(iri: string): DescribedRecord | undefined;
  /** Each record that changed after a sequence number; `undefined` when that is not known any more, or more than `limit` changes. Throws `RecordDamagedError`. */
  changesAfter(sequence: number, limit: number): readonly ChangedRecord[] | undefined;
  /** The records that the next so many changes after a sequence number changed. Throws `RecordDamagedError`. */
  nextChanges(sequence: number, limit: number): ChangedRecords;
  close(): void;
}

/** A record that changed, with all that it was since; `undefined` where one of that is not kept any more. */
export interface RecordVersions {
  readonly iri: string;
  readonly before: readonly RecordGraph[] | undefined;
  /** As the snapshot has it. */
  readonly after: RecordGraph | undefined;
}

export interface ChangedRecords {
  readonly through: number;
  readonly changed: readonly RecordVersions[];
}

export interface ArchivedRecord extends NumberedRecord {
  readonly endpoint: EndpointName | null;
}

/** Part of an archive's records, as data that can go to other threads. */
export interface Chunk {
  readonly from: Uint8Array;
  readonly to: Uint8Array | undefined;
}

/** One state of a store, to be written down whole, chunk by chunk. It has to be closed. */
export interface Archive {
  readonly stats: StoreStats;
  /** Which state it is: archives of one store that have the same are the same. */
  readonly state: string;
  /** All records, so many at a time. Throws `TableDamagedError`. */
  chunks(records: number): Iterable<Chunk>;
  /** Throws `RecordDamagedError`, `TableDamagedError`. */
  records(chunk: Chunk): Iterable<ArchivedRecord>;
  close(): void;
}

/** States of the store, each to be read as a whole. */
export interface Snapshots {
  take(): Snapshot;
  /** The state of this moment, to be written down. */
  archive(): Archive;
}
