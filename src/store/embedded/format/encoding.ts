/**
 * The stored form of a record: one LMDB value.
 *
 * A header of fixed size, the label, then the body: terms, triples, datatypes and languages, and all texts as
 * one blob that is decoded at once. Terms are numbered in the order in which the triples mention them, and blank nodes have
 * no labels, so the same triples in the same order give the same bytes on every machine. docs/inside/store.md has the layout.
 */
import { hash } from "node:crypto";
import { quoted } from "../../../base/shortened.js";
import { type EndpointName, endpointNumber, endpointNumbered } from "../../../model/tables/names.js";
import { TERM_KIND } from "../../../rdf/encoded-graph.js";
import { type RecordGraph, tripleCount } from "../../../rdf/record-graph.js";
import { iri, type Term, XSD } from "../../../rdf/terms.js";
import { UnstorableRecordError } from "../../errors.js";
import type { EncodedRecord, RecordMeta } from "../../record.js";
import type { Staged } from "../../writable-store.js";
import { type ContextSum, hasChecksum, writeChecksum } from "./checksum.js";

/** The version of a record's stored form. */
export const VERSION = 2;
const AT = {
  version: 0,
  flags: 1,
  endpoint: 2,
  sequence: 4,
  modified: 12,
  number: 20,
  context: 28,
  label: 32,
  triples: 36,
  hash: 40,
  source: 72,
  checksum: 76,
};
const HEADER = 84;
const HASH = 32;
const FLAG = { valid: 1, ascii: 2 };

/** Encode a record; `publishInto` adds the rest. Throws `UnstorableRecordError` for half of a surrogate pair, which UTF-8 cannot represent. */
export function encodeRecord({ graph, endpoint, label, valid }: Staged): Buffer {
  const { text, textLength } = encodeTerms(graph);
  const isAscii = textLength === text.length;
  if (!label.isWellFormed()) throw notUnicode(graph.iri, label);
  const labelLength = Buffer.byteLength(label);
  const body = HEADER + labelLength;
  const value = Buffer.allocUnsafe(body + varints.length + textLength);
  value.fill(0, 0, HEADER);
  value[AT.version] = VERSION;
  value[AT.flags] = (valid ? FLAG.valid : 0) | (isAscii ? FLAG.ascii : 0);
  value[AT.endpoint] = endpointNumber(endpoint);
  value.writeUInt32LE(labelLength, AT.label);
  value.writeUInt32LE(tripleCount(graph), AT.triples);
  value.write(label, HEADER, "utf8");
  varints.bytes.copy(value, body, 0, varints.length);
  value.write(text, body + varints.length, isAscii ? "latin1" : "utf8");
  const context = graph.context === undefined ? undefined : JSON.stringify(graph.context);
  value.write(hashOf(tripleCount(graph), value.subarray(body), context), AT.hash, "binary");
  return value;
}

/** Write the data that a publication gives to a record. `number` stays the same for as long as the record exists. */
export function publishInto(
  value: Buffer,
  given: Readonly<Record<"sequence" | "modified" | "number" | "context" | "source", number>>,
): void {
  value.writeDoubleLE(given.sequence, AT.sequence);
  value.writeDoubleLE(given.modified, AT.modified);
  value.writeDoubleLE(given.number, AT.number);
  value.writeUInt32LE(given.context, AT.context);
  value.writeUInt32LE(given.source, AT.source);
}

/** Write the checksum, after everything else. `context` is the contribution of the record's context. */
export function addChecksum(key: Buffer, value: Buffer, context: ContextSum): void {
  writeChecksum(key, value, AT.checksum, context);
}

/** Whether key and value match the checksum. */
export function isChecksummed(key: Buffer, value: Buffer, context: ContextSum): boolean {
  return value.length >= HEADER && hasChecksum(key, value, AT.checksum, context);
}

/** A copy of a record with another source. Its checksum must be written again. */
export function withSource(value: Buffer, source: number): Buffer {
  // LMDB's own buffers are larger than their `length`.
  const moved = Buffer.concat([value.subarray(0, value.length)]);
  moved.writeUInt32LE(source, AT.source);
  return moved;
}

/** The parts of a stored record that can be read without decoding it. */
export const stored = {
  version: (value: Buffer): number => value[AT.version]!,
  /** Whether the texts of all terms are ASCII. */
  isAscii: (value: Buffer): boolean => (value[AT.flags]! & FLAG.ascii) !== 0,
  sequence: (value: Buffer): number => value.readDoubleLE(AT.sequence),
  number: (value: Buffer): number => value.readDoubleLE(AT.number),
  context: (value: Buffer): number => value.readUInt32LE(AT.context),
  triples: (value: Buffer): number => value.readUInt32LE(AT.triples),
  /** The number of its source, or 0. */
  source: (value: Buffer): number => value.readUInt32LE(AT.source),
  valid: (value: Buffer): boolean => (value[AT.flags]! & FLAG.valid) !== 0,
  endpoint: (value: Buffer): EndpointName | null => endpointNumbered(value[AT.endpoint]!),
  label: (value: Buffer): string => value.toString("utf8", HEADER, bodyOf(value)),
  /** Milliseconds since 1970. */
  modified: (value: Buffer): number => value.readDoubleLE(AT.modified),
  /** SHA-256 of the record's content. */
  hash: hashBytes,
};

/** Whether two records have the same content: triples, order, context, endpoint, label and validity. */
export function sameContent(a: Buffer, b: Buffer): boolean {
  return a.compare(b, AT.hash, AT.hash + HASH, AT.hash, AT.hash + HASH) === 0 && sameDescription(a, b);
}

/** Whether two records have the same endpoint, label and validity. */
export function sameDescription(a: Buffer, b: Buffer): boolean {
  return (
    a[AT.flags] === b[AT.flags] &&
    a[AT.endpoint] === b[AT.endpoint] &&
    a.subarray(HEADER, bodyOf(a)).equals(b.subarray(HEADER, bodyOf(b)))
  );
}

/** The data that is kept beside a record's triples. */
export function decodeMeta(value: Buffer): RecordMeta {
  return { ...encodedMeta(value), label: stored.label(value), valid: stored.valid(value), hash: hashBytes(value) };
}

/** The data that an answer needs beside the triples. The hash is a view of the record's bytes. */
export function encodedMeta(value: Buffer): EncodedRecord["meta"] {
  const hash = value.subarray(AT.hash, AT.hash + HASH);
  return { endpoint: stored.endpoint(value), sequence: stored.sequence(value), modified: stored.modified(value), hash };
}

/** A copy of the hash, since the buffer is LMDB's. Copied byte by byte, because the methods of buffers allocate more than the bytes. */
function hashBytes(value: Buffer): Uint8Array {
  const bytes = new Uint8Array(HASH);
  for (let at = 0; at < HASH; at++) bytes[at] = value[AT.hash + at]!;
  return bytes;
}

/** The offset of the body: terms, triples and their texts. */
export function bodyOf(value: Buffer): number {
  return HEADER + value.readUInt32LE(AT.label);
}

/** Whether a stored record has the hash of its content. `context` is the JSON of its context. */
export function hasItsHash(value: Buffer, context: string | undefined): boolean {
  const body = value.subarray(bodyOf(value), value.length);
  return hashOf(stored.triples(value), body, context) === value.toString("binary", AT.hash, AT.hash + HASH);
}

/** A reusable buffer for the bytes to be hashed, so that they are hashed in one call. */
const hashed: Buffer = Buffer.allocUnsafe(65_536);

/** SHA-256 as a binary string. The number of triples comes first, because without it different records could have the same body. */
function hashOf(triples: number, body: Buffer, context: string | undefined): string {
  const most = 4 + body.length + (context === undefined ? 0 : 1 + 3 * context.length);
  const bytes = most > hashed.length ? Buffer.allocUnsafe(most) : hashed;
  let end = bytes.writeUInt32LE(triples);
  end += body.copy(bytes, end);
  if (context !== undefined) end += bytes.write(`\0${context}`, end, "utf8");
  return hash("sha256", bytes.subarray(0, end), "binary");
}

/** A growing buffer of varints, reused from record to record, since encoding is synchronous. */
class Varints {
  bytes: Buffer = Buffer.allocUnsafe(65_536);
  length = 0;

  add(number: number): void {
    if (this.length + 5 > this.bytes.length) this.bytes = Buffer.concat([this.bytes], this.bytes.length * 2);
    let rest = number;
    while (rest > 127) {
      this.bytes[this.length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.bytes[this.length++] = rest;
  }
}

const varints = new Varints();

/** Fill `varints` with a record's terms and triples. Returns the texts that follow them, and their length in bytes. */
function encodeTerms(graph: RecordGraph): { text: string; textLength: number } {
  const { terms, triples } = graph;
  // The new number of each term plus 1; 0 means none yet. Terms are numbered as they are first mentioned, after the record's own IRI, which has number 0.
  const numbers = new Array<number>(terms.length).fill(0);
  const ordered: Term[] = [iri(graph.iri)];
  const ofTriples = new Array<number>(triples.length);
  for (let at = 0; at < triples.length; at++) {
    const old = triples[at]!;
    if (numbers[old] === 0) {
      const term = terms[old]!;
      if (term.termType === "NamedNode" && term.value === graph.iri) numbers[old] = 1;
      else numbers[old] = ordered.push(term);
    }
    ofTriples[at] = numbers[old]! - 1;
  }
  const strings = new Map<string, number>();
  const stringNumber = (text: string): number => {
    const number = strings.get(text) ?? strings.size;
    strings.set(text, number);
    return number;
  };
  varints.length = 0;
  const texts: string[] = [];
  varints.add(ordered.length);
  for (const term of ordered) encodeTerm(term, texts, stringNumber);
  for (const number of ofTriples) varints.add(number);
  varints.add(strings.size);
  for (const text of strings.keys()) {
    varints.add(text.length);
    texts.push(text);
  }
  const text = texts.join("");
  const textLength = Buffer.byteLength(text);
  const broken = textLength === text.length ? undefined : texts.find((each) => !each.isWellFormed());
  if (broken !== undefined) throw notUnicode(graph.iri, broken);
  return { text, textLength };
}

function notUnicode(iri: string, text: string): UnstorableRecordError {
  return new UnstorableRecordError(iri, `has half of a surrogate pair, which is not a character, in ${quoted(text)}`);
}

function encodeTerm(term: Term, texts: string[], stringNumber: (text: string) => number): void {
  if (term.termType === "BlankNode") {
    varints.add(TERM_KIND.blank);
    return;
  }
  if (term.termType === "NamedNode") varints.add(TERM_KIND.iri);
  else if (term.language !== "") {
    varints.add(TERM_KIND.tagged);
    varints.add(stringNumber(term.language));
  } else if (term.datatype !== XSD.string) {
    varints.add(TERM_KIND.typed);
    varints.add(stringNumber(term.datatype));
  } else varints.add(TERM_KIND.string);
  varints.add(term.value.length);
  texts.push(term.value);
}

/** The size of the length at the beginning of a held record's entry, in bytes. */
const LENGTH = 4;

/** The stored form of a held record, with all that is needed to publish it. No other table has any of it. */
export interface HeldEntry {
  /** The name of the source that it came from. Only sources of published records have numbers. */
  readonly source: string | null;
  /** The time since when it has been held in this form, in milliseconds since 1970. */
  readonly since: number;
  /** Its `@context` as JSON, or empty. */
  readonly context: string;
  /** The encoded record, without the data that a publication gives. */
  readonly record: Buffer;
}

/** The entry of a held record: the length of the JSON (4 bytes), source, time and context as JSON, the record. */
export function encodeHeld({ source, since, context, record }: HeldEntry): Buffer {
  const head = Buffer.from(JSON.stringify({ source, since, context }), "utf8");
  const length = Buffer.allocUnsafe(LENGTH);
  length.writeUInt32LE(head.length);
  return Buffer.concat([length, head, record]);
}

/** The held record of an entry. Its `record` is a view of the bytes. */
export function decodeHeld(value: Buffer): HeldEntry {
  const end = LENGTH + value.readUInt32LE();
  const head = JSON.parse(value.toString("utf8", LENGTH, end)) as Omit<HeldEntry, "record">;
  return { ...head, record: value.subarray(end) };
}
