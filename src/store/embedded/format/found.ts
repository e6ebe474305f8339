/** Search keys of a record: its names, labels, identifiers and the words of its texts, as the find table has them. */
import { remembering } from "../../../base/bounded-map.js";
import { CONTENT, IDENTIFIER, NAME_PART, NAMED_BY, TEXTS, TOLD_BY } from "../../../model/found-by.js";
import { type Related, relationsOf } from "../../../model/relations-of-record.js";
import type { EndpointName } from "../../../model/tables/endpoints.js";
import { foundForm, wordsOf } from "../../../rdf/found-text.js";
import { indexBySubject, objectsOf, type RecordGraph, rootOf, valuesOf } from "../../../rdf/record-graph.js";
import { RDF, RDFS_LABEL } from "../../../rdf/terms.js";
import { textHash } from "../../../rdf/text-hash.js";
import { decodeGraph, endpointNumber, stored } from "./encoding.js";

/**
 * Grows when a record is found by other things, or stands in other relations, than before: stores of another edition build
 * their table anew. A test tells when it was forgotten.
 */
export const FOUND_EDITION = 1;

/**
 * What the table has: whole names and identifiers, the words of names, and those of statements and other texts; and the relations
 * that Linked Art names, under the role and the hash of the entity that they lead to.
 */
export const FOUND = { name: 1, identifier: 2, nameWord: 3, textWord: 4, relation: 5 } as const;
type FoundKind = (typeof FOUND)[keyof typeof FOUND];

/** Which field it is: the last byte of a posting. */
export const FIELDS = ["label", "name", "identifier", "text"] as const;
type FoundField = (typeof FIELDS)[number];

/** What a record is found by; the most of each that count. */
const MAX_VALUES = 64;
const MAX_NAME_WORDS = 128;
const MAX_TEXT_WORDS = 256;
/** Characters of a statement or another text whose words count. */
const MAX_TEXT_CHARACTERS = 4_000;

/** Everything that a record is found by. Forms are whole; the table's keys may cut them. */
export interface FoundBy {
  /** Whole names and labels by their form, with the field that they are. */
  readonly names: ReadonlyMap<string, FoundField>;
  readonly identifiers: ReadonlyMap<string, FoundField>;
  /** The words of names, labels and parts of names. */
  readonly nameWords: ReadonlyMap<string, FoundField>;
  /** The words of other texts that names do not have. */
  readonly textWords: ReadonlySet<string>;
  readonly relations: readonly Related[];
}

/** Linear in a record's size, and but for its relations bounded in what it gives. */
export function foundBy(graph: RecordGraph, endpoint: EndpointName | null): FoundBy {
  const walk = new Walk(graph);
  const root = rootOf(graph);
  const labels: string[] = [];
  const texts: string[] = [];
  if (root !== -1) {
    walk.each(root, (predicate, object) => {
      const term = graph.terms[object]!;
      if (term.termType === "Literal") {
        if (predicate === RDFS_LABEL) labels.push(term.value);
        else if (TEXTS.has(predicate)) texts.push(term.value);
      } else if (NAMED_BY.has(predicate)) walk.named(object);
      else if (TOLD_BY.has(predicate)) texts.push(...walk.contents(object));
    });
  }
  for (const label of labels) walk.name(label, "label");
  const textWords = new Set<string>();
  for (const text of texts) {
    for (const word of textWordsOf(text)) {
      if (textWords.size >= MAX_TEXT_WORDS) break;
      if (!walk.nameWords.has(word)) textWords.add(word);
    }
  }
  const { names, identifiers, nameWords } = walk;
  return { names, identifiers, nameWords, textWords, relations: relationsOf(graph, endpoint) };
}

/** Texts whose words are known, such as credit lines, which many records share; so many. */
const textWordsOf = remembering(2_000, (text: string): readonly string[] =>
  wordsOf(foundForm(text, MAX_TEXT_CHARACTERS)),
);

/** One record's names, as they are come upon. */
class Walk {
  readonly names = new Map<string, FoundField>();
  readonly identifiers = new Map<string, FoundField>();
  readonly nameWords = new Map<string, FoundField>();

  constructor(readonly graph: RecordGraph) {}

  each(node: number, visit: (predicate: string, object: number) => void): void {
    const { terms, triples } = this.graph;
    const { first, next } = indexBySubject(this.graph);
    for (let at = first[node]!; at !== -1; at = next[at]!) {
      visit(terms[triples[at * 3 + 1]!]!.value, triples[at * 3 + 2]!);
    }
  }

  /** What a Name, an Identifier or a Statement says. */
  contents(node: number): string[] {
    const objects = objectsOf(this.graph, node, CONTENT).map((object) => this.graph.terms[object]!);
    return objects.flatMap(({ termType, value }) => (termType === "Literal" ? [value] : []));
  }

  /** A Name, whose parts give words, or an Identifier. */
  named(node: number): void {
    const isIdentifier = IDENTIFIER !== undefined && valuesOf(this.graph, node, RDF.type).includes(IDENTIFIER);
    for (const content of this.contents(node)) {
      if (isIdentifier) add(this.identifiers, foundForm(content), "identifier", MAX_VALUES);
      else this.name(content, "name");
    }
    if (isIdentifier) return;
    const parts = objectsOf(this.graph, node, NAME_PART);
    for (const part of parts) for (const content of this.contents(part)) this.words(foundForm(content), "name");
  }

  name(content: string, field: FoundField): void {
    const form = foundForm(content);
    // Most labels are names, too, and their words are known with them.
    if (this.names.has(form)) return;
    add(this.names, form, field, MAX_VALUES);
    this.words(form, field);
  }

  words(form: string, field: FoundField): void {
    for (const word of wordsOf(form)) add(this.nameWords, word, field, MAX_NAME_WORDS);
  }
}

function add(into: Map<string, FoundField>, form: string, field: FoundField, most: number): void {
  if (form !== "" && into.size < most && !into.has(form)) into.set(form, field);
}

/** Bytes of a form that a key has; those that are alike until there share a key, and are told apart by the records. */
export const MAX_FORM_BYTES = 96;

/** A form as it stands in keys. */
export function formBytes(form: string): Buffer {
  const bytes = Buffer.from(form, "utf8");
  return bytes.length > MAX_FORM_BYTES ? bytes.subarray(0, MAX_FORM_BYTES) : bytes;
}

/** What begins all keys of a kind and an endpoint (its number); relations lead from all endpoints alike. */
function foundScope(kind: FoundKind, endpoint: number): number {
  return kind * 16 + (kind === FOUND.relation ? 0 : endpoint);
}

/** The key: kind and endpoint (1 byte), then the form. */
export function foundKey(kind: FoundKind, endpoint: number, form: Buffer): Buffer {
  return Buffer.concat([Buffer.of(foundScope(kind, endpoint)), form]);
}

/** What a stored record is found by, encoded; the record is looked through for it. */
export function foundIn(record: Buffer): Buffer {
  const graph = decodeGraph(record);
  return encodeFound(graph, stored.endpoint(record), stored.label(record));
}

/** Where entries are written, one record after the other: encoding never yields. */
let scratch = Buffer.allocUnsafe(65_536);

/**
 * What a record is found by: how its label begins in postings; then of each its field, the length of its key, its key.
 * Each key once.
 */
function encodeFound(graph: RecordGraph, endpoint: EndpointName | null, label: string): Buffer {
  const { names, identifiers, nameWords, textWords, relations } = foundBy(graph, endpoint);
  const number = endpointNumber(endpoint);
  writeLabel(scratch, label);
  let end = LABEL;
  const reserve = (bytes: number): void => {
    if (end + bytes > scratch.length) scratch = Buffer.concat([scratch], 2 * scratch.length);
  };
  const put = (kind: FoundKind, form: string, field: FoundField, cut: Set<string>): void => {
    reserve(3 + 3 * form.length);
    const length = Math.min(MAX_FORM_BYTES, scratch.write(form, end + 3, "utf8"));
    if (length === MAX_FORM_BYTES) {
      const key = scratch.toString("latin1", end + 3, end + 3 + length);
      if (cut.has(key)) return;
      cut.add(key);
    }
    scratch[end] = FIELDS.indexOf(field);
    scratch[end + 1] = 1 + length;
    scratch[end + 2] = foundScope(kind, number);
    end += 3 + length;
  };
  for (const [kind, forms] of [
    [FOUND.name, names],
    [FOUND.identifier, identifiers],
    [FOUND.nameWord, nameWords],
  ] as const) {
    const cut = new Set<string>();
    for (const [form, field] of forms) put(kind, form, field, cut);
  }
  const cut = new Set<string>();
  for (const word of textWords) put(FOUND.textWord, word, "text", cut);
  for (const { iri, role } of relations) {
    reserve(3 + RELATION);
    scratch[end] = 0;
    scratch[end + 1] = 1 + RELATION;
    scratch[end + 2] = foundScope(FOUND.relation, number);
    writeRelation(scratch, end + 3, iri, role);
    end += 3 + RELATION;
  }
  return Buffer.from(scratch.subarray(0, end));
}

/** The role (1 byte) and the hash of an IRI (12). */
const RELATION = 13;

function writeRelation(bytes: Buffer, at: number, iri: string, role: number): void {
  const { a, b, c } = textHash(iri);
  bytes[at] = role;
  bytes.writeUInt32BE(a, at + 1);
  bytes.writeUInt32BE(b, at + 5);
  bytes.writeUInt32BE(c, at + 9);
}

/** The key of the records that stand in a relation, by its role, to an entity. */
export function relationKey(iri: string, role: number): Buffer {
  const bytes = Buffer.alloc(1 + RELATION, foundScope(FOUND.relation, 0));
  writeRelation(bytes, 1, iri, role);
  return bytes;
}

/** How many there are in encoded ones; `visit` gets the field's number, and where the key begins and ends. */
export function eachFound(bytes: Buffer, visit: (field: number, start: number, end: number) => void): number {
  let count = 0;
  for (let at = LABEL; at < bytes.length; count++) {
    const end = at + 2 + bytes[at + 1]!;
    visit(bytes[at]!, at + 2, end);
    at = end;
  }
  return count;
}

/** Bytes of a label's form by which the postings of a key are in order; those by which records are; and of a posting. */
const LABEL = 10;
export const RECORD = LABEL + 6;
export const POSTING = RECORD + 1;

/** What stands under a key where its postings lie in blocks behind it: no posting, but their number. */
export function headOf(count: number): Buffer {
  const head = Buffer.allocUnsafe(6);
  head.writeUIntBE(count, 0, 6);
  return head;
}

/** Whether what stands under a key are the postings themselves. */
export function isInline(head: Buffer): boolean {
  return head.length % POSTING === 0;
}

/** How many postings a key has, by what stands under it. */
export function postingsCount(head: Buffer): number {
  return isInline(head) ? head.length / POSTING : head.readUIntBE(0, 6);
}

/** The bytes between a key and the first posting in the key of a block: no form has it. */
export const HEADED = 1;

/** The key of the block that begins with a posting. */
export function blockKey(key: Buffer, posting: Buffer): Buffer {
  return Buffer.concat([key, Buffer.of(0), posting.subarray(0, POSTING)]);
}

/** How many of a list of postings are before one; of its field no byte need be given. */
export function rankOf(postings: Buffer, posting: Buffer): number {
  let [low, high] = [0, postings.length / POSTING];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const start = middle * POSTING;
    if (postings.compare(posting, 0, posting.length, start, start + POSTING) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What stands under a key: how the record's label begins (10 bytes), its number (6), which field it is (1). */
export function posting(label: string, number: number, field = 0): Buffer {
  const bytes = Buffer.allocUnsafe(POSTING);
  writeLabel(bytes, label);
  return endOfPosting(bytes, number, field);
}

/** The posting of a record by what it is found by, encoded. */
export function postingIn(found: Buffer, number: number, field = 0): Buffer {
  const bytes = Buffer.allocUnsafe(POSTING);
  found.copy(bytes, 0, 0, LABEL);
  return endOfPosting(bytes, number, field);
}

function writeLabel(bytes: Buffer, label: string): void {
  const length = bytes.write(foundForm(label).slice(0, LABEL), 0, LABEL, "utf8");
  bytes.fill(0, length, LABEL);
}

function endOfPosting(bytes: Buffer, number: number, field: number): Buffer {
  bytes.writeUIntBE(number, LABEL, 6);
  bytes[RECORD] = field;
  return bytes;
}

export function recordOfPosting(bytes: Buffer): number {
  return bytes.readUIntBE(LABEL, 6);
}
