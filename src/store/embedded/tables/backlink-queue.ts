/** A queue of new backlinks, which are sorted before they are written, so that LMDB's pages are visited in order. */
import { PAGES_AT_ONCE, type StoreDatabase } from "../format/database.js";
import { BACKLINK, recordBytes } from "../format/keys.js";
import type { StagedBacklinks } from "../publish/staged-entries.js";

/** The capacity of the queue, at 30 bytes an entry. 32 bits of a hash and a position below this fit into one double (`flush`). */
const MOST = 2 ** 20;

export class BacklinkQueue {
  #keys = Buffer.allocUnsafe(1024 * BACKLINK);
  #records = new Float64Array(1024);
  #length = 0;

  constructor(
    private readonly database: StoreDatabase,
    private readonly most = MOST,
  ) {}

  /** Queue the backlinks of a record, given its number. Those for which the queue has no room are written at once. */
  addAll(backlinks: StagedBacklinks, number: number): void {
    const end = Math.min(this.most, this.#length + backlinks.length);
    if (end > this.#records.length) this.#grow(end);
    const queued = end - this.#length;
    backlinks.bytes.copy(this.#keys, this.#length * BACKLINK, 0, queued * BACKLINK);
    this.#records.fill(number, this.#length, end);
    this.#length = end;
    if (queued === backlinks.length) return;
    for (const key of backlinks.keys.slice(queued)) this.database.backlinks.putSync(key, recordBytes(number));
  }

  /** Remove the backlinks of a record from the store. They must not be queued. */
  removeAll({ keys }: StagedBacklinks, number: number): void {
    for (const key of keys) this.database.backlinks.removeSync(key, recordBytes(number));
  }

  /** Replace the backlinks of a record, writing only what differs. */
  replace(before: StagedBacklinks, after: StagedBacklinks, number: number): void {
    // Most replacements change a text and no backlinks.
    if (before.bytes.equals(after.bytes)) return;
    this.removeAll(before.without(after), number);
    this.addAll(after.without(before), number);
  }

  isFullFor(backlinks: number): boolean {
    return this.#length + backlinks > this.most;
  }

  #grow(needed: number): void {
    const room = Math.max(needed, 2 * this.#records.length);
    this.#keys = Buffer.concat([this.#keys], room * BACKLINK);
    const records = new Float64Array(room);
    records.set(this.#records);
    this.#records = records;
  }

  /** Write the queued backlinks, with a `pause` after as many as may be on `PAGES_AT_ONCE` pages. */
  async flush(pause: () => Promise<void>): Promise<void> {
    // Doubles sort without a comparator. Each is the first part of a hash, followed by the position in the queue.
    const most = this.most;
    const keys = this.#keys;
    const order = new Float64Array(this.#length);
    for (let at = 0; at < order.length; at++) order[at] = keys.readUInt32BE(at * BACKLINK) * most + at;
    order.sort();
    this.#length = 0;
    for (let written = 0; written < order.length; written++) {
      const at = order[written]! % most;
      const key = keys.subarray(at * BACKLINK, (at + 1) * BACKLINK);
      this.database.backlinks.putSync(key, recordBytes(this.#records[at]!));
      if (written % PAGES_AT_ONCE === PAGES_AT_ONCE - 1) await pause();
    }
  }
}
