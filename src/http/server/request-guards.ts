/** Requests that are refused for their head alone, and answers to requests that could not be parsed. */
import * as http from "node:http";
import { isIPv6, type Socket } from "node:net";
import { type ProblemName, problem } from "../message/problems/problems.js";
import type { Connection } from "./connections.js";

export const MAX_HEAD = 32 * 1_024;

/** `uri-host [ ":" port ]` (RFC 9110, 7.2; RFC 3986, 3.2.2); `isIPv6` checks an address in brackets. */
const HOST = /^(?:\[([^\]]*)\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*)(?::\d*)?$/i;

type HeadProblem = readonly [name: ProblemName, detail: string];

/** The problem with a request's version, its `Host` (RFC 9112, 3.2) or its transfer coding (RFC 9112, 6.1). */
export function headProblem({ httpVersion, rawHeaders, headers }: http.IncomingMessage): HeadProblem | undefined {
  if (httpVersion !== "1.1" && httpVersion !== "1.0")
    return ["malformed", `The service speaks HTTP/1.1, not HTTP/${httpVersion}.`];
  let host: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length !== "host".length || name.toLowerCase() !== "host") continue;
    if (host !== undefined) return ["malformed", "A request must have only one Host header (RFC 9112, 3.2)."];
    host = rawHeaders[at + 1]!;
  }
  if (host === undefined && httpVersion === "1.1")
    return ["malformed", "An HTTP/1.1 request needs a Host header (RFC 9112, 3.2)."];
  const [found, address] = HOST.exec(host ?? "") ?? [];
  if (found === undefined || (address !== undefined && !isIPv6(address)))
    return ["malformed", "Host must be a name or an address, and optionally a port (RFC 9110, 7.2)."];
  const transfer = headers["transfer-encoding"];
  if (transfer === undefined || transfer.trim().toLowerCase() === "chunked") return undefined;
  return ["not-implemented", "The service supports only the transfer coding chunked (RFC 9112, 6.1)."];
}

/** The problem for each of Node's error codes about requests that it could not parse. Any other code means that the request is not HTTP. */
const UNREAD: Readonly<Record<string, HeadProblem>> = {
  HPE_HEADER_OVERFLOW: ["headers-too-large", `The service reads up to ${MAX_HEAD} bytes of headers.`],
  HPE_INVALID_URL: ["malformed", "The path has characters that must be percent-encoded."],
  ERR_HTTP_REQUEST_TIMEOUT: ["timeout", "The request took too long to arrive."],
};

/** Node's error for a request that it could not parse. */
type UnreadError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/** A request line whose method is a token (RFC 9112, 3), at the beginning of the input. */
const REQUEST_LINE = /^([!#$%&'*+.^_`|~\w-]+) \S+ HTTP\/1\.\d\r?\n/;

/** The problem with a request that Node could not parse. Its parser accepts only the forty or so methods that it knows. */
function unreadProblem({ code = "", rawPacket }: UnreadError): HeadProblem {
  const [, method] =
    code === "HPE_INVALID_METHOD" ? (REQUEST_LINE.exec(rawPacket?.toString("latin1") ?? "") ?? []) : [];
  if (method !== undefined) return ["not-implemented", `The service has no method ${method} (RFC 9110, 9.1).`];
  return UNREAD[code] ?? ["malformed", "This is not an HTTP request."];
}

/** Answers a request that `node:http` could not parse, or that did not arrive in time, after the whole requests before it, and closes the connection. */
export function refuseUnread(error: UnreadError, socket: Connection, base: string): void {
  const { _httpMessage: due } = socket;
  // What follows a request that closes the connection is not read; the answer to that request ends it (RFC 9112, 9.6).
  if (error.code === "HPE_CLOSED_CONNECTION") return;
  if (error.code === "ECONNRESET") socket.destroy();
  else if (due?.req.complete !== true) refuseOn(socket, base, unreadProblem(error));
  else {
    // More input would be as many further errors.
    socket.pause();
    due.once("close", () => {
      socket.resume();
      if (socket.writable) refuseUnread(error, socket, base);
    });
  }
}

/** Answers a CONNECT request, whose raw socket `node:http` hands over (RFC 9110, 9.3.6). */
export function refuseTunnel(socket: Socket, base: string): void {
  // A client that does not wait for the answer is not an error of the service.
  socket.on("error", () => {});
  refuseOn(socket, base, ["not-implemented", "The service is not a proxy: it has no method CONNECT (RFC 9110, 9.1)."]);
}

/** Answers on a socket that has no response object, unless another answer has begun there, and closes it. */
function refuseOn(socket: Connection, base: string, [name, detail]: HeadProblem): void {
  if (!socket.writable || socket._httpMessage?.headersSent) return void socket.destroy();
  const { status, headers, body } = problem(base, name, detail);
  const lines = [`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`];
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  lines.push(`Date: ${new Date().toUTCString()}`, "Connection: close", "");
  socket.end([...lines, body].join("\r\n"));
}
