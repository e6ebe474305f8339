/**
 * Checksums of the pages of a search index, in a file beside it. SQLite has none: it takes a text with a flipped bit as it stands, and
 * npm's libsql ends the process at one that is no UTF-8. Pages are read by SQLite, which knows those that are newer in its write-ahead
 * log. A process that opened the file itself would lose its locks when it closes it (POSIX), and others would remove that log.
 */
import { closeSync, existsSync, openSync, readFileSync, readSync } from "node:fs";
import { crc32 } from "node:zlib";
import { replaceFileNow } from "../base/whole-file.js";
import { LOG, type Sqlite, SUMS } from "./sqlite.js";

/** Bytes of a page, which are SQLite's default, and pages that are read at once: one by one takes twice as long. */
const PAGE = 4_096;
const AT_ONCE = 64;
/** Bytes of a write-ahead log before its first page, and before each, where its number is first (SQLite, Database File Format, 4.1). */
const LOG_HEADER = 32;
const PAGE_HEADER = 24;
/** Behind the sums, the number of the state that they are of. */
const STATE = 8;

/** The sums of the pages of an index in a state; `undefined` where they are not known. */
export function knownSums(index: string, state: number): Uint32Array | undefined {
  const bytes = existsSync(index + SUMS) ? readFileSync(index + SUMS) : Buffer.alloc(0);
  const end = bytes.length - STATE;
  if (end < 0 || end % 4 > 0 || bytes.readDoubleLE(end) !== state) return undefined;
  return new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + end));
}

/** The state of an index: a number that each change draws anew. */
export function stateOf(sqlite: Sqlite): number | undefined {
  return sqlite.row<[number]>("SELECT state FROM fact")?.[0];
}

/**
 * Note the sums of the pages of an index in a state. Whoever writes another one notes that. Throws what `isBusy` tells.
 * @param before those that pages had which are not in the write-ahead log. Without it, all are read
 */
export function noteSums(sqlite: Sqlite, index: string, state: number, before?: Uint32Array): void {
  within(sqlite, "BEGIN IMMEDIATE", (pages) => {
    if (stateOf(sqlite) !== state) return;
    const sums = new Uint32Array(pages);
    const changed = pagesInLog(index + LOG).filter((page) => page < pages);
    const isKnown = before !== undefined && changed.length > 0;
    if (isKnown) sums.set(before.subarray(0, pages));
    const read = isKnown ? changed : [...sums.keys()];
    for (const [at, sum] of sumsOf(sqlite, read).entries()) sums[read[at]!] = sum;
    const end = Buffer.alloc(STATE);
    end.writeDoubleLE(state);
    replaceFileNow(index + SUMS, Buffer.concat([Buffer.from(sums.buffer), end]));
  });
}

/**
 * Hold so many pages of an index, from one on, against their sums, which are noted where they are not known. Throws what `isDamage` and `isBusy` tell.
 * @returns whether there are more
 */
export function holdSums(sqlite: Sqlite, index: string, first: number, count: number): boolean {
  const present = stateOf(sqlite)!;
  if (first === 0 && knownSums(index, present) === undefined) noteSums(sqlite, index, present);
  return within(sqlite, "BEGIN", (pages) => {
    const known = knownSums(index, stateOf(sqlite)!);
    const held = Array.from({ length: Math.min(count, pages - first) }, (_, at) => first + at);
    const wrong = known && sumsOf(sqlite, held).findIndex((sum, at) => sum !== known[first + at]);
    if (wrong !== undefined && wrong !== -1)
      throw Object.assign(new Error(`page ${1 + first + wrong} is not what was written`), { code: "SQLITE_CORRUPT" });
    return first + count < pages;
  });
}

/** Work with so many pages of one state, whoever writes meanwhile. */
function within<T>(sqlite: Sqlite, begin: string, work: (pages: number) => T): T {
  sqlite.exec(begin);
  try {
    return work(sqlite.row<[number]>("PRAGMA page_count")![0]);
  } finally {
    sqlite.exec("ROLLBACK");
  }
}

/** The sums of pages by their numbers, of which the first is 0. */
function sumsOf(sqlite: Sqlite, pages: readonly number[]): number[] {
  const sums: number[] = [];
  for (let first = 0; first < pages.length; first += AT_ONCE) {
    const some = pages.slice(first, first + AT_ONCE);
    const [bytes] = sqlite.row<[Buffer]>(READ, JSON.stringify(some))!;
    sums.push(...some.map((_, at) => crc32(bytes.subarray(at * PAGE, (at + 1) * PAGE))));
  }
  return sums;
}

const READ = `SELECT CAST(group_concat(data, '') AS BLOB)
FROM json_each(?) AS wanted CROSS JOIN sqlite_dbpage ON pgno = wanted.value + 1`;

/** The numbers of the pages in a write-ahead log. Some may be left there from before; none, where it is empty already, or the file system lets SQLite have no log. */
function pagesInLog(log: string): readonly number[] {
  const pages = new Set<number>();
  if (!existsSync(log)) return [];
  const file = openSync(log, "r");
  try {
    const number = Buffer.alloc(4);
    for (let at = LOG_HEADER; readSync(file, number, 0, 4, at) === 4; at += PAGE_HEADER + PAGE)
      pages.add(number.readUInt32BE() - 1);
  } finally {
    closeSync(file);
  }
  return [...pages];
}
