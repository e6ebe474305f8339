/** New mentions on their way into the store: sorted before they are written, so that LMDB's pages are visited in order. */
import type { StoreDatabase } from "../format/database.js";
import { mentionKey } from "../format/keys.js";

/** So many are sorted together, in 26 bytes each; a power of two, as places are told from hashes by it. */
const MOST = 2 ** 20;

export class MentionQueue {
  readonly #database: StoreDatabase;
  readonly #most: number;
  #hashes = new Float64Array(1024);
  #properties = new Uint16Array(1024);
  #records = new Float64Array(1024);
  #length = 0;

  constructor(database: StoreDatabase, most = MOST) {
    this.#database = database;
    this.#most = most;
  }

  /** Queue the mention of an IRI (its hash) by a record (its number) under a property's number; a full queue writes it. */
  add(hash: number, property: number, record: number): void {
    if (this.#length === this.#most) {
      this.#database.mentions.putSync(mentionKey(hash, property, record), NOTHING);
      return;
    }
    if (this.#length === this.#hashes.length) this.#grow();
    this.#hashes[this.#length] = hash;
    this.#properties[this.#length] = property;
    this.#records[this.#length] = record;
    this.#length++;
  }

  /** Whether the queue has no room for so many more. */
  isFullFor(mentions: number): boolean {
    return this.#length + mentions > this.#most;
  }

  #grow(): void {
    const room = 2 * this.#length;
    const grown = <Numbers extends Float64Array | Uint16Array>(numbers: Numbers, into: Numbers): Numbers => {
      into.set(numbers);
      return into;
    };
    this.#hashes = grown(this.#hashes, new Float64Array(room));
    this.#properties = grown(this.#properties, new Uint16Array(room));
    this.#records = grown(this.#records, new Float64Array(room));
  }

  /** Write the queued mentions, and yield after each. */
  *flush(): Iterable<void> {
    // Doubles sort without a comparator: the hash's upper bits lead, the place in the queue follows.
    const most = this.#most;
    const order = new Float64Array(this.#length);
    for (let at = 0; at < order.length; at++) order[at] = Math.floor(this.#hashes[at]! / most) * most + at;
    order.sort();
    this.#length = 0;
    for (const place of order) {
      const at = place % most;
      this.#database.mentions.putSync(
        mentionKey(this.#hashes[at]!, this.#properties[at]!, this.#records[at]!),
        NOTHING,
      );
      yield;
    }
  }
}

const NOTHING = Buffer.alloc(0);
