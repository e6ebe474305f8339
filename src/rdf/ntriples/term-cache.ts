/** A cache of terms by their bytes in the input, since most terms of a dump repeat. It is direct-mapped, so its memory is bounded. */
import type { Term } from "../terms.js";

const SLOTS = 1 << 14;
/** The longest cached token, in bytes: its length fits one byte. Longer tokens are hardly ever repeated and would only fill memory. */
const MAX_TOKEN = 255;

export class TermCache {
  /** Each slot's token; its length is 0 in a free slot. */
  readonly #tokens = new Uint8Array(SLOTS * MAX_TOKEN);
  readonly #lengths = new Uint8Array(SLOTS);
  readonly #terms: (Term | undefined)[] = new Array<Term | undefined>(SLOTS).fill(undefined);

  /** The term of the token `bytes[start..end]`, created by `make` if it is not cached. */
  get(bytes: Buffer, start: number, end: number, make: (start: number, end: number) => Term): Term {
    const length = end - start;
    if (length > MAX_TOKEN) return make(start, end);
    let hash = length;
    // Four bytes at a time; the last four may overlap those before.
    for (let at = start; at < end; at += 4) hash = Math.imul(hash ^ wordAt(bytes, Math.min(at, end - 4)), 0x9e3779b1);
    const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
    if (this.#lengths[slot] === length && this.#isAt(slot * MAX_TOKEN, bytes, start, end)) return this.#terms[slot]!;
    const term = make(start, end);
    bytes.copy(this.#tokens, slot * MAX_TOKEN, start, end);
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
