/** The LMDB file of a store and its tables. docs/inside/store.md describes each. */
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { type Database, open, type RangeOptions, type RootDatabase } from "lmdb";
import { synchronized } from "../../../base/whole-file.js";
import type { Json } from "../../../rdf/record-graph.js";
import {
  StoreDamagedError,
  StoreError,
  StoreFormatError,
  StoreMissingError,
  StoreReadersError,
  TableDamagedError,
} from "../../errors.js";
import { NO_STATS, type StoreStats } from "../../record.js";
import type { HeldStats } from "../../store.js";
import type { Keeps } from "../../writable-store.js";
import { ChecksummedJson, ChecksummedTable, type PartLength, partsOf, type TableEntry } from "./checksummed-table.js";
import { lmdbFileProblem, makeLockFile, RECORDS, STAGING } from "./files.js";

/** Grows with every change of the stored form; a store of another format is refused, not guessed at. */
export const FORMAT = 5;
/** A store of this format is brought to the present one when it is opened for writing. */
export const OLDER_FORMAT = 4;

/** Records that so many of the last changes replaced are kept, for the index to remove. An index that is further behind reads all records anew. */
export const REPLACED_KEPT = 10_000;

/** Bytes: a record of 2 KB fills a page of LMDB's usual 4 KB alone; on these, seven share one (measured: a quarter less). */
export const LMDB_PAGE = 16_384;

type Bytes = Database<Buffer, Buffer>;

/** Facts about the whole store, kept in the same transactions as the records. */
export interface StoreState extends StoreStats {
  readonly format: number;
  readonly nextNumber: number;
  readonly sources: { readonly [name: string]: number };
  /** That there is a table of what records are found by, which versions before the search index had; `forWriting` drops it. */
  readonly found?: number;
  readonly keeps: Keeps;
  /** How many records' IRIs end like names of files. */
  readonly suffixed: number;
  /** Set by a migration until what is derived from the records has been rebuilt. */
  readonly isStale?: true;
}

/** The public part of a store's state. */
export function statsOf({
  format: _format,
  nextNumber: _number,
  keeps: _keeps,
  suffixed: _suffixed,
  found: _found,
  isStale: _isStale,
  ...stats
}: StoreState): StoreStats {
  return stats;
}

/** The same, to be written to. */
export type Mutable<T> = { -readonly [Key in keyof T]: T[Key] extends object | null ? Mutable<T[Key]> : T[Key] };

const NEW_STORE: StoreState = {
  ...NO_STATS,
  format: FORMAT,
  nextNumber: 1,
  sources: {},
  keeps: "nothing",
  suffixed: 0,
};

/**
 * Many values a key, all of one length: LMDB packs them, counts them without a walk, and finds one by its bytes. Its
 * binding takes a beginning among the values only from an encoder that says how they are written as keys.
 */
const SORTED_VALUES = {
  dupSort: true,
  dupFixed: true,
  encoder: {
    encode: (value: Buffer): Buffer => value,
    // LMDB's own buffers are longer than they say.
    decode: (value: Buffer): Buffer => Buffer.from(value.subarray(0, value.length)),
    writeKey: (value: Buffer, target: Buffer, start: number): number => start + value.copy(target, start),
  },
} as const;

const BYTES = { encoding: "binary", keyEncoding: "binary" } as const;

/** An LMDB environment, whose tables open by name. */
export class Environment {
  constructor(
    readonly root: RootDatabase,
    readonly directory: string,
  ) {}

  bytes(name: string): Bytes {
    return this.root.openDB({ name, ...BYTES });
  }

  checksummed(name: string): ChecksummedTable {
    return new ChecksummedTable(this.bytes(name), { directory: this.directory, name });
  }

  json<T>(name: string): ChecksummedJson<T> {
    return new ChecksummedJson(this.root.openDB({ name, encoding: "string" }), { directory: this.directory, name });
  }
}

export class StoreDatabase extends Environment {
  /** Record by IRI. */
  readonly records = this.bytes("records");
  /** IRI by record number. */
  readonly numbers = this.checksummed("numbers");
  /** When the records of a block of numbers last changed, by the number of the block, from 0. */
  readonly blockTimes = this.checksummed("blockTimes");
  /** Records that mention an IRI: under its hash and a property's number, the numbers of the records, each a value of its own. */
  readonly backlinks: Bytes = this.root.openDB({ name: "mentions", keyEncoding: "binary", ...SORTED_VALUES });
  /** Change by sequence number. */
  readonly changes = this.checksummed("changes");
  /** Sequence number by source, endpoint and which change it is of these. */
  readonly scopedChanges = this.checksummed("scopedChanges");
  /** Sequence number by Set and which change it is of the Set's members. */
  readonly setChanges = this.checksummed("setChanges");
  /** Label and IRI of the records of an endpoint, in the order of labels. */
  readonly lists = this.checksummed("lists");
  /** Sequence number of a deletion or move by the IRI that was deleted. */
  readonly tombstones = this.checksummed("tombstones");
  /** The record that a change replaced or deleted, by sequence number. Of the last `REPLACED_KEPT` changes. */
  readonly replaced = this.bytes("replaced");
  /** Records that were replaced or deleted, as far as the store keeps them, by the sequence number of the change that made each. */
  readonly versions = this.bytes("versions");
  /** Held records by IRI, with all that they need to be published: nothing but `read/held.ts` and `publish/holding.ts` knows of them. */
  readonly held = this.checksummed("held");
  /** When a record was released, by IRI: rules do not hold it again. */
  readonly released = this.checksummed("released");
  /** The `@context` of records by number, as JSON. */
  readonly contexts: Database<string, number> = this.root.openDB({
    name: "contexts",
    encoding: "string",
    keyEncoding: "uint32",
  });
  /** Context documents given at loading, by URI. */
  readonly documents = this.json<Json>("documents");
  /** `state`: facts about the whole store; `properties`, `sources`: predicates and sources by number; `held`: how many records are held. */
  readonly facts = this.json("facts");

  /** Open for reading: sees every commit of other processes, never waits for one. Throws `StoreError`. */
  static async forReading(directory: string): Promise<StoreDatabase> {
    const problem = await lmdbFileProblem(`${directory}/${RECORDS}`);
    if (problem === "missing") throw new StoreMissingError(directory);
    if (problem !== undefined) throw new StoreDamagedError(directory, problem);
    return StoreDatabase.#open(directory, true);
  }

  /** Open for writing; the caller holds the loader's lock. Creates the store where there is none. Throws `StoreError`. */
  static async forWriting(directory: string): Promise<StoreDatabase> {
    const problem = await lmdbFileProblem(`${directory}/${RECORDS}`);
    if (problem === "missing") await StoreDatabase.#create(directory);
    else if (problem !== undefined) throw new StoreDamagedError(directory, problem);
    const database = await StoreDatabase.#open(directory, false);
    database.#dropFound();
    return database;
  }

  #dropFound(): void {
    const { found, ...state } = this.state;
    if (found === undefined) return;
    this.root.transactionSync(() => {
      this.bytes("found").dropSync();
      this.facts.putSync("state", state);
    });
  }

  /** Make a store in a folder of its own and move it into place, whole: no reader ever meets a store without tables. */
  static async #create(directory: string): Promise<void> {
    const folder = `${directory}/${STAGING}/new`;
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const root = openEnvironment(`${folder}/${RECORDS}`, false);
    const database = new StoreDatabase(root, directory);
    root.transactionSync(() => {
      database.facts.putSync("state", NEW_STORE);
      database.facts.putSync("properties", []);
      database.facts.putSync("sources", []);
    });
    await database.close();
    await rename(`${folder}/${RECORDS}`, `${directory}/${RECORDS}`);
    await synchronized(directory);
    await rm(folder, { recursive: true, force: true });
  }

  static async #open(directory: string, readOnly: boolean): Promise<StoreDatabase> {
    try {
      return await StoreDatabase.#opened(directory, readOnly);
    } catch (error) {
      throw isReadersClash(error) ? new StoreReadersError(directory, { cause: error }) : error;
    }
  }

  static async #opened(directory: string, readOnly: boolean): Promise<StoreDatabase> {
    await makeLockFile(`${directory}/${RECORDS}`);
    const root = openEnvironment(`${directory}/${RECORDS}`, readOnly);
    try {
      // The format comes before the tables: another format may have others.
      const state = new Environment(root, directory).json("facts").getOfAnyFormat("state") as StoreState | undefined;
      if (state === undefined) throw new StoreDamagedError(directory, `${RECORDS} holds no store`);
      if (state.format !== FORMAT) throw new StoreFormatError(directory, state.format, FORMAT, OLDER_FORMAT);
      return new StoreDatabase(root, directory);
    } catch (error) {
      await root.close();
      throw error;
    }
  }

  /** Copy the file, as it is at one moment, also while it is written to. */
  async copyTo(path: string): Promise<void> {
    // Its types leave this method of a root database away.
    const { root } = this as unknown as { root: { backup(path: string, compact: boolean): Promise<void> } };
    await root.backup(path, true).catch((error: Error) => {
      // LMDB says what is wrong in words alone.
      throw /No space left/.test(error.message) ? Object.assign(error, { code: "ENOSPC", path }) : error;
    });
    await synchronized(path);
  }

  /** All records, damaged ones too, part by part. Throws `TableDamagedError`. */
  recordParts(length: PartLength): Iterable<readonly TableEntry[]> {
    return partsOf({ table: this.records, directory: this.directory, name: "records" }, length);
  }

  /** The keys of the records of a range. Throws `TableDamagedError`. */
  *eachKey(range: Omit<PartLength, "limit">): Iterable<Buffer> {
    const { records, directory } = this;
    const keys = (options: RangeOptions) => records.getKeys(options).map((key) => ({ key, value: NOT_READ }));
    const table = { table: { getRange: keys }, directory, name: "records" };
    for (const part of partsOf(table, { ...range, limit: KEYS })) for (const { key } of part) yield key;
  }

  /** Each record of a range, damaged ones too. A value is of use until anything else is read: what is not copied takes half as long. Throws `TableDamagedError`. */
  *eachRecord(range: Omit<PartLength, "limit">): Iterable<TableEntry> {
    for (const key of this.eachKey(range)) {
      const value = this.recordNow(key, range);
      if (value === undefined) throw new TableDamagedError(this.directory, "records");
      yield { key, value };
    }
  }

  /** The newest: whoever looks at it may have been told of a publication that what was read a moment ago lacks. */
  get state(): StoreState {
    this.renew();
    return this.facts.get("state") as StoreState;
  }

  /** Have what is read next be of the newest state: LMDB reads on in that of the last millisecond, longer while nobody lets timers run. */
  renew(): void {
    this.records.resetReadTxn();
  }

  /** The predicates that backlinks name by number, from 1. */
  get properties(): readonly string[] {
    return this.facts.get("properties") as string[];
  }

  /** The names of the sources that records name by number, from 1. */
  get sources(): readonly string[] {
    return this.facts.get("sources") as string[];
  }

  get heldStats(): HeldStats {
    return (this.facts.get("held") as HeldStats | undefined) ?? { records: 0, sources: {} };
  }

  isHeld(key: Buffer): boolean {
    return this.heldStats.records > 0 && this.held.has(key);
  }

  get backlinkCount(): number {
    return (this.backlinks.getStats() as { readonly entryCount: number }).entryCount;
  }

  /** The stored record of a key, valid until anything else is read. Values of more than 16 MiB come in another form, which is no buffer, and are copied. */
  recordNow(key: Buffer, reading: Pick<RangeOptions, "transaction"> = {}): Buffer | undefined {
    const records = this.records as unknown as BinaryReading;
    const value = records.getBinaryFast(key, reading);
    return value === undefined || Buffer.isBuffer(value) ? value : records.getBinary(key, reading);
  }

  async close(): Promise<void> {
    await this.root.close();
  }
  readonly [Symbol.asyncDispose] = this.close;
}

type BinaryReading = {
  readonly [name in "getBinary" | "getBinaryFast"]: (key: Buffer, reading: object) => Buffer | undefined;
};

/** Keys are read so many at a time; their values are read later. */
const KEYS = 500;
const NOT_READ = Buffer.alloc(0);

/** Whether LMDB could not enter this process among the readers, since another holds the entry of its number: that is what lmdb-js makes of it. */
export function isReadersClash(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof StoreError) return false;
  return error instanceof TypeError || error.message.includes("No transaction to renew");
}

/** Open the file itself, whatever is in it. Throws `StoreMissingError` where its folder is gone: lmdb-js would make another. */
export function openEnvironment(path: string, readOnly: boolean): RootDatabase {
  if (!existsSync(dirname(path))) throw new StoreMissingError(dirname(path));
  return open({
    path,
    readOnly,
    noSubdir: true,
    maxDbs: 32,
    pageSize: LMDB_PAGE,
    encoding: "binary",
    // A commit has to be on disk when it returns, so LMDB itself syncs, and nothing is deferred.
    overlappingSync: false,
    // Without it LMDB keeps all pages that a transaction changes in private memory, up to 2 GB of them.
    useWritemap: !readOnly,
  });
}
