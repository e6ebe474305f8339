/** A cache from a term's bytes, as they stand in the input, to the term: most terms of a dump repeat. */
import type { Term } from "../terms.js";

const SLOTS = 1 << 14;
/** Longer tokens are hardly ever repeated and would only fill memory. */
const LONGEST = 256;

/** Direct-mapped: a term gives way to the next one of the same slot, so memory stays bounded. */
export class TermCache {
  /** Each slot's token, a character a byte. */
  readonly #tokens: string[] = new Array<string>(SLOTS).fill("");
  readonly #terms: (Term | undefined)[] = new Array<Term | undefined>(SLOTS).fill(undefined);

  /** The term of the token `bytes[start..end]`, made by `make` when the cache lacks it. */
  get(bytes: Buffer, start: number, end: number, make: (start: number, end: number) => Term): Term {
    const length = end - start;
    if (length > LONGEST) return make(start, end);
    let hash = length;
    for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + bytes[at]!) | 0;
    const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
    const token = this.#tokens[slot]!;
    if (token.length === length && isTextOf(token, bytes, start)) return this.#terms[slot]!;
    const term = make(start, end);
    this.#tokens[slot] = bytes.toString("latin1", start, end);
    this.#terms[slot] = term;
    return term;
  }
}

function isTextOf(token: string, bytes: Buffer, start: number): boolean {
  for (let index = token.length - 1; index >= 0; index--) {
    if (token.charCodeAt(index) !== bytes[start + index]) return false;
  }
  return true;
}
