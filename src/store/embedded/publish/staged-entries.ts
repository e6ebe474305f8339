/** Staged entries, one for each IRI, those of them that change the store, and batches of them that other threads encode. */
import { isIsomorphic, isSameByProperty } from "../../../rdf/isomorphism.js";
import { type TextHash, textHash } from "../../../rdf/text-hash.js";
import { RecordTooLargeError } from "../../errors.js";
import type { Hold } from "../../store.js";
import type { EncodedRecords, Staged } from "../../writable-store.js";
import { backlinksOf, OTHER_PROPERTY, PropertyNumbers } from "../format/backlinks.js";
import { decodeChange } from "../format/changes.js";
import { partsOf, type TableEntry, type WalkedTable } from "../format/checksummed-table.js";
import type { StoreDatabase } from "../format/database.js";
import { decodeGraph } from "../format/decoding.js";
import { encodeRecord, sameContent, sameDescription, stored, withSource } from "../format/encoding.js";
import { iriKey, numberOfKey } from "../format/keys.js";
import { entryEnd, runEntry, valueStart } from "./sorted-runs.js";

/** The entry that counts for an IRI, and how many came for it. */
export interface Distinct {
  readonly key: Buffer;
  readonly entry: StagedEntry;
  /** Whether another was put or deleted before it. */
  readonly isRepeated: boolean;
}

/** The last entry of each key, of entries by key, later ones first; `keep` counts only where nothing else is staged. Valid until the next is asked for. */
export function* distinctEntries(entries: Iterable<TableEntry>): Iterable<Distinct> {
  let key = NOTHING as Buffer;
  let value = NOTHING as Buffer;
  let isRepeated = false;
  for (const next of entries) {
    const isSame = next.key.equals(key);
    if (isSame && entryKind(value) !== ENTRY.keep) {
      isRepeated ||= entryKind(next.value) !== ENTRY.keep;
      continue;
    }
    if (!isSame && key.length > 0) {
      yield { key, entry: decodeEntry(value), isRepeated };
      isRepeated = false;
    }
    key = Buffer.from(next.key);
    value = Buffer.from(next.value);
  }
  if (key.length > 0) yield { key, entry: decodeEntry(value), isRepeated };
}

/**
 * Whether a stored record says what a staged one does; `contextOf` gives the JSON of a stored context. Encoded records are
 * compared first, where blank nodes are called by their order; those that differ so are compared triple by triple: the
 * order of a document's keys is no change, nor is any order of quads, which do not say either under which context they are
 * published.
 */
export function isUnchanged(
  before: Buffer,
  { kind, context, record }: StagedEntry,
  contextOf: (number: number) => string | undefined,
): boolean {
  if (sameContent(before, record)) return true;
  if (stored.triples(before) !== stored.triples(record) || !sameDescription(before, record)) return false;
  if (context.length > 0 && context.toString("utf8") !== contextOf(stored.context(before))) return false;
  const [old, staged] = [decodeGraph(before), decodeGraph(record)];
  return kind === ENTRY.unordered ? isIsomorphic(old, staged) : isSameByProperty(old, staged);
}

/** Whether a move of an IRI without a record leads it elsewhere than before. */
export function isRedirected({ tombstones, changes }: StoreDatabase, key: Buffer, { target }: Move): boolean {
  const tombstone = tombstones.get(key);
  const change = tombstone && changes.get(tombstone);
  return change === undefined || decodeChange(numberOfKey(tombstone!), change).target !== target;
}

/** Stored records, in order of keys, that nothing is staged for and `isWithin` counts. Yields in batches, some empty, so that others get their turn. */
export function* restOf(
  records: WalkedTable,
  staged: Iterable<Distinct>,
  isWithin: (value: Buffer) => boolean,
): Iterable<TableEntry[]> {
  const entries = staged[Symbol.iterator]();
  let next = entries.next();
  for (const part of partsOf(records, { limit: 5000 })) {
    const rest: TableEntry[] = [];
    for (const { key, value } of part) {
      while (next.done !== true && next.value.key.compare(key) < 0) next = entries.next();
      if (next.done !== true && next.value.key.equals(key)) continue;
      if (isWithin(value)) rest.push({ key, value });
    }
    yield rest;
  }
}

/** The kind (1 byte) and the lengths of backlinks (4), context (4) and the source's name (4). */
const HEAD = 13;
/** A backlink's hash (12 bytes) and property number (2). */
const BACKLINK = 14;
const PROPERTY = 12;

/** The kind of an entry that is staged for an IRI, by number; the triples of `unordered` come in no order. */
export const ENTRY = { record: 0, unordered: 1, deletion: 2, keep: 3, move: 4, release: 5 } as const;
/** Added to the number of a record that is to be held. */
const HOLD: Readonly<Record<Hold, number>> = { rule: 64, name: 128 };
const KINDS = 63;

/** An entry that is staged for one IRI; `record` and what goes with it are empty unless there is one. */
export interface StagedEntry {
  readonly kind: number;
  readonly hold: Hold | undefined;
  /** The record's `@context` as JSON, or empty. */
  readonly context: Buffer;
  readonly backlinks: StagedBacklinks;
  /** Of a record that is to be held the name of its source, when its load has none; or empty. */
  readonly heldSource: string;
  /** The encoded record; of a move, what `moveOf` reads. */
  readonly record: Buffer;
}

/** Which IRIs a record mentions, by hash, and under which property's number. */
export class StagedBacklinks {
  constructor(readonly bytes: Buffer) {}

  get length(): number {
    return this.bytes.length / BACKLINK;
  }

  hash(at: number): TextHash {
    const start = at * BACKLINK;
    return {
      a: this.bytes.readUInt32LE(start),
      b: this.bytes.readUInt32LE(start + 4),
      c: this.bytes.readUInt32LE(start + 8),
    };
  }

  property(at: number): number {
    return this.bytes.readUInt16LE(at * BACKLINK + PROPERTY);
  }

  key(at: number): string {
    return this.bytes.toString("latin1", at * BACKLINK, (at + 1) * BACKLINK);
  }

  get keys(): Set<string> {
    return new Set(Array.from({ length: this.length }, (_, at) => this.key(at)));
  }

  /** Whether these are the same backlinks in the same order. */
  equals(other: StagedBacklinks): boolean {
    return this.bytes.equals(other.bytes);
  }
}

/** The backlinks of a record graph, with numbers for their properties. */
export function stagedBacklinks(graph: Staged["graph"], properties: PropertyNumbers): StagedBacklinks {
  const backlinks = backlinksOf(graph);
  const bytes = Buffer.allocUnsafe(backlinks.length * BACKLINK);
  for (const [index, { iri, property }] of backlinks.entries()) {
    const start = index * BACKLINK;
    const { a, b, c } = textHash(iri);
    bytes.writeUInt32LE(a, start);
    bytes.writeUInt32LE(b, start + 4);
    bytes.writeUInt32LE(c, start + 8);
    bytes.writeUInt16LE(properties.of(property), start + PROPERTY);
  }
  return new StagedBacklinks(bytes);
}

/** A record as the parts of a staged entry. @param source that of a record which takes over another: its number, or for one to be held its name. Throws `UnstorableRecordError` */
export function recordEntry(staged: Staged, properties: PropertyNumbers, source: number | string = 0): Buffer[] {
  const { graph, hold } = staged;
  const encoded = encodeRecord(staged);
  const kind = staged.unordered === true ? ENTRY.unordered : ENTRY.record;
  return entryOf(
    hold === undefined ? kind : kind | HOLD[hold],
    stagedBacklinks(graph, properties).bytes,
    graph.context === undefined ? NOTHING : Buffer.from(JSON.stringify(graph.context)),
    hold !== undefined && typeof source === "string" ? Buffer.from(source, "utf8") : NOTHING,
    typeof source === "string" || source === 0 ? encoded : withSource(encoded, source),
  );
}

/** The parts of a staged entry without a record. */
export function bareEntry(kind: typeof ENTRY.deletion | typeof ENTRY.keep | typeof ENTRY.release): Buffer[] {
  return entryOf(kind, NOTHING, NOTHING, NOTHING, NOTHING);
}

/** The parts of a staged entry of an IRI that is to lead elsewhere. */
export function moveEntry(move: Move): Buffer[] {
  return entryOf(ENTRY.move, NOTHING, NOTHING, NOTHING, Buffer.from(JSON.stringify(move)));
}

export interface Move {
  readonly iri: string;
  readonly target: string;
}

/** The move that an entry stages. */
export function moveOf({ record }: StagedEntry): Move {
  return JSON.parse(record.toString("utf8")) as Move;
}

function entryOf(kind: number, backlinks: Buffer, context: Buffer, source: Buffer, record: Buffer): Buffer[] {
  const head = Buffer.allocUnsafe(HEAD);
  head[0] = kind;
  head.writeUInt32LE(backlinks.length, 1);
  head.writeUInt32LE(context.length, 5);
  head.writeUInt32LE(source.length, 9);
  return [head, backlinks, context, source, record];
}

/** The staged entry in the concatenation of such parts; its buffers are views. */
function decodeEntry(value: Buffer): StagedEntry {
  const backlinksEnd = HEAD + value.readUInt32LE(1);
  const contextEnd = backlinksEnd + value.readUInt32LE(5);
  const sourceEnd = contextEnd + value.readUInt32LE(9);
  return {
    kind: entryKind(value),
    hold: holdOf(value[0]!),
    backlinks: new StagedBacklinks(value.subarray(HEAD, backlinksEnd)),
    context: value.subarray(backlinksEnd, contextEnd),
    heldSource: value.toString("utf8", contextEnd, sourceEnd),
    record: value.subarray(sourceEnd),
  };
}

function holdOf(kind: number): Hold | undefined {
  if ((kind & HOLD.name) !== 0) return "name";
  return (kind & HOLD.rule) === 0 ? undefined : "rule";
}

/** Give the properties of an entry's backlinks other numbers: `numbers` by those that they have. */
function renumberProperties(value: Buffer, numbers: readonly number[]): void {
  const end = HEAD + value.readUInt32LE(1);
  for (let at = HEAD + PROPERTY; at < end; at += BACKLINK) {
    const number = value.readUInt16LE(at);
    if (number !== OTHER_PROPERTY) value.writeUInt16LE(numbers[number]!, at);
  }
}

function entryKind(value: Buffer): number {
  return value[0]! & KINDS;
}

const NOTHING = Buffer.alloc(0);

/** Encodes records, a batch at a time. Its property numbers are its own, and grow from batch to batch. */
export class BatchEncoder {
  readonly #properties = new PropertyNumbers([]);
  #parts: Buffer[] = [];

  constructor(readonly maxBytes: number) {}

  /** Throws `UnstorableRecordError`, of which `RecordTooLargeError` is one. */
  add(record: Staged): void {
    const entry = recordEntry(record, this.#properties);
    const bytes = entry.at(-1)!.length;
    if (bytes > this.maxBytes) throw new RecordTooLargeError(record.graph.iri, bytes, this.maxBytes);
    this.#parts.push(...runEntry(iriKey(record.graph.iri), entry));
  }

  take(): EncodedRecords {
    const length = this.#parts.reduce((sum, part) => sum + part.length, 0);
    // A buffer of its own: only such can change threads without being copied.
    const bytes = new Uint8Array(new ArrayBuffer(length));
    let at = 0;
    for (const part of this.#parts) {
      bytes.set(part, at);
      at += part.length;
    }
    this.#parts = [];
    return { bytes, properties: this.#properties.list() };
  }
}

/** The entries of a batch, as bytes for the runs, with the numbers that `properties` has for their predicates. The batch is changed. */
export function runEntriesOf(batch: EncodedRecords, properties: PropertyNumbers): Buffer {
  const { buffer, byteOffset, byteLength } = batch.bytes;
  const entries = Buffer.from(buffer, byteOffset, byteLength);
  const numbers = [0, ...batch.properties.map((iri) => properties.of(iri))];
  for (let start = 0; start < entries.length; start = entryEnd(entries, start)) {
    renumberProperties(entries.subarray(valueStart(entries, start)), numbers);
  }
  return entries;
}
