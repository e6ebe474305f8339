/** The meaning of an endpoint's refusal of a query, from its status and, where it is one of this service's, its problem details. */
import { type HttpAnswer, mediaTypeOf } from "../../base/http-client.js";
import { jsonIn } from "../../base/json.js";
import { QueryRefusedError, type RefusalReason } from "../query-request.js";

/** By the last part of the problem's type, for endpoints of this service (RFC 9457). */
const OF_PROBLEM: Readonly<Record<string, RefusalReason>> = {
  "query-malformed": "malformed",
  "read-only": "update",
  "not-acceptable": "not-acceptable",
  "result-too-large": "too-many-rows",
  "query-timeout": "timeout",
  "query-too-large": "too-large",
  "no-named-graphs": "no-graphs",
  "index-busy": "busy",
  "too-many-requests": "too-many-waiting",
  "no-index": "no-index",
};

/** By the status, for all others (SPARQL 1.1 Protocol, 2.1.7; what engines answer at their limits). */
const OF_STATUS: Readonly<Record<number, RefusalReason>> = {
  400: "malformed",
  406: "not-acceptable",
  408: "timeout",
  413: "too-large",
  422: "too-large",
  429: "busy",
  503: "busy",
  504: "timeout",
};

/** What Virtuoso says of a query that took longer than it may (`MaxQueryExecutionTime`). */
const VIRTUOSO_TIMEOUT = /^Virtuoso S1T00 /;

/** Of an explanation that is no problem details, so many characters are passed on. */
const MAX_EXPLANATION = 1_000;

interface Problem {
  readonly type?: string;
  readonly detail?: string;
  readonly position?: { readonly line: number; readonly column: number };
}

/**
 * The refusal that an answer is.
 * @param prologue how many characters were put before the first line of the query
 */
export async function engineRefusal(
  { statusCode, headers, body }: HttpAnswer,
  prologue: number,
): Promise<QueryRefusedError> {
  const text = (await body.text()).slice(0, 100 * MAX_EXPLANATION);
  const isProblem = mediaTypeOf(headers) === "application/problem+json";
  const { type, detail, position } = (isProblem && jsonIn<Problem | null>(text)) || {};
  const known = OF_PROBLEM[type?.split("/").at(-1) ?? ""] ?? (VIRTUOSO_TIMEOUT.test(text) ? "timeout" : undefined);
  const reason = known ?? OF_STATUS[statusCode] ?? "unreachable";
  const said = detail ?? text.slice(0, MAX_EXPLANATION);
  const message = said === "" ? `The query engine answered with status ${statusCode}.` : said;
  if (position === undefined) return new QueryRefusedError(reason, message);
  const { line, column } = position;
  const there = line === 1 ? { line, column: Math.max(1, column - prologue) } : { line, column };
  return new QueryRefusedError(reason, message.replace(/^line \d+, column \d+: /, ""), there);
}
