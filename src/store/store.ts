/** The store interface: what the service needs of wherever the records lie, embedded or on an engine of the user's. Large facets have files of their own. */
import type { EndpointName } from "../model/tables/names.js";
import { FORMATS } from "../rdf/formats.js";
import type { Json } from "../rdf/record-graph.js";
import type { Change, ChangeLog, Versions } from "./changes.js";
import type { EndpointKey, Paged, PageQuery, RecordHandle, RecordMeta, StoredRecord, StoreStats } from "./record.js";
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

/** All records that refer to an IRI, by one property after the other. */
export async function* allReferring(references: References, iri: string): AsyncIterable<string> {
  let after: string | undefined;
  do {
    const { items, next } = await references.page(iri, { after, limit: 500 });
    for (const { record } of items) yield record;
    after = next;
  } while (after !== undefined);
}

/** A record that refers to an IRI, and the property by which it does. */
export interface Reference {
  readonly record: string;
  /** The predicate's IRI; `null` for those beyond the first 65,534 predicates of a store, which have no numbers. */
  readonly property: string | null;
}

export interface ReferenceCount {
  readonly property: string | null;
  readonly records: number;
}

export interface References {
  /** In an order that stays, all by one property together; a page costs what it holds. Rejects with `InvalidCursorError`. */
  page(iri: string, query: PageQuery & { readonly property?: string }): Promise<Paged<Reference>>;
  /** How many records, by property. Costs what there are properties, not records. */
  counts(iri: string): Promise<readonly ReferenceCount[]>;
}

export interface Listed {
  readonly iri: string;
  /** At most `MAX_KEPT_LABEL` characters of its label. */
  readonly label: string;
}

/** Records' numbers are taken together in blocks of so many, as pages of a sitemap are. */
export const NUMBERS_A_BLOCK = 10_000;

/** A record by the number that it got when it was created. */
export interface NumberedEntry {
  readonly iri: string;
  /** When it last changed, in milliseconds since 1970. */
  readonly modified: number;
}

/** All records, in several orders. */
export interface Lists {
  /** In IRI order, or only those of one endpoint, as they were at first. It is not to be left standing half-way: what it looked at cannot be used again on disk. */
  records(endpoint?: EndpointName): AsyncIterable<StoredRecord>;
  /** An endpoint's records by label without regard to case and marks, then by IRI; a page costs what it holds. Rejects with `InvalidCursorError`. */
  page(endpoint: EndpointKey, query: PageQuery): Promise<Paged<Listed>>;
  /** As they were created: those with at most `count` numbers from `first` on, of which some may be gone; and the last number that any record got. */
  numbered(
    first: number,
    count: number,
  ): Promise<{ readonly records: readonly NumberedEntry[]; readonly last: number }>;
  /** When the records of each block of numbers last changed or went, in milliseconds since 1970. Costs what there are blocks. */
  blockTimes(): Promise<readonly number[]>;
}

/** Why a record is held: a rule says so, unless it was released since; or it is named, which goes before any release. */
export type Hold = "rule" | "name";

/** A held record that was looked up: as `RecordHandle`, and where it comes from. Its `sequence` is 0: it has made no change. */
export interface HeldRecordHandle extends RecordHandle {
  /** The feed that it came from, or `null`. */
  readonly source: string | null;
  record(): StoredRecord;
}

export interface HeldListed extends Pick<RecordMeta, "endpoint" | "label" | "valid"> {
  readonly iri: string;
  readonly source: string | null;
  /** Since when it is held as it is, in milliseconds since 1970. */
  readonly since: number;
}

/** How many records are held, in all and of each source. */
export interface HeldStats {
  readonly records: number;
  readonly sources: { readonly [name: string]: number };
}

/** The door to held records: loaded, and not published. No other method of a store knows of them. */
export interface HeldRecords {
  /** The held record of this IRI. Throws `StoreError` for a damaged one. */
  find(iri: string): HeldRecordHandle | undefined;
  /** Held records in IRI order, of any of these sources where such are given. Rejects with `InvalidCursorError`. */
  list(query: PageQuery & { readonly sources?: readonly string[] | undefined }): Promise<Paged<HeldListed>>;
  stats(): HeldStats;
}

/** The change that a publication is about to make to a held record: it is held, held otherwise, published or deleted. */
export interface HeldChange {
  readonly iri: string;
  /** The feed that the held record came from, `null` for none; `undefined` where none was held. */
  readonly source: string | null | undefined;
}
