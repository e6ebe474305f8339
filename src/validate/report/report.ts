/** Report files, and the comparison with an earlier report. Results are written as they come, so that memory does not grow with their number. */
import { extname } from "node:path";
import { entryOf } from "../../base/entries.js";
import { jsonIn } from "../../base/json.js";
import { RefusalError } from "../../base/named-error.js";
import { GrowingFile } from "../../base/whole-file.js";
import type { RecordResults } from "../results.js";
import type { Further, FurtherForms, ReportForm, ReportSummary } from "./forms.js";
import { csvForm, jsonForm, turtleForm } from "./forms.js";
import { htmlForm } from "./html.js";
import { Tally } from "./tally.js";

const FORMS: Readonly<Record<string, () => ReportForm>> = {
  ".json": jsonForm,
  ".html": htmlForm,
  ".ttl": turtleForm,
  ".csv": csvForm,
};

/** A report being written. The file gets its name only when the report is complete. */
export class ReportFile {
  readonly #form: ReportForm;
  readonly #file: GrowingFile;
  readonly #tally = new Tally();
  #records = 0;
  readonly #further = { deletion: 0, difference: 0, identity: 0 };

  /** Begin a report in the form that the extension of `path` names. Throws `RefusalError` if no form has this extension, or the file cannot be written. */
  constructor(path: string) {
    const form = FORMS[extname(path).toLowerCase()];
    if (form === undefined)
      throw new RefusalError(`${path}: a report's name must end in ${Object.keys(FORMS).join(", ")}`);
    this.#form = form();
    this.#file = new GrowingFile(path);
    this.#file.write(this.#form.head);
  }

  /** Add the results and changes of a record; a record without any is only counted. */
  add(record: RecordResults): void {
    this.#tally.add(record);
    if (record.results.length > 0 || record.changes !== undefined)
      this.#file.write(this.#form.record(record, this.#records++));
  }

  addFurther<Kind extends keyof Further>(kind: Kind, item: Further[Kind]): void {
    const form: FurtherForms[Kind] = this.#form[kind];
    if (form !== undefined) this.#file.write(form(item, this.#further[kind]++));
  }

  end(summary: ReportSummary): void {
    this.#file.write(this.#form.tail(summary, this.#records, this.#tally.rules()));
    this.#file.end();
  }

  /** Remove the incomplete report, when the run did not finish. */
  abandon(): void {
    this.#file.abandon();
  }
}

/** The line at the end of a place. */
const LINE = /:\d+$/;

/** The records that break each rule in an earlier report, compared with those of a later one. */
export class Comparison {
  /** The records that broke each rule, by IRI, or by place when they have none. */
  readonly #earlier = new Map<string, Set<string>>();
  readonly #later = new Map<string, { appeared: number; still: number }>();

  /** The inputs of the earlier report. If there is only one, its copy may have another name. */
  readonly #files = new Set<string>();

  /** `report` is the text of a JSON report. Throws `RefusalError`. */
  constructor(report: string) {
    for (const { iri, results } of recordsIn(report)) {
      for (const { rule, source } of results) {
        this.#files.add(String(source).replace(LINE, ""));
        entryOf(this.#earlier, rule, () => new Set()).add(iri ?? source);
      }
    }
  }

  add({ iri, source, results }: RecordResults): void {
    const [file] = this.#files;
    const place = this.#files.size === 1 ? `${file}${LINE.exec(source) ?? ""}` : source;
    for (const rule of new Set(results.map((result) => result.rule))) {
      const counts = entryOf(this.#later, rule, () => ({ appeared: 0, still: 0 }));
      if (this.#earlier.get(rule)?.has(iri ?? place)) counts.still++;
      else counts.appeared++;
    }
  }

  /** The rules in either report, sorted by name. */
  get rules(): readonly string[] {
    return [...new Set([...this.#earlier.keys(), ...this.#later.keys()])].sort();
  }

  /** The numbers of records that newly break a rule, no longer break it, and still break it. */
  of(rule: string): { readonly appeared: number; readonly gone: number; readonly still: number } {
    const { appeared, still } = this.#later.get(rule) ?? { appeared: 0, still: 0 };
    return { appeared, still, gone: Math.max(0, (this.#earlier.get(rule)?.size ?? 0) - still) };
  }
}

interface EarlierRecord {
  readonly iri: string | null;
  readonly results: readonly { readonly rule: string; readonly source: string }[];
}

function recordsIn(report: string): readonly EarlierRecord[] {
  const records = jsonIn<{ readonly records?: unknown } | null>(report)?.records;
  const isReport = Array.isArray(records) && records.every((each) => Array.isArray((each as EarlierRecord)?.results));
  if (!isReport) throw new RefusalError("is not a .json report written by validate or load");
  return records as readonly EarlierRecord[];
}
