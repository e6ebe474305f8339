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

  /** An answer that was written at `start`. It is kept until `release`, which may be called more than once, and until the read that runs then has ended. */
  answer(start: number, bytes: number): Pick<QueryResult, "body" | "bytes" | "release"> {
    this.#reading.set(start, start + bytes);
    const body = this.#pieces(start, bytes);
    const release = lazily(async () => {
      // Waits for a read that has begun: the next answer may cut the file.
      await body.return(undefined);
      this.#reading.delete(start);
      this.#closeWhenRead();
    });
    return { body, bytes, release };
  }

  close(): void {
    this.#isClosing = true;
    this.#closeWhenRead();
  }

  #closeWhenRead(): void {
    if (!this.#isClosing || this.#reading.size > 0) return;
    this.#isClosing = false;
    close(this.descriptor);
  }

  async *#pieces(start: number, length: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < length; ) {
      const size = Math.min(65_536, length - at);
      const { bytesRead, buffer } = await readAt(this.descriptor, Buffer.alloc(size), 0, size, start + at);
      if (bytesRead === 0) throw new Error("the file with the answer is shorter than the answer");
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  }
}

const readAt = promisify(read);
