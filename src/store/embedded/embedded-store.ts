/** The embedded store: records in LMDB, read without waiting and loaded in one step. */
import { mkdir } from "node:fs/promises";
import type { EndpointName } from "../../model/tables/endpoints.js";
import type { Json } from "../../rdf/record-graph.js";
import { RecordDamagedError } from "../errors.js";
import type {
  Change,
  Origin,
  RecordMeta,
  Reference,
  Stage,
  StageOptions,
  StoredRecord,
  StoreStats,
  WritableStore,
} from "../store.js";
import { decodeChange } from "./format/changes.js";
import { StoreDatabase } from "./format/database.js";
import { decodeGraph, decodeMeta, isIntact, stored } from "./format/encoding.js";
import {
  iriHash,
  iriKey,
  isHashed,
  LONGEST_KEY,
  mentionKey,
  mentionOfKey,
  numberKey,
  numberOfKey,
} from "./format/keys.js";
import { describedIn, mentionsOf } from "./format/mentions.js";
import { DESCRIBED, OTHER_PROPERTY } from "./format/property-numbers.js";
import { ensureRoom } from "./publish/disk-space.js";
import { acquireLock, type LoaderLock } from "./publish/lock.js";
import { openStage } from "./publish/stage.js";
import { Snapshots } from "./read/snapshots.js";

/** Entries are read so many at a time when all are asked for, or so many bytes of them. */
const BATCH = 500;
const BATCH_BYTES = 2 ** 20;

/** A store in a directory. Made by `openReadOnly` and `openForLoading`. */
export class EmbeddedStore implements WritableStore {
  readonly #contexts = new Map<number, StoredContext>();
  readonly #snapshots: Snapshots;
  #isStaging = false;

  constructor(
    readonly directory: string,
    readonly database: StoreDatabase,
    /** `undefined` in a store opened for reading. */
    readonly lock?: LoaderLock,
  ) {
    this.#snapshots = new Snapshots(database.root);
  }

  async record(iri: string): Promise<StoredRecord | undefined> {
    return this.recordNow(iri);
  }

  /** As `record`, at once: LMDB is memory, and a promise would cost more than the reading. */
  recordNow(iri: string): StoredRecord | undefined {
    const key = iriKey(iri);
    const value = this.database.records.getBinaryFast(key);
    return value === undefined ? undefined : this.#decode(key, value);
  }

  metaNow(iri: string): RecordMeta | undefined {
    const value = this.database.records.getBinaryFast(iriKey(iri));
    return value === undefined ? undefined : decodeMeta(value);
  }

  sequenceNow(iri: string): number | undefined {
    const value = this.database.records.getBinaryFast(iriKey(iri));
    return value === undefined ? undefined : stored.sequence(value);
  }

  async tombstone(iri: string): Promise<Change | undefined> {
    const key = this.database.tombstones.getBinary(iriKey(iri));
    const change = key && this.database.changes.getBinary(key);
    return change && decodeChange(numberOfKey(key), change);
  }

  async describedIn(iri: string, limit: number): Promise<readonly string[]> {
    const found: string[] = [];
    for (const { record, property } of this.#mentions(iri)) {
      if (property !== DESCRIBED || found.length === limit) break;
      if (describedIn(record.graph).includes(iri)) found.push(record.graph.iri);
    }
    return found.sort();
  }

  async referrers(iri: string, limit: number): Promise<readonly Reference[]> {
    const found: Reference[] = [];
    const properties = this.database.properties;
    for (const { record, property } of this.#mentions(iri, DESCRIBED + 1)) {
      const named = property === OTHER_PROPERTY ? undefined : properties[property - 1];
      for (const mention of mentionsOf(record.graph)) {
        if (mention.iri !== iri || mention.property === null) continue;
        if (named === undefined ? properties.includes(mention.property) : mention.property !== named) continue;
        found.push({ record: record.graph.iri, property: mention.property });
      }
      if (found.length >= limit) break;
    }
    return found.slice(0, limit);
  }

  async fragments(iri: string, limit: number): Promise<readonly string[]> {
    const start = Buffer.from(`${iri}#`, "utf8");
    // Longer IRIs are keyed by hash, which says nothing of what they begin with.
    if (start.length > LONGEST_KEY) return [];
    const found: string[] = [];
    for (const key of this.database.records.getKeys({ start, limit })) {
      if (!key.subarray(0, start.length).equals(start)) break;
      found.push(key.toString("utf8"));
    }
    return found;
  }

  async *records(endpoint?: EndpointName): AsyncIterable<StoredRecord> {
    const transaction = this.#snapshots.take();
    try {
      let after: Buffer | undefined;
      for (;;) {
        this.#snapshots.ensureOpen(transaction);
        const start = after === undefined ? {} : { start: after, exclusiveStart: true };
        after = undefined;
        const batch: { key: Buffer; value: Buffer }[] = [];
        let bytes = 0;
        for (const { key, value } of this.database.records.getRange({ ...start, transaction, limit: BATCH })) {
          if (endpoint === undefined || stored.endpoint(value) === endpoint) batch.push({ key, value });
          bytes += value.length;
          after = key;
          if (bytes > BATCH_BYTES) break;
        }
        for (const { key, value } of batch) yield this.#decode(key, value);
        if (after === undefined) return;
      }
    } finally {
      this.#snapshots.giveBack(transaction);
    }
  }

  async *changes(afterSequence: number): AsyncIterable<Change> {
    let after = afterSequence;
    for (;;) {
      const range = this.database.changes.getRange({ start: numberKey(after + 1), limit: BATCH });
      const batch = [...range.map(({ key, value }) => decodeChange(numberOfKey(key), value))];
      yield* batch;
      if (batch.length < BATCH) return;
      after = batch.at(-1)!.sequence;
    }
  }

  async stats(): Promise<StoreStats> {
    const { format: _format, nextNumber: _nextNumber, ...stats } = this.database.state;
    return stats;
  }

  async countUnder(prefix: string): Promise<number> {
    return this.database.records.getKeysCount({ start: Buffer.from(prefix, "utf8"), end: prefixEnd(prefix) });
  }

  async origins(limit: number): Promise<readonly Origin[]> {
    const origins: Origin[] = [];
    let start = Buffer.alloc(0);
    while (origins.length < limit) {
      const [key] = [...this.database.records.getKeys({ start, limit: 1 })];
      const prefix = key && ORIGIN.exec(key.toString("utf8"))?.[0];
      if (prefix === undefined) break;
      origins.push({ prefix, records: await this.countUnder(prefix) });
      start = prefixEnd(prefix);
    }
    return origins;
  }

  async contexts(): Promise<ReadonlyMap<string, Json>> {
    return new Map([...this.database.documents.getRange()].map(({ key, value }) => [key, value]));
  }

  /** Begin a load, in a store that was opened for loading. Only one is under way at a time. */
  async stage(options: StageOptions = {}): Promise<Stage> {
    const { directory, database, lock } = this;
    if (lock === undefined) throw new Error(`the store in ${directory} was opened for reading`);
    if (this.#isStaging) throw new Error(`a load into the store in ${directory} is under way already`);
    this.#isStaging = true;
    const ended = (): void => {
      this.#isStaging = false;
    };
    try {
      return await openStage({ directory, database, lock }, options, ended);
    } catch (error) {
      ended();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#snapshots.close();
    await this.database.close();
    await this.lock?.release();
  }

  /** Throws `RecordDamagedError` for a record that is not what was stored. */
  #decode(key: Buffer, value: Buffer): StoredRecord {
    const context = this.#context(stored.context(value));
    if (!isIntact(value, context?.text)) throw new RecordDamagedError(this.directory, nameOf(key));
    return { meta: decodeMeta(value), graph: decodeGraph(value, () => context?.json) };
  }

  #context(number: number): StoredContext | undefined {
    if (number === 0) return undefined;
    let context = this.#contexts.get(number);
    if (context === undefined) {
      const text = this.database.contexts.get(number);
      if (text === undefined) return undefined;
      context = { text, json: JSON.parse(text) as Json };
      if (this.#contexts.size < MOST_CONTEXTS) this.#contexts.set(number, context);
    }
    return context;
  }

  /** The records that may mention an IRI (its hash is the key), by property number from `from` on. */
  *#mentions(iri: string, from = DESCRIBED): Iterable<{ record: StoredRecord; property: number }> {
    const { mentions, numbers, records } = this.database;
    const hash = iriHash(iri);
    for (const mention of mentions.getKeys({ start: mentionKey(hash, from, 0), end: mentionKey(hash + 1, 0, 0) })) {
      const { property, record } = mentionOfKey(mention);
      const key = numbers.getBinary(numberKey(record));
      const value = key && records.getBinary(key);
      if (value !== undefined) yield { record: this.#decode(key!, value), property };
    }
  }
}

/** A record's `@context`, and the JSON that it is stored as. */
interface StoredContext {
  readonly text: string;
  readonly json: Json;
}

/** How a record that cannot be read is called. */
function nameOf(key: Buffer): string {
  return isHashed(key) ? `of key ${key.toString("hex")}` : key.toString("utf8");
}

/** An IRI's scheme with its host, or the scheme alone. */
const ORIGIN = /^[A-Za-z][A-Za-z0-9+.-]*:(?:\/\/[^/?#]*\/?)?/;

/** The first key after all that begin with an ASCII-ended prefix. */
function prefixEnd(prefix: string): Buffer<ArrayBuffer> {
  const end = Buffer.from(prefix, "utf8");
  end[end.length - 1]!++;
  return end;
}

/** Contexts kept ready; each record may bring one of its own. */
const MOST_CONTEXTS = 10_000;

/** Open a store for reading. Throws `StoreMissingError`, `StoreFormatError`, `StoreDamagedError`. */
export async function openReadOnly(directory: string): Promise<EmbeddedStore> {
  return new EmbeddedStore(directory, await StoreDatabase.forReading(directory));
}

/**
 * Open a store for loading, and make it where there is none. Holds the loader's lock until it is closed. Not in a process
 * that has the store open for reading already: LMDB opens a file once a process, and keeps to the first way. Throws
 * `StoreLockedError`, `StoreFormatError`, `StoreDamagedError`, `StoreSpaceError`.
 */
export async function openForLoading(directory: string): Promise<EmbeddedStore> {
  await mkdir(directory, { recursive: true });
  await ensureRoom(directory, 0);
  const lock = await acquireLock(directory);
  try {
    return new EmbeddedStore(directory, await StoreDatabase.forWriting(directory), lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}
