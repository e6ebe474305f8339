/** A command of the command line: its name, options, help and what runs it. */
import { fileURLToPath } from "node:url";
import { packageFile } from "../../base/package-files.js";
import type { Option, Options } from "../settings/options.js";
import type { ExitStatus } from "./exit-status.js";
import type { ProcessStreams, Results, TerminalWords } from "./terminal.js";

/** The file of this program, for what runs a command in a process of its own. */
export const PROGRAM = fileURLToPath(packageFile("bin/vitrine.js"));

export interface Terminal extends Omit<ProcessStreams, "stdout" | "stderr"> {
  readonly stdout: Results;
  /** For people: words and progress; results go to `stdout`. */
  readonly stderr: TerminalWords;
}

export interface Command {
  readonly name: string;
  /** The operands in the usage line: `IRI [PROPERTY]`, `FILE... | -`. The command line has to have as many. */
  readonly operands: string;
  readonly summary: string;
  readonly options: readonly Option[];
  /** More to know before using it, as lines. */
  readonly notes?: readonly string[];
  /** Command lines that work as they stand, but for their files and IRIs. */
  readonly examples?: readonly string[];
  /** Whether it changes the store: what it has to say may then be lost without its work being. */
  readonly changesStore?: true;
  run(options: Options, terminal: Terminal): Promise<ExitStatus>;
}
