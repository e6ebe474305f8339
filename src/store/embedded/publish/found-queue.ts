/** What new records are found by on its way into the find table: gathered by key, so that a key is written once for many records. */
import type { StoreDatabase } from "../format/database.js";
import { decodeGraph, endpointNumber, stored } from "../format/encoding.js";
import {
  eachFound,
  encodeFound,
  FIELDS,
  foundBy,
  foundKey,
  foundScope,
  POSTING,
  posting,
  RECORD,
} from "../format/found.js";
import { mergePostings, removePosting } from "./postings.js";

/** So many entries are gathered before they are written. */
const MOST = 2 ** 19;
/** Fields have numbers below this one. */
const FIELD_COUNT = FIELDS.length;

/** What a record is found by, and where that stands. */
export interface FoundRecord {
  /** As it is staged. */
  readonly found: Buffer;
  /** The endpoint's number. */
  readonly endpoint: number;
  readonly label: string;
}

/** Writes the find table. */
export class FoundQueue {
  readonly #database: StoreDatabase;
  /** Postings of the gathered records, without their fields, as binary strings: those sort fastest. */
  #records: string[] = [];
  /** By key, as a binary string: the place of each record among these, times `FIELD_COUNT`, and the field. */
  #groups = new Map<string, number[]>();
  #length = 0;

  constructor(database: StoreDatabase) {
    this.#database = database;
  }

  get isFull(): boolean {
    return this.#length >= MOST;
  }

  /** Queue what a new record (its number) is found by. */
  add({ found, endpoint, label }: FoundRecord, number: number): void {
    const place = (this.#records.push(posting(label, number).toString("latin1", 0, RECORD)) - 1) * FIELD_COUNT;
    this.#length += eachFound(found, (kind, field, start, end) => {
      const key = String.fromCharCode(foundScope(kind, endpoint)) + found.toString("latin1", start, end);
      const group = this.#groups.get(key);
      if (group === undefined) this.#groups.set(key, [place + field]);
      else group.push(place + field);
    });
  }

  /** Remove what a record was found by; not one that is queued. */
  remove({ found, endpoint, label }: FoundRecord, number: number): void {
    eachFound(found, (kind, field, start, end) => {
      const key = foundKey(kind, endpoint, found.subarray(start, end));
      removePosting(this.#database.found!, key, posting(label, number, field));
    });
  }

  /** Write what differs between what a record was found by and what it is found by. */
  replace(before: FoundRecord, after: FoundRecord, number: number): void {
    const isInPlace = before.endpoint === after.endpoint && posting(before.label, 0).equals(posting(after.label, 0));
    if (isInPlace && before.found.equals(after.found)) return;
    this.remove(before, number);
    this.add(after, number);
  }

  /** Write the queue, and yield after each key. */
  *flush(): Iterable<void> {
    const [records, groups] = [this.#records, this.#groups];
    this.#records = [];
    this.#groups = new Map();
    this.#length = 0;
    // Postings are put in order once, for all keys: their ranks are numbers, which sort without a comparator.
    const sorted = [...records].sort();
    const places = new Map(sorted.map((record, rank) => [record, rank]));
    const ranks = Uint32Array.from(records, (record) => places.get(record)!);
    const all = Buffer.from(sorted.join(""), "latin1");
    for (const key of [...groups.keys()].sort()) {
      const group = Uint32Array.from(groups.get(key)!, (each) => {
        return ranks[Math.floor(each / FIELD_COUNT)]! * FIELD_COUNT + (each % FIELD_COUNT);
      }).sort();
      const postings = Buffer.allocUnsafe(group.length * POSTING);
      for (const [at, each] of group.entries()) {
        const from = Math.floor(each / FIELD_COUNT) * RECORD;
        for (let byte = 0; byte < RECORD; byte++) postings[at * POSTING + byte] = all[from + byte]!;
        postings[at * POSTING + RECORD] = each % FIELD_COUNT;
      }
      mergePostings(this.#database.found!, Buffer.from(key, "latin1"), postings);
      yield;
    }
  }
}

/** What an encoded record is found by. @param found as it is staged; a stored record is looked through for it */
export function foundIn(record: Buffer, found = foundOf(record)): FoundRecord {
  return { found, endpoint: endpointNumber(stored.endpoint(record)), label: stored.label(record) };
}

function foundOf(record: Buffer): Buffer {
  return encodeFound(
    foundBy(
      decodeGraph(record, () => undefined),
      stored.endpoint(record),
    ),
  );
}
