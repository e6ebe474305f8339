/** `vitrine load`: reads inputs into the store. */
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename } from "node:path";
import { counted } from "../../base/counted.js";
import { entryOf } from "../../base/entries.js";
import { makeTemporaryDirectory } from "../../base/temporary.js";
import { DEFAULT_LIMITS, type InputLimits, LIMIT_SETTINGS } from "../../load/limits.js";
import type { LoadEvent, LoadSettings, LoadSummary } from "../../load/pipeline/load.js";
import { streamProgress } from "../../load/pipeline/progress.js";
import type { OnInvalid } from "../../load/pipeline/work.js";
import { EXTENSIONS, listSources, type Source } from "../../load/read/sources.js";
import { DEFAULT_MODEL } from "../../model/settings.js";
import { isStore } from "../../store/open.js";
import type { WritableStore } from "../../store/writable-store.js";
import { machineOutcome, outcomeOf, statusOfLoad } from "../loading/load-outcome.js";
import { checkRecord, inputOf, openWhenFree, toldProgress } from "../loading/remote-load-guard.js";
import type { CommandDefinition, Terminal } from "../main/command.js";
import { ExitStatus, explanationOf, systemProblem } from "../main/exit-status.js";
import { baseUrlOf, givenContexts, modelOf } from "../settings/common.js";
import { argument, type Option, type Options, UsageError } from "../settings/options.js";
import {
  holdRulesOf,
  KEEP,
  keepingOf,
  MENDING_RULES,
  mendSelectionOf,
  REPORT_OPTIONS,
  rulesOf,
} from "../settings/record-options.js";
import { LOADING_SETTINGS } from "../settings/table.js";

/** The options for how inputs are read, for every command that reads records. */
export const READING_ARGUMENTS: readonly Option[] = [
  argument("format NAME", "the format of all inputs, instead of by extension", { isMain: true, choices: EXTENSIONS }),
  argument("divide", "divide named graphs among records, like triples without a graph"),
];

/** The limits of loading, as the options set them. */
function limitsOf(options: Options): InputLimits {
  const limits = { ...DEFAULT_LIMITS };
  for (const name of Object.keys(limits) as (keyof InputLimits)[])
    limits[name] = options.number(LIMIT_SETTINGS[name]) ?? limits[name];
  return limits;
}

/** The settings by which a command reads its inputs, as the options say. */
export function readingOf(options: Options, { interrupted }: Terminal) {
  return { limits: limitsOf(options), divide: options.isSet("divide"), temporary: tmpdir(), signal: interrupted };
}

/** The sources of a command's inputs. Reports files in directories that are left out, such as pipes, whose end may never come. Throws `InputError`. */
export async function inputsOf(options: Options, given: readonly string[], terminal: Terminal): Promise<Source[]> {
  // Report a wrong base URL before looking for inputs.
  baseUrlOf(options);
  const [format, maxExpansion] = [options.text("format"), limitsOf(options).expansion];
  const ignored: string[] = [];
  const onIgnored = (path: string): unknown => basename(path).startsWith(".") || ignored.push(path);
  const sources = await listSources(given, { stdin: inputOf(terminal), maxExpansion, format, onIgnored });
  const named = `${ignored.slice(0, 3).join(", ")}${ignored.length > 3 ? " ..." : ""}`;
  if (ignored.length > 0)
    terminal.stderr.line(`${counted(ignored.length, "file")} left out, of no known format or not regular: ${named}`);
  return sources;
}

/** The heading of the options for sending a load to a service. */
const SENDING = { group: "loading into a service elsewhere" };

export const loadCommand: CommandDefinition = {
  operands: "INPUT...",
  summary: "reads files, directories or - (standard input) into the store",
  notes: [
    `Formats go by extension: ${EXTENSIONS.map((name) => `.${name}`).join(" ")}, each also .gz. All records become visible`,
    "in one step. Unchanged records are left alone, so you can repeat an interrupted load. Invalid records are left out",
    "and listed (--on-invalid). For a nightly feed, --source NAME --sync deletes the records that it lacks. --dry-run shows what would happen.",
  ],
  examples: [
    "load records.nq.gz --base-url https://data.museum.example/",
    "load export/ --source objects --sync --max-delete 2% --report report.html",
    "load - --format jsonl --dry-run < records.jsonl",
    "load export/ --to https://data.museum.example/ --token @token.txt --source objects --sync",
  ],
  options: [
    ...READING_ARGUMENTS,
    argument("source NAME", "the name of the feed, which the records remember", { isMain: true }),
    argument("sync", "delete records that the input lacks; with --source, only those of that source", { isMain: true }),
    argument("diff", "compare every changed record, property by property (--dry-run --report does so, too)"),
    argument("mend", "mend invalid records by rules (see vitrine mend --list)", { isMain: true }),
    MENDING_RULES,
    KEEP,
    argument("wait", "if another load runs, wait for its end"),
    argument("dry-run", "report everything, and change nothing", { isMain: true }),
    ...REPORT_OPTIONS,
    argument("to URL", "send the inputs to the service at this base URL", { isMain: true, ...SENDING }),
    argument("token TOKEN", "the token for --to, from vitrine token new", { secret: true, ...SENDING }),
    ...LOADING_SETTINGS,
  ],
  changesStore: (options) => !options.isSet("dry-run"),
  async run(options, terminal) {
    for (const [name, needed] of Object.entries({ rules: "mend", token: "to" }))
      if (options.settings.has(name) && !options.settings.has(needed))
        throw new UsageError(`--${name} needs --${needed}`);
    if (terminal.channel !== undefined) return await loadAsLines(options, terminal);
    const { summary, status } = await runLoad(options, options.positionals, terminal);
    if (options.isSet("json")) terminal.stdout.json(machineOutcome(summary));
    return status;
  },
};

/** Load inputs and report on standard error. Resolves to the summary and the exit status. Relative ids are resolved against `--base-url`, the base URL of the store, or `defaultBase`. */
export async function runLoad(options: Options, inputs: readonly string[], terminal: Terminal, defaultBase?: string) {
  const { stderr } = terminal;
  const { differenceLines, FirstLines, MAX_SHOWN, ResultsKeeper } = await import("../loading/results.js");
  const sources = await inputsOf(options, inputs, terminal);
  using results = new ResultsKeeper(options, sources);
  const [deletions, differences] = [new FirstLines(), new FirstLines()];
  /** By source, how many records the load takes from it, and one of them. */
  const takenFrom = new Map<string, { records: number; readonly iri: string }>();
  let identities = 0;
  const tell = (event: LoadEvent): void => {
    const { deleted, identity, taken, difference } = event;
    results.tell(event);
    if (deleted !== undefined) deletions.add(() => `<${deleted.iri}>`);
    if (difference !== undefined) differences.add(() => differenceLines(difference));
    if (taken !== undefined) entryOf(takenFrom, taken.source, () => ({ records: 0, iri: taken.iri })).records++;
    if (identity !== undefined && identities++ < MAX_SHOWN)
      stderr.line(`another entity: <${identity.iri}> ${identity.problem}`);
  };
  const how = options.text("to") === undefined ? loadInputs : (await import("../loading/remote-load.js")).sendInputs;
  const summary = await how(options, sources, terminal, tell, defaultBase);
  const { created, replaced, unchanged, deleted, refused, repeated, kept, held, withdrawn, unpublished } = summary;
  let status = statusOfLoad(summary);
  try {
    results.end(stderr, { created, replaced, unchanged, deleted, refused, repeated, kept, held, withdrawn });
  } catch (error) {
    if (unpublished !== null) throw error;
    status = ExitStatus.failed;
    stderr.line(`vitrine: the results cannot be written: ${explanationOf(error, ExitStatus.refused)}`);
  }
  const would = unpublished === null ? "" : "would be ";
  for (const [source, { records, iri }] of takenFrom)
    stderr.line(`${would}taken from source ${source}: ${counted(records, "record")}, such as <${iri}>`);
  deletions.write(stderr, "", `${would}deleted: `);
  // Show the differences if they were requested, or if too many of them stopped the load.
  if (options.isSet("diff") || unpublished === "too many changed") differences.write(stderr, " changes");
  stderr.write(outcomeOf(summary, options));
  return { summary, status };
}

/** Load inputs on behalf of a service, and report as lines of JSON on standard output. */
async function loadAsLines(options: Options, terminal: Terminal): Promise<ExitStatus> {
  const { json } = terminal.stdout;
  const sources = await inputsOf(options, options.positionals, terminal);
  const summary = await loadInputs(options, sources, terminal, json);
  json({ summary });
  // The sender is shown standard error, so the reason why nothing was loaded is written there.
  const { unpublished } = summary;
  if (unpublished !== null && unpublished !== "dry run") terminal.stderr.write(outcomeOf(summary, options));
  return statusOfLoad(summary);
}

async function loadInputs(
  options: Options,
  sources: readonly Source[],
  terminal: Terminal,
  tell: (event: LoadEvent) => void,
  defaultBase?: string,
): Promise<LoadSummary> {
  const named = options.required("store");
  // A dry run needs no store, and makes none in a folder that is there. What is no folder is refused, as by a load.
  const isPassing = options.isSet("dry-run") && !isStore(named) && existsSync(`${named}/.`) === existsSync(named);
  const directory = isPassing ? makeTemporaryDirectory(tmpdir(), "dry-run") : named;
  await using _ = isPassing ? { [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) } : null;
  await using store = await openWhenFree(directory, options.isSet("wait"), terminal);
  const more = { ...syncSettings(options, terminal), tell, ...(terminal.channel && { progress: toldProgress(tell) }) };
  return await loadSources(options, store, directory, sources, defaultBase, terminal, more);
}

/** Load sources into an open store as the options say, with progress on standard error. */
export async function loadSources(
  options: Options,
  store: WritableStore,
  directory: string,
  sources: readonly Source[],
  defaultBase: string | undefined,
  terminal: Terminal,
  more: Partial<LoadSettings>,
): Promise<LoadSummary> {
  const model = modelOf(options);
  const mending = options.isSet("mend") && { mending: { selection: await mendSelectionOf(options), applies: true } };
  const rules = { ...(await rulesOf(options, model)), ...mending };
  const { load } = await import("../../load/pipeline/load.js");
  using progress = more.progress ?? streamProgress(terminal.stderr);
  const given = new Map(await givenContexts(options));
  // The store keeps what this URI means, for services that run with another --context-uri.
  const { contextUri } = model;
  if (contextUri !== DEFAULT_MODEL.contextUri && !given.has(contextUri))
    given.set(contextUri, DEFAULT_MODEL.contextUri);
  const contexts = new Map([...(await store.contexts()), ...given]);
  const stats = await store.stats();
  const baseUrl = baseUrlOf(options) ?? stats.baseUrl ?? defaultBase;
  if (stats.baseUrl !== null && stats.baseUrl !== baseUrl)
    terminal.stderr.line(`warning: --base-url ${baseUrl} changes the base URL of the store, which is ${stats.baseUrl}`);
  const hold = await holdRulesOf(options, more.source, baseUrl, terminal.channel?.conditions.hold);
  const onlyRecord = await checkRecord(terminal, store);
  const known = Object.keys({ ...stats.sources, ...store.held?.stats().sources });
  // If it is a known one, misspelt, the records that it should replace stay, too.
  const some = `${known.slice(0, 10).join(", ")}${known.length > 10 ? ", ..." : ""}`;
  if (more.sync && more.source !== undefined && known.length > 0 && !known.includes(more.source))
    terminal.stderr.line(
      `warning: no record belongs to the source ${more.source}, so --sync deletes nothing; known sources: ${some}`,
    );
  return await load(sources, store, {
    examining: { model, contexts: [...contexts], ...rules, baseUrl },
    contexts: given,
    hold,
    onInvalid: options.required("on-invalid") as OnInvalid,
    ...more,
    onlyRecord,
    progress,
    ...readingOf(options, terminal),
    history: directory,
    onForgotten: (error) =>
      void terminal.stderr.line(`warning: explain will not know this load: ${systemProblem(error) ?? error.message}`),
  });
}

function syncSettings(options: Options, { channel }: Terminal): Partial<LoadSettings> {
  return {
    source: options.text("source"),
    onlySource: channel?.conditions.onlySource,
    hidesHeld: channel?.conditions.hidesHeld,
    sync: options.isSet("sync"),
    maxDeleted:
      limitOf(options, "max-delete") ?? ((records) => Math.min(Math.max(Math.floor(records / 100), 10), 1000)),
    maxChanged: limitOf(options, "max-change"),
    strictIdentity: options.isSet("strict-identity"),
    comparesRecords: options.isSet("diff") || (options.isSet("dry-run") && options.all("report").length > 0),
    maxInvalid: options.number("max-invalid"),
    ordered: options.isSet("ordered"),
    dryRun: options.isSet("dry-run"),
    ...keepingOf(options),
  };
}

/** A limit, given as `50` records or as `5%`, as a function of the number of all records. `undefined` when it is not given. */
function limitOf(options: Options, name: string): ((records: number) => number) | undefined {
  const text = options.text(name);
  if (text === undefined) return undefined;
  const amount = Number.parseFloat(text);
  return text.endsWith("%") ? (records) => Math.floor((records * amount) / 100) : () => amount;
}
