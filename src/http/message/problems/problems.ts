/** The registry of problem types, problem details as answers (RFC 9457), and the errors that become such answers. */
import { NamedError } from "../../../base/named-error.js";
import type { Json } from "../../../rdf/record-graph.js";
import { InvalidCursorError } from "../../../store/errors.js";
import { ENGLISH_WORDS } from "../../pages/words/words.js";
import { jsonAnswer, type WholeAnswer } from "../answer.js";

/** Every type of problem, with its status, and with its cause and remedy for readers. The type's URL is `{base_url}/problems/` + name. */
export const PROBLEMS = {
  malformed: [400, "The path, the query or an IRI in it is not valid. The detail says why; correct the request."],
  "not-found": [
    404,
    "No record describes the IRI. If records refer to it, `referrers` names some of them. `record` is the address of a record that only lacks this form, or the query of the address.",
  ],
  "method-not-allowed": [405, "This path does not support the method. `Allow` lists those that it supports."],
  timeout: [408, "The request did not arrive completely in time. Send it again."],
  "not-acceptable": [406, "None of the media types in `Accept` is available. `representations` lists those that are."],
  gone: [410, "The record with this IRI was deleted at the time in `deleted`. Remove your copy."],
  "precondition-failed": [412, "The record does not meet the request's condition: it has changed since."],
  "not-implemented": [501, "The service does not support this method or transfer coding. The detail says which."],
  "uri-too-long": [414, "The path and query are too long. The detail has the limit."],
  "range-not-satisfiable": [416, "The file is shorter than the requested range. `Content-Range` has its length."],
  "too-many-requests": [429, "The client sent too many requests, or too many of its queries wait. See `Retry-After`."],
  "headers-too-large": [431, "The request's headers are too large. Send fewer or shorter ones."],
  unauthorized: [401, "This needs a token from the service's operator: `Authorization: Bearer TOKEN`."],
  "not-permitted": [403, "The token does not allow this, or not for this source. The detail says what it allows."],
  "record-refused": [422, "The body is no record of this entity, or breaks rules; see `records`. Nothing changed."],
  "read-only": [403, "The SPARQL endpoint only answers queries. Load records to change them."],
  "content-too-large": [413, "The query or the load is too large. The detail has the limit."],
  "unsupported-media-type": [
    415,
    "A load names its format by `Content-Type` or `?format=`. A query must be posted as `application/sparql-query`, or as a form with the parameter `query`, in UTF-8. `Accept` has the supported media types, `Accept-Encoding` the content codings.",
  ],
  "query-malformed": [400, "The query is not valid SPARQL 1.1. `position` has the line and column."],
  "result-too-large": [422, "The result has too many rows or bytes. Ask for less: `LIMIT`, `COUNT`. None are cut."],
  "query-too-large": [422, "The query needs too much memory, or is nested too deeply. Ask for less at a time."],
  "no-named-graphs": [422, "The collection is too large for `GRAPH ?g`. Name the records, or leave out `GRAPH`."],
  "index-busy": [503, "The index is being filled, or too many queries wait. Try again after `Retry-After` seconds."],
  "no-index": [501, "The collection is too large for the built-in index. The operator can add an engine (`--engine`)."],
  "query-timeout": [504, "The query reached its time limit and was stopped. Ask for less at a time."],
  internal: [500, "The service failed. Tell its operator the time and the URL; its log has the cause."],
  unavailable: [503, "The records cannot be read, or the service is stopping. Try again after `Retry-After` seconds."],
} as const;

export type ProblemName = keyof typeof PROBLEMS;

export const PROBLEM_NAMES = Object.keys(PROBLEMS) as readonly ProblemName[];

export const TITLES: Readonly<Record<ProblemName, string>> = ENGLISH_WORDS.file.problem;

interface Occurrence {
  readonly instance?: string | undefined;
  /** Extension members (RFC 9457, 3.2). */
  readonly members?: { readonly [name: string]: Json };
  readonly headers?: readonly string[];
}

/** Thrown for a request that is to be answered with a problem. */
export class ProblemError extends NamedError {
  constructor(
    readonly problem: ProblemName,
    /** What is wrong with this request and what to do about it, in a sentence or two. */
    readonly detail: string,
    readonly occurrence: Occurrence = {},
  ) {
    super(detail);
  }

  answer(base: string): WholeAnswer {
    return problem(base, this.problem, this.detail, this.occurrence);
  }
}

/** The problem 400. @param detail what is wrong with the request, and what would be right */
export function malformed(detail: string): ProblemError {
  return new ProblemError("malformed", detail);
}

/** The longest path that a problem repeats; a longer one is cut. */
const MAX_INSTANCE_LENGTH = 1_000;

/** The URL of a type of problem, where this service documents it. */
export function problemType(base: string, name: ProblemName): string {
  return `${base}/problems/${name}`;
}

/** Makes the answer for a problem. */
export function problem(base: string, name: ProblemName, detail: string, occurrence: Occurrence = {}): WholeAnswer {
  const [status] = PROBLEMS[name];
  const { members = {}, headers = [] } = occurrence;
  const type = problemType(base, name);
  const instance = occurrence.instance?.slice(0, MAX_INSTANCE_LENGTH);
  const details = { type, title: TITLES[name], status, detail, instance };
  const all = ["Cache-Control", "no-cache", ...(status === 503 ? ["Retry-After", "5"] : []), ...headers];
  const answer = jsonAnswer(status, { ...details, ...members }, all, "application/problem+json");
  return { ...answer, problem: { ...details, members } };
}

/** The store could not be read. The answer is 503, since a 404 would tell caches that the entity is gone. `cause` is the store's error. */
export class StoreUnavailableError extends NamedError {
  constructor(cause: unknown) {
    super("the store could not be read", { cause });
  }
}

/** Reads a page of a list from the store. Throws `ProblemError` for an invalid cursor, which is the client's fault. */
export async function readPage<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await fromStore(read);
  } catch (error) {
    if (!((error as Error).cause instanceof InvalidCursorError)) throw error;
    throw malformed("The list has no place for the cursor in `after`, `before` or `from`. Start again without it.");
  }
}

/** Reads from the store, synchronously if the store does. Throws or rejects with `StoreUnavailableError` in place of any error. */
export function fromStore<T>(read: () => T): T {
  const fail = (cause: unknown): never => {
    throw new StoreUnavailableError(cause);
  };
  try {
    const answer = read();
    return answer instanceof Promise ? (answer.catch(fail) as T) : answer;
  } catch (cause) {
    return fail(cause);
  }
}
