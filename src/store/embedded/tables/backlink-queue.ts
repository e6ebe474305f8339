/** A queue of new backlinks, which are sorted before they are written, so that LMDB's pages are visited in order. */
import type { TextHash } from "../../../rdf/text-hash.js";
import type { StoreDatabase } from "../format/database.js";
import { backlinkKey, recordBytes } from "../format/keys.js";
import type { StagedBacklinks } from "../publish/staged-entries.js";

/** The capacity of the queue, at 30 bytes an entry. 32 bits of a hash and a position below this fit into one double (`flush`). */
const MOST = 2 ** 20;

export class BacklinkQueue {
  /** Three numbers for each hash. */
  #hashes = new Uint32Array(3 * 1024);
  #properties = new Uint16Array(1024);
  #records = new Float64Array(1024);
  #length = 0;

  constructor(
    private readonly database: StoreDatabase,
    private readonly most = MOST,
  ) {}

  /** Queue a backlink: the IRI's hash, the property's number and the record's number. If the queue is full, the backlink is written at once. */
  add(hash: TextHash, property: number, record: number): void {
    if (this.#length === this.most) {
      this.database.backlinks.putSync(backlinkKey(hash, property), recordBytes(record));
      return;
    }
    if (this.#length === this.#properties.length) this.#grow();
    const at = this.#length++;
    this.#hashes[3 * at] = hash.a;
    this.#hashes[3 * at + 1] = hash.b;
    this.#hashes[3 * at + 2] = hash.c;
    this.#properties[at] = property;
    this.#records[at] = record;
  }

  /** Queue the backlinks of a new record, given its number. */
  addAll(backlinks: StagedBacklinks, number: number): void {
    for (let at = 0; at < backlinks.length; at++) this.add(backlinks.hash(at), backlinks.property(at), number);
  }

  /** Remove the backlinks of a record from the store. They must not be queued. */
  removeAll(backlinks: StagedBacklinks, number: number): void {
    for (let at = 0; at < backlinks.length; at++) this.#remove(backlinks, at, number);
  }

  /** Replace the backlinks of a record, writing only what differs. */
  replace(before: StagedBacklinks, after: StagedBacklinks, number: number): void {
    // Most replacements change a text and no backlinks.
    if (before.equals(after)) return;
    const kept = after.keys;
    const had = before.keys;
    for (let at = 0; at < before.length; at++) if (!kept.has(before.key(at))) this.#remove(before, at, number);
    for (let at = 0; at < after.length; at++) {
      if (!had.has(after.key(at))) this.add(after.hash(at), after.property(at), number);
    }
  }

  #remove(backlinks: StagedBacklinks, at: number, number: number): void {
    this.database.backlinks.removeSync(backlinkKey(backlinks.hash(at), backlinks.property(at)), recordBytes(number));
  }

  isFullFor(backlinks: number): boolean {
    return this.#length + backlinks > this.most;
  }

  #grow(): void {
    const room = 2 * this.#length;
    const before = [this.#hashes, this.#properties, this.#records] as const;
    const grown = [new Uint32Array(3 * room), new Uint16Array(room), new Float64Array(room)] as const;
    for (const [at, numbers] of before.entries()) grown[at]!.set(numbers);
    [this.#hashes, this.#properties, this.#records] = grown;
  }

  /** Write the queued backlinks, and yield after each. */
  *flush(): Iterable<void> {
    // Doubles sort without a comparator. Each is the first part of a hash, followed by the position in the queue.
    const most = this.most;
    const hashes = this.#hashes;
    const order = new Float64Array(this.#length);
    for (let at = 0; at < order.length; at++) order[at] = hashes[3 * at]! * most + at;
    order.sort();
    this.#length = 0;
    for (const place of order) {
      const at = place % most;
      const hash = { a: hashes[3 * at]!, b: hashes[3 * at + 1]!, c: hashes[3 * at + 2]! };
      this.database.backlinks.putSync(backlinkKey(hash, this.#properties[at]!), recordBytes(this.#records[at]!));
      yield;
    }
  }
}
