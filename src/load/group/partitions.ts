/** Partitions: entries spread over temporary files by their graphs' hashes, so that one file's records fit into memory. */
import { closeSync, createReadStream, openSync, writeFileSync } from "node:fs";
import { TemporaryFileError } from "../errors.js";
import { EntryLog, LogEntry } from "./entry-log.js";

/** Few enough to keep all files open at once, many enough that the files of a large input are small. */
const PARTITIONS = 128;

/** Written at a time; all partitions together hold that much in memory. */
const FLUSH_BYTES = 64 * 1024;

export class Partition {
  readonly log: EntryLog;
  size = 0;
  #file: number | undefined;

  constructor(readonly path: string) {
    this.log = new EntryLog(FLUSH_BYTES, (bytes) => {
      try {
        this.#file ??= openSync(path, "wx");
        writeFileSync(this.#file, bytes);
      } catch (error) {
        throw new TemporaryFileError(path, error as NodeJS.ErrnoException);
      }
      this.size += bytes.length;
    });
  }

  finish(): void {
    this.log.flush();
    this.close();
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** Each entry, in one object. */
  async *entries(): AsyncGenerator<LogEntry> {
    const entry = new LogEntry();
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of createReadStream(this.path, { highWaterMark: 1024 * 1024 })) {
      rest = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
      let start = 0;
      while (entry.read(rest, start)) {
        yield entry;
        start = entry.end;
      }
      rest = rest.subarray(start);
    }
  }
}

/** All temporary files of one level; a file that grows too large is partitioned again, one level deeper. */
export class GraphPartitions {
  readonly all: readonly Partition[];

  /** The files' paths are `prefix` and a number. */
  constructor(
    prefix: string,
    readonly level: number,
  ) {
    this.all = Array.from({ length: PARTITIONS }, (_, index) => new Partition(`${prefix}${index}`));
  }

  of(graph: string): Partition {
    return this.all[hash(graph, this.level) % PARTITIONS]!;
  }

  close(): void {
    for (const partition of this.all) partition.close();
  }
}

/** FNV-1a over UTF-16 code units, started differently on each level so that graphs which met once part on the next. */
function hash(text: string, level: number): number {
  let value = 0x811c9dc5 ^ Math.imul(level, 0x9e3779b1);
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  value ^= value >>> 16;
  return Math.imul(value, 0x85ebca6b) >>> 8;
}
