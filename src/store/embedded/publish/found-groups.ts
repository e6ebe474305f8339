/** Search keys gathered over many records, so that each key of the find table is written once. */
import { eachFound, FIELDS, foundIn, POSTING, postingIn, RECORD } from "../format/found.js";

/** Fields have numbers below this one. */
const FIELD_COUNT = FIELDS.length;

/** Keys in their order, and the postings of each in theirs: all in a row, with where each key and its postings end. */
export interface GroupedFound {
  readonly keys: Uint8Array;
  readonly keyEnds: Uint32Array;
  readonly postings: Uint8Array;
  readonly postingEnds: Uint32Array;
}

/** What changes in the find table; what is removed is removed first. */
export interface ChangedFound {
  readonly removed: GroupedFound;
  readonly added: GroupedFound;
}

/** Of records, by their numbers, what they were and what they are, in a row, with where each of these ends. */
interface ChangedRecords {
  readonly records: Uint8Array;
  readonly middles: readonly number[];
  readonly ends: readonly number[];
  readonly numbers: readonly number[];
}

/** What a thread that gathers does. */
export interface FoundTasks {
  add(changed: ChangedRecords): void;
  /** What was gathered since the last time. */
  take(): ChangedFound;
}

/** Gathers what changes in what records are found by. */
export class FoundChanges {
  readonly #removed = new FoundGroups();
  readonly #added = new FoundGroups();

  /** Look through a record (its number) as it was and as it is, stored; empty where there was or is none. */
  add(before: Buffer, after: Buffer, number: number): void {
    const [old, own] = [before, after].map((record) => (record.length === 0 ? undefined : foundIn(record)));
    if (old !== undefined && own !== undefined && old.equals(own)) return;
    if (old !== undefined) this.#removed.add(old, number);
    if (own !== undefined) this.#added.add(own, number);
  }

  /** What was gathered since the last time. */
  take(): ChangedFound {
    return { removed: this.#removed.take(), added: this.#added.take() };
  }
}

/** Gathers what is found, in whatever order the records come. */
class FoundGroups {
  /** Postings of the gathered records, without their fields, as binary strings: those sort fastest. */
  #records: string[] = [];
  /** Where the entries of each of them end. */
  #ends: number[] = [];
  /** The number of each entry's key, times `FIELD_COUNT`, and its field. */
  #entries: number[] = [];
  /** The number of each key, as a binary string, and how many entries it has. */
  #keys = new Map<string, number>();
  #sizes: number[] = [];

  /** Gather what a record (its number) is found by, encoded. */
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

  /** What was gathered since the last time. */
  take(): GroupedFound {
    const sorted = [...this.#keys.keys()].sort();
    const keyEnds = new Uint32Array(sorted.length);
    const postingEnds = new Uint32Array(sorted.length);
    /** Where the next posting of a key, by its number, goes. */
    const next = new Uint32Array(sorted.length);
    let [characters, bytes] = [0, 0];
    for (const [at, key] of sorted.entries()) {
      const of = this.#keys.get(key)!;
      next[of] = bytes;
      characters += key.length;
      bytes += this.#sizes[of]! * POSTING;
      keyEnds[at] = characters;
      postingEnds[at] = bytes;
    }
    const keys = bytesOf(characters);
    keys.write(sorted.join(""), "latin1");
    const postings = this.#postings(next, bytes);
    this.#records = [];
    this.#ends = [];
    this.#entries = [];
    this.#keys = new Map();
    this.#sizes = [];
    return { keys, keyEnds, postings, postingEnds };
  }

  /** All postings. Records are sorted once, for all keys, so that each key's come in order. */
  #postings(next: Uint32Array, bytes: number): Buffer {
    const postings = bytesOf(bytes);
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
    return postings;
  }
}

/** In a buffer of their own: only such can change threads without being copied. */
function bytesOf(length: number): Buffer {
  return Buffer.from(new ArrayBuffer(length));
}
