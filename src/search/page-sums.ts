/**
 * Checksums of the pages of a search index, in a file beside it. SQLite has none: it takes a text with a flipped bit as it stands, and
 * npm's libsql ends the process at one that is no UTF-8.
 */
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, rmSync, statSync } from "node:fs";
import { crc32 } from "node:zlib";
import { replaceFileNow } from "../base/whole-file.js";
import { LOG, type Sqlite, SUMS } from "./sqlite.js";

/** Bytes of a page, which are SQLite's default, and pages that are read at once. */
const PAGE = 4_096;
const AT_ONCE = 16;
/** Bytes of a write-ahead log before its first page, and before each, where its number is first (SQLite, Database File Format, 4.1). */
const LOG_HEADER = 32;
const PAGE_HEADER = 24;
/** Behind the sums, the sequence number of the state that they are of. */
const SEQUENCE = 8;

/** The sums of the pages of an index that has the state of a sequence number; `undefined` where they are not known. */
export function knownSums(index: string, sequence: number): Uint32Array | undefined {
  const bytes = existsSync(index + SUMS) ? readFileSync(index + SUMS) : Buffer.alloc(0);
  const end = bytes.length - SEQUENCE;
  if (end < 0 || end % 4 > 0 || bytes.readDoubleLE(end) !== sequence) return undefined;
  return new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + end));
}

/** To be done before an index changes. */
export function forgetSums(index: string): void {
  rmSync(index + SUMS, { force: true });
}

/**
 * Empty the write-ahead log of an index, and note the sums of its pages.
 * @param before those that pages had which are not in the log. Without it, all are read
 */
export function noteSums(sqlite: Sqlite, index: string, sequence: number, before?: Uint32Array): void {
  // On some file systems SQLite has no such log.
  const changed = before && existsSync(index + LOG) ? { before, pages: pagesInLog(index + LOG) } : undefined;
  if (isEmptied(sqlite)) write(index, sequence, sumsOf(index, changed));
}

/** Hold the pages of an index against their sums, which are noted where they are not known. Throws what `isDamage` tells. */
export function holdSums(sqlite: Sqlite, index: string, sequence: number): void {
  isEmptied(sqlite);
  // Nobody writes meanwhile. What is still in the log may be newer than the pages.
  sqlite.exec("BEGIN IMMEDIATE");
  try {
    if ((statSync(index + LOG, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
    const sums = sumsOf(index);
    const known = knownSums(index, sequence);
    if (known === undefined) write(index, sequence, sums);
    else if (Buffer.compare(Buffer.from(sums.buffer), Buffer.from(known.buffer)) !== 0) {
      const page = 1 + sums.findIndex((sum, at) => sum !== known[at]);
      throw Object.assign(new Error(`page ${page} is not what was written`), { code: "SQLITE_CORRUPT" });
    }
  } finally {
    sqlite.exec("ROLLBACK");
  }
}

function write(index: string, sequence: number, sums: Uint32Array): void {
  const end = Buffer.alloc(SEQUENCE);
  end.writeDoubleLE(sequence);
  replaceFileNow(index + SUMS, Buffer.concat([Buffer.from(sums.buffer), end]));
}

/** Whether all of the write-ahead log is in the database now. */
function isEmptied(sqlite: Sqlite): boolean {
  return sqlite.row<[number]>("PRAGMA wal_checkpoint(TRUNCATE)")?.[0] === 0;
}

/** The numbers of the pages in a write-ahead log. Some may be left there from before. */
function pagesInLog(log: string): ReadonlySet<number> {
  const pages = new Set<number>();
  withFile(log, (file, size) => {
    const number = Buffer.alloc(4);
    for (let at = LOG_HEADER; at < size; at += PAGE_HEADER + PAGE) {
      readSync(file, number, 0, 4, at);
      pages.add(number.readUInt32BE());
    }
  });
  return pages;
}

/** The sums of all pages. @param changed what they were before, and the pages that are to be read for it */
function sumsOf(
  path: string,
  changed?: { readonly before: Uint32Array; readonly pages: ReadonlySet<number> },
): Uint32Array {
  return withFile(path, (file, size) => {
    const sums = new Uint32Array(Math.ceil(size / PAGE));
    const bytes = Buffer.alloc(AT_ONCE * PAGE);
    const read = (first: number, count: number): void => {
      const length = readSync(file, bytes, 0, count * PAGE, first * PAGE);
      for (let at = 0; at * PAGE < length; at++) sums[first + at] = crc32(bytes.subarray(at * PAGE, (at + 1) * PAGE));
    };
    if (changed === undefined) for (let first = 0; first < sums.length; first += AT_ONCE) read(first, AT_ONCE);
    else {
      sums.set(changed.before.subarray(0, sums.length));
      for (const page of changed.pages) read(page - 1, 1);
    }
    return sums;
  });
}

function withFile<T>(path: string, read: (file: number, size: number) => T): T {
  const file = openSync(path, "r");
  try {
    return read(file, fstatSync(file).size);
  } finally {
    closeSync(file);
  }
}
