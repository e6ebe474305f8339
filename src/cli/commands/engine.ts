/** `vitrine engine fill` and `vitrine engine check`: fills or checks the engine that answers queries in step with the records. */
import { counted, grouped } from "../../base/counted.js";
import { type ComparisonResult, engineUpkeep } from "../../query/open.js";
import { openStore } from "../../store/open.js";
import type { CommandDefinition, Terminal } from "../main/command.js";
import { ExitStatus } from "../main/exit-status.js";
import { reportIndex } from "../serving/index-progress.js";
import { argument, type Options, UsageError } from "../settings/options.js";
import { engineOf } from "../settings/sparql-options.js";
import { ENGINE_SETTINGS } from "../settings/table.js";

export const engineCommand: CommandDefinition = {
  operands: "fill | check",
  summary: "fills the engine that answers queries, or compares it with the records",
  examples: [
    "engine fill --engine http://localhost:8890/sparql-auth --engine-user dba --engine-password @password",
    "engine check --repair --engine http://localhost:8890/sparql-auth",
  ],
  notes: [
    "fill empties the merged graph of the engine, and fills the engine again; if it is interrupted, serve finishes the",
    "work. check compares slice by slice; the status is 1 if something differs (docs/run/engines.md).",
  ],
  options: [...ENGINE_SETTINGS, argument("repair", "let check correct what differs")],
  changesStore: (options) => options.isSet("repair"),
  async run(options, terminal) {
    const [what] = options.positionals;
    if (what !== "fill" && what !== "check") throw new UsageError("use vitrine engine fill or vitrine engine check");
    const engine = await engineOf(options);
    if (engine === undefined) throw new UsageError(whyNoUrl(options.text("engine")));
    await using store = await openStore({ directory: options.required("store") });
    using upkeep = engineUpkeep(engine, store, terminal.stderr.line);
    if (what === "check") return await check(upkeep, options, terminal);
    const stopReporting = reportIndex(() => upkeep.state, terminal.stderr.line, "the query engine", terminal.stderr);
    await upkeep.fill(terminal.interrupted).finally(stopReporting);
  },
};

/** @param managed the engine that a service runs itself, if one is named */
function whyNoUrl(managed: string | undefined): string {
  if (managed === undefined) return "name the engine with --engine URL";
  return `${managed} is filled and followed by the service that runs it: to fill it again, end the service, remove engine/${managed} in the store, and start the service`;
}

async function check(upkeep: ReturnType<typeof engineUpkeep>, options: Options, terminal: Terminal) {
  const { stdout, stderr, interrupted } = terminal;
  const isRepaired = options.isSet("repair");
  const found = await upkeep.compare(isRepaired, interrupted);
  // An engine may store a value, such as a date, in another form than was sent. A repair does not change that.
  const left = isRepaired && differences(found) > 0 ? await upkeep.compare(false, interrupted) : found;
  if (options.isSet("json")) stdout.json(found);
  else for (const name of found.differing) stdout.write(`${name}\n`);
  stderr.line(comparisonText(found, isRepaired ? differences(left) : undefined));
  return differences(left) === 0 ? ExitStatus.done : ExitStatus.someInvalid;
}

function differences({ missing, surplus }: ComparisonResult): number {
  return missing + surplus;
}

/** @param left the number of differences after a repair */
function comparisonText(found: ComparisonResult, left: number | undefined): string {
  const { triples, missing, surplus, position, digest } = found;
  const all = `${counted(triples, "triple")} at change ${grouped(position.sequence)}`;
  if (differences(found) === 0) return `the engine equals the records: ${all}, digest ${digest.slice(0, 16)}`;
  const differs = `the engine lacked ${grouped(missing)} and had ${grouped(surplus)} too many of ${all}`;
  if (left === undefined) return `${differs}: --repair corrects this`;
  if (left === 0) return `${differs}: corrected`;
  return `${differs}: ${counted(left, "difference")} left, of values that the engine does not hold as they are sent`;
}
