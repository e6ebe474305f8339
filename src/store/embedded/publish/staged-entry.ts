/** The form in which records and deletions wait to be published. */
import { type TextHash, textHash } from "../../../rdf/text-hash.js";
import type { Hold } from "../../held.js";
import type { Staged } from "../../writable-store.js";
import { backlinksOf } from "../format/backlinks.js";
import { encodeRecord, withSource } from "../format/encoding.js";
import { OTHER_PROPERTY, type PropertyNumbers } from "../format/property-numbers.js";

/** The kind (1 byte) and the lengths of backlinks (4), context (4) and the source's name (4). */
const HEAD = 13;
/** A backlink's hash (12 bytes) and property number (2). */
const BACKLINK = 14;
const PROPERTY = 12;

/**
 * The kind of an entry that is staged for an IRI, by number: a record, one whose triples come in no order, a deletion, that it stays, that it leads elsewhere, or
 * that it is published as it is held.
 */
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

  /** The key of a backlink among those of its record. */
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

/**
 * A record as the parts of a staged entry. Throws `UnstorableRecordError`.
 * @param source the number of the source it has when its load has none, or 0; the source's name for a record that is to be held
 */
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

/** An IRI, and where it leads. */
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
export function decodeEntry(value: Buffer): StagedEntry {
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
export function renumberProperties(value: Buffer, numbers: readonly number[]): void {
  const end = HEAD + value.readUInt32LE(1);
  for (let at = HEAD + PROPERTY; at < end; at += BACKLINK) {
    const number = value.readUInt16LE(at);
    if (number !== OTHER_PROPERTY) value.writeUInt16LE(numbers[number]!, at);
  }
}

/** The kind alone. */
export function entryKind(value: Buffer): number {
  return value[0]! & KINDS;
}

const NOTHING = Buffer.alloc(0);
