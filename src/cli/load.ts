/** `vitrine load`: reads inputs into the store. */
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { DEFAULT_LIMITS, type InputLimits, LOAD_LIMITS } from "../load/limits.js";
import type { LoadSettings, LoadSummary } from "../load/pipeline/load.js";
import { streamProgress } from "../load/pipeline/progress.js";
import type { OnInvalid } from "../load/pipeline/work.js";
import { FORMATS, listSources, type Source } from "../load/read/sources.js";
import { makeTemporaryDirectory } from "../load/temporary.js";
import { openForLoading } from "../store/open.js";
import type { StoreStats, WritableStore } from "../store/store.js";
import type { RecordDifference } from "../validate/results.js";
import type { Command, Terminal } from "./command.js";
import { baseUrlOf, givenContexts, modelOf } from "./common.js";
import { KEEPING_OPTIONS, keepingOf } from "./keeping.js";
import { machineOutcome, outcomeOf, statusOfLoad } from "./load-outcome.js";
import { type Option, type Options, UsageError } from "./options.js";
import { restoreDump } from "./restore.js";
import { shortened } from "./terminal.js";
import {
  MENDING_OPTIONS,
  REPORT_OPTION,
  rulesOf,
  SEVERITY_OPTION,
  SHAPES_OPTION,
  SINCE_OPTION,
  selectionOf,
} from "./validation-options.js";

/** Options of every command that reads records. */
export const READING_OPTIONS: readonly Option[] = [
  { name: "format", value: "NAME", choices: FORMATS, help: "the format of all inputs, instead of by extension" },
  { name: "divide", help: "treat named graphs like triples without a graph" },
  SEVERITY_OPTION,
  SHAPES_OPTION,
  ...LOAD_LIMITS.flatMap(({ option, of, value }) =>
    option === undefined
      ? []
      : [
          {
            name: option,
            value: "N",
            number: { of: "number", least: 1 },
            help: `the most ${of}; ${value} unless given`,
          },
        ],
  ),
];

/** The limits that options set. */
export function limitsOf(options: Options): InputLimits {
  const limits: { -readonly [name in keyof InputLimits]: number } = { ...DEFAULT_LIMITS };
  for (const { option, setting } of LOAD_LIMITS) {
    const value = option === undefined ? undefined : options.number(option);
    if (value !== undefined && setting !== undefined) limits[setting] = value;
  }
  return limits;
}

/** Options of every command that loads. */
export const LOADING_OPTIONS: readonly Option[] = [
  ...READING_OPTIONS,
  {
    name: "on-invalid",
    value: "WHAT",
    choices: ["refuse", "accept", "abort"],
    default: "refuse",
    help: "what becomes of invalid records",
  },
];

/** Options of a load that keeps a store in step with what is made elsewhere. */
const SYNC_OPTIONS: readonly Option[] = [
  { name: "source", value: "NAME", help: "the feed that the records come from, which they remember" },
  { name: "sync", help: "delete the records, of --source where it is given, that the input lacks" },
  {
    name: "max-delete",
    value: "N",
    help: "stop when --sync would delete more, a number or N%; by default 1%, at least 10 and at most 1000",
  },
  {
    name: "max-invalid",
    value: "N",
    number: { of: "number of records", least: 0 },
    help: "stop when more records are invalid",
  },
  {
    name: "max-change",
    value: "N",
    help: "stop when more records would be created, replaced or deleted, a number or N% of those that are there",
  },
  {
    name: "strict-identity",
    help: "stop when a known IRI comes back as something else: of another class, with no name in common",
  },
  { name: "diff", help: "compare every record that changes, property by property; --dry-run --report does so too" },
  { name: "ordered", help: "the same triples of a quads record in another order are a change" },
  { name: "mend", help: "mend invalid records on the way, by the rules that vitrine mend --list names" },
  ...MENDING_OPTIONS,
  ...KEEPING_OPTIONS,
  {
    name: "restore",
    isFlagOnly: true,
    help: "the input is the folder of a dump: make the same store of it, with times, change log and deletions",
  },
  { name: "dry-run", help: "report everything, and change nothing" },
];

export const loadCommand: Command = {
  name: "load",
  operands: "INPUT...",
  summary: "reads files, directories or - (standard input) into the store",
  notes: [
    "Formats go by extension: .nq .nt .ttl .trig .rdf .owl .xml .jsonld .json .jsonl .ndjson, each also .gz. All records become visible",
    "in one step; one that did not change is left alone, so a load that was cut off is simply repeated. Invalid records are left out",
    "and listed (--on-invalid). A nightly feed: --source NAME --sync deletes what it lacks; --dry-run shows what would happen.",
  ],
  examples: [
    "load records.nq.gz --base-url https://data.museum.example/",
    "load export/ --source objects --sync --max-delete 2% --report report.html",
    "load - --format jsonl --dry-run < records.jsonl",
  ],
  options: [...LOADING_OPTIONS, ...SYNC_OPTIONS, REPORT_OPTION, SINCE_OPTION],
  async run(options, terminal) {
    if (options.isSet("restore")) return await restoreDump(options, terminal);
    if (options.positionals.length === 0) throw new UsageError("load what? Give files, directories or -");
    const summary = await runLoad(options, options.positionals, undefined, terminal);
    if (options.isSet("json")) terminal.stdout.write(`${JSON.stringify(machineOutcome(summary))}\n`);
    return statusOfLoad(summary);
  },
};

/**
 * Load inputs as the options say, telling people on standard error. Relative ids are resolved against `--base-url`, or
 * the one that the store was loaded with, or `defaultBase`.
 */
export async function runLoad(
  options: Options,
  inputs: readonly string[],
  defaultBase: string | undefined,
  terminal: Terminal,
): Promise<LoadSummary> {
  const onInvalid = options.required("on-invalid") as OnInvalid;
  const sync = { ...syncSettings(options), ...keepingOf(options) };
  const { ResultsKeeper } = await import("./results.js");
  const results = new ResultsKeeper(options, onInvalid === "accept" ? "invalid" : "refused");
  try {
    const deletions = new DeletionLines(terminal.stderr);
    const differences = new DifferenceLines(terminal.stderr, options.isSet("diff"));
    let identities = 0;
    const summary = await loadInputs(options, inputs, defaultBase, terminal, {
      ...sync,
      onRecord: (record) => results.add(record),
      onClean: (records) => results.addClean(records),
      onDeleted: (iri) => {
        deletions.add(iri);
        results.addDeletion(iri);
      },
      onIdentity(identity) {
        if (identities++ < MAX_SHOWN) terminal.stderr.write(`another entity: <${identity.iri}> ${identity.problem}\n`);
        results.addIdentity(identity);
      },
      ...(wantsDifferences(options)
        ? {
            onDifference(difference: RecordDifference) {
              differences.add(difference);
              results.addDifference(difference);
            },
          }
        : {}),
    });
    const { created, replaced, unchanged, deleted, refused, kept } = summary;
    await results.end(terminal.stderr, { created, replaced, unchanged, deleted, refused, kept });
    deletions.tell(summary);
    differences.tell(summary);
    terminal.stderr.write(outcomeOf(summary, sync.maxInvalid));
    return summary;
  } catch (error) {
    results.abandon();
    throw error;
  }
}

async function loadInputs(
  options: Options,
  inputs: readonly string[],
  defaultBase: string | undefined,
  terminal: Terminal,
  more: LoadMore,
): Promise<LoadSummary> {
  const format = options.text("format");
  // What is wrong with it is told before inputs are looked for.
  baseUrlOf(options);
  const sources = await listSources(inputs, {
    stdin: terminal.stdin,
    maxExpansion: limitsOf(options).expansion,
    ...(format === undefined ? {} : { format }),
  });
  const { directory, remove } = await storeDirectory(options, more.dryRun);
  const store = await openForLoading({ directory });
  try {
    return await loadSources(options, store, directory, sources, defaultBase, terminal, more);
  } finally {
    await store.close();
    await remove();
  }
}

/** What a load does besides what its options say. */
export type LoadMore = SyncSettings &
  Pick<LoadSettings, "keeps" | "deletions" | "onRecord" | "onClean" | "onDeleted" | "onIdentity" | "onDifference">;

/** Load sources into an open store as the options say, with progress on standard error. */
export async function loadSources(
  options: Options,
  store: WritableStore,
  directory: string,
  sources: readonly Source[],
  defaultBase: string | undefined,
  terminal: Terminal,
  more: LoadMore,
): Promise<LoadSummary> {
  const model = modelOf(options);
  const givenBase = baseUrlOf(options);
  const mending = options.isSet("mend") ? { mending: { selection: await selectionOf(options), applies: true } } : {};
  const rules = { ...(await rulesOf(options, model)), ...mending };
  const limits = limitsOf(options);
  const progress = streamProgress(terminal.stderr);
  const { load } = await import("../load/pipeline/load.js");
  try {
    const given = await givenContexts(options);
    const contexts = new Map([...(await store.contexts()), ...given]);
    const stats = await store.stats();
    const baseUrl = givenBase ?? stats.baseUrl ?? defaultBase;
    if (more.sync) warnOfNewSource(more.source, stats, terminal);
    return await load(
      sources,
      store,
      {
        examining: { model, contexts: [...contexts], ...rules, ...(baseUrl === undefined ? {} : { baseUrl }) },
        contexts: given,
        onInvalid: options.required("on-invalid") as OnInvalid,
        ...more,
        limits,
        divide: options.isSet("divide"),
        temporary: tmpdir(),
        history: directory,
        signal: terminal.interrupted,
      },
      progress,
    );
  } finally {
    progress.end();
  }
}

/** A source that is spelt in another way than before deletes nothing and leaves what it should replace. */
function warnOfNewSource(source: string | undefined, { sources = {} }: StoreStats, terminal: Terminal): void {
  const known = Object.keys(sources);
  if (source === undefined || known.length === 0 || known.includes(source)) return;
  const names = known.slice(0, 10).join(", ") + (known.length > 10 ? ", ..." : "");
  terminal.stderr.write(
    `warning: no load has had the source ${source} before, so --sync deletes nothing; the store knows ${names}\n`,
  );
}

/** The store's folder. A dry run where there is no store makes none that stays. */
async function storeDirectory(
  options: Options,
  isDryRun: boolean,
): Promise<{ directory: string; remove: () => Promise<void> }> {
  const directory = options.required("store");
  if (!isDryRun || existsSync(directory)) return { directory, remove: async () => {} };
  const passing = makeTemporaryDirectory(tmpdir(), "dry-run");
  return { directory: passing, remove: () => rm(passing, { recursive: true, force: true }) };
}

type SyncSettings = Pick<
  LoadSettings,
  | "source"
  | "sync"
  | "maxDeleted"
  | "maxChanged"
  | "maxInvalid"
  | "strictIdentity"
  | "comparesRecords"
  | "ordered"
  | "dryRun"
>;

function syncSettings(options: Options): SyncSettings {
  const source = options.text("source");
  return {
    ...(source === undefined ? {} : { source }),
    sync: options.isSet("sync"),
    maxDeleted:
      limitOf(options, "max-delete") ?? ((records) => Math.min(Math.max(Math.floor(records / 100), 10), 1000)),
    maxChanged: limitOf(options, "max-change") ?? (() => Number.POSITIVE_INFINITY),
    strictIdentity: options.isSet("strict-identity"),
    comparesRecords: comparesRecords(options),
    maxInvalid: options.number("max-invalid") ?? Number.POSITIVE_INFINITY,
    ordered: options.isSet("ordered"),
    dryRun: options.isSet("dry-run"),
  };
}

/** A number of records or `N%`: how many of so many it stands for; `undefined` where it is not given. Throws `UsageError`. */
function limitOf(options: Options, name: string): ((records: number) => number) | undefined {
  const text = options.text(name);
  if (text === undefined) return undefined;
  const [, number, percent] = /^(\d{1,15}(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  if (number === undefined || (percent === "" && number.includes("."))) {
    throw new UsageError(`--${name} ${text} is neither a number of records nor a percentage such as 5%`);
  }
  return percent === "" ? () => Number(number) : (records) => Math.floor((records * Number(number)) / 100);
}

/** Whether records that change are compared with what is published. */
function comparesRecords(options: Options): boolean {
  return options.isSet("diff") || (options.isSet("dry-run") && options.all("report").length > 0);
}

/** Whether it is told which records change: where they are compared, or too many of them stop the load. */
function wantsDifferences(options: Options): boolean {
  return comparesRecords(options) || options.text("max-change") !== undefined;
}

/** The terminal shows at most so many deletions, changes and IRIs that come back as something else. */
const MAX_SHOWN = 1000;

/** The lines that tell which records a load deletes. */
class DeletionLines {
  readonly #iris: string[] = [];

  constructor(readonly out: { write(text: string): unknown }) {}

  add(iri: string): void {
    if (this.#iris.length < MAX_SHOWN) this.#iris.push(iri);
  }

  tell({ deletions, unpublished }: LoadSummary): void {
    const word = unpublished === null ? "deleted" : "would be deleted";
    for (const iri of this.#iris) this.out.write(`${word}: <${iri}>\n`);
    const left = deletions - this.#iris.length;
    if (left > 0) this.out.write(`... and ${left.toLocaleString("en")} more: --report FILE lists them all\n`);
  }
}

/** The lines that tell which records a load changes: all that differ when that was asked for, or why a limit stopped it. */
class DifferenceLines {
  readonly #lines: string[] = [];
  #changes = 0;

  constructor(
    readonly out: { write(text: string): unknown },
    readonly isAsked: boolean,
  ) {}

  add({ iri, kind, differences }: RecordDifference): void {
    this.#changes++;
    if (this.#lines.length >= MAX_SHOWN) return;
    const places = differences.map(
      ({ property, before, after }) =>
        `  ${property}: ${shortened(JSON.stringify(before))} -> ${shortened(JSON.stringify(after))}\n`,
    );
    this.#lines.push(`${kind}: <${iri}>\n${places.join("")}`);
  }

  tell({ unpublished }: LoadSummary): void {
    if (!this.isAsked && unpublished !== "too many changed") return;
    for (const line of this.#lines) this.out.write(line);
    const left = this.#changes - this.#lines.length;
    if (left > 0) this.out.write(`... and ${left.toLocaleString("en")} more changes: --report FILE lists them all\n`);
  }
}
