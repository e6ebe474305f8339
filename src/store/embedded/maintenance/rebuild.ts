/** Rebuilding the tables that are derived from records, after damage or a migration from an older format. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database } from "lmdb";
import { StoreMissingError, StoreReadersError } from "../../errors.js";
import { endsLikeFile, type HeldStats } from "../../store.js";
import { PropertyNumbers } from "../format/backlinks.js";
import { changeSource, decodeChange } from "../format/changes.js";
import { partsOf, type TableEntry } from "../format/checksummed-table.js";
import {
  Environment,
  FORMAT,
  isReadersClash,
  LMDB_PAGE,
  type Mutable,
  OLDER_FORMAT,
  openEnvironment,
  StoreDatabase,
  type StoreState,
} from "../format/database.js";
import { decodeGraph } from "../format/decoding.js";
import { decodeHeld, stored } from "../format/encoding.js";
import { ensureDiskSpace, lmdbFileProblem, RECORDS, RESERVE } from "../format/files.js";
import { numberKey, numberOfKey } from "../format/keys.js";
import { blockOf, blockTimesIn, listingOf, putBlockTime, putListing } from "../format/listing.js";
import { acquireLock } from "../publish/lock.js";
import { stagedBacklinks } from "../publish/staged-entries.js";
import { RecordReader } from "../read/records.js";
import { BacklinkQueue } from "../tables/backlink-queue.js";
import { scopedKeys } from "../tables/change-log.js";
import { countHeld, countRecord, noCounts } from "../tables/count.js";

/** Open a store for writing; the caller holds the loader's lock. A store of the older format is migrated, and its derived tables are rebuilt. Throws `StoreError`, and the signal's reason during an upgrade. */
export async function openWritable(directory: string, signal?: AbortSignal): Promise<StoreDatabase> {
  await migrate(directory, signal);
  const database = await StoreDatabase.open(directory, { readOnly: false });
  try {
    if (database.state.isStale === true) await rebuildIn(database, signal);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Records or other entries that are read between two checks of the disk space. */
const BATCH = RESERVE / 8 / LMDB_PAGE;

/** Rebuild the tables that are derived from the records, in one transaction, so that readers see the old tables until it commits. Damaged records are skipped and stay in the store. The process must not have the store open. Throws `StoreError`. */
export async function rebuild(directory: string): Promise<void> {
  if ((await lmdbFileProblem(`${directory}/${RECORDS}`)) === "missing") throw new StoreMissingError(directory);
  await using _lock = await acquireLock(directory);
  await using database = await openWritable(directory);
  await rebuildIn(database);
}

async function rebuildIn(database: StoreDatabase, signal?: AbortSignal): Promise<void> {
  await database.root.transactionSync(() => new Rebuild(database).run(() => pauseIn(database.directory, signal)));
}

/** Let signals arrive, and check that the disk has room for more. Throws the signal's reason, and `StoreSpaceError`. */
async function pauseIn(directory: string, signal: AbortSignal | undefined): Promise<void> {
  await nextTurn();
  signal?.throwIfAborted();
  await ensureDiskSpace(directory, RESERVE);
}

class Rebuild {
  readonly #reader: RecordReader;
  readonly #properties: PropertyNumbers;
  readonly #backlinks: BacklinkQueue;
  readonly #state: Mutable<StoreState>;
  readonly #sources: readonly string[];
  readonly #blocks: number[] = [];

  constructor(private readonly database: StoreDatabase) {
    const { state, properties, sources } = database;
    this.#reader = new RecordReader(database);
    this.#properties = new PropertyNumbers(properties);
    this.#backlinks = new BacklinkQueue(database);
    const { isStale: _, ...kept } = state as Mutable<StoreState>;
    this.#state = { ...kept, ...noCounts() };
    this.#sources = sources;
    try {
      this.#blocks = blockTimesIn(database);
    } catch {
      // The table is damaged: its times are not kept.
    }
  }

  async run(pause: () => Promise<void>): Promise<void> {
    const { numbers, lists, backlinks, blockTimes, facts } = this.database;
    for (const table of [numbers, lists, backlinks, blockTimes]) table.clearSync();
    for (const part of this.database.recordParts({ limit: BATCH })) {
      await pause();
      for (const { key, value } of part) this.#add(key, value);
      if (this.#backlinks.isFullFor(1)) await this.#backlinks.flush(pause);
    }
    await this.#backlinks.flush(pause);
    for (let block = 0; block <= blockOf(this.#state.nextNumber - 1); block++) {
      // A time that is too late is harmless: a client reads the block once more.
      putBlockTime(this.database, block, this.#blocks[block] ?? this.#state.lastChange ?? 0);
    }
    await this.#putScopes(pause);
    const held: Mutable<HeldStats> = { records: 0, sources: {} };
    for (const { value } of this.database.held.getRange({})) countHeld(held, decodeHeld(value), 1);
    facts.putSync("held", held);
    facts.putSync("properties", this.#properties.list());
    facts.putSync("state", this.#state);
  }

  #add(key: Buffer, value: Buffer): void {
    countRecord(this.#state, value, this.#sources[stored.source(value) - 1], 1);
    if (!this.#reader.isIntact(key, value)) return;
    const graph = decodeGraph(value);
    const number = stored.number(value);
    if (endsLikeFile(graph.iri)) this.#state.suffixed++;
    this.database.numbers.putSync(numberKey(number), Buffer.from(graph.iri, "utf8"));
    putListing(this.database, listingOf(value, graph.iri, number));
    this.#backlinks.addAll(stagedBacklinks(graph, this.#properties), number);
    this.#state.nextNumber = Math.max(this.#state.nextNumber, number + 1);
    const block = blockOf(number);
    this.#blocks[block] = Math.max(this.#blocks[block] ?? 0, stored.modified(value));
  }

  /** Write the parts of the change log by endpoint and source. */
  async #putScopes(pause: () => Promise<void>): Promise<void> {
    const { changes, scopedChanges } = this.database;
    const keysOf = scopedKeys();
    scopedChanges.clearSync();
    let written = 0;
    for (const { key, value } of changes.getRange({})) {
      const { endpoint } = decodeChange(numberOfKey(key), value);
      for (const scoped of keysOf({ endpoint, source: changeSource(value) }))
        scopedChanges.putSync(scoped, Buffer.from(key));
      if (++written % BATCH === 0) await pause();
    }
  }
}

/** The tables whose entries got checksums in format 5. */
const CHECKSUMMED = ["numbers", "changes", "scopedChanges", "setChanges", "lists", "tombstones"] as const;

/** Migrate a store in one transaction. Its state is marked as stale until `openWritable` has rebuilt the derived tables. Throws `StoreError`, and the signal's reason. */
export async function migrate(directory: string, signal?: AbortSignal): Promise<void> {
  const path = `${directory}/${RECORDS}`;
  // Opening the file reports its problem.
  if ((await lmdbFileProblem(path)) !== undefined) return;
  const root = openEnvironment(path, false);
  try {
    const facts: Database<unknown, string> = root.openDB({ name: "facts", encoding: "json" });
    const state = facts.get("state") as StoreState | undefined;
    if (state?.format !== OLDER_FORMAT) return;
    await root.transactionSync(async () => {
      const environment = new Environment(root, directory);
      for (const name of CHECKSUMMED) {
        const checksummed = environment.checksummed(name);
        for await (const { key, value } of entriesOf(environment, name, signal)) checksummed.putSync(key, value);
      }
      for (const name of ["facts", "documents"]) {
        const table: Database<unknown, string> = root.openDB({ name, encoding: "json" });
        const checksummed = environment.json(name);
        for (const key of [...table.getKeys()]) checksummed.putSync(key, table.get(key));
      }
      environment
        .json<StoreState>("facts")
        .putSync("state", { ...state, suffixed: 0, format: FORMAT, keeps: "nothing", isStale: true });
    });
  } catch (error) {
    throw isReadersClash(error) ? new StoreReadersError(directory, { cause: error }) : error;
  } finally {
    await root.close();
  }
}

/** The entries of a table, which the caller may write to meanwhile. Checks that the disk has room for the rewritten entries. */
async function* entriesOf(environment: Environment, name: string, signal?: AbortSignal): AsyncIterable<TableEntry> {
  const { directory } = environment;
  for (const part of partsOf({ table: environment.bytes(name), directory, name }, { limit: BATCH })) {
    await pauseIn(directory, signal);
    for (const { key, value } of part) yield { key, value: Buffer.from(value.subarray(0, value.length)) };
  }
}
