/** The command: finds the subcommand, reads its options, runs it and turns errors into exit statuses. */

import { readFileSync } from "node:fs";
import { checkCommand } from "./check.js";
import type { Command } from "./command.js";
import { COMMON_OPTIONS } from "./common.js";
import { deleteCommand } from "./delete.js";
import { ExitStatus, statusOf, toldOf } from "./exit-status.js";
import { explainCommand } from "./explain.js";
import { exportCommand } from "./export.js";
import { getCommand } from "./get.js";
import { loadCommand } from "./load.js";
import { mendCommand } from "./mend.js";
import { moveCommand } from "./move.js";
import { didYouMean, helpOf, readOptions, UsageError } from "./options.js";
import { queryCommand } from "./query.js";
import { rebaseCommand } from "./rebase.js";
import { serveCommand } from "./serve.js";
import { statsCommand } from "./stats.js";
import { type ProcessStreams, Results, Words } from "./terminal.js";
import { validateCommand } from "./validate.js";

const COMMANDS: readonly Command[] = [
  loadCommand,
  validateCommand,
  mendCommand,
  explainCommand,
  deleteCommand,
  moveCommand,
  rebaseCommand,
  serveCommand,
  getCommand,
  queryCommand,
  exportCommand,
  statsCommand,
  checkCommand,
];

/** Run `vitrine` with these arguments. Resolves to the exit status, once all results are written; never rejects. */
export async function main(args: readonly string[], streams: ProcessStreams): Promise<ExitStatus> {
  const { stdin, environment, interrupted } = streams;
  const stderr = new Words(streams.stderr);
  const stdout = new Results(streams.stdout);
  let changesStore = false;
  let status: ExitStatus;
  try {
    const asked = askedFor(args);
    if ("command" in asked) {
      const { command, rest } = asked;
      changesStore = command.changesStore === true;
      const options = readOptions([...command.options, ...COMMON_OPTIONS], rest, environment);
      if (options.isSet("help")) {
        stdout.write(`${commandHelp(command)}\n`);
        status = ExitStatus.done;
      } else status = await command.run(options, { stdin, stdout, stderr, environment, interrupted });
    } else {
      stdout.write(`${asked.text}\n`);
      status = asked.status;
    }
  } catch (error) {
    status = statusOf(error);
    stderr.write(`vitrine: ${toldOf(error, status)}\n`);
  }
  await new Promise<void>((written) => stdout.end(written));
  if (stdout.failure === undefined) return status;
  stderr.write(`vitrine: the results cannot be written: ${toldOf(stdout.failure, ExitStatus.refused)}\n`);
  return changesStore ? ExitStatus.failed : ExitStatus.refused;
}

/** What a command line asks for: a command with the rest of the line, or a text. Throws `UsageError`. */
function askedFor([name, ...rest]: readonly string[]):
  | { readonly command: Command; readonly rest: readonly string[] }
  | { readonly text: string; readonly status: ExitStatus } {
  if (name === undefined) return { text: usage(), status: ExitStatus.refused };
  if (name === "--version" || name === "version") return { text: version(), status: ExitStatus.done };
  if (["help", "--help", "-h"].includes(name)) {
    const [about] = rest;
    return { text: about === undefined ? usage() : commandHelp(commandNamed(about)), status: ExitStatus.done };
  }
  return { command: commandNamed(name), rest };
}

/** Throws `UsageError`. */
function commandNamed(name: string): Command {
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command !== undefined) return command;
  const names = COMMANDS.map((candidate) => candidate.name);
  throw new UsageError(`there is no command ${JSON.stringify(name)}${didYouMean(name, names)}; vitrine help lists all`);
}

function version(): string {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}

function usage(): string {
  const width = Math.max(...COMMANDS.map(({ name, operands }) => name.length + operands.length)) + 3;
  const lines = COMMANDS.map(({ name, operands, summary }) => `  ${`${name} ${operands}`.padEnd(width)}${summary}`);
  return [
    "usage: vitrine COMMAND [OPTION...]",
    "",
    ...lines,
    "",
    "vitrine help COMMAND tells of its options; vitrine --version.",
  ].join("\n");
}

function commandHelp({ name, operands, summary, options, notes = [], examples = [] }: Command): string {
  const sections = [`usage: vitrine ${name} ${operands}`.trimEnd(), "", summary, ""];
  if (notes.length > 0) sections.push(...notes, "");
  if (examples.length > 0) sections.push("examples:", ...examples.map((example) => `  vitrine ${example}`), "");
  if (options.length > 0) sections.push("options:", helpOf(options), "");
  sections.push("common options; every option is also an environment variable (--base-url is VITRINE_BASE_URL):");
  sections.push(helpOf(COMMON_OPTIONS), "", STATUSES);
  return sections.join("\n");
}

const STATUSES =
  "exit status: 0 done; 1 done, but some records were invalid, or damage was found; 2 refused, nothing changed; 3 failed";
