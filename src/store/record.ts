/** Records as any store gives them, alone and in pages: the words that the store and its facets share. */
import type { EndpointName } from "../model/tables/names.js";
import type { EncodedGraph } from "../rdf/encoded-graph.js";
import type { RecordGraph } from "../rdf/record-graph.js";

/** The data that a store keeps beside a record's triples. */
export interface RecordMeta {
  /** `null` when the record's class belongs to no endpoint. */
  readonly endpoint: EndpointName | null;
  /** The record's `_label`, or else its first name, or the empty string. */
  readonly label: string;
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
export interface RecordHandle extends Pick<RecordMeta, "sequence" | "modified" | "hash"> {
  /** How many triples it has, and how many bytes in the store; not verified. 0 where the store does not know beforehand. */
  readonly triples: number;
  readonly bytes: number;
  /** The data kept beside the triples. Throws `RecordDamagedError`. */
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
