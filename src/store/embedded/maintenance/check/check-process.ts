/** The process in which a store is checked, rebuilt or rescued. It writes what it finds to standard output, one JSON object to a line. */
import { appendFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { thrownMessage } from "../../../../base/named-error.js";
import { writeNQuads } from "../../../../rdf/ntriples/writer.js";
import { EntryDamagedError, StoreDamagedError, StoreError, TableDamagedError } from "../../../errors.js";
import { StoreDatabase } from "../../format/database.js";
import { iriKey, numberKey } from "../../format/keys.js";
import { RecordReader } from "../../read/records.js";
import { rebuild } from "../rebuild.js";
import { checkEmbedded } from "./check.js";

const [work = "", directory = "", file = "", from] = process.argv.slice(2);

export type CheckMessage =
  /** With `isAll`, the file is no store, or cut short, and nothing in it can be repaired. */
  | { readonly problem: string; readonly isAll?: true }
  | { readonly records: number }
  /** The number of the record that is read next, and how many records were written so far. */
  | { readonly reading: number; readonly written: number }
  | { readonly done: true }
  /** The store cannot be opened. */
  | { readonly refused: string }
  /** The operating system does not allow reading the store. */
  | { readonly system: Pick<Error, "message"> };

function send(message: CheckMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

try {
  if (work === "check") for await (const found of checkEmbedded(directory)) send(found);
  else if (work === "rebuild") await rebuild(directory);
  else for await (const step of rescueRecords(directory, file, from)) send(step);
  send({ done: true });
} catch (error) {
  if (error instanceof StoreDamagedError) send({ problem: error.problem, isAll: true });
  else if (error instanceof EntryDamagedError || error instanceof TableDamagedError) send({ problem: error.message });
  else if (error instanceof StoreError) send({ refused: error.message });
  // An error of the operating system says nothing about the store.
  else if (error instanceof Error && "syscall" in error) send({ system: { ...error, message: error.message } });
  else send({ problem: `it cannot be read any further: ${thrownMessage(error)}` });
}

/** Append the readable records to a file: all in key order, or one by one from number `from`. Yields the number of the next record (0 in key order), and how many were written. */
async function* rescueRecords(directory: string, file: string, from: string | undefined) {
  await using database = await StoreDatabase.open(directory, { readOnly: true });
  const reader = new RecordReader(database);
  let written = 0;
  const add = (key: Buffer, value: Buffer): void => {
    if (!reader.isIntact(key, value)) return;
    const { number, graph } = reader.numbered(key, value);
    appendFileSync(file, writeNQuads(graph, `r${number}b`));
    written++;
  };
  if (from === undefined) {
    for (const part of database.recordParts({ limit: 1000 })) {
      for (const { key, value } of part) add(key, value);
      yield { reading: 0, written };
    }
  }
  for (let number = Number(from ?? Infinity); number < database.state.nextNumber; number++) {
    yield { reading: number, written };
    try {
      const iri = database.numbers.get(numberKey(number));
      const key = iri && iriKey(iri.toString("utf8"));
      const value = key && database.recordNow(key);
      if (value !== undefined) add(key!, value);
    } catch {
      // After a failed read its transaction is unusable; the next turn of the event loop begins a new one.
      await nextTurn();
    }
  }
  yield { reading: 0, written };
}
