/** The entry point of the command line: finds the command, reads its options, runs it and turns errors into exit statuses. */
import { COMMON_OPTIONS } from "../settings/common.js";
import type { EnvironmentVariables, Options } from "../settings/options.js";
import { checkedSettings, placedWords, readFlags, UsageError, unknownVariables } from "../settings/options.js";
import { readSettingsFile, settingsFilePath, settingsTable } from "../settings/settings-file.js";
import type { Command } from "./command.js";
import { allCommands, commandNamed } from "./commands.js";
import { ExitStatus, explanationOf, isOfDisk, statusOf } from "./exit-status.js";
import { commandHelp, usage, wholeHelp, wholeUsage } from "./help.js";
import { type ProcessStreams, Results, TerminalWords } from "./terminal.js";

/** Run `vitrine` with these arguments. Resolves to the exit status when all results are written; never rejects. */
export async function main(args: readonly string[], streams: ProcessStreams): Promise<ExitStatus> {
  const { environment } = streams;
  const stderr = new TerminalWords(streams.stderr);
  const stdout = new Results(streams.stdout);
  let changesStore = false;
  let options: Options | undefined;
  let status: ExitStatus = ExitStatus.done;
  try {
    const [name, ...rest] = args;
    const text = await textFor(name, rest);
    if (text !== undefined) {
      stdout.write(`${text}\n`);
      if (name === undefined) status = ExitStatus.refused;
    } else {
      const command = await commandNamed(name!);
      options = await settingsOf(command, rest, streams);
      for (const message of await warningsOf(command, environment)) stderr.line(`warning: ${message}`);
      if (options === undefined) stdout.write(`${(rest.includes("all") ? wholeHelp : commandHelp)(command)}\n`);
      else {
        checkOperands(command, options.positionals);
        changesStore = command.changesStore?.(options) === true;
        status = (await command.run(options, { ...streams, stdout, stderr, commands: allCommands })) ?? ExitStatus.done;
      }
    }
  } catch (error) {
    status = statusOf(error);
    const words = explanationOf(error, status);
    const unmet = error instanceof UsageError ? error.unmet : isOfDisk(error) ? "store" : undefined;
    const line = streams.interrupted.aborted ? { isInterrupted: true } : unmet && { unmet };
    if (streams.channel !== undefined && line !== undefined) stdout.json(line);
    stderr.line(`vitrine: ${error instanceof UsageError && options ? placedWords(words, options) : words}`);
  }
  await new Promise<void>((written) => stdout.end(written));
  if (stdout.failure === undefined) return status;
  stderr.line(`vitrine: the results cannot be written: ${explanationOf(stdout.failure, ExitStatus.refused)}`);
  return changesStore ? ExitStatus.failed : ExitStatus.refused;
}

/** The settings for running a command, or `undefined` when its help is wanted. Throws `UsageError`. */
async function settingsOf(command: Command, args: readonly string[], { environment, channel }: ProcessStreams) {
  const specification = [...command.options, ...COMMON_OPTIONS];
  const flags = readFlags(specification, args);
  // Help must be available even when the settings are wrong.
  if (flags.values.get("help") === true) return undefined;
  const named = (flags.values.get("config") as string | undefined) ?? environment.VITRINE_CONFIG;
  const path = settingsFilePath(named === "" ? undefined : named);
  let file = path === undefined ? undefined : readSettingsFile(path, settingsTable(await allCommands()), command.name);
  if (channel !== undefined && file !== undefined) {
    const { ensureNoneRaised } = await import("../settings/record-options.js");
    const { severity = [] } = channel.conditions;
    ensureNoneRaised(flags.values, file, severity);
    // Those of the section of serve are not among the settings of a load.
    if (severity.length > 0) file = new Map([["severity", { value: severity, origin: "--severity" }], ...file]);
  }
  return checkedSettings(specification, flags, environment, file);
}

/** Check the number of operands against the usage line. Throws `UsageError`. */
function checkOperands({ name, operands }: Command, given: readonly string[]): void {
  const alternatives = operands.split("|").map((words) => words.match(/\S+/g) ?? []);
  const least = Math.min(...alternatives.map((words) => words.filter((word) => !word.startsWith("[")).length));
  const most = operands.includes("...") ? given.length : Math.max(...alternatives.map(({ length }) => length));
  const help = `vitrine help ${name} shows how`;
  if (given.length < least) throw new UsageError(`${name} needs ${operands}: ${help}`);
  if (given.length <= most) return;
  const surplus = JSON.stringify(given[most]);
  const takes =
    most === 0 ? `takes no operand such as ${surplus}` : `takes ${operands}, and ${surplus} is one too many`;
  throw new UsageError(`${name} ${takes}: put operands with spaces in quotes; ${help}`);
}

async function warningsOf(command: Command, environment: EnvironmentVariables): Promise<readonly string[]> {
  if (unknownVariables([...command.options, ...COMMON_OPTIONS], environment).length === 0) return [];
  // Most variables belong to another command.
  const all = (await allCommands()).flatMap((each) => [...each.options, ...COMMON_OPTIONS]);
  return unknownVariables(all, environment);
}

/** The text to print for a command line without a command: the help for a command, for `all` commands or for the program. Throws `UsageError`. */
async function textFor(name: string | undefined, [about, extent]: readonly string[]): Promise<string | undefined> {
  if (name !== undefined && !["help", "--help", "-h"].includes(name)) return undefined;
  if (about === undefined) return usage();
  if (about === "all") return wholeUsage(await allCommands());
  return (extent === "all" ? wholeHelp : commandHelp)(await commandNamed(about));
}
