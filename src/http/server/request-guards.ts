/** Requests refused for their head alone, and the answers to those that could not be read. */
import * as http from "node:http";
import type { Socket } from "node:net";
import type { WholeAnswer } from "../message/answer.js";
import { type ProblemName, problem } from "../message/problems/problems.js";

/** The largest head of a request, in bytes. */
export const MAX_HEAD = 32 * 1_024;

/** What is wrong with a request's version or its `Host` (RFC 9110, 2.5; RFC 9112, 3.2), or `undefined`. */
export function headProblem({ httpVersion, rawHeaders }: http.IncomingMessage): string | undefined {
  if (httpVersion !== "1.1" && httpVersion !== "1.0")
    return `The service speaks HTTP/1.1, and this is HTTP/${httpVersion}.`;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === "host".length && name.toLowerCase() === "host") hosts++;
  }
  if (hosts > 1) return "A request has one Host header (RFC 9112, 3.2).";
  return hosts === 0 && httpVersion === "1.1" ? "An HTTP/1.1 request needs a Host header (RFC 9112, 3.2)." : undefined;
}

/** What Node's codes for a request that it could not read mean; any other is no HTTP at all. */
const UNREAD: Readonly<Record<string, readonly [name: ProblemName, detail: string]>> = {
  HPE_HEADER_OVERFLOW: ["headers-too-large", `The service reads up to ${MAX_HEAD} bytes of headers.`],
  HPE_INVALID_URL: ["malformed", "The path has characters that must be percent-encoded."],
  ERR_HTTP_REQUEST_TIMEOUT: ["timeout", "The request took too long to arrive."],
};

/** Answer what `node:http` could not parse, or did not get in time, and close the connection. */
export function refuseUnread(error: NodeJS.ErrnoException, socket: Socket, base: string): void {
  const { _httpMessage: current } = socket as Socket & { _httpMessage?: http.ServerResponse };
  if (error.code === "ECONNRESET" || !socket.writable || current?.headersSent) {
    socket.destroy();
    return;
  }
  const [name, detail] = UNREAD[error.code ?? ""] ?? ["malformed", "This is no HTTP request."];
  socket.end(rawResponse(problem(base, name, { detail })));
}

/** An answer as it goes over the wire, for a socket that has no response to write it. */
function rawResponse({ status, headers, body }: WholeAnswer): string {
  const lines = [`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`];
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  return [...lines, `Date: ${new Date().toUTCString()}`, "Connection: close", "", body].join("\r\n");
}
