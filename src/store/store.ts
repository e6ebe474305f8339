/** The store interface: what the service needs of wherever the records lie, embedded or on an engine of the user's. */
import type { EndpointName } from "../model/tables/endpoints.js";
import type { Json, RecordGraph } from "../rdf/record-graph.js";

/** What the store keeps beside a record's triples. */
export interface RecordMeta {
  /** `null` when the record's class belongs to no endpoint. */
  readonly endpoint: EndpointName | null;
  /** The record's `_label`, or else its first name, or the empty string. */
  readonly label: string;
  /** Whether validation found no violation. */
  readonly valid: boolean;
  /** The change sequence number of the publication that last changed the record. */
  readonly sequence: number;
  /** When that publication was, in milliseconds since 1970. */
  readonly modified: number;
  /** SHA-256 over the record's terms, triples in order and context, the same on every machine; 32 bytes. */
  readonly hash: Uint8Array;
}

export interface StoredRecord {
  readonly meta: RecordMeta;
  readonly graph: RecordGraph;
}

export type ChangeKind = "create" | "update" | "delete";

/** One entry of the change log. */
export interface Change {
  readonly sequence: number;
  readonly iri: string;
  readonly kind: ChangeKind;
  /** Milliseconds since 1970; never less than that of an earlier entry. */
  readonly time: number;
}

/** A record that mentions an IRI, and the property by which it does. */
export interface Reference {
  readonly record: string;
  /** The predicate's IRI. */
  readonly property: string;
}

export interface StoreStats {
  readonly records: number;
  readonly triples: number;
  readonly invalid: number;
  /** Records per endpoint; endpoints without records are left out. Records of no endpoint count as `none`. */
  readonly endpoints: Readonly<Partial<Record<EndpointName | "none", number>>>;
  /** The last change's sequence number, 0 for a new store. */
  readonly sequence: number;
  /** The last change's time in milliseconds since 1970, or `null` for a new store. */
  readonly lastChange: number | null;
  /** The base URL that relative ids were resolved against, or `null` when none was ever given. */
  readonly baseUrl: string | null;
  /** Records per source that loads were given; records of none are left out. */
  readonly sources?: { readonly [name: string]: number };
}

/** Records of one scheme and host. */
export interface Origin {
  readonly prefix: string;
  readonly records: number;
}

/**
 * Reading: what dereferencing, export and the index need. Every read sees one published state. IRI order is that of the
 * IRIs' UTF-8 bytes; embedded, those of more than 1,978 bytes come after all others.
 */
export interface Store {
  /** The record of this IRI, or `undefined`. */
  record(iri: string): Promise<StoredRecord | undefined>;
  /** As `record`, at once. Only stores that read without waiting have this and the next two. */
  recordNow?(iri: string): StoredRecord | undefined;
  /** What is kept beside the record of this IRI, without its triples. */
  metaNow?(iri: string): RecordMeta | undefined;
  /** The sequence number of the record of this IRI: by it a ready answer is known to be still true. */
  sequenceNow?(iri: string): number | undefined;
  /** The last change of this IRI when that was its deletion (a tombstone), or `undefined`. */
  tombstone(iri: string): Promise<Change | undefined>;
  /** The records whose IRI is this one followed by a fragment (`iri#...`), in IRI order, at most `limit`. */
  fragments(iri: string, limit: number): Promise<readonly string[]>;
  /** Records that describe an embedded node with this IRI: at most `limit` of them, in IRI order. */
  describedIn(iri: string, limit: number): Promise<readonly string[]>;
  /** Who mentions this IRI, at most `limit`. */
  referrers(iri: string, limit: number): Promise<readonly Reference[]>;
  /**
   * All records in IRI order, or only those of one endpoint, as they were when the first was asked for. What it looked at
   * cannot be used again on disk until it ends, so it is not to be left standing half-way.
   */
  records(endpoint?: EndpointName): AsyncIterable<StoredRecord>;
  /** The change log after a sequence number, oldest first; what is published meanwhile follows in its order. */
  changes(afterSequence: number): AsyncIterable<Change>;
  stats(): Promise<StoreStats>;
  /** How many records have IRIs that begin so. */
  countUnder(prefix: string): Promise<number>;
  /** Where the records' IRIs lie: schemes with hosts (`https://data.museum.org/`), in IRI order, at most `limit`. */
  origins(limit: number): Promise<readonly Origin[]>;
  /** The context documents that loads were given, by URI. */
  contexts(): Promise<ReadonlyMap<string, Json>>;
  close(): Promise<void>;
}

/** A record on its way into the store. */
export interface Staged {
  readonly graph: RecordGraph;
  readonly endpoint: EndpointName | null;
  readonly label: string;
  readonly valid: boolean;
  /** The order of the triples says nothing: the record is unchanged when the same triples come in another. */
  readonly unordered?: boolean;
}

/** Records in the form in which a store stages them. */
export interface EncodedRecords {
  readonly bytes: Uint8Array;
  /** The predicates that the bytes name by number, from 1. */
  readonly properties: readonly string[];
}

/** What a publication did. */
export interface Publication {
  readonly created: number;
  readonly replaced: number;
  readonly unchanged: number;
  readonly deleted: number;
  /** Records that were staged more than once; the last of each was taken. */
  readonly repeated: number;
  /** Triples of the created and replaced records. */
  readonly triples: number;
  /** The sequence number of the last change; that of the store when nothing changed. */
  readonly sequence: number;
}

/** A load in progress: staged records are on disk but invisible until they are published, all at once, in IRI order. */
export interface Stage {
  /** Stage a record; of two with one IRI the later wins. Resolves when the next may come (backpressure). */
  put(record: Staged): Promise<void>;
  /**
   * As `put` for records that another thread has encoded (`RecordEncoder` of the embedded store); only stores that take such
   * have it. The batch is changed.
   */
  putEncoded?(batch: EncodedRecords): Promise<void>;
  /** Stage a deletion; an IRI that the store lacks is no error. */
  delete(iri: string): Promise<void>;
  /** Keep the record of this IRI as it is, if there is one: the input has it, but not so that it could be published. */
  keep(iri: string): Promise<void>;
  /**
   * Stage the deletion of all records that nothing was staged for, within the load's source where it has one. Nothing may be
   * staged afterwards. `onDeleted` is told of each; resolves to how many there are.
   */
  deleteRest(onDeleted?: (iri: string) => void): Promise<number>;
  /** What `publish` would do, without doing it. Nothing may be staged afterwards. */
  preview(signal?: AbortSignal): Promise<Publication>;
  /**
   * Make all that was staged visible in one transaction, durably. When the signal aborts first, nothing is published and
   * its reason thrown. The stage is spent afterwards.
   */
  publish(signal?: AbortSignal): Promise<Publication>;
  /** Give the load up: nothing of it remains. */
  discard(): Promise<void>;
}

/** What a load gives the store besides records. */
export interface StageOptions {
  readonly baseUrl?: string;
  readonly contexts?: ReadonlyMap<string, Json>;
  /** Which feed the records come from: each remembers it until a load of another takes it over. */
  readonly source?: string;
}

/** A store that can be loaded into. */
export interface WritableStore extends Store {
  /**
   * Begin a load. Relative ids were resolved against `baseUrl`; `contexts` are documents by URI that records name, kept so
   * that whoever reads the store has them.
   */
  stage(options?: StageOptions): Promise<Stage>;
}
