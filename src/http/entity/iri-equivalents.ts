/** The spellings of an IRI that mean the same: with and without percent-encoding (RFC 3987, sections 3.1 and 5.3.2). */
import { iriProblem } from "../../rdf/terms.js";

/** All that a URI may consist of, percent-encoding included (RFC 3986, 2). */
const URI = /^[!#-;=?-Z[\]_a-z~]*$/;
const NOT_IN_URI = /[^!#-;=?-Z[\]_a-z~]/gu;

const PERCENT_ENCODED = /%[0-9A-Fa-f]{2}/g;
/** Runs of bytes above 0x7F: UTF-8 sequences, when they are well-formed. */
const ENCODED_BEYOND_ASCII = /(?:%[89A-Fa-f][0-9A-Fa-f])+/g;
/** Letters, digits, `-`, `.`, `_`, `~`: the same encoded as plain (RFC 3986, 2.3). */
const ENCODED_UNRESERVED = /%(?:2[DdEe]|5[Ff]|7[Ee]|3\d|[46][1-9A-Fa-f]|[57][\dAa])/g;
/** Controls, spaces and bidirectional formatting, which an IRI must not show (RFC 3987, 2.2 and 4.1). */
const KEPT_ENCODED = /[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\p{Cn}\p{Co}]/u;

/** A percent sign without its two digits. */
export const MALFORMED_ENCODING = /%(?![0-9A-Fa-f]{2})/;

/** The URI of an IRI: everything that is not ASCII, or that no URI may contain, percent-encoded (RFC 3987, 3.1). */
export function toUri(iri: string): string {
  return URI.test(iri) ? iri : iri.toWellFormed().replace(NOT_IN_URI, encodeURIComponent);
}

/** The IRI of a URI: what stands for Unicode or for an unreserved character decoded, the rest in upper case (RFC 3987, 3.2). */
function toIri(uri: string, decode = decodeUnicode): string {
  return uri
    .replace(ENCODED_BEYOND_ASCII, decode)
    .replace(ENCODED_UNRESERVED, decodeURIComponent)
    .replace(PERCENT_ENCODED, (encoded) => encoded.toUpperCase());
}

function decodeUnicode(encoded: string): string {
  const text = unescaped(encoded);
  return KEPT_ENCODED.test(text) ? encoded : text;
}

/** A text without its percent-encoding; one that does not decode as it is. */
export function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The other spellings of an IRI: Unicode, percent-encoded in upper or lower case, and with what it must not show, which some have all the
 * same, such as joiners within words. To encode reserved characters would make another IRI.
 */
export function equivalents(iri: string): string[] {
  if (!iri.includes("%") && URI.test(iri)) return [];
  const unicode = toIri(iri);
  const upper = toUri(unicode);
  const lower = upper.replace(PERCENT_ENCODED, (encoded) => encoded.toLowerCase());
  const hidden = toIri(iri, unescaped);
  const spellings = new Set([unicode, upper, lower, ...(iriProblem(hidden) === undefined ? [hidden] : [])]);
  return [...spellings].filter((spelling) => spelling !== iri);
}
