/** The embedded store: records in LMDB, read without waiting and loaded in one step. */
import { mkdir } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { EndpointName } from "../../model/tables/endpoints.js";
import type { Json, JsonObject, RecordGraph } from "../../rdf/record-graph.js";
import { StoreLacksError, TableDamagedError } from "../errors.js";
import type { HeldRecords } from "../held.js";
import type { SearchHit, SearchQuery, Window, WindowQuery } from "../search.js";
import type {
  Archive,
  Change,
  ChangeSelection,
  ChangesQuery,
  EndpointKey,
  Found,
  Listed,
  NumberedEntry,
  Origin,
  Page,
  PageQuery,
  Reference,
  ReferenceCount,
  Snapshot,
  StoreCapabilities,
  StoredRecord,
  StoreStats,
} from "../store.js";
import type { Stage, StageOptions, WritableStore } from "../writable-store.js";
import { EmbeddedArchive } from "./archive/archive.js";
import { Restorer } from "./archive/restore.js";
import { blockTimesIn } from "./format/block-times.js";
import { decodeChange, sourceOf } from "./format/changes.js";
import { StoreDatabase, statsOf } from "./format/database.js";
import { stored } from "./format/encoding.js";
import { RECORDS } from "./format/folders.js";
import { iriKey, MAX_KEY_BYTES, numberKey, numberOfKey } from "./format/keys.js";
import { ensureDiskSpace } from "./publish/disk-space.js";
import { acquireLock, type LoaderLock } from "./publish/lock.js";
import { openWritable } from "./publish/migrate.js";
import { openStage } from "./publish/stage.js";
import { changeCountOf, changesOf } from "./read/changes.js";
import { EmbeddedHeld } from "./read/held.js";
import { listOf } from "./read/lists.js";
import { RecordReader } from "./read/records.js";
import { describedInOf, referrerCountsOf, referrersOf } from "./read/references.js";
import { relatedCountIn, relatedIn, searchIn } from "./read/search.js";
import { EmbeddedSnapshot } from "./read/snapshot.js";
import { Snapshots } from "./read/snapshots.js";
import { versionOf } from "./read/versions.js";

/** Keys are counted so many at a time, which takes some milliseconds: others have their turn between. */
const COUNTED_AT_ONCE = 10_000;

/** A store in a directory. Made by `openReadOnly` and `openForLoading`. */
export class EmbeddedStore implements WritableStore {
  readonly capabilities: StoreCapabilities;
  readonly held: HeldRecords;
  readonly #reader: RecordReader;
  readonly #snapshots: Snapshots;
  #isStaging = false;

  constructor(
    readonly directory: string,
    readonly database: StoreDatabase,
    /** `undefined` in a store opened for reading. */
    readonly lock?: LoaderLock,
  ) {
    this.#reader = new RecordReader(directory, database);
    this.held = new EmbeddedHeld(directory, database);
    this.#snapshots = new Snapshots(database.root);
    const keepsVersions = looked(
      () => database.state.keeps !== "nothing" || database.versions.getKeysCount({ limit: 1 }) > 0,
    );
    const isSuffixed = looked(() => database.state.suffixed > 0);
    const search = database.hasFound;
    this.capabilities = {
      atOnce: true,
      changes: true,
      referrers: true,
      lists: true,
      snapshots: true,
      get versions() {
        return keepsVersions();
      },
      get suffixed() {
        return isSuffixed();
      },
      search,
    };
  }

  /** At once: LMDB is memory, and a promise would cost more than the reading. */
  find(iri: string): Found | undefined {
    return this.#reader.find(iri);
  }

  async tombstone(iri: string): Promise<Change | undefined> {
    const key = this.database.tombstones.get(iriKey(iri));
    const change = key && this.database.changes.get(key);
    // A 404 would teach caches that it is gone for good.
    if (change === undefined) this.#reader.ensureAbsent(iri);
    return change && decodeChange(numberOfKey(key), change);
  }

  async version(sequence: number): Promise<StoredRecord | undefined> {
    return versionOf(this.#reader, sequence);
  }

  async describedIn(iri: string, limit: number): Promise<readonly string[]> {
    return describedInOf(this.database, iri, limit);
  }

  async referrers(iri: string, query: PageQuery & { readonly property?: string }): Promise<Page<Reference>> {
    return referrersOf(this.database, iri, query);
  }

  async referrerCounts(iri: string): Promise<readonly ReferenceCount[]> {
    return referrerCountsOf(this.database, iri);
  }

  async list(endpoint: EndpointKey, query: PageQuery): Promise<Page<Listed>> {
    return listOf(this.database, endpoint, query);
  }

  async search(query: SearchQuery, window: WindowQuery): Promise<Window<SearchHit>> {
    this.#ensureFound();
    return searchIn(this.#reader, query, window);
  }

  async related(relation: string, iri: string, window: WindowQuery): Promise<Window<string>> {
    this.#ensureFound();
    return relatedIn(this.database, relation, iri, window);
  }

  async relatedCount(relation: string, iri: string): Promise<number> {
    this.#ensureFound();
    return relatedCountIn(this.database, relation, iri);
  }

  #ensureFound(): void {
    if (!this.capabilities.search) throw new StoreLacksError("search");
  }

  async fragments(iri: string, limit: number): Promise<readonly string[]> {
    const start = Buffer.from(`${iri}#`, "utf8");
    // Longer IRIs are keyed by hash, which says nothing of what they begin with.
    if (start.length > MAX_KEY_BYTES) return [];
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
      for (const { key, value } of this.database.eachRecord({ transaction })) {
        if (endpoint !== undefined && stored.endpoint(value) !== endpoint) continue;
        yield this.#reader.record(key, value);
        this.#snapshots.ensureOpen(transaction);
      }
    } finally {
      this.#snapshots.giveBack(transaction);
    }
  }

  async changes(query: ChangesQuery): Promise<readonly Change[]> {
    return changesOf(this.database, query);
  }

  async changeCount(selection: ChangeSelection = {}): Promise<number> {
    return changeCountOf(this.database, selection);
  }

  async numbered(first: number, count: number): Promise<{ records: NumberedEntry[]; last: number }> {
    const { numbers, state } = this.database;
    const records: NumberedEntry[] = [];
    for (const { value } of numbers.getRange({ start: numberKey(first), end: numberKey(first + count) })) {
      const iri = value.toString("utf8");
      const record = this.database.recordNow(iriKey(iri));
      if (record !== undefined) records.push({ iri, modified: stored.modified(record) });
    }
    return { records, last: state.nextNumber - 1 };
  }

  async blockTimes(): Promise<readonly number[]> {
    return blockTimesIn(this.database);
  }

  async sourceOf(iri: string): Promise<string | null | undefined> {
    const { sources, tombstones, changes } = this.database;
    const record = this.database.recordNow(iriKey(iri));
    const deletion = record === undefined ? tombstones.get(iriKey(iri)) : undefined;
    const change = deletion && changes.get(deletion);
    if (record === undefined && change === undefined) return undefined;
    return sources[(record === undefined ? sourceOf(change!) : stored.source(record)) - 1] ?? null;
  }

  snapshot(): Snapshot {
    return new EmbeddedSnapshot(this.#reader);
  }

  archive(): Archive {
    return new EmbeddedArchive(this.#reader);
  }

  async stats(): Promise<StoreStats> {
    return statsOf(this.database.state);
  }

  async countUnder(prefix: string): Promise<number> {
    const { records } = this.database;
    const transaction = this.#snapshots.take();
    const end = prefixEnd(prefix);
    let start: Buffer = Buffer.from(prefix, "utf8");
    try {
      for (let count = 0; ; count += COUNTED_AT_ONCE) {
        const [next] = [...records.getKeys({ start, end, offset: COUNTED_AT_ONCE, limit: 1, transaction })];
        if (next === undefined) return count + records.getKeysCount({ start, end, transaction });
        if (next.compare(start) <= 0) throw new TableDamagedError(this.directory, "records");
        start = next;
        await nextTurn();
        this.#snapshots.ensureOpen(transaction);
      }
    } finally {
      this.#snapshots.giveBack(transaction);
    }
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
    return new Map(this.database.documents.entries());
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

  /** Into a store that was opened for loading, as `stage`. */
  async restore(
    ledger: AsyncIterable<JsonObject>,
    graphs: AsyncIterable<RecordGraph>,
    signal?: AbortSignal,
  ): Promise<StoreStats> {
    const { directory, database, lock } = this;
    if (lock === undefined) throw new Error(`the store in ${directory} was opened for reading`);
    await new Restorer(directory, database).restore(ledger, graphs, signal);
    return statsOf(database.state);
  }

  async close(): Promise<void> {
    this.#snapshots.close();
    await this.database.close();
    await this.lock?.release();
  }
}

/** How often it is looked how a thing is that may change while the store is open, in milliseconds. */
const LOOKING = 100;

/** A thing that is asked for at each request, and looked at no oftener than that is worth. */
function looked(look: () => boolean): () => boolean {
  let found = false;
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - last > LOOKING) {
      found = look();
      last = now;
    }
    return found;
  };
}

/** An IRI's scheme with its host, or the scheme alone. */
const ORIGIN = /^[A-Za-z][A-Za-z0-9+.-]*:(?:\/\/[^/?#]*\/?)?/;

/** The first key after all that begin with an ASCII-ended prefix. */
function prefixEnd(prefix: string): Buffer<ArrayBuffer> {
  const end = Buffer.from(prefix, "utf8");
  end[end.length - 1]!++;
  return end;
}

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
  await ensureDiskSpace(directory, 0);
  const lock = await acquireLock(directory);
  try {
    return new EmbeddedStore(directory, await openWritable(directory), lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Copy the records of a store, as they are at one moment, into a folder. Throws `StoreError`. */
export async function copyRecords(directory: string, folder: string): Promise<void> {
  const database = await StoreDatabase.forReading(directory);
  try {
    await database.copyTo(`${folder}/${RECORDS}`);
  } finally {
    await database.close();
  }
}
