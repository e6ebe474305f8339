/** The rebuilding of the tables that are derived from records: all that a damaged one may have lost and an older format lacks. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { StoreMissingError } from "../../errors.js";
import type { HeldStats } from "../../held.js";
import { endsLikeFile } from "../../store.js";
import { blockOf, blockTimesIn, putBlockTime } from "../format/block-times.js";
import { changeSource, decodeChange } from "../format/changes.js";
import { LMDB_PAGE, type Mutable, StoreDatabase, type StoreState } from "../format/database.js";
import { decodeGraph } from "../format/decoding.js";
import { stored } from "../format/encoding.js";
import { RECORDS } from "../format/folders.js";
import { decodeHeld } from "../format/held.js";
import { numberKey, numberOfKey } from "../format/keys.js";
import { encodeListed, listingKey, listingOf } from "../format/listing.js";
import { lmdbFileProblem } from "../format/lmdb-file.js";
import type { TableEntry } from "../format/parts.js";
import { PropertyNumbers } from "../format/property-numbers.js";
import { ensureDiskSpace, RESERVE } from "../publish/disk-space.js";
import { acquireLock } from "../publish/lock.js";
import { stagedBacklinks } from "../publish/staged-entry.js";
import { RecordReader } from "../read/records.js";
import { BacklinkQueue } from "../tables/backlink-queue.js";
import { scopedKeys } from "../tables/change-log.js";
import { countHeld, countRecord } from "../tables/count.js";
import { migrate } from "./migrate.js";

/**
 * Open a store for writing, of this format or the older one; the caller holds the loader's lock. A store that was migrated gets anew all that is
 * derived from its records, by the rules of this version; killed on the way, the next that opens it does so. Throws `StoreError`.
 */
export async function openWritable(directory: string): Promise<StoreDatabase> {
  await migrate(directory);
  const database = await StoreDatabase.forWriting(directory);
  try {
    if (database.state.isStale === true) await rebuildIn(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Records that are walked over between two looks at the disk. */
const BATCH = RESERVE / 8 / LMDB_PAGE;

/** As `rebuildDerived`, in one transaction: readers see the store as it was. Damaged records are left out, and stay where they are. */
export async function rebuild(directory: string): Promise<void> {
  if ((await lmdbFileProblem(`${directory}/${RECORDS}`)) === "missing") throw new StoreMissingError(directory);
  await using _lock = await acquireLock(directory);
  await using database = await openWritable(directory);
  await rebuildIn(database);
}

async function rebuildIn(database: StoreDatabase): Promise<void> {
  await database.root.transactionSync(() => new Rebuild(database).run());
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
    const none = { records: 0, triples: 0, invalid: 0, endpoints: {}, sources: {}, suffixed: 0 };
    this.#state = { ...kept, ...none };
    this.#sources = sources;
    try {
      this.#blocks = blockTimesIn(database);
    } catch {
      // Of a damaged table nothing is kept.
    }
  }

  async run(): Promise<void> {
    const { numbers, lists, backlinks, blockTimes, facts } = this.database;
    for (const table of [numbers, lists, backlinks, blockTimes]) table.clearSync();
    for await (const { key, value } of this.#records()) this.#add(key, value);
    let written = 0;
    for (const _ of this.#backlinks.flush())
      if (++written % BATCH === 0) await ensureDiskSpace(this.database.directory, RESERVE);
    for (let block = 0; block <= blockOf(this.#state.nextNumber - 1); block++) {
      // Nobody asks too often for what is said to have changed too late.
      putBlockTime(this.database, block, this.#blocks[block] ?? this.#state.lastChange ?? 0);
    }
    await this.#putScopes();
    const held: Mutable<HeldStats> = { records: 0, sources: {} };
    for (const { value } of this.database.held.getRange({})) countHeld(held, decodeHeld(value), 1);
    facts.putSync("held", held);
    facts.putSync("properties", this.#properties.list());
    facts.putSync("state", this.#state);
  }

  /** All records, damaged ones too. */
  async *#records(): AsyncIterable<TableEntry> {
    for (const part of this.database.recordParts({ limit: BATCH })) {
      await ensureDiskSpace(this.database.directory, RESERVE);
      yield* part;
      await nextTurn();
    }
  }

  #add(key: Buffer, value: Buffer): void {
    const { numbers, lists } = this.database;
    countRecord(this.#state, value, this.#sources[stored.source(value) - 1], 1);
    if (!this.#reader.isIntact(key, value)) return;
    const graph = decodeGraph(value);
    const number = stored.number(value);
    const listing = listingOf(value, graph.iri, number);
    if (endsLikeFile(graph.iri)) this.#state.suffixed++;
    numbers.putSync(numberKey(number), Buffer.from(graph.iri, "utf8"));
    lists.putSync(listingKey(listing), encodeListed(listing));
    this.#backlinks.addAll(stagedBacklinks(graph, this.#properties), number);
    this.#state.nextNumber = Math.max(this.#state.nextNumber, number + 1);
    const block = blockOf(number);
    this.#blocks[block] = Math.max(this.#blocks[block] ?? 0, stored.modified(value));
  }

  /** Which changes are of which endpoint and source, from the change log. */
  async #putScopes(): Promise<void> {
    const { changes, scopedChanges } = this.database;
    const keysOf = scopedKeys();
    scopedChanges.clearSync();
    let written = 0;
    for (const { key, value } of changes.getRange({})) {
      const { endpoint } = decodeChange(numberOfKey(key), value);
      for (const scoped of keysOf({ endpoint, source: changeSource(value) })) {
        scopedChanges.putSync(scoped, Buffer.from(key));
      }
      if (++written % BATCH === 0) await ensureDiskSpace(this.database.directory, RESERVE);
    }
  }
}
