/** The store interface: what the service needs from records, whether they are embedded or on the user's engine. Large facets have files of their own. */
import type { EndpointName } from "../model/tables/names.js";
import { FORMATS } from "../rdf/formats.js";
import type { Json } from "../rdf/record-graph.js";
import type { Change, ChangeLog, Versions } from "./changes.js";
import type { EndpointKey, Paged, PageQuery, RecordHandle, RecordMeta, StoredRecord, StoreStats } from "./record.js";
import type { Search } from "./search.js";
import type { Snapshots } from "./snapshots.js";

/** A scheme and host, and the number of records under it. */
export interface Origin {
  readonly prefix: string;
  readonly records: number;
}

/** Suffixes of files that describe a thing, reserved whether or not there is such a representation yet. Suffixes such as `.ab` are left out, since inventory numbers end in them. */
const RESERVED =
  "json turtle trix owl n3 hext jelly hdt html htm xhtml xml csv tsv txt md yaml yml yamlld cbor pdf".split(" ");

/** Stores count the records whose IRIs match this. After a suffix is added here or to the formats, an existing store must be recounted by `check --repair`. */
const FILE_ENDING = new RegExp(
  `\\.(?:${[...RESERVED, ...FORMATS.flatMap(({ write, extensions }) => (write ? extensions[0]! : []))].join("|")})$`,
  "i",
);

/** Whether an IRI ends like the name of a file, and so may be mistaken for the URL of a representation. */
export function endsLikeFile(iri: string): boolean {
  return FILE_ENDING.test(iri);
}

/** The part of a store that dereferencing needs. Every read sees one published state. IRIs are sorted by their UTF-8 bytes; the embedded store puts IRIs of more than 1,978 bytes last. */
export interface RecordStore extends AsyncDisposable {
  /** Whether any record's IRI ends like the name of a file (`endsLikeFile`). A change is noticed within a tenth of a second. Absent: none does. */
  hasFileNames?(): boolean;
  /** The record with this IRI, or `undefined`; synchronously if the store can. */
  find(iri: string): RecordHandle | undefined | Promise<RecordHandle | undefined>;
  /** The last change of this IRI if that was its deletion or move (a tombstone), or `undefined`. */
  tombstone(iri: string): Promise<Change | undefined>;
  /** The IRIs of records that are this IRI with a fragment (`iri#...`), in IRI order, at most `limit`. */
  fragments(iri: string, limit: number): Promise<readonly string[]>;
  /** The IRIs of at most `limit` records that describe an embedded node with this IRI, in IRI order. If there are more, which of them is not defined. */
  describedIn(iri: string, limit: number): Promise<readonly string[]>;
  stats(): Promise<StoreStats>;
  /** The number of records whose IRIs begin with a prefix. */
  countUnder(prefix: string): Promise<number>;
  /** The schemes with hosts (`https://data.museum.org/`) of the records' IRIs, in IRI order, at most `limit`. */
  origins(limit: number): Promise<readonly Origin[]>;
  /** The context documents that were given to loads, by URI. */
  contexts(): Promise<ReadonlyMap<string, Json>>;
  close(): Promise<void>;
}

/** Records and facets. What needs a missing facet is not offered. All functions are the object's own properties, so `{ ...store, find }` is a store, too. */
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

/** The first of some IRIs that has a record, published or held. */
export async function firstRecord(store: Store, iris: readonly string[]) {
  for (const iri of iris) {
    const found = (await store.find(iri)) ?? store.held?.find(iri);
    if (found !== undefined) return { iri, found };
  }
  return undefined;
}

/** A record from a list; `undefined` if it was deleted since. Rejects with `RecordDamagedError`, because a list that skipped a damaged record would be wrong. */
export async function listedRecord(store: RecordStore, iri: string): Promise<RecordHandle | undefined> {
  const found = await store.find(iri);
  if (found === undefined) await store.tombstone(iri);
  return found;
}

/** How many items to read at once from a whole list. */
const PART = 500;

/** The pages of a whole list, one after another. */
export async function* pagesOf<T>(read: (window: PageQuery) => Promise<Paged<T>>): AsyncIterable<readonly T[]> {
  let after: string | undefined;
  do {
    const { items, next } = await read({ after, limit: PART });
    yield items;
    after = next;
  } while (after !== undefined);
}

/** The IRIs of all records that refer to an IRI, one property after another. */
export async function* allReferring(references: References, iri: string): AsyncIterable<string> {
  const pages = pagesOf((window) => references.page(iri, window));
  for await (const items of pages) for (const { record } of items) yield record;
}

/** A record that refers to an IRI, and the property by which it refers. */
export interface Reference {
  readonly record: string;
  /** The predicate's IRI; `null` for predicates beyond the first 65,534 of a store, which have no numbers. */
  readonly property: string | null;
}

export interface References {
  /** A page of referrers, in a stable order grouped by property. Its cost is proportional to the page. Rejects with `InvalidCursorError`. */
  page(iri: string, query: PageQuery & { readonly property?: string }): Promise<Paged<Reference>>;
  /** The number of referrers by property. The cost depends on the number of properties, not of records. */
  counts(iri: string): Promise<readonly { readonly property: string | null; readonly records: number }[]>;
}

export interface Listed {
  readonly iri: string;
  /** The label, cut to `MAX_KEPT_LABEL` characters. */
  readonly label: string;
}

/** The size of a block of record numbers, which is also that of a sitemap's page. */
export const NUMBERS_A_BLOCK = 10_000;

/** A record in the list by number; numbers are given in order of creation. */
export interface NumberedEntry {
  readonly iri: string;
  /** The time of its last change, in milliseconds since 1970. */
  readonly modified: number;
}

/** Lists of all records, in several orders. */
export interface Lists {
  /** All records or those of one endpoint, in IRI order, as they were when the iteration began. Do not leave it suspended: until it ends, the pages of its state cannot be reused on disk. */
  records(endpoint?: EndpointName): AsyncIterable<StoredRecord>;
  /** A page of an endpoint's records, sorted by label (ignoring case and marks), then by IRI. Its cost is proportional to the page. Rejects with `InvalidCursorError`. */
  page(endpoint: EndpointKey, query: PageQuery): Promise<Paged<Listed>>;
  /** The records numbered from `first` to `first + count - 1`, without deleted ones, and the last number that was given to any record. */
  numbered(
    first: number,
    count: number,
  ): Promise<{ readonly records: readonly NumberedEntry[]; readonly last: number }>;
  /** For each block of numbers, the time when one of its records last changed or was deleted, in milliseconds since 1970. The cost depends on the number of blocks. */
  blockTimes(): Promise<readonly number[]>;
}

/** Why a record is held: by a rule, unless it was released since; or by name, which overrides any release. */
export type Hold = "rule" | "name";

/** A held record that was looked up, with its source. Its `sequence` is 0, since it is not published. */
export interface HeldRecordHandle extends RecordHandle {
  readonly source: string | null;
  record(): StoredRecord;
}

export interface HeldListed extends Pick<RecordMeta, "endpoint" | "label" | "valid"> {
  readonly iri: string;
  readonly source: string | null;
  /** The time since when it has been held in this form, in milliseconds since 1970. */
  readonly since: number;
}

/** The number of held records, in total and by source. */
export interface HeldStats {
  readonly records: number;
  readonly sources: { readonly [name: string]: number };
}

/** Access to held records, which are loaded but not published. No other method of a store returns them. */
export interface HeldRecords {
  /** The held record with this IRI. Throws `StoreError` if it is damaged. */
  find(iri: string): HeldRecordHandle | undefined;
  /** A page of held records in IRI order, of these sources if any are given. Rejects with `InvalidCursorError`. */
  list(query: PageQuery & { readonly sources?: readonly string[] | undefined }): Promise<Paged<HeldListed>>;
  stats(): HeldStats;
}

/** A change that a publication is about to make to a held record: it becomes held, changes, is published or is deleted. */
export interface HeldChange {
  readonly iri: string;
  /** The source of the record that was held so far, `null` for none; `undefined` if no record was held. */
  readonly source: string | null | undefined;
}
