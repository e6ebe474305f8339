/** The encoded graph: a record where its store has it. Terms are places in bytes, and become texts only where somebody asks for them. */
import { NameTable } from "./name-table.js";
import type { Json, Nodes } from "./record-graph.js";

/** The kinds of terms in a stored record. `typed` literals have a datatype, `tagged` ones a language. */
export const TERM_KIND = { iri: 0, blank: 1, string: 2, typed: 3, tagged: 4 } as const;

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
