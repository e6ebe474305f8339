/** Entity tags and conditional requests (RFC 9110, sections 8.8.3 and 13). */
import type { IncomingHttpHeaders } from "node:http";
import { parseHttpDate } from "./http-date.js";

/** The bytes of the record's hash in an entity tag: 128 bits are enough to be unique, at half the length. */
const HASH_BYTES = 16;

/** The strong entity tag of a representation: the record's stored hash, and a variant that stands for how it is written. It is the same on every machine. */
export function entityTag(hash: Uint8Array, variant: string): string {
  return `"${Buffer.from(hash.buffer, hash.byteOffset, HASH_BYTES).toString("base64url")}.${variant}"`;
}

/** The record's part of an entity tag, strong or weak, which is the same for all representations. */
export function hashOfTag(tag: string): string {
  return tag.trim().replace(/^W\//, "").replace(/^"/, "").split(".")[0]!.replace(/"$/, "");
}

/** The records' parts of the strong entity tags in a list; weak tags never match `If-Match` (RFC 9110, 13.1.1). */
export function strongHashes(list: string): readonly string[] {
  return [...list.matchAll(ENTITY_TAG)].flatMap(([, weak, opaque]) => (weak === undefined ? [hashOfTag(opaque!)] : []));
}

/** Whether a request has any conditions. */
export function isConditional(headers: IncomingHttpHeaders): boolean {
  const tags = headers["if-none-match"] ?? headers["if-match"];
  return (tags ?? headers["if-modified-since"] ?? headers["if-unmodified-since"]) !== undefined;
}

/** Evaluates the conditions of a GET or HEAD request (RFC 9110, 13.2.2): `not modified` is for 304, `failed` for 412. A header with a date counts only without its counterpart with tags. `tag` is the strong entity tag; `modified` is in milliseconds since 1970. */
export function evaluateConditions(headers: IncomingHttpHeaders, tag?: string, modified?: number) {
  const match = headers["if-match"];
  if (match !== undefined) {
    if (!includesTag(match, tag, "strong")) return "failed";
  } else if (isAfter(modified, headers["if-unmodified-since"]) === true) {
    return "failed";
  }
  const noneMatch = headers["if-none-match"];
  if (noneMatch !== undefined) return includesTag(noneMatch, tag, "weak") ? "not modified" : "proceed";
  return isAfter(modified, headers["if-modified-since"]) === false ? "not modified" : "proceed";
}

/** The time of a change, but never in the future, even if the clock was ahead then (RFC 9110, 8.8.2.1). */
export function datable(modified: number): number {
  return Math.min(modified, Date.now());
}

/** Whether to answer ranges. None may end before it begins (RFC 9110, 14.1.1). `If-Range` must have the same tag or the same date; a later date does not count (13.1.5). */
export function rangeCounts(headers: IncomingHttpHeaders, tag: string, modified: number): boolean {
  const ifRange = headers["if-range"] as string | undefined;
  for (const [, first, last] of headers.range?.matchAll(/(?<!\d)(\d+)-(\d+)/g) ?? [])
    if (Number(first) > Number(last)) return false;
  return ifRange === undefined || ifRange === tag || parseHttpDate(ifRange) === Math.floor(modified / 1_000) * 1_000;
}

const ENTITY_TAG = /(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/** Whether a list of entity tags, or `*`, includes a strong tag by the strong or the weak comparison (RFC 9110, 8.8.3.2). */
function includesTag(list: string, tag: string | undefined, comparison: "strong" | "weak"): boolean {
  if (list === tag || list.trim() === "*") return true;
  const tags = [...list.matchAll(ENTITY_TAG)];
  return tags.some(([, weak, opaque]) => opaque === tag && (weak === undefined || comparison === "weak"));
}

/** Whether a time is after an HTTP date, to the second; `undefined` without a valid date or without the time. */
function isAfter(time: number | undefined, date: string | undefined): boolean | undefined {
  if (date === undefined || time === undefined) return undefined;
  const limit = parseHttpDate(date);
  return limit === undefined ? undefined : Math.floor(time / 1_000) * 1_000 > limit;
}
