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

/** PN_CHARS_BASE beyond ASCII, as first and last code points. */
const NAME_START_RANGES = [
  [0xc0, 0xd6],
  [0xd8, 0xf6],
  [0xf8, 0x2ff],
  [0x370, 0x37d],
  [0x37f, 0x1fff],
  [0x200c, 0x200d],
  [0x2070, 0x218f],
  [0x2c00, 0x2fef],
  [0x3001, 0xd7ff],
  [0xf900, 0xfdcf],
  [0xfdf0, 0xfffd],
  [0x10000, 0xeffff],
] as const;

/** What PN_CHARS has beyond PN_CHARS_U. */
const NAME_ONLY_RANGES = [
  [0xb7, 0xb7],
  [0x300, 0x36f],
  [0x203f, 0x2040],
] as const;

/** Whether a non-ASCII code point may begin a blank node label (PN_CHARS_BASE). */
export function startsLabel(codePoint: number): boolean {
  return NAME_START_RANGES.some(([first, last]) => codePoint >= first && codePoint <= last);
}

/** Whether a non-ASCII code point may stand in a blank node label (PN_CHARS). */
export function inLabel(codePoint: number): boolean {
  return startsLabel(codePoint) || NAME_ONLY_RANGES.some(([first, last]) => codePoint >= first && codePoint <= last);
}
