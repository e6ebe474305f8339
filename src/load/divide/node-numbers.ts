/** Numbers for the nodes of a dataset, by 96 bits of hash: what a node is called takes no memory. */
import { textHash } from "../../rdf/text-hash.js";
import { TripleSlots } from "../../rdf/triple-slots.js";
import { Integers } from "./integers.js";

/** Gives equal texts equal numbers, from 0; two different texts of ten million meet in one of 10^14 datasets. */
export class NodeNumbers {
  /** The three parts of each text's hash, which are found as triples are. */
  readonly #hashes = new Integers();
  readonly #slots = new TripleSlots(4096);

  get size(): number {
    return this.#hashes.length / 3;
  }

  /** The number of a text; a new one is the size before. */
  of(text: string): number {
    const { a, b, c } = textHash(text);
    const number = this.#slots.placeOf(this.#hashes.room, this.size, a | 0, b | 0, c | 0);
    if (number === this.size) this.#hashes.push(a, b, c);
    return number;
  }
}
