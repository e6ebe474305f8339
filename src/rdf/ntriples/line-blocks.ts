/** Splitting a stream of bytes into blocks of whole lines of valid UTF-8, in bounded memory. */
import { isUtf8 } from "node:buffer";
import type { StatementReader } from "../statement.js";

export const LF = 0x0a;
export const CR = 0x0d;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The longest line that is read; no real statement is longer. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Larger chunks are processed in pieces of this size, so that the limit on lines applies within them, too. */
const MAX_PIECE = 4 * 1024 * 1024;

/** A reader that splits its input into blocks and reads one after another. A byte order mark at the start is skipped. */
export abstract class BlockReader implements StatementReader {
  /** The pieces of a line whose end has not been read yet. */
  #held: Buffer[] = [];
  #heldLength = 0;
  #atStart = true;

  /** Reads the next lines, each with its end. If the input's last line lacks its end, it is added, and `inputEnd` is the offset of the input's own end; otherwise it is infinite. */
  protected abstract read(lines: Buffer, inputEnd: number): void;

  /** Throws an error about the line after those that were read. */
  protected abstract failAtLine(problem: string): never;

  push(chunk: Uint8Array): void {
    for (let start = 0; start < chunk.length; start += MAX_PIECE) {
      const piece = chunk.subarray(start, start + MAX_PIECE);
      this.#push(Buffer.from(piece.buffer, piece.byteOffset, piece.length));
    }
  }

  end(): void {
    const length = this.#heldLength;
    if (length === 0) return;
    this.#hold(Buffer.from([LF]));
    this.#readHeld(length);
  }

  #push(chunk: Buffer): void {
    let start = 0;
    if (this.#heldLength > 0) {
      start = firstLineEnd(chunk);
      this.#hold(start === 0 ? chunk : chunk.subarray(0, start));
      if (start === 0) return;
      this.#readHeld(Number.POSITIVE_INFINITY);
    }
    const end = lastLineEnd(chunk, start);
    if (end > start) this.#read(chunk.subarray(start, end), Number.POSITIVE_INFINITY);
    if (end < chunk.length) this.#hold(chunk.subarray(end));
  }

  #hold(piece: Buffer): void {
    this.#held.push(piece);
    this.#heldLength += piece.length;
    if (this.#heldLength > MAX_LINE_BYTES)
      this.failAtLine(`the line is longer than ${MAX_LINE_BYTES / 1024 / 1024} MiB, the limit`);
  }

  #readHeld(inputEnd: number): void {
    const lines = Buffer.concat(this.#held, this.#heldLength);
    this.#held = [];
    this.#heldLength = 0;
    this.#read(lines, inputEnd);
  }

  #read(block: Buffer, inputEnd: number): void {
    const skipped = this.#atStart && block.subarray(0, 3).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
    this.#atStart = false;
    const lines = block.subarray(skipped);
    if (!isUtf8(lines)) {
      // The lines before the invalid one are read first, so that the first error of the input is reported.
      const invalid = firstInvalidLine(lines);
      if (invalid > 0) this.read(lines.subarray(0, invalid), Number.POSITIVE_INFINITY);
      this.failAtLine("the line is not valid UTF-8");
    }
    this.read(lines, inputEnd - skipped);
  }
}

/** The offset after the end of the line at `from`. A carriage return alone ends a line, too (EOL in N-Triples). */
export function endOfLine(lines: Buffer, from: number): number {
  let at = from;
  while (lines[at] !== LF && lines[at] !== CR) at++;
  return lines[at] === CR && lines[at + 1] === LF ? at + 2 : at + 1;
}

/** The offset after the first end of line, or 0 if there is none. A carriage return at the end of the chunk does not count: a line feed may follow. */
function firstLineEnd(chunk: Buffer): number {
  const newline = chunk.indexOf(LF);
  if (newline !== -1) return newline + 1;
  const carriageReturn = chunk.indexOf(CR);
  return carriageReturn === chunk.length - 1 ? 0 : carriageReturn + 1;
}

/** The offset after the last end of line, or `start` if there is none after it. */
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
