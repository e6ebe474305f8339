/** The form in which records and deletions wait to be published. */
import type { Staged } from "../store.js";
import { encodeRecord } from "./encoding.js";
import { iriHash } from "./keys.js";
import { mentionsOf } from "./mentions.js";
import type { PropertyNumbers } from "./property-numbers.js";

/** The lengths of mentions (4 bytes) and context (4). */
const LENGTHS = 8;
/** A mention's hash (a double) and property number (2 bytes). */
const MENTION = 10;

/** A staged record, or a deletion when `record` is empty. */
export interface StagedEntry {
  /** The record's `@context` as JSON, or empty. */
  readonly context: Buffer;
  readonly mentions: StagedMentions;
  /** The encoded record. */
  readonly record: Buffer;
}

/** Which IRIs a record mentions, by hash, and under which property's number. */
export class StagedMentions {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get length(): number {
    return this.#bytes.length / MENTION;
  }

  hash(at: number): number {
    return this.#bytes.readDoubleLE(at * MENTION);
  }

  property(at: number): number {
    return this.#bytes.readUInt16LE(at * MENTION + 8);
  }

  /** Whether these are the same mentions in the same order. */
  equals(other: StagedMentions): boolean {
    return this.#bytes.equals(other.#bytes);
  }

  get bytes(): Buffer {
    return this.#bytes;
  }
}

/** The mentions of a record graph, with numbers for their properties. */
export function stagedMentions(graph: Staged["graph"], properties: PropertyNumbers): StagedMentions {
  const mentions = mentionsOf(graph);
  const bytes = Buffer.allocUnsafe(mentions.length * MENTION);
  for (const [index, { iri, property }] of mentions.entries()) {
    bytes.writeDoubleLE(iriHash(iri), index * MENTION);
    bytes.writeUInt16LE(properties.of(property), index * MENTION + 8);
  }
  return new StagedMentions(bytes);
}

/** A record as the parts of a staged entry. Throws `UnstorableRecordError`. */
export function recordEntry(staged: Staged, properties: PropertyNumbers): Buffer[] {
  const { context } = staged.graph;
  const record = encodeRecord(staged);
  return entryOf(
    stagedMentions(staged.graph, properties).bytes,
    context === undefined ? NOTHING : Buffer.from(JSON.stringify(context)),
    record,
  );
}

/** A deletion as the parts of a staged entry. */
export function deletionEntry(): Buffer[] {
  return entryOf(NOTHING, NOTHING, NOTHING);
}

function entryOf(mentions: Buffer, context: Buffer, record: Buffer): Buffer[] {
  const lengths = Buffer.allocUnsafe(LENGTHS);
  lengths.writeUInt32LE(mentions.length, 0);
  lengths.writeUInt32LE(context.length, 4);
  return [lengths, mentions, context, record];
}

/** The staged entry in the concatenation of such parts; its buffers are views. */
export function decodeEntry(value: Buffer): StagedEntry {
  const mentionsEnd = LENGTHS + value.readUInt32LE(0);
  const contextEnd = mentionsEnd + value.readUInt32LE(4);
  return {
    mentions: new StagedMentions(value.subarray(LENGTHS, mentionsEnd)),
    context: value.subarray(mentionsEnd, contextEnd),
    record: value.subarray(contextEnd),
  };
}

const NOTHING = Buffer.alloc(0);
