/** The types of records and pages that a store and its facets share. */
import type { EndpointName } from "../model/tables/names.js";
import type { EncodedGraph } from "../rdf/encoded-graph.js";
import type { RecordGraph } from "../rdf/record-graph.js";

/** The data that a store keeps about a record beside its triples. */
export interface RecordMeta {
  /** `null` if the record's class belongs to no endpoint. */
  readonly endpoint: EndpointName | null;
  /** The record's `_label`; without one its first name, or else the empty string. */
  readonly label: string;
  readonly valid: boolean;
  /** The sequence number of the record's last change. */
  readonly sequence: number;
  /** The time of that change, in milliseconds since 1970. */
  readonly modified: number;
  /** SHA-256 over the record's terms, triples in order and context, the same on every machine; 32 bytes. */
  readonly hash: Uint8Array;
}

export interface StoredRecord {
  readonly meta: RecordMeta;
  readonly graph: RecordGraph;
}

/** A record in its stored form, valid until the store is used again. */
export interface EncodedRecord {
  readonly meta: Pick<RecordMeta, "endpoint" | "sequence" | "modified" | "hash">;
  readonly graph: EncodedGraph;
}

/** A record that was looked up. If it changes afterwards, its new version is read. `modified` and the unverified `hash` are read in place; `meta` and `record` are decoded and verified. */
export interface RecordHandle extends Pick<RecordMeta, "sequence" | "modified" | "hash"> {
  /** The number of triples and the size in the store in bytes; not verified. 0 if the store does not know them in advance. */
  readonly triples: number;
  readonly bytes: number;
  /** The data kept beside the triples. Throws `RecordDamagedError`. */
  readonly meta: RecordMeta;
  /** The whole record, synchronously if the store can. Throws or rejects with `RecordDamagedError`. */
  record(): StoredRecord | Promise<StoredRecord>;
  /** The whole record, not decoded. Throws `RecordDamagedError`. Absent if the store has no such form. */
  encoded?(): EncodedRecord;
}

/** An endpoint, or `none` for records whose class belongs to no endpoint. */
export type EndpointKey = EndpointName | "none";

/** A page of a list. `next` is the cursor of the next page, to be given as `after`; `undefined` on the last page. */
export interface Paged<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

export interface PageQuery {
  /** `next` of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface StoreStats {
  readonly records: number;
  readonly triples: number;
  readonly invalid: number;
  /** The number of records per endpoint; endpoints without records are left out. Records of no endpoint count as `none`. */
  readonly endpoints: Readonly<Partial<Record<EndpointKey, number>>>;
  /** The last change's sequence number, 0 for a new store. */
  readonly sequence: number;
  /** The last change's time in milliseconds since 1970, or `null` for a new store. */
  readonly lastChange: number | null;
  /** The base URL against which relative ids were resolved, or `null` if none was ever given. */
  readonly baseUrl: string | null;
  /** The number of records per source of loads. Records without a source do not count. */
  readonly sources?: { readonly [name: string]: number };
}

/** The time of a last change in ISO 8601. */
export function isoTime(lastChange: StoreStats["lastChange"]): string | null {
  return lastChange === null ? null : new Date(lastChange).toISOString();
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
