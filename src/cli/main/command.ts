/** A command of the command line: its name, options, help texts and `run`. */
import { fileURLToPath } from "node:url";
import { packageFile } from "../../base/package-files.js";
import type { Option, Options } from "../settings/options.js";
import type { ExitStatus } from "./exit-status.js";
import type { ProcessStreams, Results, TerminalWords } from "./terminal.js";

/** The path of this program, for running a command in a process of its own. */
export const PROGRAM = fileURLToPath(packageFile("bin/vitrine.js"));

export interface Terminal extends Omit<ProcessStreams, "stdout" | "stderr"> {
  readonly stdout: Results;
  /** Messages and progress, for people; results go to `stdout`. */
  readonly stderr: TerminalWords;
  /** Imports all commands. */
  commands(): Promise<readonly Command[]>;
}

export interface Command {
  readonly name: string;
  /** The operands in the usage line: `IRI [PROPERTY]`, `FILE... | -`. They decide how many the command line must have. */
  readonly operands: string;
  readonly summary: string;
  readonly options: readonly Option[];
  /** What to know before using the command, as lines. */
  readonly notes?: readonly string[];
  /** Command lines that work as they are, apart from their files and IRIs. */
  readonly examples?: readonly string[];
  /** Whether the command, with these options, changes the store or an engine. If so, its work is done even when its output cannot be written. Default: no. */
  readonly changesStore?: (options: Options) => boolean;
  /** Run the command. Resolves to its exit status, by default `done`. */
  run(options: Options, terminal: Terminal): Promise<ExitStatus | undefined>;
}

/** A command as its file defines it: without its name, and without operands or options if it has none. */
export type CommandDefinition = Omit<Command, "name" | "operands" | "options"> &
  Partial<Pick<Command, "operands" | "options">>;
