/** The half of a store that loads write: staged records, and their publication, all at once. */
import type { Json, RecordGraph } from "../rdf/record-graph.js";
import type { Change, ChangeKind } from "./changes.js";
import type { RecordMeta } from "./record.js";
import type { HeldChange, Hold, Store } from "./store.js";

export interface Staged extends Pick<RecordMeta, "endpoint" | "label" | "valid"> {
  readonly graph: RecordGraph;
  /** The order of the triples says nothing: the record is unchanged when the same triples come in another. */
  readonly unordered?: boolean;
  /** Whether it is to be held: loaded, and not published. One that is published is withdrawn. Default: it is published. */
  readonly hold?: Hold;
  /** The IRI of the stored record whose source it takes over, when the load has none of its own. Default: its own IRI. */
  readonly takesOver?: string;
}

export interface EncodedRecords {
  readonly bytes: Uint8Array;
  /** The predicates that the bytes name by number, from 1. */
  readonly properties: readonly string[];
}

/** The counts of a publication that has done nothing yet, to be copied. */
export const NOTHING_PUBLISHED = {
  created: 0,
  replaced: 0,
  unchanged: 0,
  deleted: 0,
  /** Records that were staged to be held, and are. */
  held: 0,
  /** Those of them that were published before: for the public they are deleted, and counted so too. */
  withdrawn: 0,
  /** Records that were staged more than once; the last of each was taken. */
  repeated: 0,
  /** Triples of the created and replaced records. */
  triples: 0,
  /** The sequence number of the last change; that of the store when nothing changed. */
  sequence: 0,
};

export type PublishedCounts = Readonly<typeof NOTHING_PUBLISHED>;

/** The change that a publication is about to make to a record. Graphs are decoded when they are asked for, and come without contexts. */
export interface PendingChange {
  readonly iri: string;
  readonly kind: Exclude<ChangeKind, "move">;
  /** As it is published. */
  before(): RecordGraph | undefined;
  /** As it would be published. */
  after(): RecordGraph | undefined;
  /** Of a record that is created again: its deletion. */
  deletion(): Change | undefined;
  /** The feed that the published record came from; `null` where it has none, or there is no record. Default: not known. */
  readonly source?: string | null;
}

export interface Review {
  /** Called for each record that changes, in no order that counts. */
  onChange(change: PendingChange): void;
  /** Called for each record that does not change; `isTaken` if it goes over from one source, or none, to the load's. */
  onUnchanged?(iri: string, isTaken: boolean): void;
  /** Called for each record that is to be held, or was. */
  onHeld?(change: HeldChange): void;
  /** Called when all are known. What it throws stops the publication, and nothing is changed. */
  beforeCommit(): void;
}

/** A load in progress: staged records are on disk but invisible until they are published, all at once, in IRI order. */
export interface Stage extends AsyncDisposable {
  /** Stage a record; of two with one IRI the later wins. Resolves when the next may come (backpressure). */
  put(record: Staged): Promise<void>;
  /** As `put` for records that another thread has encoded (`recordEncoder`); only stores that take such have it. The batch is changed. */
  putEncoded?(batch: EncodedRecords): Promise<void>;
  /**
   * Stage a deletion; an IRI that the store lacks is no error. With `movedTo` the IRI leads there from then on, whether it had a record,
   * or was deleted or moved elsewhere before; whoever stages that sees to it that moves form no circle.
   */
  delete(iri: string, movedTo?: string): Promise<void>;
  /** Publish the held record of this IRI; only stores that hold records have it. One that is not held is no error. */
  release?(iri: string): Promise<void>;
  /** Keep the record of this IRI as it is, if there is one: the input has it, but not so that it could be published. */
  keep(iri: string): Promise<void>;
  /** Stage the deletion of all records, also held ones, of the load's source where it has one, that nothing was staged for. Resolves to how many; nothing may follow. */
  deleteRest(onDeleted?: (iri: string) => void): Promise<number>;
  /** The outcome that `publish` would have, without publishing. Nothing may be staged afterwards. */
  preview(signal?: AbortSignal, review?: Pick<Review, "onChange" | "onHeld">): Promise<PublishedCounts>;
  /**
   * Make all that was staged visible in one durable transaction, and spend the stage. What the signal or the review throws first leaves everything as it was.
   * @param onIndexed is told now and then, after the transaction, how much of the search index has followed, up to 1
   */
  publish(signal?: AbortSignal, review?: Review, onIndexed?: (share: number) => void): Promise<PublishedCounts>;
  /** Give the load up: nothing of it remains. */
  discard(): Promise<void>;
}

/** Settings that a load gives the store besides records. */
export interface StageOptions {
  readonly baseUrl?: string | undefined;
  readonly contexts?: ReadonlyMap<string, Json>;
  /** Which feed the records come from: each remembers it until a load of another takes it over. */
  readonly source?: string | undefined;
  /** The replaced records that the store keeps from this load on. Default: as until now. */
  readonly keeps?: Keeps | undefined;
  /**
   * The next changes of the store that this one is a copy of, without a gap: they are logged as they are there, with number, kind and time,
   * whatever the records were before. Records that none of them names may not be staged. Default: what changes is logged as it comes.
   */
  readonly mirrored?: readonly Change[] | undefined;
}

/** The replaced records that a store keeps: none, the last version of deleted records, or every version. */
export type Keeps = "nothing" | "deleted" | "versions";

export interface WritableStore extends Store {
  /** Begin a load. Relative ids were resolved against `baseUrl`; `contexts` are documents by URI that records name, kept for whoever reads the store. */
  stage(options?: StageOptions): Promise<Stage>;
}
