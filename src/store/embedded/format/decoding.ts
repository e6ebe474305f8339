/** The decoder of stored records: as columns over their own bytes, and as record graphs. */
import { viewOf } from "../../../base/byte-view.js";
import { EncodedGraph, TERM_KIND } from "../../../rdf/encoded-graph.js";
import { IndexedGraph, type Json, type RecordGraph } from "../../../rdf/record-graph.js";
import { blank, iri, literal, type Term } from "../../../rdf/terms.js";
import { StoreError } from "../../errors.js";
import { bodyOf, stored, VERSION } from "./encoding.js";
import { isHashed } from "./keys.js";

/** Reads varints in place. One reader is enough, since decoding is synchronous. */
const reader = {
  bytes: Buffer.alloc(0) as Buffer,
  at: 0,
  next(): number {
    const { bytes } = this;
    let byte = bytes[this.at++]!;
    if (byte < 128) return byte;
    let number = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[this.at++]!;
      number |= (byte & 127) << shift;
    }
    return number >>> 0;
  },
};

/** The IRI of a stored record: its key, or if that is a hash, the IRI in the record. */
export function iriOf(key: Buffer, record: Buffer): string {
  return isHashed(key) ? decodeGraph(record).iri : key.toString("utf8");
}

/** The terms and triples of the record that was read last. The starts of texts are counted in UTF-16 units. */
const columns = new EncodedGraph();

/** Fill the columns, and leave the reader at the beginning of the texts. Throws `StoreError` for a record of another version. */
function readColumns(value: Buffer): void {
  if (stored.version(value) !== VERSION)
    throw new StoreError(`a stored record has version ${stored.version(value)}, not ${VERSION}`);
  reader.bytes = value;
  reader.at = bodyOf(value);
  const count = reader.next();
  columns.begin(count, stored.triples(value));
  const { kinds, tags, triples, starts } = columns;
  let start = 0;
  for (let number = 0; number < count; number++) {
    const kind = reader.next();
    kinds[number] = kind;
    if (kind === TERM_KIND.typed || kind === TERM_KIND.tagged) tags[number] = reader.next();
    starts[number] = start;
    if (kind !== TERM_KIND.blank) start += reader.next();
  }
  const end = columns.tripleCount * 3;
  for (let at = 0; at < end; at++) triples[at] = reader.next();
  const last = count + reader.next();
  for (let number = count; number < last; number++) {
    starts[number] = start;
    start += reader.next();
  }
  starts[last] = start;
  columns.end = last;
  columns.isAscii = stored.isAscii(value);
}

/** A stored record as columns over its bytes, valid until anything else is read. Throws `StoreError` for a record of another version. */
export function encodedGraph(value: Buffer, contextOf: (number: number) => Json | undefined): EncodedGraph {
  readColumns(value);
  const { starts, end } = columns;
  columns.bytes = value;
  if (columns.isAscii) for (let number = 0; number <= end; number++) starts[number]! += reader.at;
  else startsInBytes(value, reader.at);
  const context = stored.context(value);
  columns.context = context === 0 ? undefined : contextOf(context);
  columns.index();
  return columns;
}

/** Convert the starts of the texts from UTF-16 units to bytes. A character of one to three bytes in UTF-8 is one unit; one of four bytes is two units. */
function startsInBytes(bytes: Buffer, textStart: number): void {
  const { starts, end } = columns;
  const view = viewOf(bytes);
  let units = 0;
  let at = textStart;
  for (let number = 0; number <= end; number++) {
    for (const start = starts[number]!; units < start; units++) {
      // Most texts are ASCII.
      for (; units + 4 <= start && (view.getInt32(at) & 0x80808080) === 0; units += 4) at += 4;
      if (units === start) break;
      const byte = bytes[at]!;
      if (byte < 0x80) at++;
      else if (byte < 0xe0) at += 2;
      else if (byte < 0xf0) at += 3;
      else {
        at += 4;
        units++;
      }
    }
    starts[number] = at;
  }
}

/** The record graph of a stored value. `contextOf` gives a context by its number; without it the graph has none. Throws `StoreError` for a record of another version. */
export function decodeGraph(value: Buffer, contextOf?: (number: number) => Json | undefined): RecordGraph {
  readColumns(value);
  const text = value.toString(columns.isAscii ? "latin1" : "utf8", reader.at, value.length);
  // Creating a typed array of this size would take longer than the rest of the decoding.
  const triples = new Array<number>(columns.tripleCount * 3);
  for (let at = 0; at < triples.length; at++) triples[at] = columns.triples[at]!;
  const terms = decodeTerms(text);
  const context = stored.context(value);
  return new IndexedGraph(terms[0]!.value, terms, triples, context === 0 ? undefined : contextOf?.(context));
}

function decodeTerms(text: string): Term[] {
  const { kinds, tags, starts, end } = columns;
  const count = columns.termCount;
  const names = Array.from({ length: end - count }, (_, at) => text.slice(starts[count + at], starts[count + at + 1]));
  const terms = new Array<Term>(count);
  let blanks = 0;
  for (let number = 0; number < count; number++) {
    const value = text.slice(starts[number], starts[number + 1]);
    const kind = kinds[number];
    if (kind === TERM_KIND.iri) terms[number] = iri(value);
    else if (kind === TERM_KIND.blank) terms[number] = blank(`b${blanks++}`);
    else if (kind === TERM_KIND.string) terms[number] = literal(value);
    else if (kind === TERM_KIND.typed) terms[number] = literal(value, names[tags[number]!]);
    else terms[number] = literal(value, undefined, names[tags[number]!]);
  }
  return terms;
}
