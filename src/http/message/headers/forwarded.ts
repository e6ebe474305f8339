/** The client's address and the service's own: from the connection, or as a trusted proxy says (RFC 7239, and `X-Forwarded-*`). */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

/** The headers that decide which of several base URLs is asked, where a proxy is trusted; `Host` is part of any cache's key. */
export const PROXY_VARY = "Forwarded, X-Forwarded-Host, X-Forwarded-Proto";

export interface TargetUri {
  /** Host and port in lower case, the port only where it is not the scheme's own. */
  readonly host: string | undefined;
  /** `http` or `https`, where a proxy told. */
  readonly scheme: string | undefined;
}

/**
 * The last element of a list: what the nearest proxy added. The earlier ones come from whoever asked it, who may have
 * written anything.
 */
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

/** The authority of a request target in absolute form (RFC 9112, 3.2.2). */
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)/i;

/**
 * The address that was asked. Without a trusted proxy, that is the target's own host where it is in absolute form (RFC
 * 9112, 3.2.2), else the `Host` header. `X-Forwarded-*` goes before `Forwarded`.
 * @param target the request target as it came
 */
export function targetUriOf(headers: IncomingHttpHeaders, trustProxy: boolean, target = ""): TargetUri {
  const own = ABSOLUTE_FORM.exec(target)?.[1] ?? headers.host;
  if (!trustProxy) return { host: withoutDefaultPort(own), scheme: undefined };
  const host = lastOf(headers["x-forwarded-host"]) ?? forwardedParameter(headers, "host") ?? own;
  const scheme = (lastOf(headers["x-forwarded-proto"]) ?? forwardedParameter(headers, "proto"))?.toLowerCase();
  return { host: withoutDefaultPort(host, scheme), scheme };
}

/**
 * A host in lower case, without the port that its scheme has anyway (RFC 3986, 6.2.3); where the scheme is not known,
 * without that of either.
 */
export function withoutDefaultPort(host: string | undefined, scheme?: string): string | undefined {
  const port = scheme === "https" ? /:443$/ : scheme === "http" ? /:80$/ : /:(?:80|443)$/;
  return host?.toLowerCase().replace(port, "");
}

/**
 * Who asks, as far as limits tell clients apart: an IPv4 address, or the first half of an IPv6 address, all of whose other
 * half belongs to one network. The connection's, unless a trusted proxy tells of another.
 */
export function clientOf({ headers, socket }: IncomingMessage, trustProxy: boolean): string {
  const told = trustProxy ? (lastOf(headers["x-forwarded-for"]) ?? forwardedParameter(headers, "for")) : undefined;
  return networkOf(told ?? socket.remoteAddress ?? "");
}

/** An IPv4 address in its IPv6 form, which sockets that listen on both give. */
const MAPPED = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;
const WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):\d+$/;
const IN_BRACKETS = /^\[([^\]]*)\](?::\d+)?$/;

/** Longer than any address: what a proxy passes on is kept, and must not fill the memory. */
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
