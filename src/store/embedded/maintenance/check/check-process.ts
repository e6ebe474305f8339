/** The process in which a store is checked: what it finds goes to standard output, a JSON object a line. */

import { EntryDamagedError, StoreDamagedError, StoreError, TableDamagedError } from "../../../errors.js";
import { checkEmbedded } from "./check.js";

const [directory = ""] = process.argv.slice(2);

/** What the process says. */
export type CheckMessage =
  | { readonly problem: string }
  | { readonly records: number }
  | { readonly done: number }
  /** The store cannot be opened. */
  | { readonly refused: string }
  /** The system does not let it be read. */
  | { readonly system: SystemError };

/** An error of the system, as `Error` has it. */
interface SystemError {
  readonly message: string;
  readonly code?: string;
  readonly syscall?: string;
  readonly path?: string;
}

function say(message: CheckMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

try {
  const done = await checkEmbedded(directory, {
    onProblem: (problem) => say({ problem }),
    onRecords: (records) => say({ records }),
  });
  say({ done });
} catch (error) {
  if (error instanceof StoreDamagedError) say({ problem: error.problem });
  else if (error instanceof EntryDamagedError || error instanceof TableDamagedError) say({ problem: error.message });
  else if (error instanceof StoreError) say({ refused: error.message });
  // The system does not let it be read: that says nothing of the store.
  else if (error instanceof Error && "syscall" in error) say({ system: systemError(error as NodeJS.ErrnoException) });
  else say({ problem: `it cannot be read any further: ${error instanceof Error ? error.message : String(error)}` });
}

/** What of an error tells others what it was. */
function systemError({ message, code, syscall, path }: NodeJS.ErrnoException): SystemError {
  return { message, ...(code && { code }), ...(syscall && { syscall }), ...(path && { path }) };
}
