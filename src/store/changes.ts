/** The facets of a store that tell of its past: what happened to records, and what they were. */
import { createHash } from "node:crypto";
import type { EndpointName } from "../model/tables/names.js";
import type { EndpointKey, StoredRecord } from "./record.js";

/** `move`: the record is gone, and its IRI leads to another. */
export type ChangeKind = "create" | "update" | "delete" | "move";

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

export interface ChangesQuery extends ChangeSelection {
  /** Only changes after this sequence number, oldest first. Default: from the first on. */
  readonly after?: number;
  /** Only changes before this sequence number, newest first. `Infinity` begins with the last. Goes before `after`. */
  readonly before?: number;
  /** Oldest first, so many of the selection left out: the pages of a collection by number. Goes with neither. */
  readonly offset?: number;
  readonly limit: number;
}

/** The changes of records, from the first on. */
export interface ChangeLog {
  /** It costs what it holds; a page of one record's changes, what the record has newer ones too. */
  page(query: ChangesQuery): Promise<readonly Change[]>;
  /** How many changes the selection has. Default: all. */
  count(selection?: ChangeSelection): Promise<number>;
  /** The feed that an IRI's record came from, also before it was deleted or moved; `null` for none, `undefined` where the store never had it. */
  sourceOf(iri: string): Promise<string | null | undefined>;
}

/** Records as changes made them. */
export interface Versions {
  /** Whether earlier versions are kept, or some were. It may begin while the store is open, and is then noticed within a tenth of a second. */
  areKept(): boolean;
  /**
   * The record as the change of this sequence number made it: what is published, or an earlier version that was kept. `undefined` where
   * that change was a deletion, or its version was not kept. Rejects with `RecordDamagedError`.
   */
  find(sequence: number): Promise<StoredRecord | undefined>;
}

/** The mark of a change, `undefined` for none: it tells two stores apart whose sequence numbers repeat, since one was restored from a backup. */
export async function changeMark(
  { changes }: { readonly changes: ChangeLog },
  sequence: number,
): Promise<string | undefined> {
  if (sequence === 0) return "";
  const [change] = await changes.page({ after: sequence - 1, limit: 1 });
  if (change?.sequence !== sequence) return undefined;
  const { iri, kind, time } = change;
  return createHash("sha256").update(`${time} ${kind} ${iri}`).digest("hex").slice(0, 32);
}
