/** Equivalent spellings of an IRI: with and without percent-encoding (RFC 3987, sections 3.1 and 5.3.2). */
import { unescaped } from "../../base/plain-text.js";
import { iriProblem } from "../../rdf/terms.js";

/** The characters that a URI may consist of, percent-encoding included (RFC 3986, 2). */
const URI = /^[!#-;=?-Z[\]_a-z~]*$/;
const NOT_IN_URI = /[^!#-;=?-Z[\]_a-z~]/gu;

const PERCENT_ENCODED = /%[0-9A-Fa-f]{2}/g;
/** Runs of encoded bytes above 0x7F: UTF-8 sequences, if well-formed. */
const ENCODED_BEYOND_ASCII = /(?:%[89A-Fa-f][0-9A-Fa-f])+/g;
/** Letters, digits, `-`, `.`, `_`, `~`, which mean the same encoded and plain (RFC 3986, 2.3). */
const ENCODED_UNRESERVED = /%(?:2[DdEe]|5[Ff]|7[Ee]|3\d|[46][1-9A-Fa-f]|[57][\dAa])/g;
/** Controls, spaces and bidirectional formatting, which an IRI must not contain unencoded (RFC 3987, 2.2 and 4.1). */
const KEPT_ENCODED = /[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\p{Cn}\p{Co}]/u;

/** A percent sign without two hexadecimal digits. */
export const MALFORMED_ENCODING = /%(?![0-9A-Fa-f]{2})/;

/** The URI of an IRI: every character that a URI may not contain is percent-encoded (RFC 3987, 3.1). */
export function toUri(iri: string): string {
  return URI.test(iri) ? iri : iri.toWellFormed().replace(NOT_IN_URI, encodeURIComponent);
}

/** A URI without the encoding of characters that mean the same without it (RFC 3986, 6.2.2.2). */
export function withoutNeedlessEncoding(uri: string): string {
  return uri.replace(ENCODED_UNRESERVED, decodeURIComponent);
}

/** The IRI of a URI: encoded Unicode and unreserved characters are decoded, all other encodings put in upper case (RFC 3987, 3.2). */
export function toIri(uri: string, decode = decodeUnicode): string {
  const decoded = withoutNeedlessEncoding(uri.replace(ENCODED_BEYOND_ASCII, decode));
  return decoded.replace(PERCENT_ENCODED, (encoded) => encoded.toUpperCase());
}

function decodeUnicode(encoded: string): string {
  const text = unescaped(encoded);
  return KEPT_ENCODED.test(text) ? encoded : text;
}

/** The other spellings of an IRI: in Unicode, percent-encoded in upper case or in lower case, and with even the characters of `KEPT_ENCODED` decoded, since some IRIs contain joiners within words. A tilde is also encoded, as in older programs. Reserved characters stay: with another spelling of one, it would be another IRI. */
export function equivalents(iri: string): string[] {
  if (!/[%~]/.test(iri) && URI.test(iri)) return [];
  const unicode = toIri(iri);
  const uri = toUri(unicode);
  const cased = (["toUpperCase", "toLowerCase"] as const).flatMap((change) =>
    [uri, uri.replaceAll("~", "%7E"), iri].map((each) => each.replace(PERCENT_ENCODED, (encoded) => encoded[change]())),
  );
  const hidden = toIri(iri, unescaped);
  const spellings = new Set([unicode, ...cased, ...(iriProblem(hidden) === undefined ? [hidden] : [])]);
  return [...spellings].filter((spelling) => spelling !== iri);
}

/** An IRI and its other spellings, in the order to look for them. */
export function iriSpellings(iri: string): string[] {
  return [iri, ...equivalents(iri)];
}

/** Whether a request of its URI can mean an IRI: not if it is partly in Unicode, partly percent-encoded (`ö/%C3%B6`). */
export function isNamedByItsUri(iri: string): boolean {
  return !iri.includes("%") || URI.test(iri) || equivalents(toUri(iri)).includes(iri);
}
