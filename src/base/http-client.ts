/** Requests to other services, by way of undici: the connections, how long to wait before asking again, and failures in words. */
import type { Agent, Dispatcher } from "undici";
import { library } from "./lazily.js";
import { thrownMessage } from "./named-error.js";

/** Loaded at its first use: its parsers are WebAssembly, and a service that asks nobody needs none of their memory. */
const undici = library<typeof import("undici")>("undici");

export const request: typeof import("undici").request = (url, options) => undici().request(url, options);

/** An answer. Its body has to be read or destroyed: until then its connection is taken. */
export type HttpAnswer = Dispatcher.ResponseData;

interface ConnectionSettings {
  /** Connections to a host at once; further requests wait. Default: as many as there are requests. */
  readonly connections?: number;
  /** Certificates in PEM form that are trusted besides the system's. */
  readonly ca?: string | undefined;
  /** The unix socket that all hosts are reached at. */
  readonly socketPath?: string;
  /** Milliseconds for which an answer may stay away or stop. Default: any time. */
  readonly silence?: number;
}

/** Kept connections are closed by most services after 10 seconds or more. */
const KEPT_FOR = 5_000;

/** Kept connections, for undici's `request`. They have to be destroyed. */
export function httpAgent({ connections, ca, socketPath, silence = 0 }: ConnectionSettings = {}): Agent {
  return new (undici().Agent)({
    connections: connections ?? null,
    headersTimeout: silence,
    bodyTimeout: silence,
    keepAliveTimeout: KEPT_FOR,
    connect: { ...(ca === undefined ? {} : { ca }), ...(socketPath === undefined ? {} : { socketPath }) },
  });
}

/** Milliseconds to wait after some failures in a row: the first pause, doubled with each further failure. */
export function pauseAfter(failures: number, first: number, most: number): number {
  return Math.min(first * 2 ** (failures - 1), most);
}

/** `Retry-After` in milliseconds; it is seconds or a date (RFC 9110, 10.2.3). */
export function retryAfter({ headers }: HttpAnswer): number | undefined {
  const value = headerOf(headers, "retry-after");
  const time = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(time) ? undefined : Math.max(time, 0);
}

/** The value of a header; `""` where it is missing. */
export function headerOf(headers: HttpAnswer["headers"], name: string): string {
  return [headers[name] ?? ""].flat().join(", ");
}

/** The media type of an answer, without parameters. */
export function mediaTypeOf(headers: HttpAnswer["headers"]): string {
  return headerOf(headers, "content-type").split(";")[0]!.trim().toLowerCase();
}

/** Why a request failed, in words. */
export function failureOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return failureOf(error.errors[0]);
  return thrownMessage(error);
}
