/** The command: finds the subcommand, reads its options, runs it and turns errors into exit statuses. */

import { readFileSync } from "node:fs";
import { didYouMean } from "../did-you-mean.js";
import type { Command } from "./command.js";
import { COMMANDS } from "./commands.js";
import { COMMON_OPTIONS } from "./common.js";
import { ExitStatus, statusOf, toldOf } from "./exit-status.js";
import { commandHelp, usage } from "./help.js";
import { type Environment, type Options, readFlags, settle, UsageError, unknownVariables } from "./options.js";
import { readSettingsFile, settingsFilePath, settingsTable } from "./settings-file.js";
import { type ProcessStreams, Results, Words } from "./terminal.js";

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
      const options = settingsOf(command, rest, environment);
      const all = COMMANDS.flatMap((each) => [...each.options, ...COMMON_OPTIONS]);
      for (const message of unknownVariables(all, environment)) stderr.write(`warning: ${message}\n`);
      if (options === undefined) {
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

/** The settings that a command runs by; `undefined` where its help is asked for. Throws `UsageError`. */
function settingsOf(command: Command, args: readonly string[], environment: Environment): Options | undefined {
  const specification = [...command.options, ...COMMON_OPTIONS];
  const flags = readFlags(specification, args);
  // Whoever asks for help may do so because the settings are wrong.
  if (flags.values.get("help") === true) return undefined;
  const named = (flags.values.get("config") as string | undefined) ?? environment.VITRINE_CONFIG;
  const path = settingsFilePath(named === "" ? undefined : named);
  const file = path === undefined ? undefined : readSettingsFile(path, settingsTable(COMMANDS), command.name);
  return settle(specification, flags, environment, file);
}

/** What a command line asks for: a command with the rest of the line, or a text. Throws `UsageError`. */
function askedFor([name, ...rest]: readonly string[]):
  | { readonly command: Command; readonly rest: readonly string[] }
  | { readonly text: string; readonly status: ExitStatus } {
  if (name === undefined) return { text: usage(COMMANDS), status: ExitStatus.refused };
  if (name === "--version" || name === "version") return { text: version(), status: ExitStatus.done };
  if (["help", "--help", "-h"].includes(name)) {
    const [about] = rest;
    return { text: about === undefined ? usage(COMMANDS) : commandHelp(commandNamed(about)), status: ExitStatus.done };
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
