/** The store interface: what the service needs of wherever the records lie, embedded or on an engine of the user's. */
import type { EndpointName } from "../model/tables/endpoints.js";
import { FORMATS } from "../rdf/formats.js";
import type { Json, JsonObject, RecordGraph } from "../rdf/record-graph.js";
import type { RecordDamagedError } from "./errors.js";
import type { HeldRecords } from "./held.js";
import type { SearchHit, SearchQuery, Window, WindowQuery } from "./search.js";

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

/**
 * A record that was looked up. What it costs to read grows with what is asked of it: `sequence` is known, `modified` and
 * `hash` are read where they lie, `meta` and `record` decode and verify. Read late, after the record was changed, it gives
 * the record as it is then.
 */
export interface Found {
  /** The change sequence number of the publication that last changed the record. */
  readonly sequence: number;
  /** When that publication was, in milliseconds since 1970. */
  readonly modified: number;
  /** As in `RecordMeta`. Not verified: damage shows as another hash. */
  readonly hash: Uint8Array;
  /** How many triples it has, and how many bytes in the store; not verified. 0 where the store does not know beforehand. */
  readonly triples: number;
  readonly bytes: number;
  /** What is kept beside the triples. Throws `RecordDamagedError`. */
  readonly meta: RecordMeta;
  /** The whole record, at once where the store has it at hand. Throws or rejects with `RecordDamagedError`. */
  record(): StoredRecord | Promise<StoredRecord>;
}

/** An endpoint's records, or those whose class belongs to none. */
export type EndpointKey = EndpointName | "none";

/** `move`: the record is gone, and its IRI leads to another. */
export type ChangeKind = "create" | "update" | "delete" | "move";

/** One entry of the change log. */
export interface Change {
  readonly sequence: number;
  readonly iri: string;
  readonly kind: ChangeKind;
  /** Milliseconds since 1970; never less than that of an earlier entry. */
  readonly time: number;
  /** The endpoint that the record has after the change, or had when it was deleted. */
  readonly endpoint: EndpointName | null;
  /** Its label, likewise; at most `MAX_KEPT_LABEL` characters of it. */
  readonly label: string;
  /** Of a move, where the IRI leads since. */
  readonly target?: string;
}

/** Labels beside the records, in the change log and the lists, are cut to so many characters. */
export const MAX_KEPT_LABEL = 500;

/** Which changes: all that the given members agree to. `iri` and `set` each go without the others. */
export interface ChangeSelection {
  readonly endpoint?: EndpointKey;
  /** The feed that the record came from, or was deleted from. */
  readonly source?: string;
  readonly iri?: string;
  /** Changes of records that were members of this Set before, or are afterwards. */
  readonly set?: string;
}

/** A page of the change log. */
export interface ChangesQuery extends ChangeSelection {
  /** Only changes after this sequence number, oldest first. Default: from the first on. */
  readonly after?: number;
  /** Only changes before this sequence number, newest first. `Infinity` begins with the last. Goes before `after`. */
  readonly before?: number;
  /** Oldest first, so many of the selection left out: the pages of a collection by number. Goes with neither. */
  readonly offset?: number;
  readonly limit: number;
}

/** Part of a list, and where the next part begins: to be given as `after`; `undefined` when there is no more. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

/** Where to begin, and how much to give. */
export interface PageQuery {
  /** `next` of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** A record that refers to an IRI, and the property by which it does. */
export interface Reference {
  readonly record: string;
  /** The predicate's IRI; `null` for those beyond the first 65,534 predicates of a store, which have no numbers. */
  readonly property: string | null;
}

/** How many records refer to an IRI by one property. */
export interface ReferenceCount {
  readonly property: string | null;
  readonly records: number;
}

/** A record in the list of an endpoint. */
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

/** Records of one scheme and host. */
export interface Origin {
  readonly prefix: string;
  readonly records: number;
}

/** A record, and a number that is its own for as long as it exists. */
export interface NumberedRecord {
  readonly number: number;
  readonly graph: RecordGraph;
}

/** What became of a record: `undefined` before its creation and after its deletion. */
export interface ChangedRecord {
  readonly iri: string;
  readonly before: NumberedRecord | undefined;
  readonly after: NumberedRecord | undefined;
}

/** One state of a store, which stays as it is while others publish. It has to be closed. Graphs come without contexts. */
export interface Snapshot {
  /** The sequence number of the last change in it. */
  readonly sequence: number;
  /** How many triples the records have together, repeated ones included. */
  readonly triples: number;
  /** All records, in IRI order. `onDamaged` is told of each that cannot be read, and which is left out. */
  records(onDamaged: (error: RecordDamagedError) => void): Iterable<NumberedRecord>;
  /** The record of this IRI. Throws `RecordDamagedError`. */
  record(iri: string): NumberedRecord | undefined;
  /**
   * What became of each record that changed after a sequence number, or `undefined` when that is not known any more, or
   * when there are more than `limit` changes. Throws `RecordDamagedError` for a record that cannot be read.
   */
  changesAfter(sequence: number, limit: number): readonly ChangedRecord[] | undefined;
  /** What changed by the next so many changes after a sequence number. Throws `RecordDamagedError`. */
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

/** Part of the change log, by record. */
export interface ChangedRecords {
  /** The sequence number of its last change. */
  readonly through: number;
  readonly changed: readonly RecordVersions[];
}

/** A record of an archive. */
export interface ArchivedRecord {
  readonly endpoint: EndpointName | null;
  /** The record's own, by which no other record of the store goes. */
  readonly number: number;
  /** What a store keeps of a record besides its graph, as a line of the ledger says it. */
  readonly entry: JsonObject;
  readonly graph: RecordGraph;
}

/** Part of an archive's records or of its change log, as data that can go to other threads. */
export type Stretch =
  | { readonly of: "records"; readonly from: Uint8Array; readonly to: Uint8Array | undefined }
  | { readonly of: "changes"; readonly after: number; readonly through: number };

/**
 * One state of a store to be written down whole, so that `WritableStore.restore` makes the same store of it: records as graphs, and beside
 * them a ledger, a JSON object a line, of what graphs do not say. It has to be closed.
 */
export interface Archive {
  readonly stats: StoreStats;
  /** Which state it is: archives of one store that have the same are the same. */
  readonly state: string;
  /** The lines of the ledger before those of the records: counts, sources, contexts. */
  head(): Iterable<JsonObject>;
  /** All records and then all changes, so many at a time. Throws `TableDamagedError`. */
  stretches(records: number, changes: number): Iterable<Stretch>;
  /** Throws `RecordDamagedError`, `TableDamagedError`. */
  records(stretch: Stretch & { of: "records" }): Iterable<ArchivedRecord>;
  /** The lines of changes, which follow those of all records. Throws `EntryDamagedError`. */
  changes(stretch: Stretch & { of: "changes" }): Iterable<JsonObject>;
  /** The lines after those of the changes: changes of Sets, tombstones, earlier versions. */
  tail(): Iterable<JsonObject>;
  /** The last line, behind so many others. */
  end(lines: number): JsonObject;
  close(): void;
}

/** What a store can give; where it cannot, the methods named reject, and nothing that needs them is to be offered. */
export interface StoreCapabilities {
  /** `find` and what it finds answer without a promise. */
  readonly atOnce: boolean;
  /** `changes`, `changeCount`, `tombstone`. */
  readonly changes: boolean;
  /** `referrers`, `referrerCounts`. */
  readonly referrers: boolean;
  /** `list`. */
  readonly lists: boolean;
  /** `snapshot`, `archive`. */
  readonly snapshots: boolean;
  /** `search`, `related`, `relatedCount`. */
  readonly search: boolean;
  /**
   * `version` of more than what is published: the store keeps earlier versions, or has kept some. It may begin while the store is open, when
   * a load says so, and is then noticed within a tenth of a second.
   */
  readonly versions: boolean;
  /**
   * Some records' IRIs end as names of files do (`endsLikeFile`), and may be where representations of others would be. Noticed within a tenth
   * of a second, too.
   */
  readonly suffixed: boolean;
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
 * Reading: what dereferencing, feeds, lists, export and the index need. Every read sees one published state. IRI order is
 * that of the IRIs' UTF-8 bytes; embedded, those of more than 1,978 bytes come after all others.
 */
export interface Store {
  readonly capabilities: StoreCapabilities;
  /** Records that are not published; absent where a store holds none. */
  readonly held?: HeldRecords;
  /** The record of this IRI, or `undefined`; at once where `capabilities` say so. */
  find(iri: string): Found | undefined | Promise<Found | undefined>;
  /** The last change of this IRI when that was its deletion or move (a tombstone), or `undefined`. */
  tombstone(iri: string): Promise<Change | undefined>;
  /**
   * The record as the change of this sequence number made it: what is published, or an earlier version that was kept. `undefined` where
   * that change was a deletion, or its version was not kept. Rejects with `RecordDamagedError`.
   */
  version(sequence: number): Promise<StoredRecord | undefined>;
  /** The records whose IRI is this one followed by a fragment (`iri#...`), in IRI order, at most `limit`. */
  fragments(iri: string, limit: number): Promise<readonly string[]>;
  /** Records that describe an embedded node with this IRI: at most `limit` of them, in IRI order. */
  describedIn(iri: string, limit: number): Promise<readonly string[]>;
  /**
   * Who refers to this IRI, in an order that stays, all by one property together; a page costs what it holds. Rejects with
   * `InvalidCursorError`.
   */
  referrers(iri: string, query: PageQuery & { readonly property?: string }): Promise<Page<Reference>>;
  /** How many records refer to this IRI, by property. Costs what there are properties, not records. */
  referrerCounts(iri: string): Promise<readonly ReferenceCount[]>;
  /**
   * An endpoint's records in the order of their labels without regard to case and marks, then of their IRIs; a page costs
   * what it holds. Rejects with `InvalidCursorError`.
   */
  list(endpoint: EndpointKey, query: PageQuery): Promise<Page<Listed>>;
  /**
   * Records by what they are found by: whole values first, then beginnings, then words, each by label. What it costs does not
   * grow with the collection: a window may hold fewer records than its limit, even none, and go on. Records that do not
   * change are neither missed nor met twice in a walk, whatever is published meanwhile. Rejects with `InvalidCursorError`.
   */
  search(query: SearchQuery, window: WindowQuery): Promise<Window<SearchHit>>;
  /** The records that stand in a relation of Linked Art (its name) to an IRI, by label. Rejects with `InvalidCursorError`. */
  related(relation: string, iri: string, window: WindowQuery): Promise<Window<string>>;
  /** How many those are. */
  relatedCount(relation: string, iri: string): Promise<number>;
  /**
   * All records in IRI order, or only those of one endpoint, as they were when the first was asked for. What it looked at
   * cannot be used again on disk until it ends, so it is not to be left standing half-way.
   */
  records(endpoint?: EndpointName): AsyncIterable<StoredRecord>;
  /** A page of the change log. It costs what it holds; one of a record's changes, what the record has newer ones too. */
  changes(query: ChangesQuery): Promise<readonly Change[]>;
  /** How many changes the selection has. */
  changeCount(selection?: ChangeSelection): Promise<number>;
  /**
   * Records in the order in which they were created: those with numbers from `first` on, at most `count` numbers, some of which may have no
   * record any more; and the last number that any record got.
   */
  numbered(
    first: number,
    count: number,
  ): Promise<{ readonly records: readonly NumberedEntry[]; readonly last: number }>;
  /**
   * When the records of each block of numbers, the first first, last changed or went, in milliseconds since 1970. Costs what there are blocks.
   */
  blockTimes(): Promise<readonly number[]>;
  /**
   * The feed that an IRI's record came from, or came from until it was deleted or moved; `null` where that was none, `undefined` where the
   * store never had it.
   */
  sourceOf(iri: string): Promise<string | null | undefined>;
  /** The state of this moment, to be read as a whole. */
  snapshot(): Snapshot;
  /** The state of this moment, to be written down. */
  archive(): Archive;
  stats(): Promise<StoreStats>;
  /** How many records have IRIs that begin so. */
  countUnder(prefix: string): Promise<number>;
  /** Where the records' IRIs lie: schemes with hosts (`https://data.museum.org/`), in IRI order, at most `limit`. */
  origins(limit: number): Promise<readonly Origin[]>;
  /** The context documents that loads were given, by URI. */
  contexts(): Promise<ReadonlyMap<string, Json>>;
  close(): Promise<void>;
}
