/** `vitrine mend`: copies inputs, repairing invalid records where the repair is unambiguous. */
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { counted, grouped } from "../../base/counted.js";
import type { MendRule } from "../../load/mend/mend-rule.js";
import { formatOf, type Source } from "../../load/read/sources.js";
import { FORMATS, type Format } from "../../rdf/formats.js";
import type { ResultsKeeper } from "../loading/results.js";
import type { CommandDefinition, Terminal } from "../main/command.js";
import { ExitStatus } from "../main/exit-status.js";
import { baseUrlOf } from "../settings/common.js";
import { argument, type Options, UsageError } from "../settings/options.js";
import { writeOutput } from "../settings/output-file.js";
import { MENDING_RULES, mendSelectionOf, REPORT_OPTIONS } from "../settings/record-options.js";
import { READING_SETTINGS } from "../settings/table.js";
import { inputsOf, READING_ARGUMENTS } from "./load.js";
import { examineInputs } from "./validate.js";

export const mendCommand: CommandDefinition = {
  operands: "[INPUT...]",
  summary: "repairs the invalid records of inputs, and writes all records to a file",
  examples: ["mend export.jsonl --output mended.jsonl", "mend --list"],
  options: [
    ...READING_ARGUMENTS,
    ...READING_SETTINGS,
    argument("output FILE", "the file for the records, in the format of the inputs; .gz compresses", { isMain: true }),
    MENDING_RULES,
    argument("list", "list the rules, each with an example", { isMain: true }),
    ...REPORT_OPTIONS,
  ],
  async run(options, terminal) {
    if (options.isSet("list")) {
      const { MEND_RULES } = await import("../../load/mend/mend-rules.js");
      terminal.stdout.write(options.isSet("json") ? `${JSON.stringify(MEND_RULES)}\n` : listOf(MEND_RULES));
      return ExitStatus.done;
    }
    if (options.positionals.length === 0)
      throw new UsageError("mend needs inputs: files, directories, or - for standard input");
    const output = options.text("output");
    if (output === undefined) throw new UsageError("mend needs --output FILE, since it does not change its inputs");
    const { ResultsKeeper } = await import("../loading/results.js");
    const sources = await inputsOf(options, options.positionals, terminal);
    using results = new ResultsKeeper(options, sources, "still invalid");
    await mendInputs(options, sources, output, terminal, results);
    results.end(options.isSet("json") ? terminal.stderr : terminal.stdout);
    if (options.isSet("json")) terminal.stdout.json(results.summary);
    const { records, valid, invalid, mended = 0, changes = 0 } = results.summary;
    terminal.stderr.line(
      `${counted(records, "record")}: ${grouped(mended)} mended (${counted(changes, "change")}), ${grouped(valid)} valid, ${grouped(invalid)} invalid`,
    );
    return invalid > 0 ? ExitStatus.someInvalid : ExitStatus.done;
  },
};

function listOf(rules: readonly MendRule[]): string {
  return rules
    .map(({ name, repairs, example, isAsked }) => {
      const asked = isAsked ? ` (only with --rules +${name})` : "";
      return `${name}: ${repairs}${asked}\n  ${JSON.stringify(example.before)}\n  ${JSON.stringify(example.after)}\n`;
    })
    .join("\n");
}

async function mendInputs(
  options: Options,
  sources: readonly Source[],
  output: string,
  terminal: Terminal,
  results: ResultsKeeper,
): Promise<void> {
  const mending = { selection: await mendSelectionOf(options), applies: true };
  const writes = writtenFormat(sources);
  // Relative ids of documents need a base to be examined; the copy keeps them as they are. Copies of triples have absolute IRIs.
  const baseUrl = baseUrlOf(options) ?? (writes === "json" ? "http://localhost:3000/" : undefined);
  checkName(output, writes);
  const copy = new Copy(output, writes, sources);
  try {
    await examineInputs(options, terminal, sources, {
      baseUrl,
      mending,
      writes,
      namesAll: true,
      async onBatch({ found, strays = "" }) {
        await copy.write(strays);
        for (const record of found) {
          results.add(record);
          if (record.written !== undefined) await copy.write(record.written);
        }
      },
    });
    await copy.end();
  } catch (error) {
    await copy.abandon();
    throw error;
  }
}

/** The name of the format in which all records are written. Throws `UsageError` when the sources need several formats. */
function writtenFormat(sources: readonly Source[]): string {
  const written = new Map(sources.map(({ format }) => [copyFormat(formatOf(format)!), format]));
  const [format] = written.keys();
  if (written.size !== 1)
    throw new UsageError(
      `mend writes one file of one format, not of ${[...written.values()].join(" and ")}: mend these separately`,
    );
  return format!;
}

/** The format of the copy. Documents stay documents; triples and quads in a format that cannot be concatenated become N-Triples or N-Quads. */
function copyFormat({ name, holds, writeAmong }: Format): string {
  if (holds === "documents") return "json";
  if (writeAmong !== undefined) return name;
  return holds === "quads" ? "nq" : "nt";
}

/** Throws `UsageError` for a file whose extension names another format than the one written, since nothing could read it. */
function checkName(output: string, writes: string): void {
  const [, extension] = /\.([^./\\]+)$/.exec(output.replace(/\.gz$/i, "")) ?? [];
  const documents = FORMATS.filter(({ holds }) => holds === "documents").flatMap(({ extensions }) => extensions);
  const own = FORMATS.find(({ name }) => name === writes)?.extensions ?? [writes];
  // N-Triples are also valid Turtle, N-Quads and TriG.
  const more: Readonly<Record<string, readonly string[]>> = { json: documents, nt: ["nt", "ttl", "nq", "trig"] };
  const names = more[writes] ?? own;
  if (extension === undefined || names.includes(extension.toLowerCase())) return;
  throw new UsageError(
    `mend writes ${names.join(", ")} from these inputs, not .${extension}: give the file one of these extensions`,
  );
}

/** A copy being written. The file gets its name only when the copy is complete. */
class Copy {
  readonly #out = new PassThrough();
  /** Resolves when everything is written, rejects when writing fails. */
  readonly #done: Promise<void>;
  /** Whether documents are written as an array, or each on a line of its own; a single document in a JSON file has no array. */
  readonly #isArray: boolean;
  readonly #isLines: boolean;
  /** The first document, kept until a second one shows that there is an array. */
  #first: string | undefined;
  #records = 0;

  constructor(path: string, format: string, sources: readonly Source[]) {
    this.#done = writeOutput(path, this.#out);
    // Awaited at the end; until then a failure shows when writing.
    this.#done.catch(() => {});
    const name = path.replace(/\.gz$/i, "");
    const haveLines = !/\.json(?:ld)?$/i.test(name) && sources.some((each) => formatOf(each.format)!.isLines);
    this.#isLines = format === "json" && (haveLines || /\.(?:jsonl|ndjson)$/i.test(name));
    this.#isArray = format === "json" && !this.#isLines;
  }

  /** Write a record. An empty text stands for one that came with the text of another. */
  async write(text: string): Promise<void> {
    if (text === "") return;
    const nth = ++this.#records;
    // In JSON, the ends of lines are only white space.
    if (this.#isLines) await this.#send(`${text.replace(/[\r\n]\s*/g, " ")}\n`);
    else if (!this.#isArray) await this.#send(text);
    else if (nth === 1) this.#first = text;
    else await this.#send(nth === 2 ? `[\n${this.#first},\n${text}` : `,\n${text}`);
  }

  async end(): Promise<void> {
    const arrayEnd = this.#records > 1 ? "\n]\n" : `${this.#first ?? "[]"}\n`;
    this.#out.end(this.#isArray ? arrayEnd : "");
    await this.#done;
  }

  async abandon(): Promise<void> {
    this.#out.destroy();
    await this.#done.catch(() => {});
  }

  async #send(text: string): Promise<void> {
    if (!this.#out.write(text)) await Promise.race([once(this.#out, "drain"), this.#done]);
  }
}
