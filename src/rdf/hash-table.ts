/** A hash table of numbers by the hashes of texts, for very many of them. */
import type { TextHash } from "./text-hash.js";

const FIRST_CAPACITY = 1024;
const WORDS = 4;

/** Numbers by the hashes of texts, in 16 bytes each: a `Map` of texts takes five times the memory, and holds no more than 16 million. Open addressing, at most two thirds full. */
export class HashTable {
  /** By default the table is empty. @param slots a text is identified by 95 bits of its hash, so that two of ten million collide with a probability of 10^-15 @param used the number of slots in use, including those whose number is 0 */
  constructor(
    public slots: Uint32Array = new Uint32Array(FIRST_CAPACITY * WORDS),
    public used = 0,
  ) {}

  /** The index in `slots` of a text's number, valid until the next call. A new text has the number 0. */
  indexOf(key: TextHash): number {
    let at = this.#find(key);
    if (this.slots[at + 2] !== 0) return at + 3;
    if (this.used * 3 * WORDS >= this.slots.length * 2) {
      this.#grow();
      at = this.#find(key);
    }
    this.slots[at] = key.a;
    this.slots[at + 1] = key.b;
    this.slots[at + 2] = key.c | 1;
    this.used++;
    return at + 3;
  }

  /** The offset of the key's slot, or of the free slot for it. The third word is odd in every slot in use. */
  #find({ a, b, c }: TextHash): number {
    const slots = this.slots;
    const mask = slots.length / WORDS - 1;
    const third = (c | 1) >>> 0;
    let slot = a & mask;
    for (;;) {
      const at = slot * WORDS;
      if (slots[at + 2] === 0) return at;
      if (slots[at] === a && slots[at + 1] === b && slots[at + 2] === third) return at;
      slot = (slot + 1) & mask;
    }
  }

  /** Double the slots, and free those whose number is 0. */
  #grow(): void {
    const old = this.slots;
    this.slots = new Uint32Array(old.length * 2);
    this.used = 0;
    for (let at = 0; at < old.length; at += WORDS) {
      if (old[at + 3] === 0) continue;
      const index = this.indexOf({ a: old[at]!, b: old[at + 1]!, c: old[at + 2]! });
      this.slots[index] = old[at + 3]!;
    }
  }
}
