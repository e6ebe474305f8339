/** The store interface: what the service needs of wherever the records lie, embedded or on an engine of the user's. */
import { FORMATS } from "../rdf/formats.js";
import type { Json } from "../rdf/record-graph.js";
import type { Change, ChangeLog, Versions } from "./changes.js";
import type { HeldRecords } from "./held.js";
import type { Lists } from "./lists.js";
import type { RecordHandle, StoreStats } from "./record.js";
import type { References } from "./references.js";
import type { Search } from "./search.js";
import type { Snapshots } from "./snapshots.js";

/** Records of one scheme and host. */
export interface Origin {
  readonly prefix: string;
  readonly records: number;
}

/** How the names of files end that describe a thing, whether or not there is such a representation yet. Inventory numbers end in `.ab`, and are not meant. */
const RESERVED =
  "json turtle trix owl n3 hext jelly hdt html htm xhtml xml csv tsv txt md yaml yml yamlld cbor pdf".split(" ");

/** Stores count their records whose IRIs end so: one that was made before a suffix was reserved, or a format's, counts anew with `check --repair`. */
const FILE_ENDING = new RegExp(
  `\\.(?:${[...RESERVED, ...FORMATS.flatMap(({ write, extensions }) => (write ? extensions[0]! : []))].join("|")})$`,
  "i",
);

/** Whether an IRI ends as the name of a file does that describes a thing, so that a representation may be called so. */
export function endsLikeFile(iri: string): boolean {
  return FILE_ENDING.test(iri);
}

/**
 * The store as dereferencing needs it. Every read sees one published state. IRI order is that of the IRIs' UTF-8 bytes; embedded, those
 * of more than 1,978 bytes come after all others.
 */
export interface RecordStore extends AsyncDisposable {
  /** Whether some records' IRIs end as names of files do (`endsLikeFile`); noticed within a tenth of a second. Default: none do. */
  hasFileNames?(): boolean;
  /** The record of this IRI, or `undefined`; at once where the store need not wait for it. */
  find(iri: string): RecordHandle | undefined | Promise<RecordHandle | undefined>;
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

/** Whether a store has all of these facets. */
export function hasFacets<Facet extends keyof Store>(store: Store, ...facets: Facet[]): store is StoreWith<Facet> {
  return facets.every((facet) => store[facet] !== undefined);
}

/** A record that a list has; `undefined` where it is gone since. Rejects with `RecordDamagedError`: without a damaged one the list would be wrong. */
export async function listedRecord(store: RecordStore, iri: string): Promise<RecordHandle | undefined> {
  const found = await store.find(iri);
  if (found === undefined) await store.tombstone(iri);
  return found;
}

const READ = 500;

/** All records that refer to an IRI, by one property after the other. */
export async function* allReferring(references: References, iri: string): AsyncIterable<string> {
  let after: string | undefined;
  do {
    const { items, next } = await references.page(iri, { after, limit: READ });
    for (const { record } of items) yield record;
    after = next;
  } while (after !== undefined);
}
