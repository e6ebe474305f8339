/** Numbers for the nodes of a dataset, found by 96 bits of hash so that their names take no memory. */
import { textHash } from "../../rdf/text-hash.js";
import { TripleSlots } from "../../rdf/triple-slots.js";

/** A growing list of 32-bit integers, four bytes each. */
export class Integers {
  /** The items, which may be changed, followed by unused room. Reading it creates no view, as `items` does. Valid until the next `push`. */
  room = new Int32Array(1024);
  length = 0;

  push(...values: number[]): void {
    if (this.length + values.length > this.room.length) {
      const grown = new Int32Array(this.length * 2);
      grown.set(this.room);
      this.room = grown;
    }
    for (const value of values) this.room[this.length++] = value;
  }

  /** The items, as a view that is valid until the next `push`. */
  get items(): Int32Array {
    return this.room.subarray(0, this.length);
  }
}

/** Gives equal texts equal numbers, from 0. Among ten million texts, two different ones share a number with a probability of about 10^-15. */
export class NodeNumbers {
  /** The three parts of each text's hash, stored and found like triples. */
  readonly #hashes = new Integers();
  readonly #slots = new TripleSlots(4096);

  get size(): number {
    return this.#hashes.length / 3;
  }

  /** The number of a text; a new text gets the current size. */
  of(text: string): number {
    const { a, b, c } = textHash(text);
    const number = this.#slots.placeOf(this.#hashes.room, this.size, a | 0, b | 0, c | 0);
    if (number === this.size) this.#hashes.push(a, b, c);
    return number;
  }
}
