/** Builds what records are found by anew, for stores that lack it, have it of another edition, or have it damaged. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { FORMAT, LMDB_PAGE, type StoreDatabase } from "../format/database.js";
import { stored } from "../format/encoding.js";
import { FOUND_EDITION } from "../format/found.js";
import { ensureDiskSpace, RESERVE } from "../publish/disk-space.js";
import { FoundQueue } from "../publish/found-queue.js";
import { RecordReader } from "../read/records.js";

/** Records that are walked over at a time, and keys that are written between two looks at the disk. */
const BATCH = 1_000;
const KEYS_AT_ONCE = RESERVE / 4 / LMDB_PAGE;

/**
 * Build the find table of an open store, in a transaction that the caller has begun: whoever reads meanwhile sees the old one or none. Records
 * that are damaged are left out. `onRecords` is told how many records were walked over. Throws `StoreSpaceError`.
 */
export async function fillFound(database: StoreDatabase, onRecords: (records: number) => void): Promise<void> {
  const reader = new RecordReader(database);
  const queue = new FoundQueue(database);
  let records = 0;
  database.found!.clearSync();
  for (const part of database.recordParts({ limit: BATCH })) {
    for (const { key, value } of part) {
      if (reader.isIntact(key, value)) queue.change(undefined, value, stored.number(value));
    }
    if (queue.isFull) await flush(database.directory, queue);
    records += part.length;
    onRecords(records);
    await nextTurn();
  }
  await flush(database.directory, queue);
  database.facts.putSync("state", { ...database.state, format: FORMAT, found: FOUND_EDITION });
}

async function flush(directory: string, queue: FoundQueue): Promise<void> {
  let written = 0;
  for (const _ of queue.flush()) if (written++ % KEYS_AT_ONCE === 0) await ensureDiskSpace(directory, RESERVE);
}
