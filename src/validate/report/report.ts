/** Report files: every result of a run, written as it comes, so that memory does not grow with what is found. */
import { closeSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { extname } from "node:path";
import { ReportError } from "../errors.js";
import type { IdentityProblem, RecordDifference, RecordResults } from "../results.js";
import { csvForm } from "./csv.js";
import { htmlForm } from "./html.js";
import { jsonForm } from "./json.js";
import { type RuleCount, Tally } from "./tally.js";
import { turtleForm } from "./turtle.js";

/** A report's figures by name. */
export type ReportSummary = Readonly<Record<string, number>>;

/** How a report is written down. */
export interface ReportForm {
  /** What the file begins with. */
  readonly head: string;
  /** A record with results, or with changes; `index` counts such records. */
  record(record: RecordResults, index: number): string;
  /** A record that a load deletes, or would; `index` counts them. They come after all records with results. */
  deletion?(iri: string, index: number): string;
  /** A record that a load changes, or would; they come after the deletions. */
  difference?(difference: RecordDifference, index: number): string;
  /** An IRI that comes back as something else; they come last. */
  identity?(identity: IdentityProblem, index: number): string;
  /** What the report has by rule, after all else. */
  rules?(rules: readonly RuleCount[]): string;
  /** The end; `records` had results or changes. */
  tail(summary: ReportSummary, records: number): string;
  /** Written over the head, and not longer than it. */
  headAtEnd?(summary: ReportSummary): string;
}

const FORMS: Readonly<Record<string, () => ReportForm>> = {
  ".json": jsonForm,
  ".html": htmlForm,
  ".ttl": turtleForm,
  ".csv": csvForm,
};

/** Characters that are collected before they are written. */
const CHUNK = 1 << 16;

/** A report on its way to a file. Only a whole report takes the file's name. */
export class ReportFile {
  readonly #path: string;
  readonly #partial: string;
  readonly #form: ReportForm;
  readonly #file: number;
  /** Where the form has results by rule. */
  readonly #tally: Tally | undefined;
  #text = "";
  #records = 0;
  #deletions = 0;
  #differences = 0;
  #identities = 0;

  /** Begin a report in the form of the name's extension. Throws `ReportError`. */
  constructor(path: string) {
    const form = FORMS[extname(path).toLowerCase()];
    if (form === undefined) {
      throw new ReportError(`${path}: a report's name ends in ${Object.keys(FORMS).join(", ")}`);
    }
    this.#path = path;
    this.#partial = `${path}.partial`;
    this.#form = form();
    this.#tally = this.#form.rules === undefined ? undefined : new Tally();
    try {
      this.#file = openSync(this.#partial, "w");
    } catch (error) {
      throw new ReportError(`${path}: cannot be written: ${error instanceof Error ? error.message : String(error)}`);
    }
    this.#write(this.#form.head);
  }

  /** Add what was found in a record, and what was changed; nothing for one of which there is nothing to say. */
  add(record: RecordResults): void {
    this.#tally?.add(record);
    if (record.results.length > 0 || record.changes !== undefined)
      this.#write(this.#form.record(record, this.#records++));
  }

  /** Add a record that the input lacks and a load deletes, after all others; a SHACL report has no place for it. */
  addDeletion(iri: string): void {
    const text = this.#form.deletion?.(iri, this.#deletions++);
    if (text !== undefined) this.#write(text);
  }

  /** Add a record that a load changes, after all deletions. */
  addDifference(difference: RecordDifference): void {
    const text = this.#form.difference?.(difference, this.#differences++);
    if (text !== undefined) this.#write(text);
  }

  /** Add an IRI that comes back as something else, after all differences. */
  addIdentity(identity: IdentityProblem): void {
    const text = this.#form.identity?.(identity, this.#identities++);
    if (text !== undefined) this.#write(text);
  }

  /** Complete the report. */
  end(summary: ReportSummary): void {
    if (this.#tally !== undefined) this.#text += this.#form.rules!(this.#tally.rules());
    this.#text += this.#form.tail(summary, this.#records);
    this.#flush();
    const head = this.#form.headAtEnd?.(summary);
    if (head !== undefined) writeSync(this.#file, head, 0);
    closeSync(this.#file);
    renameSync(this.#partial, this.#path);
  }

  /** Leave no report, where the run did not come to its end. */
  abandon(): void {
    closeSync(this.#file);
    rmSync(this.#partial, { force: true });
  }

  #write(text: string): void {
    this.#text += text;
    if (this.#text.length >= CHUNK) this.#flush();
  }

  #flush(): void {
    const bytes = Buffer.from(this.#text);
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written);
    this.#text = "";
  }
}
