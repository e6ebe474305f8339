/** The addresses of the client and of the service: from the connection, or from a trusted proxy (RFC 7239, and `X-Forwarded-*`). */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

/** The last element of a list, which the nearest proxy added; the client may have sent any others. */
function lastOf(list: string | readonly string[] | undefined): string | undefined {
  if (list === undefined) return undefined;
  const value = String(list).split(",").at(-1)!.trim();
  return value === "" ? undefined : value;
}

/** A parameter of the last element of `Forwarded`, without its quotation marks (RFC 7239, 4). */
function forwardedParameter({ forwarded }: IncomingHttpHeaders, name: "for" | "host" | "proto"): string | undefined {
  const element = lastOf(forwarded);
  if (element === undefined) return undefined;
  const parameter = new RegExp(`(?:^|;)\\s*${name}\\s*=\\s*(?:"([^"\\\\]*)"|([^\\s;"]+))`, "i").exec(element);
  return parameter?.[1] ?? parameter?.[2];
}

/** The beginning of a request target in absolute form, which servers must accept, and its authority (RFC 9112, 3.2.2). */
export const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)/i;

/**
 * The host and scheme that a request was sent to. Without a trusted proxy, the host is that of a target in absolute form (RFC
 * 9112, 3.2.2), else that of the `Host` header. `X-Forwarded-*` takes precedence over `Forwarded`.
 * @param target the request target as received
 * @returns host and port in lower case, without the default port of the scheme, and the scheme, if a proxy says which
 */
export function targetUriOf(headers: IncomingHttpHeaders, trustProxy: boolean, target = "") {
  const own = ABSOLUTE_FORM.exec(target)?.[1] ?? headers.host;
  if (!trustProxy) return { host: withoutDefaultPort(own), scheme: undefined };
  const host = lastOf(headers["x-forwarded-host"]) ?? forwardedParameter(headers, "host") ?? own;
  const scheme = (lastOf(headers["x-forwarded-proto"]) ?? forwardedParameter(headers, "proto"))?.toLowerCase();
  return { host: withoutDefaultPort(host, scheme), scheme };
}

export type TargetUri = ReturnType<typeof targetUriOf>;

/** A host in lower case, without the default port of its scheme (RFC 3986, 6.2.3), or of both schemes if it is not known. */
export function withoutDefaultPort(host: string | undefined, scheme?: string): string | undefined {
  const port = scheme === "https" ? /:443$/ : scheme === "http" ? /:80$/ : /:(?:80|443)$/;
  return host?.toLowerCase().replace(port, "");
}

/** The client as rate limits tell clients apart: an IPv4 address, or the /64 network of an IPv6 address. A trusted proxy names it, else the connection. */
export function clientOf({ headers, socket }: Pick<IncomingMessage, "headers" | "socket">, trustProxy: boolean) {
  const forwarded = trustProxy ? (lastOf(headers["x-forwarded-for"]) ?? forwardedParameter(headers, "for")) : undefined;
  return networkOf(forwarded ?? socket.remoteAddress ?? "");
}

/** An IPv4 address in its IPv6 form, as sockets that listen on both give it. */
const MAPPED = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;
const WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):\d+$/;
const IN_BRACKETS = /^\[([^\]]*)\](?::\d+)?$/;

/** Longer than any address. Texts from a proxy are cut to this length: they are kept, and must not fill the memory. */
const MAX_ADDRESS_LENGTH = 64;

function networkOf(address: string): string {
  const bare = (IN_BRACKETS.exec(address) ?? WITH_PORT.exec(address))?.[1] ?? address;
  const plain = bare.slice(0, MAX_ADDRESS_LENGTH).toLowerCase().replace(MAPPED, "");
  if (!plain.includes(":")) return plain;
  const [head = "", tail] = plain.split("::") as [string, string?];
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  const groups = [...first, ...new Array<string>(zeros).fill("0"), ...last].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, "")).join(":")}::/64`;
}
