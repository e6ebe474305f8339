/** `vitrine load`: reads inputs into the store. */
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { DocumentReader, DocumentWriter } from "../jsonld/documents.js";
import { type LoadSummary, load, type OnInvalid, type Refusal } from "../load/load.js";
import { streamProgress } from "../load/progress.js";
import { refusalReport } from "../load/report.js";
import { FORMATS, listSources } from "../load/sources.js";
import { openForLoading } from "../store/embedded/embedded-store.js";
import type { Command, Terminal } from "./command.js";
import { baseUrlOf, documentSettings, givenContexts, modelOf } from "./common.js";
import { ExitStatus } from "./exit-status.js";
import { type Option, type Options, UsageError } from "./options.js";

/** Options of every command that loads. */
export const LOADING_OPTIONS: readonly Option[] = [
  { name: "format", value: "NAME", choices: FORMATS, help: "the format of all inputs, instead of by extension" },
  { name: "divide", help: "treat named graphs like triples without a graph" },
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
  options: [...LOADING_OPTIONS, { name: "report", value: "FILE", help: "write all results to a JSON file" }],
  async run(options, terminal) {
    if (options.positionals.length === 0) throw new UsageError("load what? Give files, directories or -");
    const summary = await runLoad(options, options.positionals, undefined, terminal);
    if (options.isSet("json")) terminal.stdout.write(`${JSON.stringify(machineSummary(summary))}\n`);
    const report = options.text("report");
    if (report !== undefined) await writeFile(report, `${JSON.stringify(refusalReport(summary), null, 2)}\n`);
    return summary.refusals.length > 0 ? ExitStatus.someInvalid : ExitStatus.done;
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
  const model = modelOf(options);
  const givenBase = baseUrlOf(options);
  const format = options.text("format");
  const sources = await listSources(inputs, { stdin: terminal.stdin, ...(format === undefined ? {} : { format }) });
  const store = await openForLoading(options.required("store"));
  const progress = streamProgress(terminal.stderr);
  try {
    const given = await givenContexts(options);
    const contexts = new Map([...(await store.contexts()), ...given]);
    const baseUrl = givenBase ?? (await store.stats()).baseUrl ?? defaultBase;
    const settings = documentSettings(model, contexts, baseUrl);
    const summary = await load(
      sources,
      store,
      {
        reader: new DocumentReader(settings),
        writer: new DocumentWriter(settings),
        vocabBase: model.vocabBase,
        contexts: given,
        ...(baseUrl === undefined ? {} : { baseUrl }),
        onInvalid: options.required("on-invalid") as OnInvalid,
        divide: options.isSet("divide"),
        temporary: tmpdir(),
        signal: terminal.interrupted,
      },
      progress,
    );
    progress.end();
    tell(summary, terminal);
    return summary;
  } finally {
    progress.end();
    await store.close();
  }
}

/** The terminal shows at most this many results; a report file has them all. */
const MOST_SHOWN = 1000;

function tell(summary: LoadSummary, { stderr }: Terminal): void {
  const { refusals } = summary;
  for (const refusal of refusals.slice(0, MOST_SHOWN)) stderr.write(`${line(refusal)}\n`);
  if (refusals.length > MOST_SHOWN) {
    stderr.write(`... and ${refusals.length - MOST_SHOWN} more refused records: --report FILE lists them all\n`);
  }
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
  if (summary.aborted) {
    stderr.write(`nothing was loaded: ${count(refusals.length, "record")} refused and --on-invalid abort\n`);
    return;
  }
  const { created, replaced, unchanged, triples, seconds } = summary;
  const parts = [`${created} created`, `${replaced} replaced`, `${unchanged} unchanged`, `${refusals.length} refused`];
  stderr.write(`${parts.join(", ")}; ${triples} triples in ${seconds.toFixed(1)} s\n`);
}

function line({ source, iri, losses }: Refusal): string {
  const reasons = losses.map(({ path, problem }) => (path === "" ? problem : `${path} ${problem}`));
  return `${source}: refused${iri === null ? "" : ` ${/^(?:<|_:)/.test(iri) ? iri : `<${iri}>`}`}: ${reasons.join("; ")}`;
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** What `--json` prints (DESIGN.md, Reports). */
function machineSummary(summary: LoadSummary): object {
  const { created, replaced, unchanged, deleted, refusals, triples, seconds, sequence } = summary;
  return { created, replaced, unchanged, deleted, refused: refusals.length, invalid: 0, triples, seconds, sequence };
}
