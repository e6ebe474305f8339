/** Staged entries: their encoding, also in batches by other threads, which of them count, and which change the store. */
import { joinedBytes } from "../../../base/worker-client.js";
import { isIsomorphic, isSameByProperty } from "../../../rdf/isomorphism.js";
import { textHash } from "../../../rdf/text-hash.js";
import { RecordTooLargeError } from "../../errors.js";
import type { Hold } from "../../store.js";
import type { EncodedRecords, Staged } from "../../writable-store.js";
import { backlinksOf, OTHER_PROPERTY, PropertyNumbers } from "../format/backlinks.js";
import { partsOf, type TableEntry, type WalkedTable } from "../format/checksummed-table.js";
import type { StoreDatabase } from "../format/database.js";
import { decodeGraph } from "../format/decoding.js";
import { encodeRecord, sameContent, sameDescription, stored } from "../format/encoding.js";
import { BACKLINK, HASH, iriKey, writeBacklinkKey } from "../format/keys.js";
import { entryEnd, runEntry, valueStart } from "./sorted-runs.js";

/** The entry that counts for an IRI. */
export interface Distinct {
  readonly key: Buffer;
  readonly entry: StagedEntry;
  /** Whether other entries than `keep` were staged for the IRI before it. */
  readonly isRepeated: boolean;
}

/** The last entry of each key. `entries` are in key order, later ones first. `keep` counts only if nothing else is staged. Valid until the next is read. */
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

/** Whether a stored record has the content of a staged one. The encoded records are compared first. If they differ, their triples are compared. Another order of a document's keys is not a change, nor is any order of quads. Quads also state no context, so theirs is not compared. */
export function isUnchanged(database: StoreDatabase, before: Buffer, { kind, context, record }: StagedEntry): boolean {
  if (sameContent(before, record)) return true;
  if (stored.triples(before) !== stored.triples(record) || !sameDescription(before, record)) return false;
  if (context.length > 0 && context.toString("utf8") !== database.contexts.get(stored.context(before))) return false;
  const [old, staged] = [decodeGraph(before), decodeGraph(record)];
  return kind === ENTRY.unordered ? isIsomorphic(old, staged) : isSameByProperty(old, staged);
}

/** Whether a move of an IRI without a record changes where it leads. */
export function isRedirected(database: StoreDatabase, key: Buffer, { target }: Move): boolean {
  return database.deletion(key)?.target !== target;
}

/** The stored records, in key order, for which nothing is staged and which `isWithin` accepts. Yields batches, some of them empty, so that the caller can let the event loop turn. */
export function* restOf(records: WalkedTable, staged: Iterable<Distinct>, isWithin: (value: Buffer) => boolean) {
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

/** The size of an entry's head: kind (1 byte), lengths of backlinks (4), context (4) and source name (4). */
const HEAD = 13;

/** The kinds of staged entries, by number. The order of triples in an `unordered` record is irrelevant. */
export const ENTRY = { record: 0, unordered: 1, deletion: 2, keep: 3, move: 4, release: 5 } as const;
/** Added to the kind of a record that is to be held. */
const HOLD: Readonly<Record<Hold, number>> = { rule: 64, name: 128 };
/** Added to the kind of a record that takes over from a released one. */
const RELEASED = 32;
const KINDS = 31;

/** An entry that is staged for one IRI. Without a record, `record`, `context` and `backlinks` are empty, except that `record` has the JSON of a move. */
export interface StagedEntry {
  readonly kind: number;
  readonly hold: Hold | undefined;
  /** Whether it takes over from a released record, so that no rule holds it. */
  readonly isReleased: boolean;
  /** The record's `@context` as JSON, or empty. */
  readonly context: Buffer;
  readonly backlinks: StagedBacklinks;
  /** The name of the source of the record that it takes over, or empty. */
  readonly source: string;
  /** The encoded record; in a move, the JSON that `moveOf` reads. */
  readonly record: Buffer;
}

/** The backlinks of a record: the keys under which their table has them, one after another. */
export class StagedBacklinks {
  constructor(readonly bytes: Buffer) {}

  get length(): number {
    return this.bytes.length / BACKLINK;
  }

  /** The keys, as views of the bytes. */
  get keys(): Buffer[] {
    return Array.from({ length: this.length }, (_, at) => this.bytes.subarray(at * BACKLINK, (at + 1) * BACKLINK));
  }

  /** The hashes of the IRIs that are mentioned by a property. */
  hashesOf(property: number): Buffer[] {
    const hashes: Buffer[] = [];
    for (let start = 0; start < this.bytes.length; start += BACKLINK) {
      const isOfProperty = this.bytes.readUInt16BE(start + HASH) === property;
      if (isOfProperty) hashes.push(Buffer.from(this.bytes.subarray(start, start + HASH)));
    }
    return hashes;
  }

  /** The backlinks that others lack. */
  without(others: StagedBacklinks): StagedBacklinks {
    const known = new Set(others.keys.map((key) => key.toString("latin1")));
    return new StagedBacklinks(Buffer.concat(this.keys.filter((key) => !known.has(key.toString("latin1")))));
  }
}

/** The backlinks of a record graph, with numbers for their properties. */
export function stagedBacklinks(graph: Staged["graph"], properties: PropertyNumbers): StagedBacklinks {
  const backlinks = backlinksOf(graph);
  const bytes = Buffer.allocUnsafe(backlinks.length * BACKLINK);
  for (const [index, { iri, property }] of backlinks.entries())
    writeBacklinkKey(bytes, index * BACKLINK, textHash(iri), properties.of(property));
  return new StagedBacklinks(bytes);
}

/** The parts of a staged entry with a record. @param source the name of the source of the record that it takes over. @param isReleased whether that record was released. Throws `UnstorableRecordError` */
export function recordEntry(staged: Staged, properties: PropertyNumbers, source = "", isReleased = false): Buffer[] {
  const { graph, hold } = staged;
  const kind = staged.unordered === true ? ENTRY.unordered : ENTRY.record;
  return entryParts(
    kind | (hold === undefined ? 0 : HOLD[hold]) | (isReleased ? RELEASED : 0),
    encodeRecord(staged),
    stagedBacklinks(graph, properties).bytes,
    graph.context === undefined ? NOTHING : Buffer.from(JSON.stringify(graph.context)),
    Buffer.from(source, "utf8"),
  );
}

/** The parts of a staged entry for an IRI that is to redirect to another. */
export function moveEntry(move: Move): Buffer[] {
  return entryParts(ENTRY.move, Buffer.from(JSON.stringify(move)));
}

export interface Move {
  readonly iri: string;
  readonly target: string;
}

/** The move in a staged entry. */
export function moveOf({ record }: StagedEntry): Move {
  return JSON.parse(record.toString("utf8")) as Move;
}

/** The parts of a staged entry. @param others the backlinks, the context and the source of the record, if there is one */
export function entryParts(kind: number, record: Buffer = NOTHING, ...others: Buffer[]): Buffer[] {
  const [backlinks = NOTHING, context = NOTHING, source = NOTHING] = others;
  const head = Buffer.allocUnsafe(HEAD);
  head[0] = kind;
  head.writeUInt32LE(backlinks.length, 1);
  head.writeUInt32LE(context.length, 5);
  head.writeUInt32LE(source.length, 9);
  return [head, backlinks, context, source, record];
}

/** The staged entry in the concatenation of its parts. Its buffers are views. */
function decodeEntry(value: Buffer): StagedEntry {
  const flags = value[0]!;
  const backlinksEnd = HEAD + value.readUInt32LE(1);
  const contextEnd = backlinksEnd + value.readUInt32LE(5);
  const sourceEnd = contextEnd + value.readUInt32LE(9);
  return {
    kind: entryKind(value),
    hold: (flags & HOLD.name) !== 0 ? "name" : (flags & HOLD.rule) !== 0 ? "rule" : undefined,
    isReleased: (flags & RELEASED) !== 0,
    backlinks: new StagedBacklinks(value.subarray(HEAD, backlinksEnd)),
    context: value.subarray(backlinksEnd, contextEnd),
    source: value.toString("utf8", contextEnd, sourceEnd),
    record: value.subarray(sourceEnd),
  };
}

/** Renumber the properties of an entry's backlinks. `numbers` maps old numbers to new ones. */
function renumberProperties(value: Buffer, numbers: readonly number[]): void {
  const end = HEAD + value.readUInt32LE(1);
  for (let at = HEAD + HASH; at < end; at += BACKLINK) {
    const number = value.readUInt16BE(at);
    if (number !== OTHER_PROPERTY) value.writeUInt16BE(numbers[number]!, at);
  }
}

function entryKind(value: Buffer): number {
  return value[0]! & KINDS;
}

const NOTHING = Buffer.alloc(0);

/** Encodes records in batches. Its numbers for properties are not the store's; they stay the same from batch to batch. */
export class BatchEncoder {
  readonly #properties = new PropertyNumbers([]);
  readonly #parts: Buffer[] = [];

  constructor(readonly maxBytes: number) {}

  /** Add a record to the batch. Throws `UnstorableRecordError`, for instance `RecordTooLargeError`. */
  add(record: Staged): void {
    const entry = recordEntry(record, this.#properties);
    const bytes = entry.at(-1)!.length;
    if (bytes > this.maxBytes) throw new RecordTooLargeError(record.graph.iri, bytes, this.maxBytes);
    this.#parts.push(...runEntry(iriKey(record.graph.iri), entry));
  }

  take(): EncodedRecords {
    const bytes = joinedBytes(this.#parts.splice(0));
    return { bytes, properties: this.#properties.list() };
  }
}

/** The entries of a batch as bytes for `SortedRuns.addEntries`. The numbers of their properties are replaced in place by those of `properties`. */
export function runEntriesOf(batch: EncodedRecords, properties: PropertyNumbers): Buffer {
  const { buffer, byteOffset, byteLength } = batch.bytes;
  const entries = Buffer.from(buffer, byteOffset, byteLength);
  const numbers = [0, ...batch.properties.map((iri) => properties.of(iri))];
  for (let start = 0; start < entries.length; start = entryEnd(entries, start))
    renumberProperties(entries.subarray(valueStart(entries, start)), numbers);
  return entries;
}
