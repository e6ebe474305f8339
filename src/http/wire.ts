/** HTTP/1.1 as it goes over the wire: what is wrong with a head, and an answer for a socket without a response. */
import * as http from "node:http";
import type { WholeAnswer } from "./answer.js";

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

/** An answer as it goes over the wire, for a socket that has no response to write it. */
export function rawResponse({ status, headers, body }: WholeAnswer): string {
  const lines = [`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`];
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  return [...lines, `Date: ${new Date().toUTCString()}`, "Connection: close", "", body].join("\r\n");
}
