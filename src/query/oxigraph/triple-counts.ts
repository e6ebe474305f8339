/** Counts of the records that state each triple: a hash table of 16 bytes an entry, since there are millions. */
import type { TextHash } from "../../rdf/text-hash.js";

const FIRST_CAPACITY = 1024;
const WORDS = 4;

/** Counts by triple, each known by 95 bits of its hash, so that two of ten million are taken for one with a probability of 10^-15; open addressing, never more than two thirds full. */
export class TripleCounts {
  #slots: Uint32Array;
  /** Slots in use, those counted down to 0 included. */
  #used: number;

  /** @param slots those of a table before, and how many of them are `used`; without them the table is empty */
  constructor(slots: Uint32Array = new Uint32Array(FIRST_CAPACITY * WORDS), used = 0) {
    this.#slots = slots;
    this.#used = used;
  }

  /** The table as it is, for another to be made from. */
  get parts(): { readonly counts: Uint32Array; readonly used: number } {
    return { counts: this.#slots, used: this.#used };
  }

  /** Count one more statement; how many there are then. */
  add(key: TextHash): number {
    const at = this.#find(this.#slots, key);
    if (this.#slots[at + 3] === 0 && this.#slots[at + 2] === 0) {
      this.#write(this.#slots, at, key, 1);
      this.#used++;
      if (this.#used * 3 * WORDS > this.#slots.length * 2) this.#grow();
      return 1;
    }
    return ++this.#slots[at + 3]!;
  }

  /** Count one statement less; how many there are then. One that was never added is an error of the caller's. */
  remove(key: TextHash): number {
    const at = this.#find(this.#slots, key) + 3;
    if (this.#slots[at] === 0) throw new Error("a triple was to be taken away that no record states");
    return --this.#slots[at]!;
  }

  /** Where the key is, or the free slot where it would be. The third word is odd in every slot in use. */
  #find(slots: Uint32Array, { a, b, c }: TextHash): number {
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

  #write(slots: Uint32Array, at: number, { a, b, c }: TextHash, count: number): void {
    slots[at] = a;
    slots[at + 1] = b;
    slots[at + 2] = c | 1;
    slots[at + 3] = count;
  }

  #grow(): void {
    const old = this.#slots;
    const slots = new Uint32Array(old.length * 2);
    this.#used = 0;
    for (let at = 0; at < old.length; at += WORDS) {
      if (old[at + 3] === 0) continue;
      const key = { a: old[at]!, b: old[at + 1]!, c: old[at + 2]! };
      this.#write(slots, this.#find(slots, key), key, old[at + 3]!);
      this.#used++;
    }
    this.#slots = slots;
  }
}
