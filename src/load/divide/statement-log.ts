/** Statements in the order in which they came: in memory, and beyond that in a temporary file. */
import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { LineReader } from "../../rdf/ntriples-reader.js";
import type { Statement, StatementSink } from "../../rdf/statement.js";
import { TemporaryFileError } from "../errors.js";
import { Frame, FrameLog } from "../group/frame-log.js";
import { makeTemporaryDirectory } from "../temporary.js";

/** Bytes that are written, read and parsed at once. */
const PIECE = 1024 * 1024;

/** Keeps triples of several inputs, to be read back any number of times. */
export class StatementLog {
  readonly #temporary: string;
  readonly #memoryBytes: number;
  readonly #log = new FrameLog(PIECE, (bytes) => this.#write(bytes));
  #pieces: Buffer[] = [];
  #bytes = 0;
  #directory: string | undefined;
  #file: number | undefined;

  /** `temporary` is an existing directory, in which one is made when so many bytes of memory do not suffice. */
  constructor(temporary: string, memoryBytes: number) {
    this.#temporary = temporary;
    this.#memoryBytes = memoryBytes;
  }

  /** Keep a statement's triple. Throws `TemporaryFileError`. */
  add(input: number, statement: Statement): void {
    this.#log.add("", input, statement);
  }

  /** Hand all triples to `sink`, in the order in which they came, with the number of their input. Their lines are not kept. */
  read(sink: (input: number, statement: Statement) => void): void {
    this.#log.flush();
    let input = 0;
    const hand: StatementSink = (statement) => sink(input, statement);
    const reader = new LineReader({ source: "log", graphs: false }, hand);
    const frame = new Frame();
    for (const piece of this.#all()) {
      for (let start = 0; frame.read(piece, start); start = frame.end) {
        input = frame.input;
        reader.readAgain(piece.subarray(frame.triplesStart, frame.end));
      }
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    if (this.#directory !== undefined) rmSync(this.#directory, { recursive: true, force: true });
    this.#file = undefined;
    this.#directory = undefined;
    this.#pieces = [];
  }

  /** Whole frames, in pieces. Those of a file are valid until the next is asked for. */
  *#all(): Iterable<Buffer> {
    let position = 0;
    for (const length of this.#lengths) {
      if (this.#file === undefined) break;
      const piece = Buffer.allocUnsafe(length);
      for (let done = 0; done < length; ) {
        const read = readSync(this.#file, piece, done, length - done, position + done);
        if (read === 0) throw new Error("a temporary file was cut short while it was read");
        done += read;
      }
      position += length;
      yield piece;
    }
    yield* this.#pieces;
  }

  /** How long the pieces in the file are. */
  readonly #lengths: number[] = [];

  #write(bytes: Buffer): void {
    if (this.#file === undefined && this.#bytes + bytes.length <= this.#memoryBytes) {
      this.#pieces.push(Buffer.from(bytes));
      this.#bytes += bytes.length;
      return;
    }
    this.#file ??= this.#open();
    for (const piece of this.#pieces) this.#append(this.#file, piece);
    this.#pieces = [];
    this.#append(this.#file, bytes);
  }

  #open(): number {
    this.#directory = makeTemporaryDirectory(this.#temporary, "group");
    const path = join(this.#directory, "triples");
    try {
      return openSync(path, "wx+");
    } catch (error) {
      throw new TemporaryFileError(path, error as NodeJS.ErrnoException);
    }
  }

  #append(file: number, bytes: Buffer): void {
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
    } catch (error) {
      throw new TemporaryFileError(join(this.#directory!, "triples"), error as NodeJS.ErrnoException);
    }
    this.#lengths.push(bytes.length);
  }
}
