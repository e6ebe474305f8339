/** Requests to other services through undici: connections, pauses between retries, and failure messages. */
import { lookup } from "node:dns";
import { isIP, isIPv6, type LookupFunction, type Socket } from "node:net";
import type { Dispatcher } from "undici";
import { library } from "./lazily.js";
import { thrownMessage } from "./named-error.js";
import { NOT_PUBLIC, NotPublicError } from "./public-addresses.js";

/** Loaded at first use: its WebAssembly parsers take memory that a service without outgoing requests need not spend. */
const undici = library<typeof import("undici")>("undici");

export const request: typeof import("undici").request = (url, options) => undici().request(url, options);

/** An answer. Its body must be read or destroyed; until then its connection stays in use. */
export type HttpAnswer = Dispatcher.ResponseData;

interface ConnectionSettings {
  /** The maximum number of connections to one host; further requests wait. Default: no limit. */
  readonly connections?: number;
  /** Certificates in PEM form that are trusted in addition to the system's. */
  readonly ca?: string | undefined;
  /** The Unix socket through which every host is reached. */
  readonly socketPath?: string;
  /** Milliseconds to wait for the headers, and between two parts of the body. Default: no limit. */
  readonly silence?: number;
  /** Whether to connect only to public addresses. Requests to others fail with `NotPublicError`. Default: to all. */
  readonly isPublicOnly?: boolean;
}

/** Milliseconds that an idle connection is kept. Most services close theirs after 10 seconds or more. */
const KEPT_FOR = 5_000;

/** A pool of kept connections for undici's `request`. It must be disposed of or destroyed. */
export function httpAgent({ connections, ca, socketPath, silence = 0, isPublicOnly }: ConnectionSettings = {}) {
  const { Agent, buildConnector } = undici();
  const connect = buildConnector({ ca, socketPath: socketPath ?? null, ...(isPublicOnly && { lookup: lookUpPublic }) });
  const agent = new Agent({
    connections: connections ?? null,
    headersTimeout: silence,
    bodyTimeout: silence,
    keepAliveTimeout: KEPT_FOR,
    connect: (options, connected) => {
      const { hostname } = options;
      // An address is not looked up.
      if (isPublicOnly && isIP(hostname) > 0 && isInside(hostname))
        return connected(new NotPublicError(hostname), null);
      connect(options, (...result) => {
        result[1]?.once("end", completePaused).once("error", completePaused);
        connected(...result);
      });
    },
  });
  return Object.assign(agent, { [Symbol.asyncDispose]: () => agent.destroy() });
}

const isInside = (address: string): boolean => NOT_PUBLIC.check(address, isIPv6(address) ? "ipv6" : "ipv4");

/** Looks up a host for a connection. A check before that would see other addresses if the host changed them. */
const lookUpPublic: LookupFunction = (host, options, found) =>
  lookup(host, options, (error, address, family) => {
    const addresses = [address ?? []].flat().map((each) => (typeof each === "string" ? each : each.address));
    const other = addresses.find(isInside);
    found(other === undefined ? error : new NotPublicError(other), address, family);
  });

/** What undici keeps about an answer that is being read from a socket. */
interface Parser {
  paused: boolean;
  readonly llhttp: { llhttp_resume(pointer: number): void };
  readonly ptr: number;
  resume(): void;
}

/** Completes an answer that waits for its reader when the server closes the connection. undici 7 would end the process (https://github.com/nodejs/undici/issues/5360). */
function completePaused(this: Socket): void {
  const key = Object.getOwnPropertySymbols(this).find(({ description }) => description === "parser");
  const parser = key && (this as unknown as { [key: symbol]: Parser | null })[key];
  if (parser?.paused !== true) return;
  parser.resume();
  if (!parser.paused) return;
  // An answer of unknown length ends with the connection: undici completes it as soon as its parser is not paused.
  parser.llhttp.llhttp_resume(parser.ptr);
  parser.paused = false;
}

/** Milliseconds to wait after a number of failures in a row: `first`, doubled with each further failure, up to `most`. */
export function pauseAfter(failures: number, first: number, most: number): number {
  return Math.min(first * 2 ** (failures - 1), most);
}

/** `Retry-After` in milliseconds. The header gives seconds or a date (RFC 9110, 10.2.3). */
export function retryAfter({ headers }: HttpAnswer): number | undefined {
  const value = headerOf(headers, "retry-after");
  const time = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(time) ? undefined : Math.max(time, 0);
}

/** The value of a header, or `""` if it is missing. */
export function headerOf(headers: HttpAnswer["headers"], name: string): string {
  return [headers[name] ?? ""].flat().join(", ");
}

/** The media type of an answer, without parameters. */
export function mediaTypeOf(headers: HttpAnswer["headers"]): string {
  return headerOf(headers, "content-type").split(";")[0]!.trim().toLowerCase();
}

/** The message that says why a request failed. */
export function failureOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return failureOf(error.errors[0]);
  return thrownMessage(error);
}
