/** Resolution of relative IRI references against a base IRI (RFC 3986, section 5.2), which leaves every character as written. */

/** Scheme, authority, path, query and fragment of an IRI reference (RFC 3986, appendix B). */
const PARTS = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;

/**
 * The absolute IRI for `reference` in a document at `base`. One that is absolute stays as it is written, with its dots. Unlike the
 * WHATWG URL parser, it neither lowercases nor percent-encodes, so an entity's IRI stays as its authors wrote it.
 * @example
 * resolveIri("http://a.example/b/c", "../d"); // => "http://a.example/d"
 */
export function resolveIri(base: string, reference: string): string {
  const target = parse(reference);
  if (target.scheme !== undefined) return reference;
  const source = parse(base);
  const { scheme } = source;
  if (target.authority !== undefined) return format({ ...target, scheme, path: removeDotSegments(target.path) });
  if (target.path === "") return format({ ...source, query: target.query ?? source.query, fragment: target.fragment });
  const path = target.path.startsWith("/") ? target.path : merge(source, target.path);
  return format({ ...target, scheme, authority: source.authority, path: removeDotSegments(path) });
}

function parse(iri: string) {
  const [, scheme, authority, path = "", query, fragment] = PARTS.exec(iri) ?? [];
  return { scheme, authority, path, query, fragment };
}

type Reference = ReturnType<typeof parse>;

/** RFC 3986, 5.2.3. */
function merge(base: Reference, path: string): string {
  if (base.authority !== undefined && base.path === "") return `/${path}`;
  return base.path.slice(0, base.path.lastIndexOf("/") + 1) + path;
}

/** RFC 3986, 5.2.4. */
function removeDotSegments(path: string): string {
  if (!path.includes("/.") && !path.startsWith(".")) return path;
  const kept: string[] = [];
  const segments = path.split("/");
  const last = segments.length - 1;
  for (const [index, segment] of segments.entries()) {
    const isDots = segment === "." || segment === "..";
    if (segment === ".." && (kept.length > 1 || (kept.length === 1 && kept[0] !== ""))) kept.pop();
    if (!isDots) kept.push(segment);
    else if (index === last) kept.push("");
  }
  return kept.join("/");
}

/** RFC 3986, 5.3. */
function format({ scheme, authority, path, query, fragment }: Reference): string {
  return (
    (scheme === undefined ? "" : `${scheme}:`) +
    (authority === undefined ? "" : `//${authority}`) +
    path +
    (query === undefined ? "" : `?${query}`) +
    (fragment === undefined ? "" : `#${fragment}`)
  );
}
