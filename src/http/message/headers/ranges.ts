/** Ranges of bytes: which part of a body a request asks for (RFC 9110, section 14). */
import { parseHttpDate } from "./http-date.js";

/** The headers that ask for a part, as `node:http` gives them. */
export interface RangeHeaders {
  readonly range?: string | undefined;
  readonly "if-range"?: string | undefined;
}

/** From the first byte up to before `end`. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const ONE_RANGE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;

/**
 * The part that a request asks for of a body of `length` bytes. `undefined` stands for the whole: without a range, with
 * one that is malformed or of another state, and with several, which a server may ignore (RFC 9110, 14.2).
 *
 * @param tag the body's strong entity tag, where it has one
 * @param modified its last change in milliseconds since 1970, where that is known
 */
export function rangeOf(
  { range, "if-range": ifRange }: RangeHeaders,
  length: number,
  tag: string | undefined,
  modified: number | undefined,
): ByteRange | "unsatisfiable" | undefined {
  const [, first = "", last = ""] = ONE_RANGE.exec(range ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  if (ifRange !== undefined && ifRange !== tag && !isDateOf(ifRange, modified)) return undefined;
  if (first === "") return bounded(Math.max(0, length - Number(last)), length, length);
  if (last !== "" && Number(last) < Number(first)) return undefined;
  return bounded(Number(first), last === "" ? length : Number(last) + 1, length);
}

function bounded(start: number, end: number, length: number): ByteRange | "unsatisfiable" {
  return start >= length ? "unsatisfiable" : { start, end: Math.min(end, length) };
}

/** Whether a date is exactly that of the last change, to the second: a later one tells nothing (RFC 9110, 13.1.5). */
function isDateOf(date: string, modified: number | undefined): boolean {
  return modified !== undefined && parseHttpDate(date) === Math.floor(modified / 1_000) * 1_000;
}
