/** The numbers of very many IRIs, by their hashes. A `Map` of strings would take five times the memory, and holds no more than 16 million. */
import { textHash } from "../rdf/text-hash.js";

/** The fields of a slot: three for the 96 bits of a hash, and one for a number, which is 0 if the slot is free. */
const FIELDS = 4;
const SLOTS = 2 ** 16;

/** An open hash table; a new IRI takes the first free slot after the one of its hash. */
export class IriTable {
  #slots = new Uint32Array(FIELDS * SLOTS);
  #size = 0;

  /** The number of an IRI. A new one gets `next`. @param next from 1 to 2^32 - 1 */
  numberOf(iri: string, next: number): number {
    if (2 * FIELDS * this.#size > this.#slots.length) this.#grow();
    const { a, b, c } = textHash(iri);
    const number = put(this.#slots, a, b, c, next);
    if (number === next) this.#size++;
    return number;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(2 * before.length);
    for (let at = 0; at < before.length; at += FIELDS) {
      const number = before[at + 3]!;
      if (number !== 0) put(this.#slots, before[at]!, before[at + 1]!, before[at + 2]!, number);
    }
  }
}

/** Put a hash with a number into the slots, unless it is there. Returns its number. */
function put(slots: Uint32Array, a: number, b: number, c: number, number: number): number {
  // The number of slots is a power of two.
  const last = slots.length / FIELDS - 1;
  let slot = a & last;
  let at = FIELDS * slot;
  while (slots[at + 3] !== 0) {
    if (slots[at] === a && slots[at + 1] === b && slots[at + 2] === c) return slots[at + 3]!;
    slot = (slot + 1) & last;
    at = FIELDS * slot;
  }
  slots[at] = a;
  slots[at + 1] = b;
  slots[at + 2] = c;
  slots[at + 3] = number;
  return number;
}
