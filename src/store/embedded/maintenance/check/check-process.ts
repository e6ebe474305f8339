/** The process in which a store is checked, rebuilt or rescued: what it finds goes to standard output, a JSON object a line. */
import { appendFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { thrownMessage } from "../../../../base/named-error.js";
import { writeNQuads } from "../../../../rdf/ntriples/writer.js";
import { EntryDamagedError, StoreDamagedError, StoreError, TableDamagedError } from "../../../errors.js";
import { StoreDatabase } from "../../format/database.js";
import { stored } from "../../format/encoding.js";
import { iriKey, numberKey } from "../../format/keys.js";
import { RecordReader } from "../../read/records.js";
import { rebuild } from "../rebuild.js";
import { checkEmbedded } from "./check.js";

const [work = "", directory = "", file = "", from] = process.argv.slice(2);

export type CheckMessage =
  | { readonly problem: string }
  | { readonly records: number }
  /** The record of this number is read next, after so many that were written. */
  | { readonly reading: number; readonly written: number }
  | { readonly done: true }
  /** The store cannot be opened. */
  | { readonly refused: string }
  /** The system does not let it be read. */
  | { readonly system: SystemError };

/** The parts of an error by which others know it. */
type SystemError = { readonly [part in "message" | "code" | "syscall" | "path"]: string | undefined };

function say(message: CheckMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

try {
  const onRecords = (records: number): void => say({ records });
  if (work === "check") await checkEmbedded(directory, { onProblem: (problem) => say({ problem }), onRecords });
  else if (work === "rebuild") await rebuild(directory);
  else {
    const first = from === undefined ? undefined : Number(from);
    await rescueRecords(directory, file, first, (reading, written) => say({ reading, written }));
  }
  say({ done: true });
} catch (error) {
  if (error instanceof StoreDamagedError) say({ problem: error.problem });
  else if (error instanceof EntryDamagedError || error instanceof TableDamagedError) say({ problem: error.message });
  else if (error instanceof StoreError) say({ refused: error.message });
  // The system does not let it be read: that says nothing of the store.
  else if (error instanceof Error && "syscall" in error) {
    const { message, code, syscall, path } = error as NodeJS.ErrnoException;
    say({ system: { message, code, syscall, path } });
  } else say({ problem: `it cannot be read any further: ${thrownMessage(error)}` });
}

/** Append the records that can be read to a file: in the order of their keys, or from a number on, one by one. `onRead` hears each number before, and how many were written. */
async function rescueRecords(
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
    for (const part of database.recordParts({ limit: 1000 })) {
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
