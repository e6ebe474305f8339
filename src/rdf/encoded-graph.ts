/** The encoded graph: a record read in its stored form. Terms are ranges of bytes and are decoded only when they are used. */
import { viewOf } from "../base/byte-view.js";
import type { Json, Nodes } from "./record-graph.js";

/** The kinds of terms in a stored record. `typed` literals have a datatype, `tagged` ones a language. */
export const TERM_KIND = { iri: 0, blank: 1, string: 2, typed: 3, tagged: 4 } as const;

/** The maximum number of names. The hash table has twice as many slots, a power of two. */
const MAX_NAMES = 4_096;
const SLOTS = 2 * MAX_NAMES;
/** The longest name that gets a number, in bytes: records hardly ever share longer ones. */
const MAX_NAME_BYTES = 256;

/** Numbers the names that many records share: IRIs of properties, classes and datatypes, language tags. A known name is found by its bytes, without a string. */
export class NameTable {
  readonly #texts: string[] = [];
  /** The bytes of all names, one after another. */
  #bytes = new DataView(new ArrayBuffer(16_384));
  readonly #ends = new Int32Array(MAX_NAMES + 1);
  /** A hash table with linear probing: a name's number + 1, or 0 in a free slot. */
  readonly #slots = new Uint16Array(SLOTS);

  /** The number of the name `bytes[start..end]` in UTF-8. -1 for a new name that is too long, or for any new name when the table is full. */
  numberOf(bytes: Buffer, start = 0, end = bytes.length): number {
    const view = viewOf(bytes);
    let hash = end - start;
    // Hash the last 8 bytes: names of one vocabulary differ at their ends.
    if (hash >= 8) {
      hash = Math.imul(hash ^ view.getInt32(end - 4), 0x85ebca6b);
      hash = Math.imul((hash ^ (hash >>> 13)) + view.getInt32(end - 8), 0xc2b2ae35);
    } else for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + view.getUint8(at)) | 0;
    let place = (hash ^ (hash >>> 15)) & (SLOTS - 1);
    for (; this.#slots[place] !== 0; place = (place + 1) & (SLOTS - 1)) {
      const number = this.#slots[place]! - 1;
      if (this.#isAt(this.#ends[number]!, this.#ends[number + 1]!, view, start, end)) return number;
    }
    if (this.#texts.length === MAX_NAMES || end - start > MAX_NAME_BYTES) return -1;
    this.#slots[place] = this.#add(bytes.subarray(start, end));
    return this.#texts.length - 1;
  }

  text(number: number): string {
    return this.#texts[number]!;
  }

  #isAt(from: number, to: number, view: DataView, start: number, end: number): boolean {
    if (to - from !== end - start) return false;
    const known = this.#bytes;
    let [at, place] = [end, to];
    for (; place >= from + 4; place -= 4, at -= 4)
      if (known.getInt32(place - 4) !== view.getInt32(at - 4)) return false;
    for (; place > from; place--, at--) if (known.getUint8(place - 1) !== view.getUint8(at - 1)) return false;
    return true;
  }

  #add(name: Buffer): number {
    const start = this.#ends[this.#texts.length]!;
    let bytes = new Uint8Array(this.#bytes.buffer);
    if (start + name.length > bytes.length) {
      const larger = new Uint8Array(2 * bytes.length);
      larger.set(bytes);
      bytes = larger;
      this.#bytes = new DataView(larger.buffer);
    }
    bytes.set(name, start);
    this.#ends[this.#texts.length + 1] = start + name.length;
    return this.#texts.push(name.toString("utf8"));
  }
}

/** The names in all records that this process reads. */
export const RECORD_NAMES = new NameTable();

/** The largest record, in triples, whose memory is kept for the next record. */
const MOST_KEPT = 100_000;

/** The columns of a stored record. One object is refilled for each record, so its readers must not await anything, and must finish before the store is used again. Term 0 is the record's IRI. Term numbers, triples and their order are those of `RecordGraph`. */
export class EncodedGraph implements Nodes {
  readonly root = 0;
  bytes: Buffer = Buffer.alloc(0);
  isAscii = true;
  context: Json | undefined;
  termCount = 0;
  tripleCount = 0;
  /** The number of texts: those of the terms come first, then those of datatypes and languages. */
  end = 0;
  kinds = new Uint8Array(0);
  /** The datatype or language of each typed or tagged literal, as the number of its text. */
  tags = new Uint32Array(0);
  /** The offset of each text; it ends where the next one begins. */
  starts = new Uint32Array(0);
  /** Subject, predicate and object numbers, three to a triple. */
  triples = new Uint32Array(0);
  /** The triples by subject, as in `SubjectIndex`. */
  first = new Int32Array(0);
  next = new Int32Array(0);
  /** How often each term is an object. */
  mentions = new Uint32Array(0);
  /** Each text's number in `RECORD_NAMES`: -1 for none, -2 if not looked up yet. */
  #names = new Int32Array(0);

  /** Make room for a record with this many terms and triples. It has at most as many datatypes and languages as terms. */
  begin(terms: number, triples: number): void {
    // The memory of a large record is released at the next small one.
    const isTooMuch = this.next.length > MOST_KEPT && triples < MOST_KEPT;
    if (2 * terms >= this.kinds.length || isTooMuch) {
      const room = 4 * terms + 1_024;
      [this.kinds, this.tags, this.starts] = [new Uint8Array(room), new Uint32Array(room), new Uint32Array(room)];
      [this.first, this.mentions, this.#names] = [new Int32Array(room), new Uint32Array(room), new Int32Array(room)];
    }
    if (triples > this.next.length || isTooMuch) {
      this.next = new Int32Array(2 * triples);
      this.triples = new Uint32Array(6 * triples);
    }
    this.termCount = terms;
    this.tripleCount = triples;
  }

  /** Index the triples by subject and count mentions, once the columns are filled. */
  index(): void {
    const { triples, first, next, mentions, end } = this;
    for (let number = 0; number < end; number++) {
      this.#names[number] = -2;
      first[number] = -1;
      mentions[number] = 0;
    }
    for (let triple = this.tripleCount - 1; triple >= 0; triple--) {
      const subject = triples[triple * 3]!;
      next[triple] = first[subject]!;
      first[subject] = triple;
      mentions[triples[triple * 3 + 2]!]!++;
    }
  }

  isIri(term: number): boolean {
    return this.kinds[term] === TERM_KIND.iri;
  }

  /** The text of a term, or of a datatype or language, whose numbers follow those of the terms. */
  value(term: number): string {
    return this.bytes.toString(this.isAscii ? "latin1" : "utf8", this.starts[term], this.starts[term + 1]);
  }

  /** The number in `RECORD_NAMES` of a predicate, class, datatype or language. -1 if it has none. */
  nameNumber(term: number): number {
    const known = this.#names[term]!;
    if (known !== -2) return known;
    const number = RECORD_NAMES.numberOf(this.bytes, this.starts[term]!, this.starts[term + 1]!);
    this.#names[term] = number;
    return number;
  }

  name(term: number): string {
    const number = this.nameNumber(term);
    return number === -1 ? this.value(term) : RECORD_NAMES.text(number);
  }
}
