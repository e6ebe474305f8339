/** Reads the postings of the find table's keys in either direction, from any place among them. */
import type { Database } from "lmdb";
import { blockKey, HEADED, isInline, POSTING, postingsCount, RECORD, rankOf } from "../format/found.js";

export type FoundTable = Database<Buffer, Buffer>;

/** A place between records: those behind it come forwards, those ahead of it backwards. */
export type Cut = Buffer;

/** The cut just behind a record, in the direction of a walk. */
export function past(record: Buffer, isBackward: boolean): Cut {
  return isBackward ? record : Buffer.concat([record, BEHIND]);
}

/** The cut just ahead of a record, in the direction of a walk. */
export function upTo(record: Buffer, isBackward: boolean): Cut {
  return past(record, !isBackward);
}

const BEHIND = Buffer.of(0xff);
const [FIRST, LAST] = [Buffer.alloc(POSTING), Buffer.alloc(POSTING, 0xff)];

/** How many postings a key has. */
export function countOf(table: FoundTable, key: Buffer): number {
  const head = table.getBinary(key);
  return head === undefined ? 0 : postingsCount(head);
}

/** The records of a key from a cut on, at most `limit`. */
export function recordNumbers(
  table: FoundTable,
  key: Buffer,
  cut: Cut | undefined,
  isBackward: boolean,
  limit: number,
): Buffer[] {
  const head = table.getBinary(key);
  const records: Buffer[] = [];
  if (head === undefined) return records;
  if (isInline(head)) {
    collect(head, cut, isBackward, limit, records);
    return records;
  }
  // What was removed may have left few in a block.
  for (const block of blocksFrom(table, key, cut, isBackward)) {
    collect(block, cut, isBackward, limit, records);
    if (records.length >= limit) break;
  }
  return records;
}

function blocksFrom(table: FoundTable, key: Buffer, cut: Cut | undefined, isBackward: boolean): Iterable<Buffer> {
  const [first, last] = [blockKey(key, FIRST), blockKey(key, LAST)];
  const near = cut === undefined ? undefined : blockKey(key, cut);
  if (isBackward) {
    return table.getRange({ start: near ?? last, end: key, reverse: true }).map(({ value }) => value);
  }
  const [before] = near === undefined ? [] : [...table.getKeys({ start: near, end: key, reverse: true, limit: 1 })];
  const start = before !== undefined && before.length > key.length + HEADED ? before : first;
  return table.getRange({ start, end: last }).map(({ value }) => value);
}

function collect(postings: Buffer, cut: Cut | undefined, isBackward: boolean, limit: number, into: Buffer[]): void {
  const count = postings.length / POSTING;
  const start = cut === undefined ? (isBackward ? count : 0) : rankOf(postings, cut);
  const record = (at: number): Buffer => Buffer.from(postings.subarray(at * POSTING, at * POSTING + RECORD));
  if (isBackward) for (let at = start - 1; at >= 0 && into.length < limit; at--) into.push(record(at));
  else for (let at = start; at < count && into.length < limit; at++) into.push(record(at));
}

/** The records of some keys together, in order, met one after the other: what is ahead is read a part at a time. */
export class RecordList {
  #ahead: Buffer[][];
  #part = 8;

  constructor(
    readonly table: FoundTable,
    readonly keys: readonly Buffer[],
    readonly isBackward: boolean,
  ) {
    this.#ahead = keys.map(() => []);
  }

  get count(): number {
    return this.keys.reduce((sum, key) => sum + countOf(this.table, key), 0);
  }

  /** The first record from a cut on; cuts may only go on. */
  from(cut: Cut | undefined): Buffer | undefined {
    let best: Buffer | undefined;
    for (const [at, key] of this.keys.entries()) {
      const ahead = this.#ahead[at]!;
      while (ahead.length > 0 && !this.#isPast(ahead.at(-1)!, cut)) ahead.pop();
      if (ahead.length === 0) {
        this.#part = Math.min(256, this.#part * 2);
        // The next one lies at the end, where it is taken away fastest.
        ahead.push(...recordNumbers(this.table, key, cut, this.isBackward, this.#part).reverse());
      }
      const next = ahead.at(-1);
      if (next !== undefined && (best === undefined || isBefore(next, best, this.isBackward))) best = next;
    }
    return best;
  }

  #isPast(record: Buffer, cut: Cut | undefined): boolean {
    if (cut === undefined) return true;
    return this.isBackward ? record.compare(cut) < 0 : record.compare(cut) >= 0;
  }
}

/** Whether bytes come before others in the direction of a walk. */
export function isBefore(a: Buffer, b: Buffer, isBackward: boolean): boolean {
  return isBackward ? a.compare(b) > 0 : a.compare(b) < 0;
}
