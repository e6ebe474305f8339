/** Between what a request names and the IRIs of entities: the base URL, `/entity?uri=`, and the way back. */
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

/** What a path may mean. */
export interface Named {
  /** The IRIs, in the order to try them; the last is the likeliest to have been meant when there is none of them. */
  readonly iris: readonly string[];
  /** Whether the path is that of `/entity`, whatever its query. */
  readonly byParameter: boolean;
}

/** The service's place on the web. */
export class Addresses {
  /** The base URL without a final slash. */
  readonly base: string;
  readonly #origin: string;
  /** The base URL's own path, empty or from its slash on. */
  readonly #basePath: string;
  /** `/entity?uri=` as a URL. */
  readonly #entity: string;

  /** @param baseUrl an absolute http or https URL; it may have a path, and a final slash makes no difference */
  constructor(baseUrl: string) {
    this.base = baseUrl.replace(/\/+$/, "");
    this.#basePath = this.base.replace(ABSOLUTE_FORM, "");
    this.#origin = this.base.slice(0, this.base.length - this.#basePath.length);
    this.#entity = `${toUri(this.base)}/entity?uri=`;
  }

  /**
   * What a path names: `{base_url}` + path; behind a proxy that leaves the base URL's own path on, the origin + path; and
   * the IRI that `/entity?uri=` gives.
   */
  named(path: string): Named {
    const iris = [this.base + path];
    const servicePath = this.servicePath(path);
    if (servicePath !== path) iris.push(this.#origin + path);
    const byParameter = servicePath === "/entity" || servicePath.startsWith("/entity?");
    const parameter = byParameter ? uriParameter(servicePath) : undefined;
    if (parameter !== undefined) iris.push(parameter);
    return { iris, byParameter };
  }

  /** The path without the base URL's own path, should a proxy have left that on. */
  servicePath(path: string): string {
    if (this.#basePath === "" || !path.startsWith(this.#basePath)) return path;
    const rest = path.slice(this.#basePath.length);
    return rest.startsWith("/") ? rest : rest === "" || rest.startsWith("?") ? `/${rest}` : path;
  }

  /**
   * Where this service answers for an entity; with a suffix after it, for one representation. Entities that do not lie
   * under the base URL, and fragments, which no request carries, are reached by `/entity?uri=`.
   */
  url(iri: string): string {
    if (this.#isUnderBase(iri)) return toUri(iri);
    return `${this.#entity}${encodeURIComponent(iri.toWellFormed())}`;
  }

  #isUnderBase(iri: string): boolean {
    return iri.startsWith(this.base) && iri.charAt(this.base.length) === "/" && !iri.includes("#");
  }
}

/**
 * The value of the query's `uri` parameter, or `undefined` where there is none that decodes. A plus sign stays one: no
 * IRI contains the space that it stands for in forms.
 */
function uriParameter(path: string): string | undefined {
  const query = path.slice("/entity?".length);
  const value = query.split("&").find((parameter) => parameter.startsWith("uri="));
  try {
    return value === undefined || value === "uri=" ? undefined : decodeURIComponent(value.slice("uri=".length));
  } catch {
    return undefined;
  }
}
