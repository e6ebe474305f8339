/** Between what a request names and the IRIs of entities: the base URLs, `/entity?uri=`, and the way back. */
import { type TargetUri, withoutDefaultPort } from "../message/headers/forwarded.js";
import { toUri } from "./iri-equivalents.js";

/** RFC 9112, 3.2.2: a server has to accept the absolute form. */
const ABSOLUTE_FORM = /^https?:\/\/[^/?#]*/i;

/** The path and query of a request target, or `undefined` when there is no path in it (RFC 9112, 3.2). */
export function pathOf(target: string): string | undefined {
  if (target.startsWith("/")) return target;
  if (!ABSOLUTE_FORM.test(target)) return undefined;
  const path = target.replace(ABSOLUTE_FORM, "");
  return path.startsWith("/") ? path : `/${path}`;
}

export interface Named {
  /** The IRIs, in the order to try them. */
  readonly iris: readonly string[];
  /** The one that is likeliest to have been meant when there is none of them. */
  readonly meant: string;
  /** Whether the path is that of `/entity` without an IRI that can be read. */
  readonly lacksParameter: boolean;
  /** The representation that `/entity` is asked for by `format`. */
  readonly format: string | undefined;
}

type Base = ReturnType<typeof baseOf>;

/** @param url an absolute http or https URL; it may have a path, and a final slash makes no difference */
function baseOf(url: string) {
  const bare = url.replace(/\/+$/, "");
  const path = bare.replace(ABSOLUTE_FORM, "");
  const origin = bare.slice(0, bare.length - path.length);
  const [scheme = "", host = ""] = origin.toLowerCase().split("://");
  return { url: bare, origin, scheme, host: withoutDefaultPort(host, scheme)!, path };
}

export class Addresses {
  /** The canonical base URL without a final slash. */
  readonly base: string;
  readonly #bases: readonly Base[];
  readonly #entity: string;

  constructor(...baseUrls: readonly [string, ...string[]]) {
    this.#bases = baseUrls.map(baseOf);
    this.base = this.#bases[0]!.url;
    this.#entity = `${toUri(this.base)}/entity?uri=`;
  }

  /** Whether which base URL a request names depends on the host that it was sent to. */
  get areSeveral(): boolean {
    return this.#bases.length > 1;
  }

  /**
   * The IRIs that a path may name: each base URL + path, the one of the host that was asked first; behind a proxy that
   * leaves the base URL's own path on, the origin + path; and the IRI that `/entity?uri=` gives.
   */
  named(path: string, asked?: TargetUri): Named {
    const bases = this.#bases.length === 1 ? this.#bases : this.#asAsked(asked);
    const iris: string[] = [];
    let meant: string | undefined;
    for (const base of bases) {
      iris.push(base.url + path);
      const isWhole = strip(base, path) !== path;
      if (isWhole) iris.push(base.origin + path);
      meant ??= iris.at(-1)!;
    }
    const servicePath = this.servicePath(path);
    const byParameter = servicePath === "/entity" || servicePath.startsWith("/entity?");
    const parameter = byParameter ? parameterOf(servicePath, "uri") : undefined;
    if (parameter !== undefined) iris.push(parameter);
    return {
      iris,
      meant: parameter ?? meant!,
      lacksParameter: byParameter && parameter === undefined,
      format: parameter === undefined ? undefined : parameterOf(servicePath, "format"),
    };
  }

  /** The path without a base URL's own path, should a proxy have left that on. */
  servicePath(path: string): string {
    for (const base of this.#bases) {
      const rest = strip(base, path);
      if (rest !== path) return rest;
    }
    return path;
  }

  /** Where this service answers for an entity, before any suffix: `/entity?uri=` for fragments and what lies under no base URL. */
  url(iri: string): string {
    if (this.has(iri)) return toUri(iri);
    return `${this.#entity}${encodeURIComponent(iri.toWellFormed())}`;
  }

  /** Whether an entity's IRI is its address here, whatever there is at it. */
  has(iri: string): boolean {
    return this.#bases.some(({ url }) => iri.startsWith(url) && iri[url.length] === "/") && !iri.includes("#");
  }

  /** The base URLs, those of the origin that was asked first, then those of its host, each in the order that was given. */
  #asAsked(asked: TargetUri | undefined): readonly Base[] {
    const distance = ({ host, scheme }: Base): number => {
      if (asked === undefined || host !== asked.host) return 2;
      return asked.scheme === undefined || asked.scheme === scheme ? 0 : 1;
    };
    return [...this.#bases].sort((left, right) => distance(left) - distance(right));
  }
}

function strip(base: Base, path: string): string {
  if (base.path === "" || !path.startsWith(base.path)) return path;
  const rest = path.slice(base.path.length);
  return rest.startsWith("/") ? rest : rest === "" || rest.startsWith("?") ? `/${rest}` : path;
}

/** The value of a parameter of `/entity` where it decodes. A plus sign stays one: no IRI has the space that it stands for in forms. */
function parameterOf(path: string, name: string): string | undefined {
  const query = path.slice("/entity?".length);
  const value = query.split("&").find((parameter) => parameter.startsWith(`${name}=`)) ?? "";
  try {
    return decodeURIComponent(value.slice(name.length + 1)) || undefined;
  } catch {
    return undefined;
  }
}
