/** Brings a store of the older format to the present one: what lies beside the records gets checksums, and what is derived from them is made. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database, RootDatabase } from "lmdb";
import { StoreReadersError } from "../../errors.js";
import { endsLikeFile } from "../../store.js";
import { blockOf, putBlockTime } from "../format/block-times.js";
import {
  FORMAT,
  isReadersClash,
  OLDER_FORMAT,
  openEnvironment,
  PAGE,
  StoreDatabase,
  type StoreState,
} from "../format/database.js";
import { decodeGraph, stored } from "../format/encoding.js";
import { RECORDS } from "../format/folders.js";
import { isHashed } from "../format/keys.js";
import { lmdbFileProblem } from "../format/lmdb-file.js";
import { partsOf, type TableEntry } from "../format/parts.js";
import { SealedJson, SealedTable } from "../format/sealed.js";
import { ensureDiskSpace, RESERVE } from "./disk-space.js";
import { fillFound } from "./found-build.js";

type Bytes = Database<Buffer, Buffer>;

/** The tables whose entries have checksums since format 5. */
const SEALED = ["numbers", "changes", "scopedChanges", "setChanges", "lists", "tombstones"] as const;
/** Entries that are written between two looks at the disk: each may be on a page of its own. */
const AT_ONCE = RESERVE / 4 / PAGE;

/**
 * Open a store for writing, of this format or the older one; the caller holds the loader's lock. Killed on the way, the store is as it was,
 * or migrated; what its records are found by may then lack, which `vitrine check --repair` builds. Throws `StoreError`.
 */
export async function openWritable(directory: string): Promise<StoreDatabase> {
  const wasOlder = await migrate(directory);
  const database = await StoreDatabase.forWriting(directory);
  if (!wasOlder) return database;
  try {
    await database.root.transactionSync(() => fillFound(directory, database, () => {}));
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Whether there was something to migrate. */
async function migrate(directory: string): Promise<boolean> {
  const path = `${directory}/${RECORDS}`;
  // What is wrong with it is told by whoever opens it.
  if ((await lmdbFileProblem(path)) !== undefined) return false;
  const root = openEnvironment(path, false);
  try {
    const facts: Database<unknown, string> = root.openDB({ name: "facts", encoding: "json" });
    const state = facts.get("state") as StoreState | undefined;
    if (state?.format !== OLDER_FORMAT) return false;
    await root.transactionSync(async () => {
      for (const name of SEALED) await sealTable(root, directory, name);
      for (const name of ["facts", "documents"]) sealJson(root, directory, name);
      const more = await blocksAndSuffixes(root, directory, state);
      const sealed = new SealedJson<StoreState>(facts as never, { directory, name: "facts" });
      sealed.putSync("state", { ...state, ...more, format: FORMAT, keeps: "nothing" });
    });
    return true;
  } catch (error) {
    throw isReadersClash(error) ? new StoreReadersError(directory, { cause: error }) : error;
  } finally {
    await root.close();
  }
}

async function sealTable(root: RootDatabase, directory: string, name: string): Promise<void> {
  const table = bytesOf(root, name);
  const sealed = new SealedTable(table, { directory, name });
  for await (const { key, value } of entriesOf(root, directory, name)) sealed.putSync(key, value);
}

function sealJson(root: RootDatabase, directory: string, name: string): void {
  const table: Database<unknown, string> = root.openDB({ name, encoding: "json" });
  const sealed = new SealedJson(table as never, { directory, name });
  for (const key of [...table.getKeys()]) sealed.putSync(key, table.get(key));
}

/** When the records of each block of numbers last changed, and how many of their IRIs end like names of files. */
async function blocksAndSuffixes(
  root: RootDatabase,
  directory: string,
  { nextNumber, lastChange }: StoreState,
): Promise<Pick<StoreState, "suffixed">> {
  const times = new Map<number, number>();
  let suffixed = 0;
  for await (const { key, value } of entriesOf(root, directory, "records")) {
    const block = blockOf(stored.number(value));
    times.set(block, Math.max(times.get(block) ?? 0, stored.modified(value)));
    if (endsLikeFile(decodeIri(key, value))) suffixed++;
  }
  const blockTimes = new SealedTable(bytesOf(root, "blockTimes"), { directory, name: "blockTimes" });
  for (let block = 0; block <= blockOf(nextNumber - 1); block++) {
    // A block whose records are all gone changed when the last of them went, at the latest with the store.
    putBlockTime({ blockTimes }, block, times.get(block) ?? lastChange ?? 0);
  }
  return { suffixed };
}

function decodeIri(key: Buffer, value: Buffer): string {
  return isHashed(key) ? decodeGraph(value, () => undefined).iri : key.toString("utf8");
}

function bytesOf(root: RootDatabase, name: string): Bytes {
  return root.openDB({ name, encoding: "binary", keyEncoding: "binary" });
}

/** The entries of a table, which may be written to meanwhile; there is room on the disk for what each becomes. */
async function* entriesOf(root: RootDatabase, directory: string, name: string): AsyncIterable<TableEntry> {
  for (const part of partsOf({ table: bytesOf(root, name), directory, name }, { limit: AT_ONCE })) {
    await ensureDiskSpace(directory, RESERVE);
    for (const { key, value } of part) yield { key, value: Buffer.from(value.subarray(0, value.length)) };
    await nextTurn();
  }
}
