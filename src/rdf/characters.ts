/** Characters in the grammars of N-Triples, N-Quads and Turtle (RDF 1.1): those of names, and their escapes. */

/** The non-ASCII characters of PN_CHARS_BASE, which are also those that may begin a name in XML (XML 1.0, 2.3), as part of a character class. */
export const NAME_START =
  "\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C\\u200D\\u2070-\\u218F" +
  "\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD\\u{10000}-\\u{EFFFF}";
/** The further non-ASCII characters of PN_CHARS, which an XML name may have after its first character. */
export const NAME_ONLY = "\\u00B7\\u0300-\\u036F\\u203F\\u2040";

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

/** The source of an expression for a text in double quotation marks, with its escapes. It is lazy, because a greedy one needs stack for each character. */
export const QUOTED = String.raw`".*?(?<!\\)(?:\\\\)*"`;

/**
 * Replace the escapes of a text, which must be valid, by the characters they stand for.
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
