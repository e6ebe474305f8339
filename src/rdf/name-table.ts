/** Numbers for the names that many records share (IRIs of properties, classes and datatypes, language tags), told apart by their bytes. */

/** The most names that are numbered. There are twice as many places, a power of two. */
const MOST = 4_096;
const PLACES = 2 * MOST;
/** The longest name that is numbered: records hardly share longer ones. */
const LONGEST = 256;

/** Gives names numbers. A known name is found by its bytes: no text is made of it. */
export class NameTable {
  readonly #texts: string[] = [];
  /** All names, one behind another, and where each begins and ends. */
  #bytes = new Uint8Array(16_384);
  readonly #ends = new Int32Array(MOST + 1);
  /** The number of a name + 1, at the place of its hash or the next that was free; 0 for none. */
  readonly #places = new Uint16Array(PLACES);

  /** The number of the name `bytes[start..end]`, which is UTF-8; -1 for one that is too long, or comes when the table is full. */
  numberOf(bytes: Buffer, start = 0, end = bytes.length): number {
    let hash = end - start;
    // Names of one vocabulary differ at their ends.
    for (let at = Math.max(start, end - 8); at < end; at++) hash = (Math.imul(hash, 31) + bytes[at]!) | 0;
    let place = (hash ^ (hash >>> 13)) & (PLACES - 1);
    for (; this.#places[place] !== 0; place = (place + 1) & (PLACES - 1)) {
      const number = this.#places[place]! - 1;
      if (this.#isAt(this.#ends[number]!, this.#ends[number + 1]!, bytes, start, end)) return number;
    }
    if (this.#texts.length === MOST || end - start > LONGEST) return -1;
    this.#places[place] = this.#add(bytes.subarray(start, end));
    return this.#texts.length - 1;
  }

  text(number: number): string {
    return this.#texts[number]!;
  }

  #isAt(from: number, to: number, bytes: Uint8Array, start: number, end: number): boolean {
    if (to - from !== end - start) return false;
    const known = this.#bytes;
    let at = end;
    for (let place = to - 1; place >= from; place--) if (known[place] !== bytes[--at]) return false;
    return true;
  }

  #add(name: Buffer): number {
    const start = this.#ends[this.#texts.length]!;
    if (start + name.length > this.#bytes.length) {
      const larger = new Uint8Array(2 * this.#bytes.length);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(name, start);
    this.#ends[this.#texts.length + 1] = start + name.length;
    return this.#texts.push(name.toString("utf8"));
  }
}
