/** The archive: one state of a store, read whole by several threads at once. */
import { TableDamagedError } from "../../errors.js";
import type { Archive, ArchivedRecord, Chunk } from "../../snapshots.js";
import type { StoreStats } from "../../store.js";
import { statsOf } from "../format/database.js";
import { stored } from "../format/encoding.js";
import { StillState } from "./snapshot.js";

/** A state of the store, to be written down. */
export class EmbeddedArchive extends StillState implements Archive {
  get stats(): StoreStats {
    return statsOf(this.facts);
  }

  get state(): string {
    return JSON.stringify(this.facts);
  }

  *chunks(records: number): Iterable<Chunk> {
    const { records: table, directory } = this.database;
    const transaction = this.transaction;
    for (let from: Buffer | undefined = Buffer.alloc(0); from !== undefined; ) {
      const [to]: Buffer[] = [...table.getKeys({ start: from, offset: records, limit: 1, transaction })];
      if (to !== undefined && to.compare(from) <= 0) throw new TableDamagedError(directory, "records");
      yield { from, to };
      from = to;
    }
  }

  *records({ from, to }: Chunk): Iterable<ArchivedRecord> {
    const range = { from: asBuffer(from), ...(to && { to: asBuffer(to) }), transaction: this.transaction };
    for (const { key, value } of this.database.eachRecord(range)) {
      const { graph } = this.reader.record(key, value);
      yield { endpoint: stored.endpoint(value), number: stored.number(value), graph };
    }
  }
}

/** Keys come from threads as plain arrays of bytes. */
function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
