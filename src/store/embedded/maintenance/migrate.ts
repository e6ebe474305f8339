/** The migration of a store of the older format: what lies beside the records gets checksums. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database } from "lmdb";
import { StoreReadersError } from "../../errors.js";
import {
  Environment,
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
  // Whoever opens the file reports its problem.
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
        for await (const { key, value } of entriesOf(environment, name)) checksummed.putSync(key, value);
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

/** The entries of a table, which may be written to meanwhile; there is room on the disk for what each becomes. */
async function* entriesOf(environment: Environment, name: string): AsyncIterable<TableEntry> {
  const { directory } = environment;
  for (const part of partsOf({ table: environment.bytes(name), directory, name }, { limit: AT_ONCE })) {
    await ensureDiskSpace(directory, RESERVE);
    for (const { key, value } of part) yield { key, value: Buffer.from(value.subarray(0, value.length)) };
    await nextTurn();
  }
}
