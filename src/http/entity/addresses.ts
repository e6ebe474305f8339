/** The mapping of request paths to the IRIs of entities, by the base URLs and `/entity?uri=`, and of IRIs to URLs of this service. */
import type { IncomingMessage } from "node:http";
import { ABSOLUTE_FORM, type TargetUri, withoutDefaultPort } from "../message/headers/forwarded.js";
import { iriSpellings, isNamedByItsUri, toUri } from "./iri-equivalents.js";

/** The parts of a GET or HEAD request that dereferencing reads; messages of `node:http` have them. Without its connection, a request waits until it is answered. */
export type EntityRequest = Pick<IncomingMessage, "headers"> & Partial<Pick<IncomingMessage, "url" | "socket">>;

/** The longest path and query that the service reads, in bytes: the minimum that RFC 9110, 4.1 recommends. */
export const MAX_TARGET = 8_000;

/** The path and query of a request target, or `undefined` if it has no path (RFC 9112, 3.2). */
export function pathOf(target: string): string | undefined {
  if (target.startsWith("/")) return target;
  if (!ABSOLUTE_FORM.test(target)) return undefined;
  const path = target.replace(ABSOLUTE_FORM, "");
  return path.startsWith("/") ? path : `/${path}`;
}

/** The parts of an address before and after its first question mark. */
export function pathAndQuery(address: string): [path: string, query: string | undefined] {
  const [path = "", query] = address.split(/\?(.*)/s, 2);
  return [path, query];
}

export interface AddressSettings {
  readonly baseUrl: string;
  /** Further base URLs of entities. Default: none. */
  readonly otherBaseUrls?: readonly string[];
  /** For a collection published as plain files: the IRIs of records that cannot be addresses of files. Default: a service answers. */
  readonly withoutFiles?: ReadonlySet<string>;
}

type Base = ReturnType<typeof baseOf>;

/** Splits a base URL. @param url an absolute http or https URL, possibly with a path; a final slash is ignored */
function baseOf(url: string) {
  const bare = url.replace(/\/+$/, "");
  const path = bare.replace(ABSOLUTE_FORM, "");
  const origin = bare.slice(0, bare.length - path.length);
  const [scheme = "", host = ""] = origin.toLowerCase().split("://");
  const paths = iriSpellings(path);
  return { url: bare, origin, scheme, host: withoutDefaultPort(host, scheme)!, path, paths };
}

export class Addresses {
  /** The canonical base URL without a final slash, as a URI. Records may have it in Unicode. */
  readonly base: string;
  /** The scheme and host of `base`, and its path. */
  readonly origin: string;
  readonly path: string;
  /** A text for entity tags: it changes with the base URLs. */
  readonly state: string;
  readonly #bases: readonly Base[];
  readonly #deepestFirst: readonly Base[];
  /** What keeps an IRI from being its own URL at this service: a fragment, and what clients change in a URL (WHATWG URL), namely dot segments, and an apostrophe in a query. */
  readonly #elsewhere: RegExp;
  readonly #withoutFiles: ReadonlySet<string> | undefined;

  constructor({ baseUrl, otherBaseUrls = [], withoutFiles }: AddressSettings) {
    // Without a service that reads queries, IRIs with a query get the URLs of IRIs outside every base URL.
    this.#elsewhere =
      withoutFiles === undefined ? /#|\?.*'|\/(?:\.|%2e){1,2}(?:[/?]|$)/i : /[#?]|\/(?:\.|%2e){1,2}(?:\/|$)/i;
    this.#withoutFiles = withoutFiles;
    this.#bases = [baseUrl, ...otherBaseUrls].map(baseOf);
    this.#deepestFirst = this.#bases.toSorted((left, right) => right.path.length - left.path.length);
    const { url, origin, path } = this.#bases[0]!;
    [this.base, this.origin, this.path] = [toUri(url), toUri(origin), toUri(path)];
    this.state = this.#bases.map(({ url }) => url).join(" ");
  }

  /** Whether there are several base URLs, so that the host of a request decides which one it means. */
  get areSeveral(): boolean {
    return this.#bases.length > 1;
  }

  /** The IRIs that a path may name, in the order to try them: the requested URL, if it is under one of several base URLs; for each base URL, that of the requested host first, base URL + path, and origin + path for a proxy that does not strip the base URL's path; the IRI in `/entity?uri=`. */
  named(path: string, requested?: TargetUri) {
    const bases = this.#bases.length === 1 ? this.#bases : this.#basesFor(requested);
    const itself = bases[0]!.origin + path;
    const iris = bases.length > 1 && this.has(itself) ? [itself] : [];
    let likeliest: string | undefined;
    for (const base of bases) {
      const isWhole = strip(base, path) !== path;
      iris.push(base.url + path, ...(isWhole ? [base.origin + path] : []));
      likeliest ??= iris.at(-1)!;
    }
    const servicePath = this.servicePath(path);
    const byParameter = servicePath === "/entity" || servicePath.startsWith("/entity?");
    const parameter = byParameter ? parameterOf(servicePath, "uri") : undefined;
    if (parameter !== undefined) iris.push(parameter);
    return {
      iris: bases.length > 1 ? [...new Set(iris)] : iris,
      /** The one that `PUT` writes, and that messages name when no record has any. */
      likeliest: parameter ?? likeliest!,
      /** Whether the path is `/entity` without one `uri` that can be decoded. */
      lacksParameter: byParameter && parameter === undefined,
      /** The name of a representation, if the request is of `/entity`. */
      format: parameter === undefined ? undefined : parameterOf(servicePath, "format"),
    };
  }

  /** The path without that of a base URL, which not every proxy strips. */
  servicePath(path: string): string {
    for (const base of this.#deepestFirst) {
      const rest = strip(base, path);
      if (rest !== path) return rest;
    }
    return path;
  }

  /** The URL of an entity at this service, without a suffix; `/entity?uri=` for IRIs outside every base URL, and for those that cannot be their own URLs. */
  url(iri: string): string {
    if (this.has(iri)) return toUri(iri);
    return `${this.base}/entity?uri=${encodeURIComponent(iri.toWellFormed())}`;
  }

  /** Whether an IRI is also its URL at this service, whether or not a record has it. */
  has(iri: string): boolean {
    if (this.#elsewhere.test(iri) || (this.#withoutFiles?.has(iri) ?? !isNamedByItsUri(iri))) return false;
    for (const { url } of this.#bases) if (iri.startsWith(url) && iri[url.length] === "/") return true;
    return false;
  }

  /** The base URLs: those of the requested origin first, then those of the requested host, each group in the given order. */
  #basesFor(requested: TargetUri | undefined): readonly Base[] {
    const distance = ({ host, scheme }: Base): number => {
      if (requested === undefined || host !== requested.host) return 2;
      return requested.scheme === undefined || requested.scheme === scheme ? 0 : 1;
    };
    return [...this.#bases].sort((left, right) => distance(left) - distance(right));
  }
}

function strip({ paths }: Base, path: string): string {
  const start = paths.find((each) => path.startsWith(each));
  if (!start) return path;
  const rest = path.slice(start.length);
  if (rest.startsWith("/")) return rest;
  return rest === "" || rest.startsWith("?") ? `/${rest}` : path;
}

/** The decoded value of a parameter of `/entity`, if it decodes and is the only one of its name. A plus sign stays: in forms it means a space, which no IRI contains. */
function parameterOf(path: string, name: string): string | undefined {
  const parameters = path.slice("/entity?".length).split("&");
  const [value = "", another] = parameters.filter((parameter) => parameter.startsWith(`${name}=`));
  try {
    return another === undefined ? decodeURIComponent(value.slice(name.length + 1)) || undefined : undefined;
  } catch {
    return undefined;
  }
}
