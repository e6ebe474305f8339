/** Links, and the `Link` header (RFC 8288). */
import { toUri } from "../../entity/iri-equivalents.js";

/** A link (RFC 8288): its target, with the target's media type and profile. */
export interface Link {
  readonly relation: string;
  readonly href: string;
  readonly type?: string | undefined;
  readonly profile?: string | undefined;
  /** The link's context, where it starts. Default: the URL of the answer. */
  readonly anchor?: string | undefined;
}

/** A link as it stands in the header (RFC 8288, 3). */
export function linkText({ relation, href, type, profile, anchor }: Link): string {
  let text = `${target(href)}; rel="${relation}"`;
  if (type !== undefined) text += `; type=${quoted(type)}`;
  if (profile !== undefined) text += `; profile=${quoted(profile)}`;
  if (anchor !== undefined) text += `; anchor=${quoted(toUri(anchor))}`;
  return text;
}

/** `quoted-string` of a header parameter (RFC 9110, 5.6.4). */
function quoted(value: string): string {
  return `"${value.replace(/["\\]/g, "\\$&")}"`;
}

/** A link's target in angle brackets; characters that could end it, or the header, are percent-encoded. */
export function target(iri: string): string {
  return `<${toUri(iri)}>`;
}
