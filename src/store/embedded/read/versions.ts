/** The reader of earlier versions of records, where the store has kept them. */
import type { StoredRecord } from "../../store.js";
import { decodeChange } from "../format/changes.js";
import { stored } from "../format/encoding.js";
import { iriKey, numberKey } from "../format/keys.js";
import type { RecordReader } from "./records.js";

/** The record as a change made it, or `undefined` when it made none, none was kept, or the record is held. Throws `RecordDamagedError`. */
export function versionOf(reader: RecordReader, sequence: number): StoredRecord | undefined {
  const { changes, versions } = reader.database;
  const logged = changes.get(numberKey(sequence));
  if (logged === undefined) return undefined;
  const key = iriKey(decodeChange(sequence, logged).iri);
  // What was withdrawn is shown to nobody, nor what it was before.
  if (reader.database.isHeld(key)) return undefined;
  const kept = versions.getBinary(numberKey(sequence));
  if (kept !== undefined) return reader.record(key, kept);
  const published = reader.database.recordNow(key);
  return published !== undefined && stored.sequence(published) === sequence ? reader.record(key, published) : undefined;
}
