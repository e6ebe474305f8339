/** The registry of problem types, and problem details as answers (RFC 9457). */
import { NamedError } from "../../../base/named-error.js";
import type { Json } from "../../../rdf/record-graph.js";
import { ENGLISH_WORDS } from "../../pages/words/words.js";
import { bodyHeaders, type WholeAnswer } from "../answer.js";

interface ProblemType {
  readonly status: number;
  /** For the reader of the documentation: when it comes, and what to do. */
  readonly advice: string;
}

/** Every problem that the service reports; its type is `{base_url}/problems/` and the name, where it is documented. */
export const PROBLEMS = {
  malformed: {
    status: 400,
    advice:
      "The path, the query or the IRI in it breaks the rules of URIs. The detail says where; correct the request.",
  },
  "not-found": {
    status: 404,
    advice: "No record describes the IRI. Where records refer to it, `referrers` names some of them.",
  },
  "method-not-allowed": {
    status: 405,
    advice: "The service is for reading. `Allow` lists the methods that there are.",
  },
  timeout: { status: 408, advice: "The request did not arrive whole in time. Send it again." },
  "not-acceptable": {
    status: 406,
    advice: "None of the media types in `Accept` is there. `representations` lists what there is, and where.",
  },
  gone: {
    status: 410,
    advice: "There was a record of this IRI, and it was deleted at the time given as `deleted`. Forget its copies.",
  },
  "precondition-failed": {
    status: 412,
    advice: "The record has changed since the state that `If-Match` or `If-Unmodified-Since` names.",
  },
  "not-implemented": {
    status: 501,
    advice: "The service has no such method, or reads no body in such a transfer coding. The detail says which.",
  },
  "uri-too-long": {
    status: 414,
    advice: "The path and query are longer than the service reads. The detail says how much that is.",
  },
  "range-not-satisfiable": {
    status: 416,
    advice: "The file is shorter than the range that was asked for. `Content-Range` says how long it is.",
  },
  "too-many-requests": {
    status: 429,
    advice:
      "This client has sent more requests a minute than the service allows, or has enough queries waiting. Wait for " +
      "`Retry-After` seconds.",
  },
  "headers-too-large": {
    status: 431,
    advice: "The request's headers together are larger than the service reads. Send fewer, or shorter ones.",
  },
  unauthorized: {
    status: 401,
    advice: "Who asks has to show a token, which whoever runs the service gives out: `Authorization: Bearer TOKEN`.",
  },
  "not-permitted": {
    status: 403,
    advice: "The token may not do this, or not with records of this source. The detail says what it is for.",
  },
  "record-refused": {
    status: 422,
    advice:
      "The body is no record of this entity, or one that breaks rules. `records` has what is wrong where, and nothing was changed.",
  },
  "read-only": {
    status: 403,
    advice: "The SPARQL endpoint answers queries. Records are changed by loading, on the machine of the service.",
  },
  "content-too-large": {
    status: 413,
    advice: "The query or the load is longer than the service reads. The detail says how much that is.",
  },
  "unsupported-media-type": {
    status: 415,
    advice:
      "A load names its format by `Content-Type` or `?format=`. A query is posted as `application/sparql-query`, or as a form with the parameter `query`, in UTF-8. " +
      "`Accept` has the media types that are read, `Accept-Encoding` the content codings.",
  },
  "query-malformed": {
    status: 400,
    advice: "The query breaks the grammar of SPARQL 1.1, or uses what there is not. `position` is its line and column.",
  },
  "result-too-large": {
    status: 422,
    advice:
      "The result has more rows or bytes than are answered. Ask for less, with `LIMIT` or `COUNT`; nothing is cut in silence.",
  },
  "query-too-large": {
    status: 422,
    advice: "The query took more memory than one may, or is nested too deeply. Ask for less at a time.",
  },
  "no-named-graphs": {
    status: 422,
    advice: "`GRAPH ?g` over all records needs a smaller collection. Name the records, or leave `GRAPH` away.",
  },
  "index-busy": {
    status: 503,
    advice: "The index is being filled, or enough queries are waiting. Try again after `Retry-After` seconds.",
  },
  "no-index": {
    status: 501,
    advice: "The collection does not fit into the built-in index. Serve its queries from a SPARQL engine.",
  },
  "query-timeout": { status: 504, advice: "The query ran until its deadline and was stopped. Ask for less at a time." },
  internal: {
    status: 500,
    advice: "The fault is the service's own. Its log has the cause; tell whoever runs it the time and the URL.",
  },
  unavailable: {
    status: 503,
    advice:
      "The records cannot be read at this moment, or the service is closing. Try again after `Retry-After` seconds.",
  },
} as const satisfies Record<string, ProblemType>;

export type ProblemName = keyof typeof PROBLEMS;

/** What problems are called. */
export const TITLES: Readonly<Record<ProblemName, string>> = ENGLISH_WORDS.file.problem;

interface Occurrence {
  /** What was wrong with this request, and what to do, in a sentence or two. */
  readonly detail: string;
  /** The path that was asked for. */
  readonly instance?: string | undefined;
  /** Extension members (RFC 9457, 3.2). */
  readonly members?: { readonly [name: string]: Json };
  /** Further headers, names and values in turn. */
  readonly headers?: readonly string[];
}

/** A request that is answered with a problem, thrown where that is found out. */
export class ProblemError extends NamedError {
  constructor(
    readonly problem: ProblemName,
    readonly occurrence: Occurrence,
  ) {
    super(occurrence.detail);
  }
}

export function malformed(detail: string): ProblemError {
  return new ProblemError("malformed", { detail });
}

/** How many seconds a client should wait for what is unavailable. */
const RETRY_AFTER = "5";

/** Paths are repeated in a problem up to this length. */
const MAX_INSTANCE_LENGTH = 1_000;

/** The type of a problem: a URL of this service's own, which documents it. */
export function problemType(base: string, name: ProblemName): string {
  return `${base}/problems/${name}`;
}

/** A problem before it has a form (RFC 9457, 3.1). */
export interface ProblemDetails {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string | undefined;
  readonly members: { readonly [name: string]: Json };
}

/** A problem as an answer. */
export function problem(base: string, name: ProblemName, occurrence: Occurrence): WholeAnswer {
  const { status } = PROBLEMS[name];
  const title = TITLES[name];
  const { detail, members = {}, headers = [] } = occurrence;
  const type = problemType(base, name);
  const instance = occurrence.instance?.slice(0, MAX_INSTANCE_LENGTH);
  const body = `${JSON.stringify({ type, title, status, detail, instance, ...members })}\n`;
  return {
    status,
    headers: [
      ...bodyHeaders("application/problem+json", body),
      "Cache-Control",
      "no-cache",
      ...(status === 503 ? ["Retry-After", RETRY_AFTER] : []),
      ...headers,
    ],
    body,
    problem: { type, title, status, detail, instance, members },
  };
}
