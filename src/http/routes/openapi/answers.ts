/** The answers in the OpenAPI description: their headers, and the problems. */
import { groupBy } from "../../../base/entries.js";
import type { Json, JsonObject } from "../../../rdf/record-graph.js";
import { COMMON_HEADERS } from "../../message/answer.js";
import { PROBLEM_NAMES, PROBLEMS, type ProblemName, problemType, TITLES } from "../../message/problems/problems.js";

function header(description: string, example?: string): Json {
  return { description, schema: { type: "string" }, ...(example === undefined ? {} : { example }) };
}

export const HEADERS = {
  "Access-Control-Allow-Origin": header("Scripts of any origin may read the answer.", "*"),
  "Access-Control-Expose-Headers": header("The headers that such scripts may read.", "*"),
  "Access-Control-Allow-Methods": header("The methods that such scripts may use."),
  "Access-Control-Allow-Headers": header("The headers that such scripts may send.", "*"),
  "Access-Control-Max-Age": header("How many seconds a client may cache this.", "86400"),
  Accept: header("The media types of supported bodies (RFC 9110, 12.5.1)."),
  "Accept-Encoding": header("The content codings of supported bodies (RFC 9110, 12.5.3).", "gzip, br, deflate"),
  "Accept-Ranges": header("Clients may request parts of the file (RFC 9110, 14.3).", "bytes"),
  "Content-Range": header("The range of this part, and the length of the whole file (RFC 9110, 14.4)."),
  Allow: header("The methods that the path supports (RFC 9110, 10.2.1).", "GET, HEAD, OPTIONS"),
  "Content-Security-Policy": header("What the page may load and run."),
  "Referrer-Policy": header("Links from the page send no `Referer`.", "no-referrer"),
  "Cache-Control": header("How caches may keep the answer (RFC 9111, 5.2).", "no-cache"),
  "Content-Encoding": header("The content coding of the body, br or gzip, if the client accepts one.", "br"),
  "Content-Language": header("The language of the page, apart from texts of records (RFC 9110, 8.5).", "en"),
  "Content-Location": header("The URL of exactly this representation (RFC 9110, 8.7)."),
  ETag: header("A strong entity tag: it changes with every byte, and each coding has its own (RFC 9110, 8.8.3)."),
  "Last-Modified": header("When the record was last changed (RFC 9110, 8.8.2)."),
  Link: header("FAIR Signposting, and the linkset, which has all links (RFC 8288, RFC 9264)."),
  Location: header("The URL that the answer leads to."),
  "Memento-Datetime": header("The time of the version (RFC 7089, 2.1.2)."),
  "X-Request-Id": header("The id of the request in the log of the service."),
  "Retry-After": header("After how many seconds to try again.", "5"),
  "Vitrine-Left-Out": header("How many records the result leaves out; absent if it leaves out none.", "1"),
  "Vitrine-Sequence": header("The change sequence number that the result reflects.", "1024"),
  "WWW-Authenticate": header("How to show the token (RFC 9110, 11.6.1).", "Bearer"),
  Vary: header("The request headers that the answer depends on.", "Accept, Accept-Encoding, Accept-Profile"),
  "X-Content-Type-Options": header("The body is what Content-Type says.", "nosniff"),
} satisfies JsonObject;

/** The headers of pages; a problem may also be a page. */
export const PAGE_HEADERS = ["Content-Language", "Content-Security-Policy", "Referrer-Policy"] as const;

export type HeaderName = keyof typeof HEADERS;

const ALWAYS = COMMON_HEADERS.filter((_, at) => at % 2 === 0) as HeaderName[];

/** References to the named headers and to those of every answer. */
export function headersNamed(names: readonly HeaderName[]): JsonObject {
  return Object.fromEntries([...names, ...ALWAYS].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The OpenAPI response of a redirect to `Location`. */
export function leadingTo(description: string, content?: JsonObject, more: readonly HeaderName[] = []): Json {
  return { description, headers: headersNamed(["Location", "Cache-Control", ...more]), ...(content && { content }) };
}

const ANYWHERE: readonly ProblemName[] = [
  "malformed",
  "method-not-allowed",
  "timeout",
  "uri-too-long",
  "too-many-requests",
  "headers-too-large",
  "not-implemented",
  "internal",
  "unavailable",
];

const OWN_HEADERS: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ["WWW-Authenticate"],
  404: ["Link"],
  405: ["Allow"],
  406: ["Link"],
  410: ["Link"],
  412: ["ETag", "Last-Modified", "Accept-Ranges"],
  415: ["Accept", "Accept-Encoding"],
  416: ["Content-Range", "ETag", "Last-Modified", "Accept-Ranges"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};

/** The OpenAPI response of each problem, by name. */
export function problemResponses(base: string): JsonObject {
  return Object.fromEntries(PROBLEM_NAMES.map((name) => [name, response([name], base)]));
}

/** The OpenAPI responses of an operation with these problems besides those of every request, by status. Problems with the same status share a response. */
export function errors(names: readonly ProblemName[]): JsonObject {
  const byStatus = groupBy(new Set([...ANYWHERE, ...names]), (name) => PROBLEMS[name][0]);
  const responseOf = (alike: readonly ProblemName[]): Json =>
    alike.length === 1 ? { $ref: `#/components/responses/${alike[0]}` } : response(alike);
  return Object.fromEntries([...byStatus].map(([status, alike]) => [status, responseOf(alike)]));
}

function response(names: readonly ProblemName[], base?: string): JsonObject {
  const [name] = names as [ProblemName];
  const [status] = PROBLEMS[name];
  const example = base && { type: problemType(base, name), title: TITLES[name], status, detail: "..." };
  return {
    description: names.map((name) => `${TITLES[name]}. ${PROBLEMS[name][1]}`).join("\n\n"),
    headers: headersNamed([...(OWN_HEADERS[status] ?? []), "Cache-Control", "X-Request-Id", ...PAGE_HEADERS]),
    content: {
      "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" }, ...(example && { example }) },
      "text/html": { schema: { type: "string" } },
    },
  };
}
