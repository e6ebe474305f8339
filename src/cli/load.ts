/** `vitrine load`: reads inputs into the store. */
import { tmpdir } from "node:os";
import { DocumentReader, DocumentWriter } from "../jsonld/documents.js";
import { type LoadSummary, load, type OnInvalid } from "../load/load.js";
import { streamProgress } from "../load/progress.js";
import { FORMATS, listSources } from "../load/sources.js";
import { openForLoading } from "../store/embedded/embedded-store.js";
import { Validation } from "../validate/validate.js";
import type { Command, Terminal } from "./command.js";
import { baseUrlOf, documentSettings, givenContexts, modelOf } from "./common.js";
import { ExitStatus } from "./exit-status.js";
import { type Option, type Options, UsageError } from "./options.js";
import { decisionsOf, REPORT_OPTION, ResultsKeeper, SEVERITY_OPTION } from "./results.js";

/** Options of every command that reads records. */
export const READING_OPTIONS: readonly Option[] = [
  { name: "format", value: "NAME", choices: FORMATS, help: "the format of all inputs, instead of by extension" },
  { name: "divide", help: "treat named graphs like triples without a graph" },
  SEVERITY_OPTION,
];

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

export const loadCommand: Command = {
  name: "load",
  operands: "INPUT...",
  summary: "reads files, directories or - (standard input) into the store",
  options: [...LOADING_OPTIONS, REPORT_OPTION],
  async run(options, terminal) {
    if (options.positionals.length === 0) throw new UsageError("load what? Give files, directories or -");
    const summary = await runLoad(options, options.positionals, undefined, terminal);
    if (options.isSet("json")) terminal.stdout.write(`${JSON.stringify(machineSummary(summary))}\n`);
    return summary.invalid > 0 ? ExitStatus.someInvalid : ExitStatus.done;
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
  const results = new ResultsKeeper(options, onInvalid === "accept" ? "invalid" : "refused");
  try {
    const summary = await loadInputs(options, inputs, defaultBase, terminal, results);
    const { created, replaced, unchanged, deleted, refused } = summary;
    await results.end(terminal.stderr, { created, replaced, unchanged, deleted, refused });
    tell(summary, terminal);
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
  results: ResultsKeeper,
): Promise<LoadSummary> {
  const model = modelOf(options);
  const givenBase = baseUrlOf(options);
  const format = options.text("format");
  const validation = new Validation({ model, decisions: await decisionsOf(options) });
  const sources = await listSources(inputs, { stdin: terminal.stdin, ...(format === undefined ? {} : { format }) });
  const store = await openForLoading(options.required("store"));
  const progress = streamProgress(terminal.stderr);
  try {
    const given = await givenContexts(options);
    const contexts = new Map([...(await store.contexts()), ...given]);
    const baseUrl = givenBase ?? (await store.stats()).baseUrl ?? defaultBase;
    const settings = documentSettings(model, contexts, baseUrl);
    return await load(
      sources,
      store,
      {
        reader: new DocumentReader(settings),
        writer: new DocumentWriter(settings),
        validation,
        vocabBase: model.vocabBase,
        contexts: given,
        ...(baseUrl === undefined ? {} : { baseUrl }),
        onInvalid: options.required("on-invalid") as OnInvalid,
        onRecord: (record) => results.add(record),
        divide: options.isSet("divide"),
        temporary: tmpdir(),
        signal: terminal.interrupted,
      },
      progress,
    );
  } finally {
    progress.end();
    await validation.close();
    await store.close();
  }
}

function tell(summary: LoadSummary, { stderr }: Terminal): void {
  if (summary.droppedKeys > 0) {
    stderr.write(
      `${count(summary.droppedKeys, "key")} beginning with _ that no context defines, such as _links, left out\n`,
    );
  }
  if (summary.repeated > 0) {
    stderr.write(`${count(summary.repeated, "record")} came more than once: the last of each was taken\n`);
  }
  if (summary.withoutEndpoint > 0) {
    stderr.write(`${count(summary.withoutEndpoint, "record")} of a class that belongs to no endpoint\n`);
  }
  const { created, replaced, unchanged, refused, invalid, triples, seconds } = summary;
  if (summary.aborted) {
    stderr.write(`nothing was loaded: ${count(invalid, "record")} invalid and --on-invalid abort\n`);
    return;
  }
  const parts = [`${created} created`, `${replaced} replaced`, `${unchanged} unchanged`, `${refused} refused`];
  stderr.write(`${parts.join(", ")}; ${triples} triples in ${seconds.toFixed(1)} s\n`);
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** What `--json` prints (DESIGN.md, Reports). */
function machineSummary(summary: LoadSummary): object {
  const { created, replaced, unchanged, deleted, refused, invalid, triples, seconds, sequence } = summary;
  return { created, replaced, unchanged, deleted, refused, invalid, triples, seconds, sequence };
}
