/** An answer to a request, made without a socket, and how it goes out on one. */
import type { ServerResponse } from "node:http";
import type { ProblemDetails } from "./problems/problems.js";

/** What any server can send. HEAD is answered like GET; the server leaves the body away. */
export interface Answer {
  readonly status: number;
  /** Names and values in turn, as `writeHead` takes them. */
  readonly headers: readonly string[];
  readonly body: string | Buffer;
  /** Whether the body is a string of ASCII alone, which is copied where other text is encoded. */
  readonly isAscii?: boolean;
  /** The problem that it tells of, for whoever would rather read a page. */
  readonly problem?: ProblemDetails;
}

/** What scripts in a browser may read beyond the few headers that are always theirs. */
const EXPOSED_HEADERS = "Allow, Content-Location, ETag, Link, Location, Retry-After, Vitrine-Sequence";

/**
 * On every answer: the Linked Art API wants the first on each; all depends on `Accept`, if only an error's form; and no
 * browser shall take data for anything but what they are said to be.
 */
export const COMMON_HEADERS = [
  "Access-Control-Allow-Origin",
  "*",
  "Access-Control-Expose-Headers",
  EXPOSED_HEADERS,
  "Vary",
  "Accept, Accept-Encoding, Accept-Profile",
  "X-Content-Type-Options",
  "nosniff",
] as const;

/** The headers of every answer with a body. */
export function bodyHeaders(contentType: string, body: string | Buffer): string[] {
  return ["Content-Type", contentType, "Content-Length", String(Buffer.byteLength(body)), ...COMMON_HEADERS];
}

/** The methods of everything that can be read. */
export const READ_METHODS = "GET, HEAD, OPTIONS";

/** The answer to `OPTIONS`: a CORS preflight finds all it may ask for (Fetch, 3.2; Linked Art API, CORS). */
export function preflight(methods: string, allowedHeaders: string): Answer {
  return {
    status: 204,
    headers: [
      "Allow",
      methods,
      "Access-Control-Allow-Methods",
      methods,
      "Access-Control-Allow-Headers",
      allowedHeaders,
      "Access-Control-Max-Age",
      "86400",
      ...COMMON_HEADERS,
    ],
    body: "",
  };
}

/** Send an answer whole; head and body leave in one write. */
export function send(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, answer.headers as string[]);
  if (answer.isAscii === true) response.end(answer.body, "latin1");
  else response.end(answer.body);
}
