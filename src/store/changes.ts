/** The facets of a store that hold its history: the changes of records, and their earlier versions. */
import { hash } from "node:crypto";
import type { EndpointName } from "../model/tables/names.js";
import type { EndpointKey, StoredRecord } from "./record.js";

/** `move`: the record no longer exists, and its IRI redirects to another IRI. */
export type ChangeKind = "create" | "update" | "delete" | "move";

export interface Change {
  readonly sequence: number;
  readonly iri: string;
  readonly kind: ChangeKind;
  /** Milliseconds since 1970; never less than in an earlier change. */
  readonly time: number;
  /** The record's endpoint after the change, or before its deletion. */
  readonly endpoint: EndpointName | null;
  /** The record's label after the change, or before its deletion, cut to `MAX_KEPT_LABEL` characters. */
  readonly label: string;
  readonly target?: string;
}

/** The change log and the lists keep this many characters of a label. */
export const MAX_KEPT_LABEL = 500;

/** Selects the changes that meet every given condition. `iri` and `set` cannot be combined with other conditions. */
export interface ChangeSelection {
  readonly endpoint?: EndpointKey;
  /** The source that the record came from, or was deleted from. */
  readonly source?: string;
  readonly iri?: string;
  /** Changes of records that were members of this Set before or after the change. */
  readonly set?: string;
}

export interface ChangesQuery extends ChangeSelection {
  /** Only changes after this sequence number, oldest first. Default: all, from the first. */
  readonly after?: number;
  /** Only changes before this sequence number, newest first. `Infinity` begins with the last change. Overrides `after`. */
  readonly before?: number;
  /** Skips this many of the selected changes, oldest first, for pages by number. Not to be combined with `after` or `before`. */
  readonly offset?: number;
  readonly limit: number;
}

/** All changes of records since the store was created. */
export interface ChangeLog {
  /** A page of changes. Its cost is proportional to the page; for one record, to the page and all newer changes of the record. */
  page(query: ChangesQuery): Promise<readonly Change[]>;
  /** The number of selected changes. Default: of all changes. */
  count(selection?: ChangeSelection): Promise<number>;
  /** The source of an IRI's record, even if it was deleted or moved. `null` if it had none, `undefined` if the store never had the record. */
  sourceOf(iri: string): Promise<string | null | undefined>;
}

/** Records as each change made them. */
export interface Versions {
  /** Whether earlier versions are, or once were, kept. A change while the store is open is noticed within a tenth of a second. */
  areKept(): boolean;
  /** The record as the change with this sequence number made it; `undefined` after a deletion, or if it was not kept. Rejects with `RecordDamagedError`. */
  find(sequence: number): Promise<StoredRecord | undefined>;
}

/** A digest of a change, or `undefined` if there is no such change. It shows whether a sequence number still means the same change: after a restored backup it may not. */
export async function changeMark({ changes }: { changes: ChangeLog }, sequence: number): Promise<string | undefined> {
  if (sequence === 0) return "";
  const [change] = await changes.page({ after: sequence - 1, limit: 1 });
  if (change?.sequence !== sequence) return undefined;
  const { iri, kind, time } = change;
  return hash("sha256", `${time} ${kind} ${iri}`).slice(0, 32);
}
