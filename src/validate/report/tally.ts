/** Counts what validation finds: records, warnings, and each rule with its first example. */
import { isValid, type RecordResults, type Result } from "../results.js";

/** How often a rule was broken, and where first. */
export interface RuleCount {
  /** The first result. */
  readonly example: Result;
  readonly record: Pick<RecordResults, "iri" | "source">;
  readonly results: number;
  readonly records: number;
}

/** The `summary` of a report (DESIGN.md, Reports). */
export interface Summary {
  readonly records: number;
  readonly valid: number;
  /** Records with a violation, those included that could not become one. */
  readonly invalid: number;
  /** Results that are warnings. */
  readonly warnings: number;
}

export class Tally {
  readonly #rules = new Map<string, { -readonly [key in keyof RuleCount]: RuleCount[key] }>();
  #records = 0;
  #invalid = 0;
  #warnings = 0;

  /** Count a record, with or without results. */
  add(record: RecordResults): void {
    const { results } = record;
    this.#records++;
    if (results.length === 0) return;
    if (!isValid(results)) this.#invalid++;
    const counted = new Set<string>();
    for (const result of results) {
      if (result.severity === "Warning") this.#warnings++;
      const key = `${result.rule} ${result.severity}`;
      const rule = this.#rules.get(key);
      if (rule === undefined) this.#rules.set(key, { example: result, record, results: 1, records: 1 });
      else {
        rule.results++;
        if (!counted.has(key)) rule.records++;
      }
      counted.add(key);
    }
  }

  /** Count records without results. */
  addClean(records: number): void {
    this.#records += records;
  }

  get summary(): Summary {
    const records = this.#records;
    return { records, valid: records - this.#invalid, invalid: this.#invalid, warnings: this.#warnings };
  }

  /** The broken rules, the worst first: violations before warnings, then by the number of records. */
  rules(): readonly RuleCount[] {
    const rank = ({ example }: RuleCount): number => (example.severity === "Violation" ? 0 : 1);
    return [...this.#rules.values()].sort(
      (a, b) => rank(a) - rank(b) || b.records - a.records || (a.example.rule < b.example.rule ? -1 : 1),
    );
  }
}
