/** The LMDB file of a store and its tables. docs/inside/store.md describes each. */
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { type Database, open, type RangeOptions, type RootDatabase } from "lmdb";
import { synchronized } from "../../../base/whole-file.js";
import type { Json } from "../../../rdf/record-graph.js";
import type { Change } from "../../changes.js";
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
import { decodeChange } from "./changes.js";
import { ChecksummedJson, ChecksummedTable, type PartLength, partsOf, type TableEntry } from "./checksummed-table.js";
import { lmdbFileProblem, makeLockFile, RECORDS, RESERVE, STAGING } from "./files.js";
import { numberKey, numberOfKey } from "./keys.js";

/** The format number, raised with every change of the stored form. A store of another format is refused. */
export const FORMAT = 5;
/** A store of this format is migrated when it is opened for writing. */
export const OLDER_FORMAT = 4;

/** LMDB's page size in bytes. Seven records of 2 KB fit on such a page, but only one on the usual page of 4 KB. Measured: a quarter less space. */
export const LMDB_PAGE = 16_384;
/** Pages that are written between two checks of the disk space. Half of the reserved space is for them. */
export const PAGES_AT_ONCE = RESERVE / 2 / LMDB_PAGE;

type Bytes = Database<Buffer, Buffer>;

/** Facts about the whole store, kept in the same transactions as the records. */
export interface StoreState extends StoreStats {
  readonly format: number;
  readonly nextNumber: number;
  readonly sources: { readonly [name: string]: number };
  readonly keeps: Keeps;
  /** The number of records whose IRIs end like file names. */
  readonly suffixed: number;
  /** Set by a migration until the derived tables have been rebuilt. */
  readonly isStale?: true;
}

/** The public part of a store's state. */
export function statsOf(state: StoreState): Required<StoreStats> {
  const { records, triples, invalid, endpoints, sequence, lastChange, baseUrl, sources } = state;
  return { records, triples, invalid, endpoints, sequence, lastChange, baseUrl, sources };
}

/** A writable form of a read-only type. */
export type Mutable<T> = { -readonly [Key in keyof T]: T[Key] extends object | null ? Mutable<T[Key]> : T[Key] };

const NEW_STORE: StoreState = {
  ...NO_STATS,
  format: FORMAT,
  nextNumber: 1,
  sources: {},
  keeps: "nothing",
  suffixed: 0,
};

/** Many values of one length for a key. LMDB packs them, counts them without a walk, and finds them by their bytes. To start a walk among them, it needs an encoder with `writeKey`. */
const SORTED_VALUES = {
  dupSort: true,
  dupFixed: true,
  encoder: {
    encode: (value: Buffer): Buffer => value,
    // LMDB's own buffers are larger than their `length`.
    decode: (value: Buffer): Buffer => Buffer.from(value.subarray(0, value.length)),
    writeKey: (value: Buffer, target: Buffer, start: number): number => start + value.copy(target, start),
  },
} as const;

const BYTES = { encoding: "binary", keyEncoding: "binary" } as const;

/** An LMDB environment, whose tables are opened by name. */
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
  /** Settles with the running publication. LMDB would wait for its transaction for ever if the file were closed before that. */
  publication: Promise<unknown> | undefined;
  /** Record by IRI. */
  readonly records = this.bytes("records");
  /** IRI by record number. */
  readonly numbers = this.checksummed("numbers");
  /** By a block's number, from 0: the time when a record in this block of record numbers last changed. */
  readonly blockTimes = this.checksummed("blockTimes");
  /** By the hash of an IRI and the number of a property: the numbers of the records that mention the IRI so, each as a separate value. */
  readonly backlinks: Bytes = this.root.openDB({ name: "mentions", keyEncoding: "binary", ...SORTED_VALUES });
  /** Change by sequence number. */
  readonly changes = this.checksummed("changes");
  /** Sequence number by source, endpoint and the change's ordinal among theirs. */
  readonly scopedChanges = this.checksummed("scopedChanges");
  /** Sequence number by Set and the change's ordinal among those of its members. */
  readonly setChanges = this.checksummed("setChanges");
  /** Label and IRI of an endpoint's records, in the order of labels. */
  readonly lists = this.checksummed("lists");
  /** Sequence number of the last deletion or move of an IRI that has no record. */
  readonly tombstones = this.checksummed("tombstones");
  /** By sequence number, the record that a change replaced or deleted. Only the last changes have one. */
  readonly replaced = this.bytes("replaced");
  /** The replaced and deleted records that the store keeps, by the sequence number of the change that made them. */
  readonly versions = this.bytes("versions");
  /** Held records by IRI, with all that is needed to publish them. Only `tables/held.ts` and `maintenance/` use it. */
  readonly held = this.checksummed("held");
  /** The time when a record was released, by IRI. Rules do not hold it again. */
  readonly released = this.checksummed("released");
  /** The `@context` of records by number, as JSON. */
  readonly contexts: Database<string, number> = this.root.openDB({
    name: "contexts",
    encoding: "string",
    keyEncoding: "uint32",
  });
  /** Context documents given at loading, by URI. */
  readonly documents = this.json<Json>("documents");
  /** `state`: facts about the whole store; `properties`, `sources`: predicates and sources by number; `held`: counts of held records; `hidden N`: deletion N hides earlier versions. */
  readonly facts = this.json("facts");

  /** Create a store in a staging folder and move it into place, so that no reader ever sees a store without tables. */
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

  /** Open a store. One that is only read sees every commit of other processes, and never waits for one. Otherwise the caller holds the loader's lock, and a store that is missing is created. Throws `StoreError`. */
  static async open(directory: string, { readOnly }: { readonly readOnly: boolean }): Promise<StoreDatabase> {
    const path = `${directory}/${RECORDS}`;
    const problem = await lmdbFileProblem(path);
    if (problem === "missing") {
      if (readOnly) throw new StoreMissingError(directory);
      await StoreDatabase.#create(directory);
    } else if (problem !== undefined) throw new StoreDamagedError(directory, problem);
    await makeLockFile(path);
    let root: RootDatabase | undefined;
    try {
      root = openEnvironment(path, readOnly);
      // Check the format before opening the tables, since another format may have others.
      const state = new Environment(root, directory).json("facts").getOfAnyFormat("state") as StoreState | undefined;
      if (state === undefined) throw new StoreDamagedError(directory, `${RECORDS} holds no store`);
      // The derived tables of an upgrade that did not end are of no use to readers.
      const format = readOnly && state.isStale === true ? OLDER_FORMAT : state.format;
      if (format !== FORMAT) throw new StoreFormatError(directory, format, FORMAT, OLDER_FORMAT);
      return new StoreDatabase(root, directory);
    } catch (error) {
      await root?.close();
      throw isReadersClash(error) ? new StoreReadersError(directory, { cause: error }) : error;
    }
  }

  /** Copy one consistent state of the file, even while it is written to. */
  async copyTo(path: string): Promise<void> {
    // The type declarations lack this method.
    const { root } = this as unknown as { root: { backup(path: string, compact: boolean): Promise<void> } };
    await root.backup(path, true).catch((error: Error) => {
      // LMDB gives only the words of the system's errors.
      const [words = ""] = /No space|quota|too large/.exec(error.message) ?? [];
      const code = { "No space": "ENOSPC", quota: "EDQUOT", "too large": "EFBIG" }[words];
      throw code === undefined ? error : Object.assign(error, { code, path });
    });
    await synchronized(path);
  }

  /** All records, damaged ones included, in parts. Throws `TableDamagedError`. */
  recordParts(length: PartLength): Iterable<readonly TableEntry[]> {
    return partsOf({ table: this.records, directory: this.directory, name: "records" }, length);
  }

  /** The keys of the records in a range. Throws `TableDamagedError`. */
  *eachKey(range: Omit<PartLength, "limit">): Iterable<Buffer> {
    const { records, directory } = this;
    const keys = (options: RangeOptions) => records.getKeys(options).map((key) => ({ key, value: NOT_READ }));
    const table = { table: { getRange: keys }, directory, name: "records" };
    for (const part of partsOf(table, { ...range, limit: KEYS })) for (const { key } of part) yield key;
  }

  /** Each record in a range, damaged ones included. A value is valid until anything else is read; not copying it halves the time. Throws `TableDamagedError`. */
  *eachRecord(range: Omit<PartLength, "limit">): Iterable<TableEntry> {
    for (const key of this.eachKey(range)) {
      const value = this.recordNow(key, range);
      if (value === undefined) throw new TableDamagedError(this.directory, "records");
      yield { key, value };
    }
  }

  /** The newest state. LMDB's current read transaction may not see a publication that the caller already knows of. */
  get state(): StoreState {
    this.renew();
    return this.facts.get("state") as StoreState;
  }

  /** Make the next read see the newest state. Otherwise LMDB reuses a read transaction for a millisecond, or longer while no timer can run. */
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

  /** Whether the versions of an IRI are hidden, because its record is held, or was held when it was deleted or moved to another IRI. */
  hidesVersions(key: Buffer): boolean {
    if (this.heldStats.records > 0 && this.held.has(key)) return true;
    const deletion = this.tombstones.get(key);
    return deletion !== undefined && this.facts.get(hiddenBy(deletion)) === true;
  }

  /** Hide the versions of an IRI without a record, until it has one again. */
  hideVersions(key: Buffer): void {
    const deletion = this.tombstones.get(key);
    if (deletion !== undefined) this.facts.putSync(hiddenBy(deletion), true);
  }

  /** The last deletion or move of an IRI that has no record. */
  deletion(key: Buffer): Change | undefined {
    const sequence = this.tombstones.get(key);
    return sequence && this.change(numberOfKey(sequence));
  }

  change(sequence: number): Change | undefined {
    const value = this.changes.get(numberKey(sequence));
    return value && decodeChange(sequence, value);
  }

  get backlinkCount(): number {
    return (this.backlinks.getStats() as { readonly entryCount: number }).entryCount;
  }

  /** The stored record of a key, valid until anything else is read. Values of more than 16 MiB are copied, because LMDB does not return them as a buffer. */
  recordNow(key: Buffer, reading: Pick<RangeOptions, "transaction"> = {}): Buffer | undefined {
    const records = this.records as unknown as BinaryReading;
    const value = records.getBinaryFast(key, reading);
    return value === undefined || Buffer.isBuffer(value) ? value : records.getBinary(key, reading);
  }

  async close(): Promise<void> {
    await this.publication;
    await this.root.close();
  }
  readonly [Symbol.asyncDispose] = this.close;
}

/** The name of the fact that the versions before a deletion are hidden. */
function hiddenBy(deletion: Buffer): string {
  return `hidden ${numberOfKey(deletion)}`;
}

type BinaryReading = {
  readonly [name in "getBinary" | "getBinaryFast"]: (key: Buffer, reading: object) => Buffer | undefined;
};

/** The number of keys that are read at a time; their values are read later. */
const KEYS = 500;
const NOT_READ = Buffer.alloc(0);

/** Whether LMDB could not register this process as a reader because another has the same process id. lmdb-js reports that by these errors. */
export function isReadersClash(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof StoreError) return false;
  return error instanceof TypeError || error.message.includes("No transaction to renew");
}

/** Open the LMDB file, whatever its content. Throws `StoreMissingError` if its folder is missing; lmdb-js would create it. */
export function openEnvironment(path: string, readOnly: boolean): RootDatabase {
  if (!existsSync(dirname(path))) throw new StoreMissingError(dirname(path));
  return open({
    path,
    readOnly,
    noSubdir: true,
    maxDbs: 32,
    pageSize: LMDB_PAGE,
    encoding: "binary",
    // A commit must be on disk when it returns, so LMDB itself syncs and nothing is deferred.
    overlappingSync: false,
    // Without it, LMDB keeps the pages that a transaction changes in private memory, up to 2 GB.
    useWritemap: !readOnly,
  });
}
