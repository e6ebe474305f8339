/** What a command of the command line is, and what it works with. */
import type { Readable, Writable } from "node:stream";
import type { ExitStatus } from "./exit-status.js";
import type { Option, Options } from "./options.js";

/** The process around a command; tests give their own. */
export interface Terminal {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** For people: words and progress; results go to `stdout`. */
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly environment: { readonly [name: string]: string | undefined };
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly interrupted: AbortSignal;
}

export interface Command {
  readonly name: string;
  /** What stands after the name in the usage line. */
  readonly operands: string;
  readonly summary: string;
  readonly options: readonly Option[];
  run(options: Options, terminal: Terminal): Promise<ExitStatus>;
}
