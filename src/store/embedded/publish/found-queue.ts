/** What new records are found by on its way into the find table: gathered by key, so that a key is written once for many records. */
import type { StoreDatabase } from "../format/database.js";
import { decodeGraph, stored } from "../format/encoding.js";
import { eachFound, encodeFound, FIELDS, POSTING, postingIn, RECORD } from "../format/found.js";
import { mergePostings, removePosting } from "./postings.js";

/** So many entries are gathered before they are written. */
const MOST = 2 ** 21;
/** Fields have numbers below this one. */
const FIELD_COUNT = FIELDS.length;

/** Writes the find table. */
export class FoundQueue {
  readonly #database: StoreDatabase;
  /** Postings of the gathered records, without their fields, as binary strings: those sort fastest. */
  #records: string[] = [];
  /** Where the entries of each of them end. */
  #ends: number[] = [];
  /** The number of each entry's key, times `FIELD_COUNT`, and its field. */
  #entries: number[] = [];
  /** The number of each key, as a binary string, and how many entries it has. */
  #keys = new Map<string, number>();
  #sizes: number[] = [];

  constructor(database: StoreDatabase) {
    this.#database = database;
  }

  get isFull(): boolean {
    return this.#entries.length >= MOST;
  }

  /** Queue what a new record (its number) is found by. */
  add(found: Buffer, number: number): void {
    eachFound(found, (field, start, end) => {
      const key = found.toString("latin1", start, end);
      let of = this.#keys.get(key);
      if (of === undefined) {
        of = this.#sizes.push(0) - 1;
        this.#keys.set(key, of);
      }
      this.#sizes[of]!++;
      this.#entries.push(of * FIELD_COUNT + field);
    });
    this.#records.push(postingIn(found, number).toString("latin1", 0, RECORD));
    this.#ends.push(this.#entries.length);
  }

  /** Remove what a record was found by; not one that is queued. */
  remove(found: Buffer, number: number): void {
    eachFound(found, (field, start, end) => {
      removePosting(this.#database.found!, found.subarray(start, end), postingIn(found, number, field));
    });
  }

  /** Write what differs between what a record was found by and what it is found by. */
  replace(before: Buffer, after: Buffer, number: number): void {
    if (before.equals(after)) return;
    this.remove(before, number);
    this.add(after, number);
  }

  /** Write the queue, and yield after each key. */
  *flush(): Iterable<void> {
    const [keys, { postings, ends }] = [this.#keys, this.#gathered()];
    this.#records = [];
    this.#ends = [];
    this.#entries = [];
    this.#keys = new Map();
    this.#sizes = [];
    for (const key of [...keys.keys()].sort()) {
      const of = keys.get(key)!;
      const own = postings.subarray(of === 0 ? 0 : ends[of - 1]!, ends[of]!);
      mergePostings(this.#database.found!, Buffer.from(key, "latin1"), own);
      yield;
    }
  }

  /** The postings of all keys, each key's in order, and where those of each end. Records are sorted once, for all keys. */
  #gathered(): { postings: Buffer; ends: Uint32Array } {
    const next = new Uint32Array(this.#sizes.length);
    let bytes = 0;
    for (const [of, size] of this.#sizes.entries()) {
      next[of] = bytes;
      bytes += size * POSTING;
    }
    const postings = Buffer.allocUnsafe(bytes);
    const places = new Map(this.#records.map((record, at) => [record, at]));
    const head = Buffer.allocUnsafe(RECORD);
    for (const record of [...this.#records].sort()) {
      head.write(record, "latin1");
      const at = places.get(record)!;
      for (let entry = at === 0 ? 0 : this.#ends[at - 1]!; entry < this.#ends[at]!; entry++) {
        const field = this.#entries[entry]! % FIELD_COUNT;
        const of = (this.#entries[entry]! - field) / FIELD_COUNT;
        const to = next[of]!;
        for (let byte = 0; byte < RECORD; byte++) postings[to + byte] = head[byte]!;
        postings[to + RECORD] = field;
        next[of] = to + POSTING;
      }
    }
    return { postings, ends: next };
  }
}

/** What a stored record is found by, as it is staged: the record is looked through for it. */
export function foundIn(record: Buffer): Buffer {
  const graph = decodeGraph(record, () => undefined);
  return encodeFound(graph, stored.endpoint(record), stored.label(record));
}
