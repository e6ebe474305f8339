/** The file in which an index process leaves long answers for slow readers, so that it is free for the next query. */
import { close, openSync, read, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { lazily } from "../../base/lazily.js";
import type { QueryResult } from "../engine.js";

/** The maximum size of the file, in bytes: answers stay in it while clients read them. */
export const MAX_SPOOLED = 2 ** 30;

/** A part of the file, in bytes from its beginning. */
export interface SpoolRoom {
  readonly start: number;
  readonly end: number;
}

/** The reader of an answer. */
interface SpoolReader {
  isReading: boolean;
  isReleased: boolean;
}

let opened = 0;

/** An unnamed file that the service and one index process share. It disappears when both have closed it. */
export class Spool {
  readonly descriptor: number;
  /** The answers that are still being read: the end of each by its start. */
  readonly #reading = new Map<number, number>();
  #isClosing = false;

  constructor() {
    const path = join(tmpdir(), `vitrine-answers-${process.pid}-${opened++}`);
    this.descriptor = openSync(path, "wx+", 0o600);
    rmSync(path);
  }

  /** Where the next answer has room: before or behind those that are still being read, wherever more is free. */
  get room(): SpoolRoom {
    const start = Math.max(0, ...this.#reading.values());
    const end = Math.min(MAX_SPOOLED, ...this.#reading.keys());
    return end > MAX_SPOOLED - start ? { start: 0, end } : { start, end: MAX_SPOOLED };
  }

  /**
   * An answer that was written at `start`. It is kept until `release`, which may be called more than once, and until
   * the read has ended that runs then: a file that is cut meanwhile would look damaged.
   */
  answer(start: number, bytes: number): Pick<QueryResult, "body" | "bytes" | "release"> {
    this.#reading.set(start, start + bytes);
    const reader: SpoolReader = { isReading: false, isReleased: false };
    const release = lazily(() => {
      reader.isReleased = true;
      if (!reader.isReading) this.#free(start);
    });
    return { body: this.#pieces(start, bytes, reader), bytes, release };
  }

  close(): void {
    this.#isClosing = true;
    this.#closeWhenRead();
  }

  #free(start: number): void {
    this.#reading.delete(start);
    this.#closeWhenRead();
  }

  #closeWhenRead(): void {
    if (!this.#isClosing || this.#reading.size > 0) return;
    this.#isClosing = false;
    close(this.descriptor);
  }

  async *#pieces(start: number, length: number, reader: SpoolReader): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < length && !reader.isReleased; ) {
      const size = Math.min(65_536, length - at);
      reader.isReading = true;
      const { bytesRead, buffer } = await readAt(this.descriptor, Buffer.alloc(size), 0, size, start + at).finally(
        () => {
          reader.isReading = false;
          if (reader.isReleased) this.#free(start);
        },
      );
      if (bytesRead === 0) throw new Error("the file with the answer is shorter than the answer");
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  }
}

const readAt = promisify(read);
