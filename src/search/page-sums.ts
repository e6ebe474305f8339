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
  return Uint32Array.from({ length: end / 4 }, (_, at) => bytes.readUInt32LE(4 * at));
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
  const written = before && pagesInLog(index + LOG);
  if (!isEmptied(sqlite)) return;
  write(
    index,
    sequence,
    sumsOf(index, (page) => (written?.has(page) === false ? before?.[page - 1] : undefined)),
  );
}

/** Hold the pages of an index against their sums, which are noted where they are not known. Throws what `isDamage` tells. */
export function holdSums(sqlite: Sqlite, index: string, sequence: number): void {
  isEmptied(sqlite);
  // Nobody writes meanwhile. What is still in the log may be newer than the pages.
  sqlite.exec("BEGIN IMMEDIATE");
  try {
    if (statSync(index + LOG).size > 0) return;
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
  const bytes = Buffer.alloc(4 * sums.length + SEQUENCE);
  for (const [at, sum] of sums.entries()) bytes.writeUInt32LE(sum, 4 * at);
  bytes.writeDoubleLE(sequence, 4 * sums.length);
  replaceFileNow(index + SUMS, bytes);
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

/** The sums of all pages. @param known that of a page, which need not be read for it */
function sumsOf(path: string, known: (page: number) => number | undefined = () => undefined): Uint32Array {
  return withFile(path, (file, size) => {
    const sums = new Uint32Array(Math.ceil(size / PAGE));
    const bytes = Buffer.alloc(AT_ONCE * PAGE);
    for (let first = 0; first < sums.length; first += AT_ONCE) {
      const some = sums.subarray(first, first + AT_ONCE);
      const before = Array.from(some, (_, at) => known(first + at + 1));
      const read = before.includes(undefined) ? readSync(file, bytes, 0, bytes.length, first * PAGE) : 0;
      for (const [at, sum] of before.entries())
        some[at] = sum ?? crc32(bytes.subarray(at * PAGE, Math.min((at + 1) * PAGE, read)));
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
