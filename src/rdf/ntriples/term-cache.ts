/** A cache from a term's bytes, as they stand in the input, to the term: most terms of a dump repeat. */
import type { Term } from "../terms.js";

const SLOTS = 1 << 14;
/** Longer tokens are hardly ever repeated and would only fill memory; a byte has their length. */
const LONGEST = 255;

/** Direct-mapped: a term gives way to the next one of the same slot, so memory stays bounded. */
export class TermCache {
  /** Each slot's token, whose length is 0 where there is none. */
  readonly #tokens = new Uint8Array(SLOTS * LONGEST);
  readonly #lengths = new Uint8Array(SLOTS);
  readonly #terms: (Term | undefined)[] = new Array<Term | undefined>(SLOTS).fill(undefined);

  /** The term of the token `bytes[start..end]`, made by `make` when the cache lacks it. */
  get(bytes: Buffer, start: number, end: number, make: (start: number, end: number) => Term): Term {
    const length = end - start;
    if (length > LONGEST) return make(start, end);
    let hash = length;
    // Four at a time, the last four perhaps once more.
    for (let at = start; at < end; at += 4) hash = Math.imul(hash ^ wordAt(bytes, Math.min(at, end - 4)), 0x9e3779b1);
    const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
    if (this.#lengths[slot] === length && this.#isAt(slot * LONGEST, bytes, start, end)) return this.#terms[slot]!;
    const term = make(start, end);
    bytes.copy(this.#tokens, slot * LONGEST, start, end);
    this.#lengths[slot] = length;
    this.#terms[slot] = term;
    return term;
  }

  #isAt(from: number, bytes: Buffer, start: number, end: number): boolean {
    const tokens = this.#tokens;
    for (let at = end - 1, token = from + at - start; at >= start; at--, token--)
      if (tokens[token] !== bytes[at]) return false;
    return true;
  }
}

function wordAt(bytes: Buffer, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}
