/** The process in which a store is checked, rebuilt or rescued: what it finds goes to standard output, a JSON object a line. */
import { thrownMessage } from "../../../../base/named-error.js";
import { EntryDamagedError, StoreDamagedError, StoreError, TableDamagedError } from "../../../errors.js";
import { rebuild } from "../rebuild.js";
import { checkEmbedded } from "./check.js";
import { rescueRecords } from "./rescue.js";

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
