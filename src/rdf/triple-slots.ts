/** A hash set of the triples in a list: open addressing with the triples' positions, never more than half full. */
export class TripleSlots {
  /** Positions from 1; 0 in a free slot. */
  #slots: Int32Array;

  /** @param slots the initial number of slots, a power of two */
  constructor(slots: number) {
    this.#slots = new Int32Array(slots);
  }

  /** The position of a triple among the first `count` of `triples`, three numbers each. For a new triple it is `count`, and the caller must put it there. */
  placeOf(triples: ArrayLike<number>, count: number, subject: number, predicate: number, object: number): number {
    if (count * 2 >= this.#slots.length) this.#grow(triples, count);
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hash(subject, predicate, object) & mask;
    for (let held = slots[slot]!; held !== 0; held = slots[slot]!) {
      const at = (held - 1) * 3;
      if (triples[at] === subject && triples[at + 1] === predicate && triples[at + 2] === object) return held - 1;
      slot = (slot + 1) & mask;
    }
    slots[slot] = count + 1;
    return count;
  }

  #grow(triples: ArrayLike<number>, count: number): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (let at = 0; at < count; at++)
      this.placeOf(triples, at, triples[at * 3]!, triples[at * 3 + 1]!, triples[at * 3 + 2]!);
  }
}

function hash(subject: number, predicate: number, object: number): number {
  const mixed = Math.imul(subject, 0x9e3779b1) ^ Math.imul(predicate, 0x85ebca6b) ^ Math.imul(object, 0xc2b2ae35);
  return mixed ^ (mixed >>> 15);
}
