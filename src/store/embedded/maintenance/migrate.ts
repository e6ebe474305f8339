/** The migration of a store of the older format: what lies beside the records gets checksums. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database, RootDatabase } from "lmdb";
import { StoreReadersError } from "../../errors.js";
import { ChecksummedJson, ChecksummedTable } from "../format/checksummed-table.js";
import {
  FORMAT,
  isReadersClash,
  LMDB_PAGE,
  OLDER_FORMAT,
  openEnvironment,
  type StoreState,
} from "../format/database.js";
import { RECORDS } from "../format/folders.js";
import { lmdbFileProblem } from "../format/lmdb-file.js";
import { partsOf, type TableEntry } from "../format/parts.js";
import { ensureDiskSpace, RESERVE } from "../publish/disk-space.js";

type Bytes = Database<Buffer, Buffer>;

/** The tables whose entries have checksums since format 5. */
const CHECKSUMMED = ["numbers", "changes", "scopedChanges", "setChanges", "lists", "tombstones"] as const;
/** Entries that are written between two looks at the disk: each may be on a page of its own. */
const AT_ONCE = RESERVE / 4 / LMDB_PAGE;

/**
 * Migrate a store in one transaction; the caller holds the loader's lock. What is derived from its records is older still: its state says so
 * until `openWritable` has rebuilt it. Throws `StoreError`.
 */
export async function migrate(directory: string): Promise<void> {
  const path = `${directory}/${RECORDS}`;
  // What is wrong with it is told by whoever opens it.
  if ((await lmdbFileProblem(path)) !== undefined) return;
  const root = openEnvironment(path, false);
  try {
    const facts: Database<unknown, string> = root.openDB({ name: "facts", encoding: "json" });
    const state = facts.get("state") as StoreState | undefined;
    if (state?.format !== OLDER_FORMAT) return;
    await root.transactionSync(async () => {
      for (const name of CHECKSUMMED) await checksumTable(root, directory, name);
      for (const name of ["facts", "documents"]) sealJson(root, directory, name);
      const checksummed = new ChecksummedJson<StoreState>(facts as never, { directory, name: "facts" });
      checksummed.putSync("state", { ...state, suffixed: 0, format: FORMAT, keeps: "nothing", isStale: true });
    });
  } catch (error) {
    throw isReadersClash(error) ? new StoreReadersError(directory, { cause: error }) : error;
  } finally {
    await root.close();
  }
}

async function checksumTable(root: RootDatabase, directory: string, name: string): Promise<void> {
  const table = bytesOf(root, name);
  const checksummed = new ChecksummedTable(table, { directory, name });
  for await (const { key, value } of entriesOf(root, directory, name)) checksummed.putSync(key, value);
}

function sealJson(root: RootDatabase, directory: string, name: string): void {
  const table: Database<unknown, string> = root.openDB({ name, encoding: "json" });
  const checksummed = new ChecksummedJson(table as never, { directory, name });
  for (const key of [...table.getKeys()]) checksummed.putSync(key, table.get(key));
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
