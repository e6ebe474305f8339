/** Cuts JSON inputs into the texts of single documents, by their bytes alone. The threads parse the texts. */
import { joinedBytes } from "../../base/worker-client.js";
import { MAX_LINE_BYTES } from "../../rdf/ntriples/line-blocks.js";
import { SyntaxProblem } from "../../rdf/syntax-problem.js";
import { MAX_FILE_BYTES } from "../limits.js";
import { formatOf, type Source } from "./sources.js";

/** The texts of documents, on their way to a thread. */
export interface JsonTexts {
  readonly kind: "json";
  readonly source: string;
  /** The bytes, in an `ArrayBuffer` of their own that can be transferred to another thread. */
  readonly bytes: Uint8Array;
  /** Four numbers for each text: its start and end in the bytes, its line and its column in the input. */
  readonly places: readonly number[];
  /** The JSON of the `@context` around all these documents. */
  readonly context: string | undefined;
}

/** Adjacent texts of a file up to this size form one piece. */
const PIECE_BYTES = 256 * 1024;

const NEWLINE = 0x0a;

/** The documents of a source in pieces, in order. Throws `SyntaxProblem` for lines and files that are too long, and what reading throws. */
export function cutJson(source: Source, signal?: AbortSignal): AsyncIterable<JsonTexts> {
  return (formatOf(source.format)?.isLines === true ? cutLines : cutFile)(source.open(signal), source.name);
}

/** JSON lines, one document each. */
async function* cutLines(bytes: AsyncIterable<Uint8Array>, source: string): AsyncIterable<JsonTexts> {
  let line = 1;
  let pending: Uint8Array[] = [];
  let pendingLength = 0;
  for await (const chunk of bytes) {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      const piece = linesIn([...pending, chunk.subarray(0, end)], source, line);
      line += piece.places.length / 4;
      pending = [];
      pendingLength = 0;
      yield piece;
    }
    if (end === chunk.length) continue;
    pending.push(chunk.subarray(end));
    pendingLength += chunk.length - end;
    if (pendingLength > MAX_LINE_BYTES) throw new SyntaxProblem(source, { line }, "the line is longer than 64 MiB");
  }
  if (pendingLength > 0) yield linesIn(pending, source, line);
}

function linesIn(parts: readonly Uint8Array[], source: string, firstLine: number): JsonTexts {
  const bytes = joinedBytes(parts);
  const places: number[] = [];
  let line = firstLine;
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    places.push(start, end, line++, 1);
    start = end + 1;
  }
  return { kind: "json", source, bytes, places, context: undefined };
}

/** One JSON file: a single document, a top-level array, or the elements of a top-level `@graph`. */
async function* cutFile(bytes: AsyncIterable<Uint8Array>, source: string): AsyncIterable<JsonTexts> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_FILE_BYTES) {
      const problem = "the file is larger than 256 MiB: write one document per line, as .jsonl";
      throw new SyntaxProblem(source, { line: 1 }, problem);
    }
  }
  const whole = joinedBytes(chunks);
  // An export that broke off at once must not pass for a collection without records.
  if (whole.subarray(textStart(whole)).every(isSpace))
    throw new SyntaxProblem(source, { line: 1 }, "the file is empty: without records, it is []");
  const elements = new ElementScanner(whole).elements();
  if (elements === undefined) {
    yield { kind: "json", source, bytes: whole, places: [0, length, 1, 1], context: undefined };
    return;
  }
  const { places, context } = elements;
  for (let first = 0; first < places.length; ) {
    const from = places[first]!;
    let next = first;
    const piece: number[] = [];
    for (; next < places.length && places[next]! < from + PIECE_BYTES; next += 4)
      piece.push(places[next]! - from, places[next + 1]! - from, places[next + 2]!, places[next + 3]!);
    yield { kind: "json", source, bytes: whole.slice(from, places[next - 3]), places: piece, context };
    first = next;
  }
}

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const ARRAY = 0x5b;
const ARRAY_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;

/** Thrown when the scanner meets something unexpected. */
const UNEXPECTED = new Error("JSON that cannot be cut");

/** A byte order mark is not part of the text. */
const textStart = ([a, b, c]: Uint8Array): number => (a === 0xef && b === 0xbb && c === 0xbf ? 3 : 0);

/** Finds the elements of a top-level array or `@graph` by brackets, commas and quotes alone. Errors show when the elements, or the whole text, are parsed. */
class ElementScanner {
  #at: number;
  #line = 1;
  #column = 1;

  constructor(private readonly bytes: Uint8Array) {
    this.#at = textStart(bytes);
  }

  /** The places of the elements, four numbers each, or `undefined` when the text must be parsed as a whole. */
  elements(): Pick<JsonTexts, "places" | "context"> | undefined {
    try {
      const found = this.#next() === ARRAY ? { places: this.#array(), context: undefined } : this.#graph();
      return this.#next() === undefined ? found : undefined;
    } catch (error) {
      if (error !== UNEXPECTED) throw error;
      return undefined;
    }
  }

  /** The elements of the `@graph` of an object whose only other key may be `@context`. */
  #graph(): Pick<JsonTexts, "places" | "context"> {
    let places: number[] | undefined;
    let context: string | undefined;
    this.#expect(OBJECT);
    do {
      if (this.#next() !== QUOTE) throw UNEXPECTED;
      const key = this.#value();
      this.#expect(COLON);
      if (key === '"@graph"' && places === undefined && this.#next() === ARRAY) places = this.#array();
      else if (key === '"@context"' && context === undefined) context = this.#value();
      else throw UNEXPECTED;
    } while (this.#skips(COMMA));
    this.#expect(OBJECT_END);
    if (places === undefined) throw UNEXPECTED;
    return { places, context };
  }

  #array(): number[] {
    const places: number[] = [];
    this.#expect(ARRAY);
    if (this.#skips(ARRAY_END)) return places;
    do {
      this.#next();
      const [start, line, column] = [this.#at, this.#line, this.#column];
      this.#skipValue();
      places.push(start, this.#at, line, column);
    } while (this.#skips(COMMA));
    this.#expect(ARRAY_END);
    return places;
  }

  #value(): string {
    this.#next();
    const start = this.#at;
    this.#skipValue();
    return Buffer.from(this.bytes.subarray(start, this.#at)).toString();
  }

  #skipValue(): void {
    const start = this.#at;
    let depth = 0;
    for (let byte = this.bytes[this.#at]; byte !== undefined; byte = this.bytes[this.#at]) {
      if (byte === QUOTE) this.#skipString();
      else if (byte === ARRAY || byte === OBJECT) depth++;
      else if (byte === ARRAY_END || byte === OBJECT_END) depth--;
      else if (depth === 0 && (byte === COMMA || byte === COLON || isSpace(byte))) break;
      if (depth < 0) break;
      this.#advance();
      if (depth === 0 && (byte === QUOTE || byte === ARRAY_END || byte === OBJECT_END)) break;
    }
    if (this.#at === start || depth > 0) throw UNEXPECTED;
  }

  /** Advance to the quote that ends a string. */
  #skipString(): void {
    for (;;) {
      this.#advance();
      const byte = this.bytes[this.#at];
      if (byte === BACKSLASH) this.#advance();
      else if (byte === QUOTE) return;
      else if (byte === undefined) throw UNEXPECTED;
    }
  }

  /** The next byte that is not white space, or `undefined` at the end. */
  #next(): number | undefined {
    while (isSpace(this.bytes[this.#at])) this.#advance();
    return this.bytes[this.#at];
  }

  #expect(byte: number): void {
    if (!this.#skips(byte)) throw UNEXPECTED;
  }

  /** Skip this byte if it comes next. Returns whether it did. */
  #skips(byte: number): boolean {
    if (this.#next() !== byte) return false;
    this.#advance();
    return true;
  }

  #advance(): void {
    const byte = this.bytes[this.#at++]!;
    if (byte === NEWLINE) {
      this.#line++;
      this.#column = 1;
    } else if ((byte & 0xc0) !== 0x80) this.#column++;
  }
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09;
}
