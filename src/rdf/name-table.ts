/** Numbers for the names that many records share (IRIs of properties, classes and datatypes, language tags), told apart by their bytes. */

/** So many names are numbered; a power of two has twice as many places. */
const MOST = 4_096;
const PLACES = 2 * MOST;

/** Numbers names, without making a text of one that is known. */
export class NameTable {
  readonly #texts: string[] = [];
  readonly #bytes: Uint8Array[] = [];
  /** The number of a name + 1, at the place of its hash or the next that was free; 0 for none. */
  readonly #places = new Uint16Array(PLACES);

  /** The number of the name `bytes[start..end]`, which is UTF-8; -1 for one that comes when the table is full. */
  numberOf(bytes: Buffer, start = 0, end = bytes.length): number {
    let hash = end - start;
    // Names of one vocabulary differ at their ends.
    for (let at = Math.max(start, end - 12); at < end; at++) hash = (Math.imul(hash, 31) + bytes[at]!) | 0;
    let place = (hash ^ (hash >>> 13)) & (PLACES - 1);
    for (; this.#places[place] !== 0; place = (place + 1) & (PLACES - 1)) {
      const number = this.#places[place]! - 1;
      if (isSame(this.#bytes[number]!, bytes, start, end)) return number;
    }
    if (this.#texts.length === MOST) return -1;
    this.#bytes.push(new Uint8Array(bytes.subarray(start, end)));
    this.#places[place] = this.#texts.push(bytes.toString("utf8", start, end));
    return this.#texts.length - 1;
  }

  /** The name of a number. */
  text(number: number): string {
    return this.#texts[number]!;
  }
}

function isSame(known: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  const { length } = known;
  if (length !== end - start) return false;
  for (let at = length - 1; at >= 0; at--) if (known[at] !== bytes[start + at]) return false;
  return true;
}
