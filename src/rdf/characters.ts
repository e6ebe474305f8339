/** Character classes of the RDF syntaxes' grammars (N-Triples, N-Quads and Turtle, RDF 1.1), as tables over bytes and code points. */

/** Bits of `BYTE_CLASS`. */
export const ENDS_IRI = 1;
export const ENDS_STRING = 2;
export const STARTS_LABEL = 4;
export const IN_LABEL = 8;
export const IN_SCHEME = 16;
export const LETTER = 32;
export const ALPHANUMERIC = 64;

/**
 * The classes of each byte of UTF-8: not plain in an IRIREF, not plain in a STRING_LITERAL_QUOTE, first in a
 * BLANK_NODE_LABEL, within one (but for the dot), within a scheme (RFC 3986, 3.1), `[A-Za-z]`, `[A-Za-z0-9]`.
 * Bytes of non-ASCII characters have no class.
 */
export const BYTE_CLASS: Uint8Array = byteClasses();

function byteClasses(): Uint8Array {
  const classes = new Uint8Array(256);
  const mark = (characters: string, bits: number) => {
    for (const character of characters) classes[character.charCodeAt(0)]! |= bits;
  };
  for (let control = 0; control <= 0x20; control++) classes[control]! |= ENDS_IRI;
  mark('<>"{}|^`\\', ENDS_IRI);
  mark('"\\\n\r', ENDS_STRING);
  const lower = "abcdefghijklmnopqrstuvwxyz";
  mark(lower + lower.toUpperCase(), STARTS_LABEL | IN_LABEL | IN_SCHEME | LETTER | ALPHANUMERIC);
  mark("0123456789", STARTS_LABEL | IN_LABEL | IN_SCHEME | ALPHANUMERIC);
  mark("_", STARTS_LABEL | IN_LABEL);
  mark("-", IN_LABEL | IN_SCHEME);
  mark("+.", IN_SCHEME);
  return classes;
}

/** PN_CHARS_BASE beyond ASCII, and so what XML's names may begin with there (XML 1.0, 2.3), as part of a character class. */
export const NAME_START =
  "\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C\\u200D\\u2070-\\u218F" +
  "\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD\\u{10000}-\\u{EFFFF}";
/** The further characters of PN_CHARS there, and of XML's names after the first. */
export const NAME_ONLY = "\\u00B7\\u0300-\\u036F\\u203F\\u2040";

/** The non-ASCII characters that may begin a blank node label (PN_CHARS_BASE), and those that may stand in one (PN_CHARS). */
export const LABEL_START = new RegExp(`[${NAME_START}]`, "u");
export const LABEL = new RegExp(`[${NAME_START}${NAME_ONLY}]`, "u");
