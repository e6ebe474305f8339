/** Numbers for the nodes of a dataset, by 96 bits of hash: what a node is called takes no memory. */
import { textHash } from "../../rdf/text-hash.js";
import { Integers } from "./integers.js";

/** Gives equal texts equal numbers, from 0; two different texts of ten million meet in one of 10^14 datasets. */
export class NodeNumbers {
  readonly #hashes = [new Integers(), new Integers(), new Integers()] as const;
  /** Numbers from 1, by the first hash; 0 where there is none. */
  #slots = new Int32Array(4096);

  get size(): number {
    return this.#hashes[0].length;
  }

  /** The number of a text; a new one is the size before. */
  of(text: string): number {
    const { a, b, c } = textHash(text);
    return this.#number(a | 0, b | 0, c | 0);
  }

  #number(one: number, two: number, three: number): number {
    const [ones, twos, threes] = this.#hashes;
    const mask = this.#slots.length - 1;
    let slot = one & mask;
    for (let held = this.#slots[slot]!; held !== 0; held = this.#slots[slot]!) {
      if (ones.at(held - 1) === one && twos.at(held - 1) === two && threes.at(held - 1) === three) return held - 1;
      slot = (slot + 1) & mask;
    }
    const number = this.size;
    ones.push(one);
    twos.push(two);
    threes.push(three);
    this.#slots[slot] = number + 1;
    if (this.size * 2 > this.#slots.length) this.#grow();
    return number;
  }

  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let number = 0; number < this.size; number++) {
      let slot = this.#hashes[0].at(number) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
  }
}
