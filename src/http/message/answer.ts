/** An answer to a request, made without a socket, and how it goes out on one. */
import type { ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { Json } from "../../rdf/record-graph.js";

export type WholeBody = string | Buffer;

/** A body, or what gives it piece by piece: it is asked for the next piece when the client has taken the last. */
export type Body = WholeBody | Pieces;

export type Pieces = AsyncIterable<string | Uint8Array>;

export interface About {
  readonly endpoint: string;
  readonly format: string;
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

/** An answer that any server can send. HEAD is answered like GET; the server leaves the body away. */
export interface Answer<B extends Body = Body> {
  readonly status: number;
  /** Names and values in turn, as `writeHead` takes them. */
  readonly headers: readonly string[];
  readonly body: B;
  /** Whether the body is a string of ASCII alone, which is copied where other text is encoded. */
  readonly isAscii?: boolean;
  /** The problem that it tells of, for whoever would rather read a page. */
  readonly problem?: ProblemDetails;
  readonly about?: About;
}

export type WholeAnswer = Answer<WholeBody>;

/** The request headers that every answer depends on, if only an error's form. */
const VARY = "Accept, Accept-Encoding, Accept-Profile";

/** On every answer: the Linked Art API wants the first, and no browser shall guess types. @param vary a further request header that it depends on */
export function commonHeaders(vary?: string): readonly string[] {
  return [
    ...["Access-Control-Allow-Origin", "*", "Access-Control-Expose-Headers", "*"],
    ...["Vary", vary === undefined ? VARY : listOf(`${VARY}, ${vary}`), "X-Content-Type-Options", "nosniff"],
  ];
}

export const COMMON_HEADERS = commonHeaders();

/** JSON as an answer. */
export function jsonAnswer(
  status: number,
  value: unknown,
  headers: readonly string[],
  type = "application/json",
): WholeAnswer {
  const body = `${JSON.stringify(value)}\n`;
  const described = ["Content-Type", type, "Content-Length", String(Buffer.byteLength(body))];
  return { status, headers: [...described, ...COMMON_HEADERS, ...headers], body };
}

/** An answer that depends on further headers of the request: a cache between a proxy and the service must keep them apart. */
export function varyingBy<A extends Answer>(answer: A, names: string): A {
  return withHeader(answer, "Vary", (value) => listOf(`${value}, ${names}`));
}

/** An answer that does not depend on a header after all. */
export function notVaryingBy<A extends Answer>(answer: A, name: string): A {
  return withHeader(answer, "Vary", (value) => value.replace(`, ${name}`, ""));
}

/** An answer one of whose headers, where it has that, has another value. */
export function withHeader<A extends Answer>(answer: A, name: string, change: (value: string) => string): A {
  const isMeant = (at: number): boolean => at % 2 === 1 && answer.headers[at - 1] === name;
  return { ...answer, headers: answer.headers.map((value, at) => (isMeant(at) ? change(value) : value)) };
}

function listOf(names: string): string {
  return [...new Set(names.split(", "))].join(", ");
}

/** The answer to `OPTIONS`: a CORS preflight finds all it may ask for (Fetch, 3.2; Linked Art API, CORS). */
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

/** An answer that leads elsewhere (RFC 9110, 15.4.3). */
export function redirect(location: string, headers: readonly string[] = []): WholeAnswer {
  return {
    status: 302,
    headers: ["Location", location, "Content-Length", "0", ...headers, ...COMMON_HEADERS],
    body: "",
  };
}

/** Whether a body is there whole. */
export function isWhole(body: Body): body is WholeBody {
  return typeof body === "string" || Buffer.isBuffer(body);
}

/** Send an answer, head and whole body in one write. @param failed told when pieces break off; the connection is then closed */
export function send(response: ServerResponse, answer: Answer, failed?: (error: unknown) => void): void {
  const { body } = answer;
  response.writeHead(answer.status, answer.headers as string[]);
  if (answer.isAscii === true) response.end(body, "latin1");
  else if (isWhole(body)) response.end(body);
  else void sendPieces(response, body, failed);
}

async function sendPieces(response: ServerResponse, body: Pieces, failed?: (error: unknown) => void): Promise<void> {
  if (response.req.method === "HEAD") {
    response.end();
    await body[Symbol.asyncIterator]().return?.();
    return;
  }
  try {
    await pipeline(body, response);
  } catch (error) {
    // A client that went away is none of the service's failures.
    if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") failed?.(error);
  }
}
