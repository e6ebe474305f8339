/** The LMDB file of a store and its tables. docs/store.md describes each. */
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { type Database, open, type RootDatabase } from "lmdb";
import type { Json } from "../../rdf/record-graph.js";
import type { StoreStats } from "../store.js";
import { StoreFormatError, StoreMissingError } from "./errors.js";

/** Grows with every change of the stored form; a store of another format is refused, not guessed at. */
export const FORMAT = 1;

const FILE = "records.mdb";
/** Bytes: a record of 2 KB fills a page of LMDB's usual 4 KB alone; on these, seven share one (measured: a quarter less). */
const PAGE = 16_384;

type Bytes = Database<Buffer, Buffer>;

/** Facts about the whole store, kept in the same transactions as the records. */
export interface StoreState extends StoreStats {
  readonly format: number;
  /** The number that the next new record gets. */
  readonly nextNumber: number;
}

export const NEW_STORE: StoreState = {
  format: FORMAT,
  records: 0,
  triples: 0,
  invalid: 0,
  endpoints: {},
  sequence: 0,
  lastChange: null,
  baseUrl: null,
  nextNumber: 1,
};

/** The tables. */
export class StoreDatabase {
  /** `state`: facts about the whole store; `properties`: predicates by number. */
  readonly facts: Database<unknown, string>;
  /** Record by IRI. */
  readonly records: Bytes;
  /** IRI key by record number. */
  readonly numbers: Bytes;
  /** Who mentions an IRI: keys of the IRI's hash, property number and record number; no values. */
  readonly mentions: Bytes;
  /** Change by sequence number. */
  readonly changes: Bytes;
  /** Sequence number of a deletion by the IRI that was deleted. */
  readonly tombstones: Bytes;
  /** The `@context` of records by number, as JSON. */
  readonly contexts: Database<string, number>;
  /** Context documents given at loading, by URI. */
  readonly documents: Database<Json, string>;

  private constructor(readonly root: RootDatabase) {
    const bytes = { encoding: "binary", keyEncoding: "binary" } as const;
    this.facts = root.openDB({ name: "facts", encoding: "json" });
    this.records = root.openDB({ name: "records", ...bytes });
    this.numbers = root.openDB({ name: "numbers", ...bytes });
    this.mentions = root.openDB({ name: "mentions", ...bytes });
    this.changes = root.openDB({ name: "changes", ...bytes });
    this.tombstones = root.openDB({ name: "tombstones", ...bytes });
    this.contexts = root.openDB({ name: "contexts", encoding: "string", keyEncoding: "uint32" });
    this.documents = root.openDB({ name: "documents", encoding: "json" });
  }

  /** Open for reading: sees every commit of other processes, never waits for one. Throws `StoreError`. */
  static async forReading(directory: string): Promise<StoreDatabase> {
    if (!existsSync(`${directory}/${FILE}`)) throw new StoreMissingError(directory);
    return StoreDatabase.#open(directory, true);
  }

  /** Open for writing; the caller holds the loader's lock. Creates the store where there is none. Throws `StoreError`. */
  static async forWriting(directory: string): Promise<StoreDatabase> {
    await mkdir(directory, { recursive: true });
    const database = await StoreDatabase.#open(directory, false);
    if (database.facts.get("state") === undefined) {
      database.root.transactionSync(() => {
        database.facts.putSync("state", NEW_STORE);
        database.facts.putSync("properties", []);
      });
    }
    return database;
  }

  static async #open(directory: string, readOnly: boolean): Promise<StoreDatabase> {
    const path = `${directory}/${FILE}`;
    // A commit has to be on disk when it returns, so LMDB itself syncs, and nothing is deferred.
    const root = open({
      path,
      readOnly,
      noSubdir: true,
      maxDbs: 16,
      overlappingSync: false,
      pageSize: PAGE,
      encoding: "binary",
    });
    const database = new StoreDatabase(root);
    const state = database.facts.get("state") as StoreState | undefined;
    const found = state === undefined ? (readOnly ? "none" : FORMAT) : state.format;
    if (found !== FORMAT) {
      await root.close();
      throw new StoreFormatError(directory, found, FORMAT);
    }
    return database;
  }

  get state(): StoreState {
    return (this.facts.get("state") as StoreState | undefined) ?? NEW_STORE;
  }

  /** The predicates that mentions name by number; number 0 means that the node is described. */
  get properties(): readonly string[] {
    return (this.facts.get("properties") as string[] | undefined) ?? [];
  }

  async close(): Promise<void> {
    await this.root.close();
  }
}
