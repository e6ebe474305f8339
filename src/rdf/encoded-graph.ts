/** The encoded graph: a record where its store has it. Terms are places in bytes, and become texts only where somebody asks for them. */
import type { Json, Nodes } from "./record-graph.js";

/** The kinds of terms in a stored record. `typed` literals have a datatype, `tagged` ones a language. */
export const TERM_KIND = { iri: 0, blank: 1, string: 2, typed: 3, tagged: 4 } as const;

/** The most names that are numbered. There are twice as many places, a power of two. */
const MOST = 4_096;
const PLACES = 2 * MOST;
/** The longest name that is numbered: records hardly share longer ones. */
const LONGEST = 256;

/**
 * Gives numbers to the names that many records share (IRIs of properties, classes and datatypes, language tags). A known name is found by
 * its bytes: no text is made of it.
 */
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

/** The names of all records that this process reads. */
export const RECORD_NAMES = new NameTable();

/** The most triples for which memory is kept from one record to the next. */
const MOST_KEPT = 100_000;

/**
 * The columns of a stored record. One object serves all records and is filled anew for each, so its readers never wait, and end before
 * the store is asked for anything else. Term 0 is the record's IRI. Term numbers, triples and order are those of `RecordGraph`.
 */
export class EncodedGraph implements Nodes {
  readonly root = 0;
  bytes: Buffer = Buffer.alloc(0);
  isAscii = true;
  context: Json | undefined;
  termCount = 0;
  tripleCount = 0;
  /** How many texts there are: those of terms, then those of datatypes and languages. */
  end = 0;
  kinds = new Uint8Array(0);
  /** The datatype or language of each typed or tagged literal, as its number among them. */
  tags = new Uint32Array(0);
  /** Where each text begins, which ends where the next one does. */
  starts = new Uint32Array(0);
  /** Subject, predicate and object numbers, three to a triple. */
  triples = new Uint32Array(0);
  /** The triples by subject, as in `SubjectIndex`. */
  first = new Int32Array(0);
  next = new Int32Array(0);
  /** How often each term is an object. */
  mentions = new Uint32Array(0);
  /** The number of each term's name, -1 for one that has none, -2 where nobody has asked. */
  #names = new Int32Array(0);

  /** Make room for a record of so many terms, with as many datatypes and languages, and triples. */
  begin(terms: number, triples: number): void {
    // Memory that a large record took is given back with the next small one.
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

  /** The text of a term, or of a datatype or language, which are numbered behind the terms. */
  value(term: number): string {
    return this.bytes.toString(this.isAscii ? "latin1" : "utf8", this.starts[term], this.starts[term + 1]);
  }

  /** The number of a name that many records share: a predicate, class, datatype or language. -1 for one too many. */
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
