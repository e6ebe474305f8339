/** A load in progress: records wait in a file beside the store, and one transaction publishes them all. */
import { closeSync, openSync, readSync } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rm, unlink } from "node:fs/promises";
import type { Publication, Stage, Staged, StageOptions } from "../store.js";
import type { StoreDatabase } from "./database.js";
import { encodeRecord } from "./encoding.js";
import { iriHash, iriKey } from "./keys.js";
import { Publisher } from "./publish.js";

const FOLDER = "staging";
/** Encoded records are handed to the file in pieces of about this many bytes. */
const PIECE = 4 * 2 ** 20;
/** Kind (1), key length (4), context length (4), value length (4). */
const ENTRY_HEADER = 13;
const ENTRY = { put: 0, delete: 1 } as const;

/** The staging file of one load. Made by `openStage`. */
class FileStage implements Stage {
  #pieces: Buffer[] = [];
  #pending = 0;
  readonly #hashes = new HashSet();
  /** Hashes of IRIs that were staged more than once. */
  readonly #repeated = new Set<number>();
  #open = true;

  constructor(
    readonly database: StoreDatabase,
    readonly file: string,
    readonly handle: FileHandle,
    readonly options: StageOptions,
  ) {}

  async put(record: Staged): Promise<void> {
    const context = record.graph.context === undefined ? EMPTY : Buffer.from(JSON.stringify(record.graph.context));
    await this.#append(ENTRY.put, record.graph.iri, context, encodeRecord(record));
  }

  async delete(iri: string): Promise<void> {
    await this.#append(ENTRY.delete, iri, EMPTY, EMPTY);
  }

  async publish(): Promise<Publication> {
    await this.#flush();
    try {
      return new Publisher(this.database, this.options).publish(() => this.#entries(), this.#repeated.size);
    } finally {
      await this.discard();
    }
  }

  async discard(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    await this.handle.close();
    await unlink(this.file);
  }

  async #append(kind: number, iri: string, context: Buffer, value: Buffer): Promise<void> {
    const key = iriKey(iri);
    const hash = iriHash(iri);
    if (!this.#hashes.add(hash)) this.#repeated.add(hash);
    const header = Buffer.allocUnsafe(ENTRY_HEADER);
    header[0] = kind;
    header.writeUInt32LE(key.length, 1);
    header.writeUInt32LE(context.length, 5);
    header.writeUInt32LE(value.length, 9);
    this.#pieces.push(header, hashBytes(hash), key, context, value);
    this.#pending += ENTRY_HEADER + 8 + key.length + context.length + value.length;
    if (this.#pending >= PIECE) await this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#pending === 0) return;
    const piece = Buffer.concat(this.#pieces, this.#pending);
    this.#pieces = [];
    this.#pending = 0;
    await this.handle.appendFile(piece);
  }

  /** The staged entries, each IRI's last one only. */
  *#entries(): Iterable<StagedEntry> {
    const last = new Map<string, number>();
    if (this.#repeated.size > 0) {
      for (const { key, hash, position } of readEntries(this.file)) {
        if (this.#repeated.has(hash)) last.set(key.toString("latin1"), position);
      }
    }
    for (const entry of readEntries(this.file)) {
      if (this.#repeated.has(entry.hash) && last.get(entry.key.toString("latin1")) !== entry.position) continue;
      yield entry;
    }
  }
}

const EMPTY = Buffer.alloc(0);

function hashBytes(hash: number): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeDoubleLE(hash);
  return bytes;
}

/** One staged record or deletion. */
export interface StagedEntry {
  readonly key: Buffer;
  readonly hash: number;
  /** The record's `@context` as JSON, or empty. */
  readonly context: Buffer;
  /** The encoded record, or empty for a deletion. */
  readonly value: Buffer;
  /** Where in the file the entry begins. */
  readonly position: number;
}

/** Read a staging file from its beginning, in pieces. Buffers are the entry's own. */
function* readEntries(file: string): Iterable<StagedEntry> {
  const descriptor = openSync(file, "r");
  try {
    let buffer = EMPTY as Buffer;
    let position = 0;
    const fill = (needed: number): boolean => {
      if (buffer.length >= needed) return true;
      const more = Buffer.allocUnsafe(Math.max(PIECE, needed - buffer.length));
      const read = readSync(descriptor, more, 0, more.length, null);
      buffer = Buffer.concat([buffer, more.subarray(0, read)]);
      return read > 0 && (buffer.length >= needed || fill(needed));
    };
    while (fill(ENTRY_HEADER + 8)) {
      const keyLength = buffer.readUInt32LE(1);
      const contextLength = buffer.readUInt32LE(5);
      const length = ENTRY_HEADER + 8 + keyLength + contextLength + buffer.readUInt32LE(9);
      if (!fill(length)) throw new Error(`the staging file ${file} ends within a record`);
      const hash = buffer.readDoubleLE(ENTRY_HEADER);
      const keyEnd = ENTRY_HEADER + 8 + keyLength;
      const contextEnd = keyEnd + contextLength;
      yield {
        key: buffer.subarray(ENTRY_HEADER + 8, keyEnd),
        hash,
        context: buffer.subarray(keyEnd, contextEnd),
        value: buffer.subarray(contextEnd, length),
        position,
      };
      buffer = buffer.subarray(length);
      position += length;
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Begin a load; the caller holds the loader's lock. What killed loads left is removed. */
export async function openStage(database: StoreDatabase, directory: string, options: StageOptions): Promise<Stage> {
  const folder = `${directory}/${FOLDER}`;
  await mkdir(folder, { recursive: true });
  for (const leftover of await readdir(folder)) await rm(`${folder}/${leftover}`, { recursive: true });
  const file = `${folder}/load-${process.pid}`;
  return new FileStage(database, file, await open(file, "a"), options);
}

/** A set of 52-bit numbers in 8 bytes each: a million IRIs in 16 MB. */
class HashSet {
  #slots = new Float64Array(1024);
  #size = 0;

  /** Add a number; false when it was there. */
  add(hash: number): boolean {
    if (this.#size * 2 > this.#slots.length) this.#grow();
    return this.#insert(hash + 1);
  }

  #insert(value: number): boolean {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = (value % 4294967296) & mask;
    while (slots[slot] !== 0) {
      if (slots[slot] === value) return false;
      slot = (slot + 1) & mask;
    }
    slots[slot] = value;
    this.#size++;
    return true;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Float64Array(before.length * 4);
    this.#size = 0;
    for (const value of before) if (value !== 0) this.#insert(value);
  }
}
