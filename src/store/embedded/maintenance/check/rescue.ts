/** The rescue of records: what can still be read of a store whose pages are damaged, as N-Quads. */
import { appendFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { writeNQuads } from "../../../../rdf/ntriples/writer.js";
import { StoreDatabase } from "../../format/database.js";
import { stored } from "../../format/encoding.js";
import { iriKey, numberKey } from "../../format/keys.js";
import { RecordReader } from "../../read/records.js";

/** Records are read so many at a time. */
const BATCH = 1000;

/**
 * Append the records of a store to a file, those that can be read: in the order of their keys where the table can be walked through, else from
 * one number on, one by one. `onRead` is told each number before it is read, for what is damaged can end the process, and how many were written.
 */
export async function rescueRecords(
  directory: string,
  file: string,
  from: number | undefined,
  onRead: (number: number, written: number) => void,
): Promise<void> {
  await using database = await StoreDatabase.forReading(directory);
  const reader = new RecordReader(database);
  let written = 0;
  const add = (key: Buffer, value: Buffer): void => {
    const number = stored.number(value);
    if (!reader.isIntact(key, value)) return;
    appendFileSync(file, writeNQuads(reader.record(key, value).graph, `r${number}b`));
    written++;
  };
  if (from === undefined) {
    for (const part of database.recordParts({ limit: BATCH })) {
      for (const { key, value } of part) add(key, value);
      onRead(0, written);
    }
  }
  for (let number = from ?? Number.POSITIVE_INFINITY; number < database.state.nextNumber; number++) {
    onRead(number, written);
    try {
      const iri = database.numbers.get(numberKey(number));
      const key = iri && iriKey(iri.toString("utf8"));
      const value = key && database.recordNow(key);
      if (value !== undefined) add(key!, value);
    } catch {
      // A reading that failed leaves its transaction of no use: the next begins in a later turn.
      await nextTurn();
    }
  }
  onRead(0, written);
}
