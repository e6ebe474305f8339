/** The command: finds the subcommand, reads its options, runs it and turns errors into exit statuses. */

import { readFileSync } from "node:fs";
import { checkCommand } from "./check.js";
import type { Command, Terminal } from "./command.js";
import { COMMON_OPTIONS } from "./common.js";
import { deleteCommand } from "./delete.js";
import { ExitStatus, statusOf } from "./exit-status.js";
import { exportCommand } from "./export.js";
import { getCommand } from "./get.js";
import { loadCommand } from "./load.js";
import { helpOf, readOptions } from "./options.js";
import { queryCommand } from "./query.js";
import { serveCommand } from "./serve.js";
import { statsCommand } from "./stats.js";
import { validateCommand } from "./validate.js";

const COMMANDS: readonly Command[] = [
  loadCommand,
  validateCommand,
  deleteCommand,
  serveCommand,
  getCommand,
  queryCommand,
  exportCommand,
  statsCommand,
  checkCommand,
];

/** Run `vitrine` with these arguments. Resolves to the exit status; never rejects. */
export async function main(args: readonly string[], terminal: Terminal = processTerminal()): Promise<ExitStatus> {
  const [name, ...rest] = args;
  try {
    if (name === "--version") {
      terminal.stdout.write(`${version()}\n`);
      return ExitStatus.done;
    }
    if (name === undefined || ["help", "--help", "-h"].includes(name)) {
      terminal.stdout.write(`${usage()}\n`);
      return name === undefined ? ExitStatus.refused : ExitStatus.done;
    }
    const command = COMMANDS.find((candidate) => candidate.name === name);
    if (command === undefined) {
      terminal.stderr.write(`vitrine: there is no command ${JSON.stringify(name)}\n\n${usage()}\n`);
      return ExitStatus.refused;
    }
    const options = readOptions([...command.options, ...COMMON_OPTIONS], rest, terminal.environment);
    if (options.isSet("help")) {
      terminal.stdout.write(`${commandHelp(command)}\n`);
      return ExitStatus.done;
    }
    return await command.run(options, terminal);
  } catch (error) {
    const status = statusOf(error);
    const told = error instanceof Error ? (status === ExitStatus.failed ? error.stack : error.message) : String(error);
    terminal.stderr.write(`vitrine: ${told}\n`);
    return status;
  }
}

function version(): string {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}

function usage(): string {
  const width = Math.max(...COMMANDS.map(({ name, operands }) => name.length + operands.length)) + 3;
  const lines = COMMANDS.map(({ name, operands, summary }) => `  ${`${name} ${operands}`.padEnd(width)}${summary}`);
  return ["usage: vitrine COMMAND [OPTION...]", "", ...lines, "", "vitrine COMMAND --help tells of its options."].join(
    "\n",
  );
}

function commandHelp({ name, operands, summary, options }: Command): string {
  const sections = [`usage: vitrine ${name} ${operands}`.trimEnd(), "", summary, ""];
  if (options.length > 0) sections.push(helpOf(options), "");
  sections.push(
    "Common options, each also an environment variable (--base-url is VITRINE_BASE_URL):",
    helpOf(COMMON_OPTIONS),
  );
  return sections.join("\n");
}

function processTerminal(): Terminal {
  const interrupt = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    // The first asks the command to stop in order; a second one ends the process.
    process.once(signal, () => interrupt.abort(signal));
  }
  const { stdin, stdout, stderr, env } = process;
  return { stdin, stdout, stderr, environment: env, interrupted: interrupt.signal };
}
