/** Validation results on the command line: report files, lines and tables for people, and targets for other tools. */
import { readFileSync } from "node:fs";
import { counted, grouped } from "../../base/counted.js";
import { shortened } from "../../base/shortened.js";
import { GrowingFile } from "../../base/whole-file.js";
import type { LoadEvent } from "../../load/pipeline/load.js";
import type { Source } from "../../load/read/sources.js";
import { ruleName, SH, shapeIri } from "../../model/rules/shapes.js";
import { formatTerm, tripleLine } from "../../rdf/ntriples/writer.js";
import { iri, iriProblem } from "../../rdf/terms.js";
import type { Further, ReportSummary } from "../../validate/report/forms.js";
import { Comparison, ReportFile } from "../../validate/report/report.js";
import { type RuleCount, Tally } from "../../validate/report/tally.js";
import type { IdentityProblem, RecordDifference, RecordResults, Result } from "../../validate/results.js";
import { columns } from "../main/text-table.js";
import { type Options, usable } from "../settings/options.js";
import { ensureOutputs } from "../settings/output-file.js";

/** The terminal shows at most this many violations, deletions and changes, and at most this many IRIs that come back as another entity. */
export const MAX_SHOWN = 1000;

/** The first of many lines for a terminal, and the number of the others. */
export class FirstLines {
  readonly #lines: string[] = [];
  #added = 0;

  /** @param line makes the line; called only if it is shown */
  add(line: () => string): void {
    if (this.#added++ < MAX_SHOWN) this.#lines.push(line());
  }

  /** @param things the noun for the lines that are not shown @param begin the beginning of each line */
  write(out: { write(text: string): unknown }, things: string, begin = ""): void {
    for (const line of this.#lines) out.write(`${begin}${line}\n`);
    const left = this.#added - this.#lines.length;
    if (left > 0) out.write(`... and ${grouped(left)} more${things}: --report FILE lists all\n`);
  }
}

/** A record that a load changes, with its differences. */
export function differenceLines({ iri, kind, differences }: RecordDifference): string {
  const places = differences.map(
    ({ property, before, after }) =>
      `\n  ${property}: ${shortened(JSON.stringify(before))} -> ${shortened(JSON.stringify(after))}`,
  );
  return `${kind}: <${iri}>${places.join("")}`;
}

/** Reports list at most this many identity problems: if there are more, they do not concern single records. */
const MAX_IDENTITIES = 10_000;

export class ResultsKeeper {
  readonly #tally = new Tally();
  readonly #violations = new FirstLines();
  readonly #reports: ReportFile[] = [];
  readonly #since: Comparison | undefined;
  #targets: GrowingFile | undefined;
  readonly #identities: IdentityProblem[] = [];
  readonly #reportsWarnings: boolean;

  /** Open the files that the options name. Throws `RefusalError`, also for a `--since` file that is not a report. @param sources the inputs, which no file may replace @param word the word for a record with violations. Default: `refused` if the load refused it, else `invalid` */
  constructor(
    options: Options,
    sources: readonly Source[],
    private readonly word?: string,
  ) {
    const targets = options.text("targets");
    const since = options.text("since");
    if (since !== undefined)
      this.#since = usable(`--since ${since}: `, () => new Comparison(readFileSync(since, "utf8")), Error);
    ensureOutputs(options, sources);
    try {
      for (const path of new Set(options.all("report"))) this.#reports.push(new ReportFile(path));
      if (targets !== undefined) this.#targets = new GrowingFile(targets);
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
    this.#reportsWarnings = options.text("report-severity") !== "violation";
  }

  get summary() {
    return this.#tally.summary;
  }

  add(record: RecordResults): void {
    this.#tally.add(record);
    this.#since?.add(record);
    const isReported = ({ severity }: Result): boolean => this.#reportsWarnings || severity === "Violation";
    const reported = { ...record, results: record.results.filter(isReported) };
    for (const report of this.#reports) report.add(reported);
    const [shape, node] = [iri(shapeIri(record.endpoint ?? "record")), iri(record.iri ?? "")];
    if (iriProblem(node.value) === undefined) this.#targets?.write(tripleLine(shape, iri(`${SH}targetNode`), node));
    for (const result of record.results)
      if (result.severity === "Violation") this.#violations.add(() => lineOf(record, result, this.word));
  }

  tell({ record, clean, deleted, identity, difference }: LoadEvent): void {
    if (record !== undefined) this.add(record);
    if (clean !== undefined) this.#tally.addClean(clean);
    if (deleted !== undefined) this.#addFurther("deletion", deleted);
    if (difference !== undefined) this.#addFurther("difference", difference);
    if (identity !== undefined && this.#identities.length < MAX_IDENTITIES) this.#identities.push(identity);
  }

  #addFurther<Kind extends keyof Further>(kind: Kind, item: Further[Kind]): void {
    for (const report of this.#reports) report.addFurther(kind, item);
  }

  /** Complete the files and print the results. `more` are further figures for the report's summary. */
  end(out: { write(text: string): unknown }, more: ReportSummary = {}): void {
    for (const identity of this.#identities) this.#addFurther("identity", identity);
    // A completed file is forgotten, so that it is not discarded if a later one cannot be completed.
    for (; this.#reports.length > 0; this.#reports.shift()) this.#reports[0]!.end({ ...this.#tally.summary, ...more });
    this.#targets?.end();
    this.#targets = undefined;
    this.#violations.write(out, " violations");
    out.write(tableOf(this.#tally.rules()));
    if (this.#since !== undefined) out.write(sinceTable(this.#since));
    out.write(mendingOf(this.#tally));
  }

  /** Discard incomplete files, if the run did not reach its end. */
  [Symbol.dispose](): void {
    for (const report of this.#reports) report.abandon();
    this.#targets?.abandon();
  }
}

function lineOf(
  { source, iri: record, isRefused, isKept }: RecordResults,
  { path, message, value, rule, focus }: Result,
  word = isRefused ? "refused" : "invalid",
) {
  const nameless = path === "" ? (focus ?? "record") : "record";
  const who = record === null ? nameless : formatTerm(iri(record));
  const where = /[/[]/.test(path) ? ` at ${path}` : "";
  const found = value === null ? "" : `; found ${shortened(value)}`;
  return `${source}: ${word} ${who}${isKept ? " (the stored version stays)" : ""}${where}: ${message}${found} (${ruleName(rule)})`;
}

/** The broken rules, the worst first, each with its first example. */
function tableOf(rules: readonly RuleCount[]): string {
  if (rules.length === 0) return "";
  const isMendable = rules.some(({ mendable }) => mendable > 0);
  const rows = rules.map(({ records, mendable, example: { severity, rule } }) => {
    return [severity, grouped(records), mendable === 0 ? "-" : grouped(mendable), ruleName(rule)];
  });
  const all = [["severity", "records", "mend repairs", "rule"], ...rows];
  const shown = isMendable ? all : all.map((row) => row.toSpliced(2, 1));
  const [head, ...lines] = columns(shown, isMendable ? [1, 2] : [1]);
  const indent = " ".repeat(head!.lastIndexOf("rule"));
  const blocks = rules.map((rule, at) => {
    const { iri: record, source } = rule.record;
    const first = `first: ${source}${record === null ? "" : ` ${formatTerm(iri(record))}`}`;
    return `${lines[at]}\n${messagesOf(rule, rule.example.message, indent)}${indent}${first}\n`;
  });
  return `\n${head}\n${blocks.join("")}\n`;
}

/** The messages of a rule, each with its count if there are several. */
function messagesOf({ messages, results }: RuleCount, message: string, indent: string): string {
  if (messages.length === 1) return `${indent}${message}\n`;
  const shown = messages.slice(0, 5);
  const width = grouped(shown[0]!.results).length;
  const lines = shown.map((each) => `${indent}${grouped(each.results).padStart(width)} x ${each.message}\n`);
  const left = results - shown.reduce((sum, each) => sum + each.results, 0);
  return lines.join("") + (left === 0 ? "" : `${indent}and ${grouped(left)} with others\n`);
}

function sinceTable(since: Comparison): string {
  const rows = since.rules.map((rule) => {
    const { appeared, gone, still } = since.of(rule);
    return [grouped(appeared), grouped(gone), grouped(still), ruleName(rule)];
  });
  if (rows.length === 0) return "since the last report: no rule is broken, and none was\n";
  const lines = columns([["new", "gone", "still", "rule"], ...rows], [0, 1, 2]);
  return `since the last report, records\n${lines.map((line) => `  ${line}\n`).join("")}\n`;
}

/** The lines about changes that mending made, or would make. */
function mendingOf({ summary, changesByRule, mendableIfAsked }: Tally): string {
  const { mendable = 0, mended = 0, changes = 0, invalid } = summary;
  const { records: further, rules: asked } = mendableIfAsked;
  const more = asked.map((rule) => ` --rules +${rule}`).join("");
  const of = counted(invalid, "invalid record");
  if (mended === 0) {
    if (mendable + further === 0) return "";
    const ifAsked = further === 0 ? "" : `, and ${grouped(further)} more with${more}`;
    return `vitrine mend would make ${grouped(mendable)} of ${of} valid${ifAsked}\n`;
  }
  const byRule = [...changesByRule].sort(([, a], [, b]) => b - a);
  const lines = byRule.map(([rule, times]) => `${grouped(times).padStart(9)}  ${rule}\n`);
  const left = further === 0 ? "" : `${grouped(further)} of ${of} would be valid with${more}\n`;
  return `${counted(mended, "record")} mended, ${counted(changes, "change")}:\n${lines.join("")}\n${left}`;
}
