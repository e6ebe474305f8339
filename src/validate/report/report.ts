/** Report files: each result of a run is written at once, so that memory does not grow with the number of results. */
import { closeSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { extname } from "node:path";
import { RefusalError, thrownMessage } from "../../base/named-error.js";
import type { RecordResults } from "../results.js";
import {
  csvForm,
  type Further,
  type FurtherForms,
  jsonForm,
  type ReportForm,
  type ReportSummary,
  turtleForm,
} from "./forms.js";
import { htmlForm } from "./html.js";
import { Tally } from "./tally.js";

/** The name of a report file does not end like that of any form, or the file cannot be written. */
export class ReportError extends RefusalError {}

const FORMS: Readonly<Record<string, () => ReportForm>> = {
  ".json": jsonForm,
  ".html": htmlForm,
  ".ttl": turtleForm,
  ".csv": csvForm,
};

/** The number of characters that are collected before they are written. */
const CHUNK = 1 << 16;

/** A report being written. The file gets its name only when the report is complete. */
export class ReportFile {
  readonly #partial: string;
  readonly #form: ReportForm;
  readonly #file: number;
  readonly #tally = new Tally();
  #text = "";
  #records = 0;
  readonly #further = { deletion: 0, difference: 0, identity: 0 };

  /** Begin a report in the form of the name's extension. Throws `ReportError`. */
  constructor(private readonly path: string) {
    const form = FORMS[extname(path).toLowerCase()];
    if (form === undefined)
      throw new ReportError(`${path}: a report's name must end in ${Object.keys(FORMS).join(", ")}`);
    this.#partial = `${path}.partial`;
    this.#form = form();
    try {
      this.#file = openSync(this.#partial, "w");
    } catch (error) {
      throw new ReportError(`${path}: cannot be written: ${thrownMessage(error)}`);
    }
    this.#write(this.#form.head);
  }

  /** Add the results and changes of a record; a record without any is only counted. */
  add(record: RecordResults): void {
    this.#tally.add(record);
    if (record.results.length > 0 || record.changes !== undefined)
      this.#write(this.#form.record(record, this.#records++));
  }

  addFurther<Kind extends keyof Further>(kind: Kind, item: Further[Kind]): void {
    const form: FurtherForms[Kind] = this.#form[kind];
    if (form !== undefined) this.#write(form(item, this.#further[kind]++));
  }

  end(summary: ReportSummary): void {
    this.#text += this.#form.tail(summary, this.#records, this.#tally.rules());
    this.#flush();
    const head = this.#form.headAtEnd?.(summary);
    if (head !== undefined) writeSync(this.#file, head, 0);
    closeSync(this.#file);
    renameSync(this.#partial, this.path);
  }

  /** Remove the incomplete report, when the run did not finish. */
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
