/** Large records: what counts as one, and how reading many of them lets other requests have their turns. */
import type { IncomingHttpHeaders } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import type { RecordHandle } from "../../store/record.js";
import type { Answer } from "../message/answer.js";

/** Records of more are written outside the event loop: writing one of so many triples takes it some 50 ms. */
export const MAX_TRIPLES_AT_ONCE = 10_000;
/** The same for the bytes of a record as the store has them. */
export const MAX_BYTES_AT_ONCE = 512 * 1_024;

export interface LargeRecords {
  /** The answer for a record in the representation of a slot. Rejects as writing does, and with `ProblemError` when too many wait. */
  answer(iri: string, slot: number, headers: IncomingHttpHeaders): Promise<Answer>;
}

/** Whether a record is too large to be written in a turn of the event loop. */
export function isLarge({ triples, bytes }: RecordHandle): boolean {
  return triples > MAX_TRIPLES_AT_ONCE || bytes > MAX_BYTES_AT_ONCE;
}

/** After a large record was read, if only to verify it: others have their turns before the next is. */
export const afterReading = turn;
