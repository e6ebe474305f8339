/** Links, and the `Link` header (RFC 8288). */
import { toUri } from "../../entity/iri-equivalents.js";

/** A link (RFC 8288): to where, with the media type and the profile of what is there. */
export interface Link {
  readonly relation: string;
  readonly href: string;
  readonly type?: string | undefined;
  readonly profile?: string | undefined;
  /** The link's origin. Default: the subject of the answer. */
  readonly anchor?: string;
}

/** A link as the header has it (RFC 8288, 3). */
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

/** A link's target; whatever could end it, or the header, is percent-encoded. */
export function target(iri: string): string {
  return `<${toUri(iri)}>`;
}
