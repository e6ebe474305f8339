/**
 * Checksums of the pages of a search index, in a file beside it. SQLite has none: it accepts a text with a flipped bit, and
 * npm's libsql ends the process if the text is not UTF-8. Pages are read through SQLite, which knows the newer ones in its write-ahead
 * log. A process that opened the file itself would lose SQLite's locks on closing it (POSIX), and others would then remove that log.
 */
import { closeSync, existsSync, openSync, readFileSync, readSync } from "node:fs";
import { crc32 } from "node:zlib";
import { replaceFileNow } from "../base/whole-file.js";
import { indexStateOf } from "./schema.js";
import { LOG, type Sqlite, SUMS } from "./sqlite.js";

/** Bytes of a page (SQLite's default), and pages that are read at once: one by one takes twice as long. */
const PAGE = 4_096;
const AT_ONCE = 64;
/** Bytes at the start of a write-ahead log, and before each of its pages, where the page's number comes first (SQLite, Database File Format, 4.1). */
const LOG_HEADER = 32;
const PAGE_HEADER = 24;
/** Bytes of the number after the sums, which says what state of the index they belong to. */
const STATE = 8;

/** The checksums of an index's pages in a state; `undefined` if they are not known. */
export function knownSums({ path }: Pick<Sqlite, "path">, state: number): Uint32Array | undefined {
  const bytes = existsSync(path + SUMS) ? readFileSync(path + SUMS) : Buffer.alloc(0);
  const end = bytes.length - STATE;
  if (end < 0 || end % 4 > 0 || bytes.readDoubleLE(end) !== state) return undefined;
  return new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + end));
}

/** Write the checksums of an index's pages in a state; if the index has another state, its writer does so. Throws SQLite's errors. @param before the sums of the state before, which still hold for pages that are not in the write-ahead log. Without it, all pages are read */
export function writeSums(sqlite: Sqlite, state: number, before?: Uint32Array): void {
  const write = (): void => {
    if (indexStateOf(sqlite)?.state !== state) return;
    const pages = pageCount(sqlite);
    const sums = new Uint32Array(pages);
    const changed = pagesInLog(sqlite.path + LOG).filter((page) => page < pages);
    const isKnown = before !== undefined && changed.length > 0;
    if (isKnown) sums.set(before.subarray(0, pages));
    const read = isKnown ? changed : [...sums.keys()];
    for (const [at, sum] of sumsOf(sqlite, read).entries()) sums[read[at]!] = sum;
    const end = Buffer.alloc(STATE);
    end.writeDoubleLE(state);
    replaceFileNow(sqlite.path + SUMS, Buffer.concat([Buffer.from(sums.buffer), end]));
  };
  sqlite.atOnce(write, "BEGIN IMMEDIATE");
}

/** Check the pages of an index, `count` at a time, against their checksums, which are written if not known. Throws SQLite's errors. */
export function* checkSums(sqlite: Sqlite, count: number): Generator<undefined> {
  const before = indexStateOf(sqlite)!.state;
  if (knownSums(sqlite, before) === undefined) writeSums(sqlite, before);
  let known: Uint32Array | undefined;
  let knownState: number | undefined;
  for (let first = 0, pages = 1; first < pages; first += count) {
    if (first > 0) yield;
    sqlite.atOnce(() => {
      const { state } = indexStateOf(sqlite)!;
      // Another process may write to the index between two turns.
      if (state !== knownState) known = knownSums(sqlite, state);
      knownState = state;
      pages = pageCount(sqlite);
      const checked = Array.from({ length: Math.max(0, Math.min(count, pages - first)) }, (_, at) => first + at);
      const wrong = known && sumsOf(sqlite, checked).findIndex((sum, at) => sum !== known![first + at]);
      if (wrong !== undefined && wrong !== -1)
        throw Object.assign(new Error(`page ${1 + first + wrong} is not what was written`), { code: "SQLITE_CORRUPT" });
    });
  }
}

function pageCount(sqlite: Sqlite): number {
  return sqlite.row<[number]>("PRAGMA page_count")![0];
}

/** The checksums of pages, given their numbers from 0. */
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

/** The numbers of the pages in a write-ahead log, which may include older ones. Empty if the log has been emptied, or the file system allows no log. */
function pagesInLog(log: string): readonly number[] {
  const pages = new Set<number>();
  if (!existsSync(log)) return [];
  const file = openSync(log, "r");
  using _ = { [Symbol.dispose]: () => closeSync(file) };
  const number = Buffer.alloc(4);
  for (let at = LOG_HEADER; readSync(file, number, 0, 4, at) === 4; at += PAGE_HEADER + PAGE)
    pages.add(number.readUInt32BE() - 1);
  return [...pages];
}
