/** The store interface: what the service needs of wherever the records lie, embedded or on an engine of the user's. */
import type { EndpointName } from "../model/tables/endpoints.js";
import type { EncodedGraph } from "../rdf/encoded-graph.js";
import { FORMATS } from "../rdf/formats.js";
import type { Json, RecordGraph } from "../rdf/record-graph.js";
import type { Change, ChangeLog, Versions } from "./changes.js";
import type { HeldRecords } from "./held.js";
import type { Lists } from "./lists.js";
import type { References } from "./references.js";
import type { Search } from "./search.js";
import type { Snapshots } from "./snapshots.js";

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

/** A record where its store has it; both are of use until anything else is asked of the store. */
export interface EncodedRecord {
  readonly meta: Pick<RecordMeta, "endpoint" | "sequence" | "modified" | "hash">;
  readonly graph: EncodedGraph;
}

/**
 * A record that was looked up. What it costs to read grows with what is asked of it: `sequence` is known, `modified` and
 * `hash` are read where they lie, `meta` and `record` decode and verify. Read late, after the record was changed, it gives
 * the record as it is then. `hash` is not verified: damage shows as another.
 */
export interface Found extends Pick<RecordMeta, "sequence" | "modified" | "hash"> {
  /** How many triples it has, and how many bytes in the store; not verified. 0 where the store does not know beforehand. */
  readonly triples: number;
  readonly bytes: number;
  /** What is kept beside the triples. Throws `RecordDamagedError`. */
  readonly meta: RecordMeta;
  /** The whole record, at once where the store has it at hand. Throws or rejects with `RecordDamagedError`. */
  record(): StoredRecord | Promise<StoredRecord>;
  /** The whole record without decoding it. Throws `RecordDamagedError`. Default: the store has no such form at hand. */
  encoded?(): EncodedRecord;
}

/** An endpoint's records, or those whose class belongs to none. */
export type EndpointKey = EndpointName | "none";

/** Part of a list, and where the next part begins: to be given as `after`; `undefined` when there is no more. */
export interface Paged<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

/** Where to begin, and how much to give. */
export interface PageQuery {
  /** `next` of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface StoreStats {
  readonly records: number;
  readonly triples: number;
  readonly invalid: number;
  /** Records per endpoint; endpoints without records are left out. Records of no endpoint count as `none`. */
  readonly endpoints: Readonly<Partial<Record<EndpointKey, number>>>;
  /** The last change's sequence number, 0 for a new store. */
  readonly sequence: number;
  /** The last change's time in milliseconds since 1970, or `null` for a new store. */
  readonly lastChange: number | null;
  /** The base URL that relative ids were resolved against, or `null` when none was ever given. */
  readonly baseUrl: string | null;
  /** Records per source that loads were given; records of none are left out. */
  readonly sources?: { readonly [name: string]: number };
}

export const NO_STATS: StoreStats = {
  records: 0,
  triples: 0,
  invalid: 0,
  endpoints: {},
  sequence: 0,
  lastChange: null,
  baseUrl: null,
};

/** Records of one scheme and host. */
export interface Origin {
  readonly prefix: string;
  readonly records: number;
}

/** How the names of files end that describe a thing, whether or not there is such a representation yet. Inventory numbers end in `.ab`, and are not meant. */
const RESERVED =
  "json turtle trix owl n3 hext jelly hdt html htm xhtml xml csv tsv txt md yaml yml yamlld cbor pdf".split(" ");

/**
 * These, and the suffixes of the formats that are written. Stores count their records whose IRIs end so: one that was made before a suffix
 * was neither a format's nor reserved counts anew with `check --repair`.
 */
const FILE_ENDING = new RegExp(
  `\\.(?:${[...RESERVED, ...FORMATS.flatMap(({ write, extensions }) => (write ? extensions[0]! : []))].join("|")})$`,
  "i",
);

/** Whether an IRI ends as the name of a file does that describes a thing, so that a representation may be called so. */
export function endsLikeFile(iri: string): boolean {
  return FILE_ENDING.test(iri);
}

/**
 * What dereferencing needs. Every read sees one published state. IRI order is that of the IRIs' UTF-8 bytes; embedded, those
 * of more than 1,978 bytes come after all others.
 */
export interface RecordStore extends AsyncDisposable {
  /**
   * Whether some records' IRIs end as names of files do (`endsLikeFile`), and may be where representations of others would be.
   * Noticed within a tenth of a second. Default: none do.
   */
  hasFileNames?(): boolean;
  /** The record of this IRI, or `undefined`; at once where the store need not wait for it. */
  find(iri: string): Found | undefined | Promise<Found | undefined>;
  /** The last change of this IRI when that was its deletion or move (a tombstone), or `undefined`. */
  tombstone(iri: string): Promise<Change | undefined>;
  /** The records whose IRI is this one followed by a fragment (`iri#...`), in IRI order, at most `limit`. */
  fragments(iri: string, limit: number): Promise<readonly string[]>;
  /** Records that describe an embedded node with this IRI: at most `limit` of them, in IRI order. */
  describedIn(iri: string, limit: number): Promise<readonly string[]>;
  stats(): Promise<StoreStats>;
  /** How many records have IRIs that begin so. */
  countUnder(prefix: string): Promise<number>;
  /** Where the records' IRIs lie: schemes with hosts (`https://data.museum.org/`), in IRI order, at most `limit`. */
  origins(limit: number): Promise<readonly Origin[]>;
  /** The context documents that loads were given, by URI. */
  contexts(): Promise<ReadonlyMap<string, Json>>;
  close(): Promise<void>;
}

/**
 * Records, and facets beside them: what a store lacks is not offered. A store is a plain object of functions and facets, so that
 * `{ ...store, find }` is the same store but for its `find`.
 */
export interface Store extends RecordStore {
  readonly changes?: ChangeLog;
  readonly references?: References;
  readonly lists?: Lists;
  readonly search?: Search;
  readonly versions?: Versions;
  readonly held?: HeldRecords;
  readonly snapshots?: Snapshots;
}

export type StoreWith<Facet extends keyof Store> = Store & Required<Pick<Store, Facet>>;

export function hasFacets<Facet extends keyof Store>(store: Store, ...facets: Facet[]): store is StoreWith<Facet> {
  return facets.every((facet) => store[facet] !== undefined);
}

/**
 * A record that a list has; `undefined` where it is gone since. Rejects with `RecordDamagedError` where it is not gone but damaged: without
 * it the list would be wrong.
 */
export async function listedRecord(store: RecordStore, iri: string): Promise<Found | undefined> {
  const found = await store.find(iri);
  if (found === undefined) await store.tombstone(iri);
  return found;
}
