/** The writable half of a store: loads stage records, and publish all of them at once. */
import type { Json, RecordGraph } from "../rdf/record-graph.js";
import type { Change, ChangeKind } from "./changes.js";
import type { RecordMeta } from "./record.js";
import type { HeldChange, Hold, Store } from "./store.js";

export interface Staged extends Pick<RecordMeta, "endpoint" | "label" | "valid"> {
  readonly graph: RecordGraph;
  /** The order of the triples is irrelevant: a record with the same triples in another order is unchanged. */
  readonly unordered?: boolean;
  /** Hold the record: it is loaded and not published. If it is published already, it is withdrawn. Default: publish it. */
  readonly hold?: Hold;
  /** If the load has no source: the IRI of the stored record whose source this record gets. Default: its own IRI. */
  readonly takesOver?: string;
}

export interface EncodedRecords {
  readonly bytes: Uint8Array;
  /** The predicates whose numbers (from 1) the bytes contain. */
  readonly properties: readonly string[];
}

/** The counts at the beginning of a publication, to be copied. */
export const NOTHING_PUBLISHED = {
  created: 0,
  replaced: 0,
  unchanged: 0,
  deleted: 0,
  /** Records that are held because they were staged so. */
  held: 0,
  /** Held records that were published before. For the public they are deleted, and they also count as deleted. */
  withdrawn: 0,
  /** Records that were staged more than once; the last one wins. */
  repeated: 0,
  /** Stored records of which the stage said only that they are kept. */
  kept: 0,
  /** Triples of the created and replaced records. */
  triples: 0,
  /** The sequence number of the store's last change. */
  sequence: 0,
};

export type PublishedCounts = Readonly<typeof NOTHING_PUBLISHED>;

/** A change that a publication is about to make to a record. Graphs are decoded on demand and come without contexts. */
export interface PendingChange {
  readonly iri: string;
  readonly kind: Exclude<ChangeKind, "move">;
  before(): RecordGraph | undefined;
  after(): RecordGraph | undefined;
  /** For a record that is created again: its earlier deletion. */
  deletion(): Change | undefined;
  /** The source of the published record; `null` if it has none or there is no record. */
  readonly source: string | null;
}

export interface Review {
  /** Called for each record that changes, in no particular order. */
  onChange(change: PendingChange): void;
  /** Called for each record that does not change, with its source before the load, or `null`. */
  onUnchanged?(iri: string, source: string | null): void;
  /** Called for each record that was held or will be. */
  onHeld?(change: HeldChange): void;
  /** Called after all others. An error that it throws stops the publication, and nothing is changed. */
  beforeCommit(): void;
}

/** A load in progress: staged records are on disk but invisible until all are published at once, in IRI order. Disposing of it removes what was staged, and abandons the load unless it was published. */
export interface Stage extends AsyncDisposable {
  /** Stage a record. If the same IRI is staged twice, the later record wins. Resolves when the next may be put (backpressure). */
  put(record: Staged): Promise<void>;
  /** Stage records that another thread encoded (`recordEncoder`). Absent if the store does not support that. The batch is modified. */
  putEncoded?(batch: EncodedRecords): Promise<void>;
  /** Stage a deletion, even of an IRI that the store lacks. With `movedTo`, the IRI then redirects there. The caller ensures that moves form no circle. */
  delete(iri: string, movedTo?: string): Promise<void>;
  /** Publish the held record with this IRI. An IRI that is not held is not an error. Absent if the store cannot hold records. */
  release?(iri: string): Promise<void>;
  /** Keep the stored record with this IRI as it is, if there is one: the input has the record, but in a form that cannot be published. */
  keep(iri: string): Promise<void>;
  /** Stage the deletion of all records, held ones included, for which nothing was staged; only those of the load's source if it has one. Resolves to their number. Nothing may be staged afterwards. */
  deleteRest(onDeleted?: (deletion: PendingChange, isHeld: boolean) => void): Promise<number>;
  /** The counts that `publish` would give, without publishing. Nothing may be staged afterwards. */
  preview(signal?: AbortSignal, review?: Omit<Review, "beforeCommit">): Promise<PublishedCounts>;
  /** Publish everything staged in one durable transaction, and end the stage. If the signal or the review throws, nothing is published. `onIndexed` gets the progress of the search index. */
  publish(signal?: AbortSignal, review?: Review, onIndexed?: (share: number) => void): Promise<PublishedCounts>;
}

export interface StageOptions {
  readonly baseUrl?: string | undefined;
  readonly contexts?: ReadonlyMap<string, Json>;
  /** The source that the records come from. Each record keeps it until a load from another source takes the record over. */
  readonly source?: string | undefined;
  /** Which replaced records the store keeps from this load on. Default: as before. */
  readonly keeps?: Keeps | undefined;
  /** The next changes, without a gap, of the store that this one is a copy of. They are logged with their number, kind and time, whatever the records were before. Only records that they name may be staged. Default: the log is written from what changes. */
  readonly mirrored?: readonly Change[] | undefined;
}

/** The replaced records that a store keeps: none, the last version of deleted records, or every version. */
export type Keeps = "nothing" | "deleted" | "versions";

export interface WritableStore extends Store {
  /** Begin a load. Relative ids were resolved against `baseUrl`; `contexts` are the documents that the records' contexts name, by URI, kept for readers of the store. */
  stage(options?: StageOptions): Promise<Stage>;
}
