/** Answers to requests, made without a socket, and sending them. */
import type { ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { Json } from "../../rdf/record-graph.js";

export type WholeBody = string | Buffer;

/** A whole body, or one in pieces. Each piece is made when the client has taken the one before. */
export type Body = WholeBody | Pieces;

export type Pieces = AsyncIterable<string | Uint8Array>;

/** A problem before it is written as JSON or as a page (RFC 9457, 3.1). */
export interface ProblemDetails {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string | undefined;
  readonly members: { readonly [name: string]: Json };
}

/** An answer that any server can send. HEAD is answered like GET; the server omits the body. */
export interface Answer<B extends Body = Body> {
  readonly status: number;
  /** Alternating names and values, as `writeHead` takes them. */
  readonly headers: readonly string[];
  readonly body: B;
  /** Whether the body is a string of ASCII only. Such a string is just copied; other text must be encoded. */
  readonly isAscii?: boolean;
  /** The problem that this answer reports, from which a page can be made for a browser. */
  readonly problem?: ProblemDetails;
  readonly about?: { readonly endpoint: string; readonly format: string };
}

export type WholeAnswer = Answer<WholeBody>;

/** The request headers that every answer depends on, if only because the form of an error does. */
const VARY = "Accept, Accept-Encoding, Accept-Profile";

/** The headers of every answer: CORS (Linked Art API), `Vary`, and `nosniff`, so that browsers do not guess types. @param vary further request headers that it depends on */
export function commonHeaders(vary?: string): readonly string[] {
  return [
    ...["Access-Control-Allow-Origin", "*", "Access-Control-Expose-Headers", "*"],
    ...["Vary", vary === undefined ? VARY : listOf(`${VARY}, ${vary}`), "X-Content-Type-Options", "nosniff"],
  ];
}

export const COMMON_HEADERS = commonHeaders();

/** An answer of JSON. */
export function jsonAnswer(status: number, value: unknown, headers: readonly string[], type = "application/json") {
  const body = `${JSON.stringify(value)}\n`;
  const described = ["Content-Type", type, "Content-Length", String(Buffer.byteLength(body))];
  return { status, headers: [...described, ...COMMON_HEADERS, ...headers], body };
}

/** Adds request headers to an answer's `Vary`, so that a shared cache keeps the answers apart. */
export function varyingBy<A extends Answer>(answer: A, names: string): A {
  return withHeader(answer, "Vary", (value) => listOf(`${value}, ${names}`));
}

const BY_LANGUAGE = ", Accept-Language";

/** The answer to a request whose URL chose the language: it does not depend on `Accept-Language`. @param link adds the language to a URL, without the host of this service */
export function inChosenLanguage<A extends Answer>(answer: A, link: (url: string) => string): A {
  const fixed = withHeader(withHeader(answer, "Location", link), "Vary", (value) => value.replace(BY_LANGUAGE, ""));
  const isByLanguage = answer.headers.some((value) => value.includes(BY_LANGUAGE));
  return isByLanguage ? withHeader(fixed, "Content-Location", (url) => new URL(link(url), url).href) : fixed;
}

function withHeader<A extends Answer>(answer: A, name: string, change: (value: string) => string): A {
  const isValue = (at: number): boolean => at % 2 === 1 && answer.headers[at - 1] === name;
  return { ...answer, headers: answer.headers.map((value, at) => (isValue(at) ? change(value) : value)) };
}

/** Headers without those of some names, which are in lower case. */
export function headersWithout(headers: readonly string[], ...names: readonly string[]): string[] {
  return headers.filter((_, at) => !names.includes(headers[at - (at % 2)]!.toLowerCase()));
}

function listOf(names: string): string {
  return [...new Set(names.split(", "))].join(", ");
}

/** The answer to `OPTIONS`, with the methods and headers that a CORS preflight asks about (Fetch, 3.2; Linked Art API, CORS). */
export function preflight(methods: string, allowedHeaders: string): WholeAnswer {
  return {
    status: 204,
    headers: [
      ...["Allow", methods, "Access-Control-Allow-Methods", methods],
      ...["Access-Control-Allow-Headers", allowedHeaders, "Access-Control-Max-Age", "86400"],
      ...COMMON_HEADERS,
    ],
    body: "",
  };
}

/** A redirect (RFC 9110, 15.4), which caches ask for again: the newest dump, or the version of a time, changes. */
export function redirect(location: string, headers: readonly string[] = [], status = 302): WholeAnswer {
  const own = ["Location", location, "Content-Length", "0", "Cache-Control", "no-cache"];
  return { status, headers: [...own, ...headers, ...COMMON_HEADERS], body: "" };
}

/** Whether a body is whole, not in pieces. */
export function isWhole(body: Body): body is WholeBody {
  return typeof body === "string" || Buffer.isBuffer(body);
}

/** Sends an answer: a whole body in one write with the head, one in pieces after the head. For HEAD, no piece is made. @param failed called when a body in pieces fails; the connection is then closed */
export function send(response: ServerResponse, answer: Answer, failed?: (error: unknown) => void): void {
  const { body } = answer;
  response.writeHead(answer.status, answer.headers as string[]);
  if (answer.isAscii === true) response.end(body, "latin1");
  else if (isWhole(body)) response.end(body);
  else if (response.req.method === "HEAD") response.end();
  else void sendPieces(response, body, failed);
}

async function sendPieces(response: ServerResponse, body: Pieces, failed?: (error: unknown) => void): Promise<void> {
  // The first piece may take long, and a proxy or a client would give up waiting for the head.
  response.flushHeaders();
  try {
    await pipeline(body, response);
  } catch (error) {
    // A client that disconnects is not an error of the service, nor is a piece that is not made for that reason.
    if (response.errored) failed?.(error);
  }
}
