/** Reads N-Quads and N-Triples (RDF 1.1) as they stream in: strict, in bounded memory, with the place of every error. */
import { isAscii, isUtf8 } from "node:buffer";
import { ScannedStatement, skipBlanks } from "./ntriples-statement.js";
import type { StatementSink } from "./statement.js";
import { SyntaxProblem } from "./syntax-problem.js";

const LF = 0x0a;
const CR = 0x0d;
const HASH = 0x23;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The longest line that is read; a longer one is hardly a statement. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Larger chunks are taken in pieces of this size, so that the limit on lines holds for them too. */
const LARGEST_PIECE = 4 * 1024 * 1024;

export interface LineReaderOptions {
  /** The input's name in errors. */
  readonly source: string;
  /** Whether statements may name a graph: N-Quads rather than N-Triples. */
  readonly graphs: boolean;
  /** The number of the first line; 1 unless this is a part of something larger. */
  readonly firstLine?: number;
}

/**
 * Read a whole input. Every statement goes to `sink` in order, while the input streams.
 * Throws `SyntaxProblem`, and what `chunks` or `sink` throw.
 */
export async function readLines(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: LineReaderOptions,
  sink: StatementSink,
): Promise<void> {
  const reader = new LineReader(options, sink);
  for await (const chunk of chunks) reader.push(chunk);
  reader.end();
}

/**
 * A reader that is fed: `push` chunks of any size, then `end`. Statements reach the sink during these calls. After an
 * error the reader is of no more use. Pushed chunks must not be changed afterwards.
 */
export class LineReader {
  readonly #statement: ScannedStatement;
  readonly #sink: StatementSink;
  /** The pieces of a line whose end has not come yet. */
  #held: Buffer[] = [];
  #heldLength = 0;
  #atStart = true;

  constructor(options: LineReaderOptions, sink: StatementSink) {
    this.#statement = new ScannedStatement(options.source, options.graphs);
    this.#statement.line = options.firstLine ?? 1;
    this.#sink = sink;
  }

  push(chunk: Uint8Array): void {
    for (let start = 0; start < chunk.length; start += LARGEST_PIECE) {
      const piece = chunk.subarray(start, start + LARGEST_PIECE);
      this.#push(Buffer.from(piece.buffer, piece.byteOffset, piece.length));
    }
  }

  /** Read what is left: an input need not end with a newline, but must not end within a statement. */
  end(): void {
    const length = this.#heldLength;
    if (length === 0) return;
    this.#hold(Buffer.from([LF]));
    this.#statement.inputEnd = length;
    this.#readHeld();
  }

  #push(chunk: Buffer): void {
    let start = 0;
    if (this.#heldLength > 0) {
      start = firstLineEnd(chunk);
      this.#hold(start === 0 ? chunk : chunk.subarray(0, start));
      if (start === 0) return;
      this.#readHeld();
    }
    const end = lastLineEnd(chunk, start);
    if (end > start) this.#read(chunk, start, end);
    if (end < chunk.length) this.#hold(chunk.subarray(end));
  }

  #hold(piece: Buffer): void {
    this.#held.push(piece);
    this.#heldLength += piece.length;
    if (this.#heldLength > MAX_LINE_BYTES) {
      this.#fail(`the line is longer than ${MAX_LINE_BYTES / 1024 / 1024} MiB: no statement is`);
    }
  }

  #readHeld(): void {
    const bytes = Buffer.concat(this.#held, this.#heldLength);
    this.#held = [];
    this.#heldLength = 0;
    this.#read(bytes, 0, bytes.length);
  }

  /** Read whole lines. */
  #read(bytes: Buffer, start: number, end: number): void {
    const lines = bytes.subarray(start, end);
    const from = this.#atStart && lines.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
    this.#atStart = false;
    if (isUtf8(lines)) {
      this.#readValid(lines, from, lines.length);
    } else {
      // The error of the earlier line comes first, so the lines before the broken one are read too.
      this.#readValid(lines, from, Math.max(from, firstInvalidLine(lines)));
      this.#fail("the line is not valid UTF-8");
    }
  }

  #readValid(lines: Buffer, start: number, end: number): void {
    const statement = this.#statement;
    const sink = this.#sink;
    statement.useBuffer(lines, isAscii(lines));
    statement.lineStart = start;
    let at = start;
    while (at < end) {
      at = skipBlanks(lines, at);
      if (!isLineEndOrComment(lines[at]!)) {
        at = statement.scan(at);
        sink(statement);
        at = skipBlanks(lines, at);
        if (!isLineEndOrComment(lines[at]!)) statement.fail(at, 'expected the end of the line after "."');
      }
      at = endOfLine(lines, at);
      statement.line++;
      statement.lineStart = at;
    }
  }

  #fail(problem: string): never {
    const { source, line } = this.#statement;
    throw new SyntaxProblem(source, { line, column: undefined }, problem);
  }
}

function isLineEndOrComment(byte: number): boolean {
  return byte === LF || byte === CR || byte === HASH;
}

/** The offset of the next line, from an end of line or a comment. A carriage return alone ends a line too (EOL). */
function endOfLine(lines: Buffer, from: number): number {
  let at = from;
  while (lines[at] !== LF && lines[at] !== CR) at++;
  return lines[at] === CR && lines[at + 1] === LF ? at + 2 : at + 1;
}

/** The offset after the first end of line, or 0 when there is none. A carriage return that ends the chunk may be half of one. */
function firstLineEnd(chunk: Buffer): number {
  const newline = chunk.indexOf(LF);
  if (newline !== -1) return newline + 1;
  const carriageReturn = chunk.indexOf(CR);
  return carriageReturn === chunk.length - 1 ? 0 : carriageReturn + 1;
}

/** The offset after the last end of line, or `start` when there is none from there on. */
function lastLineEnd(chunk: Buffer, start: number): number {
  const newline = chunk.lastIndexOf(LF);
  if (newline >= start) return newline + 1;
  if (chunk.length < 2) return start;
  const carriageReturn = chunk.lastIndexOf(CR, chunk.length - 2);
  return carriageReturn >= start ? carriageReturn + 1 : start;
}

/** The offset of the first line that is not valid UTF-8. */
function firstInvalidLine(lines: Buffer): number {
  let start = 0;
  for (;;) {
    const end = endOfLine(lines, start);
    if (!isUtf8(lines.subarray(start, end))) return start;
    start = end;
  }
}
