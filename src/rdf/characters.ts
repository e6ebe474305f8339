/** Characters in the grammars of N-Triples, N-Quads and Turtle (RDF 1.1): their classes, as tables of bytes and code points, and their escapes. */

/** Bits of `BYTE_CLASS`. */
export const ENDS_IRI = 1;
export const ENDS_STRING = 2;
export const STARTS_LABEL = 4;
export const IN_LABEL = 8;
export const IN_SCHEME = 16;
export const LETTER = 32;
export const ALPHANUMERIC = 64;

/**
 * The classes of each byte of UTF-8, in the order of the bits: not plain in an IRIREF, not plain in a STRING_LITERAL_QUOTE, first in a
 * BLANK_NODE_LABEL, within one (except the dot), within a scheme (RFC 3986, 3.1), `[A-Za-z]`, `[A-Za-z0-9]`.
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

/** The non-ASCII characters of PN_CHARS_BASE, which are also those that may begin a name in XML (XML 1.0, 2.3), as part of a character class. */
export const NAME_START =
  "\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C\\u200D\\u2070-\\u218F" +
  "\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD\\u{10000}-\\u{EFFFF}";
/** The further non-ASCII characters of PN_CHARS, which an XML name may have after its first character. */
export const NAME_ONLY = "\\u00B7\\u0300-\\u036F\\u203F\\u2040";

/** The non-ASCII characters that may begin a blank node label (PN_CHARS_BASE), and those that may occur in one (PN_CHARS). */
export const LABEL_START = new RegExp(`[${NAME_START}]`, "u");
export const LABEL = new RegExp(`[${NAME_START}${NAME_ONLY}]`, "u");

const SMALL_U = 0x75;
const CAPITAL_U = 0x55;

/** ECHAR (RDF 1.1 N-Triples, section 3): the character after the backslash, and the character it stands for. */
export const CHARACTER_ESCAPES: Readonly<Record<string, string>> = {
  t: "\t",
  b: "\b",
  n: "\n",
  r: "\r",
  f: "\f",
  '"': '"',
  "'": "'",
  "\\": "\\",
};

const IS_CHARACTER_ESCAPE = new Uint8Array(256);
for (const character of Object.keys(CHARACTER_ESCAPES)) IS_CHARACTER_ESCAPE[character.charCodeAt(0)] = 1;

/** Problems with escapes, by the numbers that `escapeEnd` returns. */
export const ESCAPE_PROBLEMS: Readonly<Record<number, string>> = {
  [-1]: "expected an escape sequence",
  [-2]: "expected four hexadecimal digits after \\u or eight after \\U",
  [-3]: "an escape that means no Unicode character (half of a surrogate pair, or beyond U+10FFFF)",
};

/**
 * The offset after the escape at `at`, or a key of `ESCAPE_PROBLEMS` if it is invalid. With `unicodeOnly`, as in IRIs, only
 * `\u` and `\U` are escapes. `bytes` must not end within the escape.
 */
export function escapeEnd(bytes: Uint8Array, at: number, unicodeOnly: boolean): number {
  const kind = bytes[at + 1]!;
  if (kind !== SMALL_U && kind !== CAPITAL_U) return !unicodeOnly && IS_CHARACTER_ESCAPE[kind] === 1 ? at + 2 : -1;
  const end = at + (kind === SMALL_U ? 6 : 10);
  let codePoint = 0;
  for (let digit = at + 2; digit < end; digit++) {
    const value = hexValue(bytes[digit]!);
    if (value === -1) return -2;
    // Not shifted: eight digits overflow 32 bits.
    codePoint = codePoint * 16 + value;
  }
  const isScalarValue = codePoint <= 0x10ffff && (codePoint < 0xd800 || codePoint > 0xdfff);
  return isScalarValue ? end : -3;
}

/**
 * Replace the escapes of a text by the characters they stand for. `escapeEnd` must have found all of them valid.
 * @example
 * decodeEscapes("a\\u00e4\\n"); // => "aä\n"
 */
export function decodeEscapes(text: string): string {
  let result = "";
  let from = 0;
  for (let at = text.indexOf("\\"); at !== -1; at = text.indexOf("\\", from)) {
    result += text.slice(from, at);
    const kind = text[at + 1]!;
    if (kind === "u" || kind === "U") {
      from = at + (kind === "u" ? 6 : 10);
      result += String.fromCodePoint(Number.parseInt(text.slice(at + 2, from), 16));
    } else {
      from = at + 2;
      result += CHARACTER_ESCAPES[kind]!;
    }
  }
  return result + text.slice(from);
}

function hexValue(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
