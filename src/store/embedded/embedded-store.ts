/** The embedded store: records in LMDB, read synchronously and loaded in one transaction. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { makeFolder } from "../../base/folders.js";
import type { EndpointName } from "../../model/tables/names.js";
import type { Json } from "../../rdf/record-graph.js";
import type { Change, ChangeLog, Versions } from "../changes.js";
import { TableDamagedError } from "../errors.js";
import type { RecordHandle, StoredRecord, StoreStats } from "../record.js";
import type { HeldRecords, Lists, Origin, References } from "../store.js";
import type { Stage, StageOptions, WritableStore } from "../writable-store.js";
import { StoreDatabase, statsOf } from "./format/database.js";
import { stored } from "./format/encoding.js";
import { ensureDiskSpace } from "./format/files.js";
import { iriKey, MAX_KEY_BYTES } from "./format/keys.js";
import { openWritable } from "./maintenance/rebuild.js";
import { acquireLock, type LoaderLock } from "./publish/lock.js";
import { openStage } from "./publish/stage.js";
import { listsOf, RecordReader, versionOf } from "./read/records.js";
import { describedInOf, referencesOf } from "./read/references.js";
import { EmbeddedSnapshot } from "./read/snapshot.js";
import { changeLogOf } from "./tables/change-log.js";
import { heldRecords } from "./tables/held.js";

/** Keys that are counted in one turn of the event loop, which takes some milliseconds. */
const COUNTED_AT_ONCE = 10_000;

/** A store in a directory, opened by `openReadOnly` or `openEmbeddedForLoading`. */
export class EmbeddedStore implements WritableStore {
  readonly changes: ChangeLog;
  readonly references: References;
  readonly lists: Lists;
  readonly versions: Versions = {
    areKept: () => this.#state().areKept,
    find: async (sequence) => versionOf(this.#reader, sequence),
  };
  readonly snapshots = { take: () => new EmbeddedSnapshot(this.#reader, this.#open) };
  readonly held: HeldRecords;
  readonly #reader: RecordReader;
  readonly #open = new Set<EmbeddedSnapshot>();
  readonly #state = polled(() => {
    const { state, versions } = this.database;
    const areKept = state.keeps !== "nothing" || versions.getKeysCount({ limit: 1 }) > 0;
    return { areKept, hasFileNames: state.suffixed > 0 };
  });
  #isStaging = false;

  constructor(
    readonly database: StoreDatabase,
    /** `undefined` in a store opened for reading. */
    readonly lock?: LoaderLock,
  ) {
    this.#reader = new RecordReader(database);
    this.changes = changeLogOf(database);
    this.references = referencesOf(database);
    this.lists = { ...listsOf(database), records: (endpoint) => this.#records(endpoint) };
    this.held = heldRecords(database);
  }

  readonly hasFileNames = (): boolean => this.#state().hasFileNames;

  /** Synchronous, because LMDB is memory-mapped and a promise would cost more than the read. */
  readonly find = (iri: string): RecordHandle | undefined => this.#reader.find(iri);

  readonly tombstone = async (iri: string): Promise<Change | undefined> => {
    const change = this.database.deletion(iriKey(iri));
    // An unreadable record must not become a 404, from which caches would learn that it no longer exists.
    if (change === undefined) this.#reader.ensureAbsent(iri);
    return change;
  };

  readonly describedIn = async (iri: string, limit: number): Promise<readonly string[]> =>
    describedInOf(this.database, iri, limit);

  readonly fragments = async (iri: string, limit: number): Promise<readonly string[]> => {
    const start = Buffer.from(`${iri}#`, "utf8");
    // Longer IRIs are keyed by hash, so they cannot be found by their beginning.
    if (start.length > MAX_KEY_BYTES) return [];
    const found: string[] = [];
    for (const key of this.database.records.getKeys({ start, limit })) {
      if (!key.subarray(0, start.length).equals(start)) break;
      found.push(key.toString("utf8"));
    }
    return found;
  };

  async *#records(endpoint?: EndpointName): AsyncIterable<StoredRecord> {
    using snapshot = this.snapshots.take();
    let count = 0;
    for (const { key, value } of this.database.eachRecord({ transaction: snapshot.transaction })) {
      if (endpoint === undefined || stored.endpoint(value) === endpoint) yield this.#reader.record(key, value);
      // Signals and other work get their turn.
      if (++count % RECORDS_A_TURN === 0) await nextTurn();
      snapshot.ensureOpen();
    }
  }

  readonly stats = async (): Promise<StoreStats> => statsOf(this.database.state);

  readonly countUnder = async (prefix: string): Promise<number> => {
    const { records } = this.database;
    using snapshot = this.snapshots.take();
    const { transaction } = snapshot;
    const end = prefixEnd(prefix);
    let start: Buffer = Buffer.from(prefix, "utf8");
    for (let count = 0; ; count += COUNTED_AT_ONCE) {
      const [next] = [...records.getKeys({ start, end, offset: COUNTED_AT_ONCE, limit: 1, transaction })];
      if (next === undefined) return count + records.getKeysCount({ start, end, transaction });
      if (next.compare(start) <= 0) throw new TableDamagedError(this.database.directory, "records");
      start = next;
      await nextTurn();
      snapshot.ensureOpen();
    }
  };

  readonly origins = async (limit: number): Promise<readonly Origin[]> => {
    const origins: Origin[] = [];
    let start = Buffer.alloc(0);
    while (origins.length < limit) {
      const [key] = [...this.database.records.getKeys({ start, limit: 1 })];
      const prefix = key && ORIGIN.exec(key.toString("utf8"))?.[0];
      if (prefix === undefined) break;
      // A key that ends here, such as https://a.org or http://, counts alone: the keys after it begin with another prefix.
      const isWhole = key!.length === Buffer.byteLength(prefix) && !/[^/][/?#]$/.test(prefix);
      origins.push({ prefix, records: isWhole ? 1 : await this.countUnder(prefix) });
      start = isWhole ? Buffer.concat([key!, Buffer.alloc(1)]) : prefixEnd(prefix);
    }
    return origins;
  };

  readonly contexts = async (): Promise<ReadonlyMap<string, Json>> => new Map(this.database.documents.entries());

  /** Begin a load in a store that was opened for loading. Only one load runs at a time. */
  readonly stage = async (options: StageOptions = {}): Promise<Stage> => {
    const { database, lock } = this;
    const { directory } = database;
    if (lock === undefined) throw new Error(`the store in ${directory} was opened for reading`);
    if (this.#isStaging) throw new Error(`a load into the store in ${directory} is already running`);
    this.#isStaging = true;
    const ended = (): void => {
      this.#isStaging = false;
    };
    try {
      return await openStage({ database, lock }, options, ended);
    } catch (error) {
      ended();
      throw error;
    }
  };

  readonly close = async (): Promise<void> => {
    // LMDB must not be closed while a transaction is open.
    for (const snapshot of this.#open) snapshot.close();
    await this.database.close();
    await this.lock?.release();
  };
  readonly [Symbol.asyncDispose] = this.close;
}

/** The number of records between two turns of the event loop. */
const RECORDS_A_TURN = 100;

/** Milliseconds between two reads of state that may change while the store is open. */
const POLLING = 100;

/** A function that caches the result of `look` for `POLLING` milliseconds, since requests ask for it each time. */
function polled<T>(look: () => T): () => T {
  let last: { readonly found: T; readonly at: number } | undefined;
  return () => {
    const now = performance.now();
    if (last === undefined || now - last.at > POLLING) last = { found: look(), at: now };
    return last.found;
  };
}

/** Matches an IRI's scheme with its host and the character that ends the host, or the scheme alone. */
const ORIGIN = /^[A-Za-z][A-Za-z0-9+.-]*:(?:\/\/[^/?#]*[/?#]?)?/;

/** The first key after all keys with a prefix whose last character is ASCII. */
function prefixEnd(prefix: string): Buffer<ArrayBuffer> {
  const end = Buffer.from(prefix, "utf8");
  end[end.length - 1]!++;
  return end;
}

/** Implements `openStore` (`src/store/open.ts`). */
export async function openReadOnly(directory: string): Promise<EmbeddedStore> {
  return new EmbeddedStore(await StoreDatabase.open(directory, { readOnly: true }));
}

/** Implements `openForLoading`. LMDB opens a file only once in a process, and keeps the mode of the first opening. */
export async function openEmbeddedForLoading(directory: string, signal?: AbortSignal): Promise<EmbeddedStore> {
  await makeFolder(directory);
  await ensureDiskSpace(directory, 0);
  const lock = await acquireLock(directory);
  try {
    return new EmbeddedStore(await openWritable(directory, signal), lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}
