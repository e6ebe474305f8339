/** The scanner of one statement of N-Triples or N-Quads in a buffer. It is strict, and creates terms only when they are asked for. */
import type { ByteLog } from "../byte-log.js";
import { CHARACTER_ESCAPES, decodeEscapes, NAME_ONLY, NAME_START } from "../characters.js";
import type { Statement } from "../statement.js";
import { SyntaxProblem } from "../syntax-problem.js";
import { blank, iri, iriProblem, literal, RDF, type Term, XSD } from "../terms.js";
import { CR, LF } from "./line-blocks.js";
import { TermCache } from "./term-cache.js";

const TAB = 0x09;
const SPACE = 0x20;
const QUOTE = 0x22;
const DASH = 0x2d;
const DOT = 0x2e;
const COLON = 0x3a;
const LESS = 0x3c;
const GREATER = 0x3e;
const AT = 0x40;
const CAPITAL_U = 0x55;
const BACKSLASH = 0x5c;
const CARET = 0x5e;
const UNDERSCORE = 0x5f;
const SMALL_U = 0x75;

/** Bits of `BYTE_CLASS`. */
const ENDS_IRI = 1;
const ENDS_STRING = 2;
const STARTS_LABEL = 4;
const IN_LABEL = 8;
const IN_SCHEME = 16;
const LETTER = 32;
const ALPHANUMERIC = 64;
const ENDS_ESCAPE = 128;

/**
 * The classes of each byte of UTF-8, in the order of the bits: not plain in an IRIREF, not plain in a STRING_LITERAL_QUOTE, first in a
 * BLANK_NODE_LABEL, within one (except the dot), within a scheme (RFC 3986, 3.1), `[A-Za-z]`, `[A-Za-z0-9]`, second in an ECHAR.
 * Bytes of non-ASCII characters have no class.
 */
const BYTE_CLASS: Uint8Array = byteClasses();

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
  mark(Object.keys(CHARACTER_ESCAPES).join(""), ENDS_ESCAPE);
  return classes;
}

/** The non-ASCII characters that may begin a blank node label (PN_CHARS_BASE), and those that may occur in one (PN_CHARS). */
const LABEL_START = new RegExp(`[${NAME_START}]`, "u");
const LABEL = new RegExp(`[${NAME_START}${NAME_ONLY}]`, "u");

const EXPECTED_SUBJECT = "expected the subject: an IRI such as <https://...> or a blank node such as _:b0";
const EXPECTED_PREDICATE = "expected the predicate: an IRI such as <https://...>";
const EXPECTED_OBJECT =
  'expected the object: an IRI such as <https://...>, a blank node such as _:b0 or a literal such as "..."';
const IS_RDF_12 = "is RDF 1.2; the records are RDF 1.1";
const EXPECTED_GRAPH_OR_END = 'expected the graph\'s IRI or "." after the object';

const END_OF_TRIPLE = Buffer.from(" .\n");

/** One cache for all readers of this thread, so that it outlives each piece of an input. */
const TERMS = new TermCache();

/** Literals with longer tokens are hardly ever repeated, and not cached. */
const MAX_REPEATED_LITERAL = 48;

/** The offset of the first byte at or after `at` that is neither space nor tab. */
export function skipBlanks(bytes: Uint8Array, at: number): number {
  let next = at;
  while (bytes[next] === SPACE || bytes[next] === TAB) next++;
  return next;
}

/** The statement that was scanned last, in a buffer that ends with an end of line. */
export class ScannedStatement implements Statement {
  line = 1;
  lineStart = 0;
  #bytes: Buffer = Buffer.alloc(0);
  #inputEnd = Number.POSITIVE_INFINITY;
  #encoding: "latin1" | "utf8" = "utf8";
  #subjectStart = 0;
  #subjectEnd = 0;
  #predicateStart = 0;
  #predicateEnd = 0;
  #objectStart = 0;
  #objectEnd = 0;
  /** The offset of a literal's closing quotation mark, and those of its language and datatype, or 0. */
  #valueEnd = 0;
  #languageStart = 0;
  #datatypeStart = 0;
  #graphStart = 0;
  #graphEnd = 0;

  /** `source` names the input in errors; `graphs` says whether a statement may name a graph (N-Quads). */
  constructor(
    readonly source: string,
    readonly graphs: boolean,
  ) {}

  /** Scan another buffer of whole lines of valid UTF-8. @param ascii whether they are ASCII @param inputEnd the offset where the input ends, infinite if it goes on */
  useBuffer(lines: Buffer, ascii: boolean, inputEnd: number): void {
    this.#bytes = lines;
    this.#encoding = ascii ? "latin1" : "utf8";
    this.#inputEnd = inputEnd;
    this.lineStart = 0;
  }

  /** Scan the statement that begins at `start`. Returns the offset after its full stop. Throws `SyntaxProblem`. */
  scan(start: number): number {
    const bytes = this.#bytes;
    let at = this.#scanResource(start, EXPECTED_SUBJECT);
    this.#subjectStart = start;
    this.#subjectEnd = at;

    at = skipBlanks(bytes, at);
    if (bytes[at] !== LESS) this.fail(at, EXPECTED_PREDICATE);
    this.#predicateStart = at;
    this.#predicateEnd = at = this.#scanIri(at);

    at = skipBlanks(bytes, at);
    this.#objectStart = at;
    this.#objectEnd = at = bytes[at] === QUOTE ? this.#scanLiteral(at) : this.#scanResource(at, EXPECTED_OBJECT);

    at = skipBlanks(bytes, at);
    this.#graphStart = at;
    this.#graphEnd = at;
    if (bytes[at] !== DOT && this.graphs) {
      this.#graphEnd = at = this.#scanResource(at, EXPECTED_GRAPH_OR_END);
      at = skipBlanks(bytes, at);
    }
    if (bytes[at] !== DOT) this.#failAtEnd(at);
    return at + 1;
  }

  subject(): Term {
    return this.#term(this.#subjectStart, this.#subjectEnd);
  }

  predicate(): Term {
    return this.#term(this.#predicateStart, this.#predicateEnd);
  }

  object(): Term {
    const start = this.#objectStart;
    const end = this.#objectEnd;
    if (this.#bytes[start] !== QUOTE) return this.#term(start, end);
    if (end - start > MAX_REPEATED_LITERAL) return this.#makeLiteral(start, end);
    return TERMS.get(this.#bytes, start, end, this.#makeLiteral);
  }

  graph(): Term | undefined {
    return this.#graphEnd === this.#graphStart ? undefined : this.#term(this.#graphStart, this.#graphEnd);
  }

  appendTriple(log: ByteLog): void {
    log.copy(this.#bytes, this.#subjectStart, this.#objectEnd);
    log.copy(END_OF_TRIPLE, 0, END_OF_TRIPLE.length);
  }

  /** Throw a `SyntaxProblem` at an offset. If the problem is that something was expected, the message adds what was found. */
  fail(at: number, problem: string, hint = ""): never {
    const column = [...this.#bytes.toString("utf8", this.lineStart, at)].length + 1;
    const found = problem.startsWith("expected") ? `, found ${this.#describe(at)}` : "";
    throw new SyntaxProblem(this.source, { line: this.line, column }, problem + found + hint);
  }

  #failAtEnd(at: number): never {
    if (this.#graphEnd !== this.#graphStart) this.fail(at, 'expected "." after the graph');
    const first = this.#bytes[at];
    const hint = first === LESS || first === UNDERSCORE ? ": N-Triples has no graphs, N-Quads has" : "";
    this.fail(at, 'expected "." after the object', hint);
  }

  #describe(at: number): string {
    if (at >= this.#inputEnd) return "the end of the input";
    const bytes = this.#bytes;
    if (bytes[at] === LF || bytes[at] === CR) return "the end of the line";
    const [text] = /^(?:\s|\S{1,30})/u.exec(bytes.toString("utf8", at, at + 160)) ?? [""];
    const invisible = /^[^\S\t ]/u.test(text);
    return invisible ? `U+${text.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}` : JSON.stringify(text);
  }

  #scanResource(at: number, expected: string): number {
    const first = this.#bytes[at];
    if (first === LESS) return this.#scanIri(at);
    if (first === UNDERSCORE) return this.#scanBlank(at);
    if (this.#bytes.toString("latin1", at, at + 7) === "VERSION") this.fail(at, `a version ${IS_RDF_12}`);
    return this.fail(at, expected);
  }

  /** Scan an absolute IRIREF. Returns the offset after it. */
  #scanIri(start: number): number {
    const bytes = this.#bytes;
    let at = start + 1;
    if ((BYTE_CLASS[bytes[at]!]! & LETTER) === 0) return this.#scanUnusualIri(start);
    while ((BYTE_CLASS[bytes[at]!]! & IN_SCHEME) !== 0) at++;
    if (bytes[at] !== COLON) return this.#scanUnusualIri(start);
    while ((BYTE_CLASS[bytes[at]!]! & ENDS_IRI) === 0) at++;
    return bytes[at] === GREATER ? at + 1 : this.#scanUnusualIri(start);
  }

  /** Scan an IRI that has escapes or is malformed, and report what is wrong with it. */
  #scanUnusualIri(start: number): number {
    const bytes = this.#bytes;
    let at = start + 1;
    if (bytes[at] === LESS) this.fail(start, `a triple term ${IS_RDF_12}`);
    while (bytes[at] !== GREATER) {
      if (bytes[at] === BACKSLASH) at = this.#scanEscape(at, true);
      else if (bytes[at] === LF || bytes[at] === CR) this.fail(at, 'expected ">" at the end of the IRI');
      else if ((BYTE_CLASS[bytes[at]!]! & ENDS_IRI) === 0) at++;
      else this.fail(at, `an IRI may not contain ${JSON.stringify(String.fromCharCode(bytes[at]!))}`);
    }
    const value = decodeEscapes(bytes.toString("utf8", start + 1, at));
    const problem = iriProblem(value);
    if (problem !== undefined) this.fail(start, `the IRI ${JSON.stringify(value)} ${problem}`);
    return at + 1;
  }

  /** Scan a BLANK_NODE_LABEL. Returns the offset after it. */
  #scanBlank(start: number): number {
    const bytes = this.#bytes;
    if (bytes[start + 1] !== COLON) this.fail(start, 'expected "_:" at the beginning of a blank node');
    const first = start + 2;
    let end = this.#labelCharacterEnd(first, STARTS_LABEL);
    if (end === first) this.fail(first, "expected the blank node's label, which begins with a letter, a digit or _");
    // A label may contain dots; dots after it belong to the statement.
    let at = end;
    for (;;) {
      const next = this.#labelCharacterEnd(at, IN_LABEL);
      if (next !== at) end = at = next;
      else if (bytes[at] === DOT) at++;
      else return end;
    }
  }

  /** The offset after the character at `at`, or `at` if a label may not have it. */
  #labelCharacterEnd(at: number, place: typeof STARTS_LABEL | typeof IN_LABEL): number {
    const bytes = this.#bytes;
    const byte = bytes[at]!;
    if (byte < 0x80) return (BYTE_CLASS[byte]! & place) === 0 ? at : at + 1;
    const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    const isPart = (place === STARTS_LABEL ? LABEL_START : LABEL).test(bytes.toString("utf8", at, at + length));
    return isPart ? at + length : at;
  }

  /** Scan a literal with its language or datatype. Returns the offset after it. */
  #scanLiteral(start: number): number {
    const bytes = this.#bytes;
    let at = start + 1;
    for (;;) {
      while ((BYTE_CLASS[bytes[at]!]! & ENDS_STRING) === 0) at++;
      if (bytes[at] === QUOTE) break;
      if (bytes[at] !== BACKSLASH) this.fail(at, "expected a quotation mark at the end of the literal");
      at = this.#scanEscape(at, false);
    }
    this.#valueEnd = at;
    this.#languageStart = 0;
    this.#datatypeStart = 0;
    const end = at + 1;
    at = skipBlanks(bytes, end);
    if (bytes[at] === AT) return this.#scanLanguage(at);
    if (bytes[at] === CARET) return this.#scanDatatype(at);
    return end;
  }

  /** Scan a LANGTAG. Returns the offset after it. */
  #scanLanguage(start: number): number {
    const bytes = this.#bytes;
    let at = start + 1;
    while ((BYTE_CLASS[bytes[at]!]! & LETTER) !== 0) at++;
    if (at === start + 1) this.fail(at, "expected a language tag such as en or de-AT");
    while (bytes[at] === DASH) {
      const subtag = at + 1;
      at = subtag;
      if (bytes[at] === DASH) this.fail(start, `a base direction ${IS_RDF_12}`);
      while ((BYTE_CLASS[bytes[at]!]! & ALPHANUMERIC) !== 0) at++;
      if (at === subtag) this.fail(at, 'expected letters or digits after the "-" of a language tag');
    }
    // `_:` would be the blank node of a graph.
    if (bytes[at] === UNDERSCORE && bytes[at + 1] !== COLON)
      this.fail(start + 1, "expected a language tag such as en or de-AT", ": write hyphens");
    this.#languageStart = start + 1;
    return at;
  }

  #scanDatatype(start: number): number {
    const bytes = this.#bytes;
    if (bytes[start + 1] !== CARET) this.fail(start, 'expected "^^" before the datatype');
    const at = skipBlanks(bytes, start + 2);
    if (bytes[at] !== LESS) this.fail(at, "expected the datatype: an IRI such as <https://...>");
    const end = this.#scanIri(at);
    this.#datatypeStart = at;
    return end;
  }

  /** Scan an escape; in IRIs, only `\u` and `\U` are escapes. Returns the offset after it. */
  #scanEscape(at: number, inIri: boolean): number {
    const bytes = this.#bytes;
    const kind = bytes[at + 1]!;
    if (kind !== SMALL_U && kind !== CAPITAL_U) {
      if (inIri || (BYTE_CLASS[kind]! & ENDS_ESCAPE) === 0) this.fail(at, "expected an escape sequence");
      return at + 2;
    }
    const end = at + (kind === SMALL_U ? 6 : 10);
    let codePoint = 0;
    for (let digit = at + 2; digit < end; digit++) {
      const value = hexValue(bytes[digit]!);
      if (value === -1) this.fail(at, "expected four hexadecimal digits after \\u or eight after \\U");
      // Not shifted: eight digits overflow 32 bits.
      codePoint = codePoint * 16 + value;
    }
    const isScalarValue = codePoint <= 0x10ffff && (codePoint < 0xd800 || codePoint > 0xdfff);
    if (isScalarValue) return end;
    return this.fail(at, "an escape that means no Unicode character (half of a surrogate pair, or beyond U+10FFFF)");
  }

  #term(start: number, end: number): Term {
    return TERMS.get(this.#bytes, start, end, this.#makeResource);
  }

  readonly #makeResource = (start: number, end: number): Term =>
    this.#bytes[start] === LESS ? iri(this.#text(start + 1, end - 1)) : blank(this.#text(start + 2, end));

  readonly #makeLiteral = (start: number, end: number): Term => {
    const value = this.#text(start + 1, this.#valueEnd);
    if (this.#languageStart !== 0) return literal(value, RDF.langString, this.#text(this.#languageStart, end));
    if (this.#datatypeStart === 0) return literal(value, XSD.string);
    return literal(value, this.#term(this.#datatypeStart, end).value);
  };

  #text(start: number, end: number): string {
    const text = this.#bytes.toString(this.#encoding, start, end);
    return text.includes("\\") ? decodeEscapes(text) : text;
  }
}

function hexValue(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
