/** Held records, as far as a store's interface speaks of them: loaded and validated, and not published. */
import type { Paged, PageQuery, RecordHandle, RecordMeta, StoredRecord } from "./record.js";

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
