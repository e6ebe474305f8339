/** Blocks of whole lines of valid UTF-8, cut out of a stream of bytes in bounded memory. */
import { isUtf8 } from "node:buffer";

const LF = 0x0a;
const CR = 0x0d;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The longest line that is read; a longer one is hardly a statement. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Larger chunks are taken in pieces of this size, so that the limit on lines holds for them too. */
const MAX_PIECE = 4 * 1024 * 1024;

interface BlockConsumer {
  /**
   * Take the next lines. Every block ends with an end of line; when the input's last line has none, a newline is added
   * and `inputEnd` is the offset where the input ends, otherwise it is infinite.
   */
  read(lines: Buffer, inputEnd: number): void;
  /** Throw a problem of the line after those that were taken. */
  fail(problem: string): never;
}

/**
 * A stream that is fed: `push` chunks of any size, then `end`; the consumer is called during these calls. Pushed chunks
 * must not be changed afterwards. A byte order mark at the start is left out.
 */
export class LineBlocks {
  /** The pieces of a line whose end has not come yet. */
  #held: Buffer[] = [];
  #heldLength = 0;
  #atStart = true;

  constructor(private readonly consumer: BlockConsumer) {}

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
    if (this.#heldLength > MAX_LINE_BYTES) {
      this.consumer.fail(`the line is longer than ${MAX_LINE_BYTES / 1024 / 1024} MiB: no statement is`);
    }
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
      // The lines before the broken one come first, so that the first error of the input is the one reported.
      const invalid = firstInvalidLine(lines);
      if (invalid > 0) this.consumer.read(lines.subarray(0, invalid), Number.POSITIVE_INFINITY);
      this.consumer.fail("the line is not valid UTF-8");
    }
    this.consumer.read(lines, inputEnd - skipped);
  }
}

/** The offset after the end of the line at `from`. A carriage return alone ends a line too (EOL of N-Triples). */
export function endOfLine(lines: Buffer, from: number): number {
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
