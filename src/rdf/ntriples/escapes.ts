/** Escapes of N-Triples, N-Quads and Turtle: ECHAR and UCHAR (RDF 1.1 N-Triples, section 3; Turtle, section 6.4). */

const SMALL_U = 0x75;
const CAPITAL_U = 0x55;

/** ECHAR: what follows the backslash, and the character meant. */
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

/** Problems of escapes, by the numbers that `escapeEnd` returns for them. */
export const ESCAPE_PROBLEMS: Readonly<Record<number, string>> = {
  [-1]: "expected an escape sequence",
  [-2]: "expected four hexadecimal digits after \\u or eight after \\U",
  [-3]: "an escape that means no Unicode character (half of a surrogate pair, or beyond U+10FFFF)",
};

/**
 * The offset after the escape that begins at `at`, or a key of `ESCAPE_PROBLEMS`. With `unicodeOnly`, as in IRIs, only
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
 * Replace the escapes of text in which `escapeEnd` found every one valid.
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
