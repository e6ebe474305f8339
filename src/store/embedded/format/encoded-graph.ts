/** The triples of a stored record where they lie: written as lines, and counted, without making terms of them. */
import { RDF } from "../../../rdf/terms.js";
import { type Body, bodyOf, KIND } from "./encoding.js";

/** Longer texts are copied by a call, which shorter ones would not repay. */
const LONG = 24;
/** The record's own IRI is its first term. */
const SELF = 0;
/** What N-Triples escapes, and the letter that does it. */
const ESCAPES = new Uint8Array(128);
for (const [escaped, letter] of ['""', "\\\\", "\nn", "\rr"]) ESCAPES[escaped!.charCodeAt(0)] = letter!.charCodeAt(0);
const BACKSLASH = 0x5c;
const FIXED = {
  less: Buffer.from("<"),
  greater: Buffer.from("> "),
  quote: Buffer.from('"'),
  quoted: Buffer.from('" '),
  space: Buffer.from(" "),
  typed: Buffer.from('"^^<'),
  tagged: Buffer.from('"@'),
  end: Buffer.from(".\n"),
};
const TYPE = Buffer.from(RDF.type);

/** Reads one record after the other; what it gives is of use until the next is read. */
export class EncodedGraph {
  #value: Buffer = Buffer.alloc(0);
  #body!: Body;
  /** Where the text of each term ends in the value, in bytes, and behind them those of datatypes and languages. */
  #ends = new Uint32Array(1_024);
  /** Where a term stands in the output; its end is 0 as long as it was not written. */
  #from = new Uint32Array(1_024);
  #to = new Uint32Array(1_024);
  #times = new Uint32Array(1_024);
  #out: Buffer = Buffer.allocUnsafe(2 ** 16);
  #length = 0;
  #blanks = 0;
  #labels = "";

  /** Read a stored record that was verified. Throws `StoreError` for one of another version. */
  read(value: Buffer): void {
    this.#value = value;
    this.#body = bodyOf(value);
    const { count, heads, strings, textAt, isAscii } = this.#body;
    const texts = count + strings.length;
    if (texts > this.#ends.length) {
      [this.#ends, this.#from, this.#to, this.#times] = Array.from({ length: 4 }, () => new Uint32Array(2 * texts)) as [
        Uint32Array<ArrayBuffer>,
        Uint32Array<ArrayBuffer>,
        Uint32Array<ArrayBuffer>,
        Uint32Array<ArrayBuffer>,
      ];
    }
    let at = textAt;
    for (let text = 0; text < texts; text++) {
      const units = text < count ? heads[text * 3 + 2]! : strings[text - count]!;
      at = isAscii ? at + units : behind(value, at, units);
      this.#ends[text] = at;
    }
  }

  /**
   * The triples as `writeNQuads` writes them, or where they are not `named` as `writeNTriples` does, in UTF-8; `labels` begins those
   * of blank nodes.
   */
  lines(named: boolean, labels: string): Buffer {
    const { count, triples } = this.#body;
    this.#length = 0;
    this.#to.fill(0, 0, count);
    this.#blanks = 0;
    this.#labels = labels;
    // What all lines end with stands once before the first.
    if (named) this.#written(SELF);
    this.#add(FIXED.end);
    const begin = this.#length;
    for (let at = 0; at < triples.length; at += 3) {
      this.#written(triples[at]!);
      this.#written(triples[at + 1]!);
      this.#written(triples[at + 2]!);
      this.#copy(this.#out, 0, begin);
    }
    return this.#out.subarray(begin, this.#length);
  }

  /** Write a term and a space: as it stands in the output, or for the first time. */
  #written(term: number): void {
    const end = this.#to[term]!;
    if (end !== 0) {
      this.#copy(this.#out, this.#from[term]!, end);
      return;
    }
    this.#from[term] = this.#length;
    if (this.#kind(term) === KIND.blank) this.#add(Buffer.from(`_:${this.#labels}${this.#blanks++} `));
    else this.#term(term);
    this.#to[term] = this.#length;
  }

  /** Tell how often each property is used. */
  eachProperty(visit: (iri: string, times: number) => void): void {
    const { triples } = this.#body;
    this.#eachUsed(triples.length / 3, (triple) => triples[triple * 3 + 1]!, visit);
  }

  /** Tell how many of the nodes that are described, the record's entity and blank ones, are of each class. */
  eachClass(visit: (iri: string, times: number) => void): void {
    const { triples, count } = this.#body;
    let type = 0;
    while (type < count && !this.#isType(type)) type++;
    const classOf = (triple: number): number => {
      const subject = triples[triple * 3]!;
      const isDescribed = subject === SELF || this.#kind(subject) === KIND.blank;
      const object = triples[triple * 3 + 2]!;
      return isDescribed && triples[triple * 3 + 1] === type && this.#kind(object) === KIND.iri ? object : -1;
    };
    this.#eachUsed(triples.length / 3, classOf, visit);
  }

  /** Tell how often each term is used, by its text; `termOf` gives one, or -1. */
  #eachUsed(triples: number, termOf: (triple: number) => number, visit: (iri: string, times: number) => void): void {
    const { count } = this.#body;
    const times = this.#times.fill(0, 0, count);
    for (let triple = 0; triple < triples; triple++) {
      const term = termOf(triple);
      if (term !== -1) times[term]!++;
    }
    for (let term = 0; term < count; term++) {
      if (times[term] !== 0) visit(this.#text(term), times[term]!);
    }
  }

  #kind(term: number): number {
    return this.#body.heads[term * 3]!;
  }

  #isType(term: number): boolean {
    const [start, end] = [this.#start(term), this.#ends[term]!];
    return end - start === TYPE.length && this.#kind(term) === KIND.iri && TYPE.compare(this.#value, start, end) === 0;
  }

  #text(term: number): string {
    return this.#value.toString(this.#body.isAscii ? "latin1" : "utf8", this.#start(term), this.#ends[term]!);
  }

  #start(text: number): number {
    return text === 0 ? this.#body.textAt : this.#ends[text - 1]!;
  }

  /** Write an IRI or a literal, and a space. */
  #term(term: number): void {
    const kind = this.#kind(term);
    const [start, end] = [this.#start(term), this.#ends[term]!];
    if (kind === KIND.iri) {
      this.#add(FIXED.less);
      this.#copy(this.#value, start, end);
      this.#add(FIXED.greater);
      return;
    }
    this.#add(FIXED.quote);
    this.#escaped(start, end);
    if (kind === KIND.string) {
      this.#add(FIXED.quoted);
      return;
    }
    const tag = this.#body.count + this.#body.heads[term * 3 + 1]!;
    this.#add(kind === KIND.typed ? FIXED.typed : FIXED.tagged);
    this.#copy(this.#value, this.#start(tag), this.#ends[tag]!);
    this.#add(kind === KIND.typed ? FIXED.greater : FIXED.space);
  }

  #escaped(start: number, end: number): void {
    this.#reserve(2 * (end - start));
    const [value, out] = [this.#value, this.#out];
    let to = this.#length;
    for (let at = start; at < end; at++) {
      const byte = value[at]!;
      const letter = byte < 128 ? ESCAPES[byte]! : 0;
      if (letter !== 0) {
        out[to++] = BACKSLASH;
        out[to++] = letter;
      } else out[to++] = byte;
    }
    this.#length = to;
  }

  #add(bytes: Buffer): void {
    this.#copy(bytes, 0, bytes.length);
  }

  /** Copy bytes to the end of the output; they may be the output's own. */
  #copy(from: Buffer, start: number, end: number): void {
    const isOwn = from === this.#out;
    this.#reserve(end - start);
    const out = this.#out;
    const bytes = isOwn ? out : from;
    if (end - start > LONG) {
      if (isOwn) out.copyWithin(this.#length, start, end);
      else bytes.copy(out, this.#length, start, end);
    } else for (let at = start, to = this.#length; at < end; at++, to++) out[to] = bytes[at]!;
    this.#length += end - start;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes > this.#out.length) {
      this.#out = Buffer.concat([this.#out.subarray(0, this.#length)], 2 * (this.#length + bytes));
    }
  }
}

/** Where a text of so many UTF-16 units ends that begins at a place in UTF-8. */
function behind(bytes: Buffer, start: number, units: number): number {
  let at = start;
  for (let left = units; left > 0; left--) {
    const byte = bytes[at]!;
    if (byte < 0x80) at += 1;
    else if (byte < 0xe0) at += 2;
    else if (byte < 0xf0) at += 3;
    else {
      // Four bytes are two units.
      at += 4;
      left--;
    }
  }
  return at;
}
