/** The comparison with an earlier report: how many records newly break each rule, no longer break it, or still do. */
import { entryOf } from "../../base/entries.js";
import { jsonIn } from "../../base/json.js";
import { NamedError } from "../../base/named-error.js";
import type { RecordResults } from "../results.js";

/** An earlier report that cannot be read. */
export class ComparisonError extends NamedError {}

/** The records that break each rule in an earlier report, compared with those of a later one. */
export class Comparison {
  /** The records that broke each rule, by IRI, or by place when they have none. */
  readonly #earlier = new Map<string, Set<string>>();
  readonly #later = new Map<string, { appeared: number; still: number }>();

  /** `report` is the text of a JSON report. Throws `ComparisonError`. */
  constructor(report: string) {
    for (const { iri, results } of recordsIn(report)) {
      for (const { rule, source } of results) entryOf(this.#earlier, rule, () => new Set()).add(iri ?? source);
    }
  }

  add({ iri, source, results }: RecordResults): void {
    for (const rule of new Set(results.map((result) => result.rule))) {
      const counts = entryOf(this.#later, rule, () => ({ appeared: 0, still: 0 }));
      if (this.#earlier.get(rule)?.has(iri ?? source)) counts.still++;
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
  if (!isReport) throw new ComparisonError("is not a .json report written by validate or load");
  return records as readonly EarlierRecord[];
}
