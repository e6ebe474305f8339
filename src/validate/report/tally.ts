/** The tally of a validation: the numbers of records and warnings, and each broken rule with its first example. */
import { entryOf } from "../../base/entries.js";
import { type DocumentChange, isValid, type RecordResults, type Result } from "../results.js";

/** The maximum number of messages counted separately for a rule; further ones are counted together. */
const MAX_MESSAGES = 200;
const OTHERS = "other messages";

/** A rule while it is being counted. Similar messages share an entry. */
interface Counted {
  readonly example: Result;
  readonly record: Pick<RecordResults, "iri" | "source">;
  results: number;
  records: number;
  /** The number of these records that would no longer break the rule after mending. */
  mendable: number;
  readonly byMessage: Map<string, { readonly message: string; results: number }>;
}

export type RuleCount = ReturnType<Tally["rules"]>[number];

export class Tally {
  readonly #rules = new Map<string, Counted>();
  /** `mendable` are invalid records that mending would make valid; `mended` are those that were mended, by `changes`. */
  readonly #counts = { records: 0, invalid: 0, warnings: 0, mendable: 0, mended: 0, changes: 0 };
  /** Records that mending would make valid if these further rules were requested. */
  #mendableIfAsked = 0;
  readonly #asked = new Set<string>();
  readonly changesByRule = new Map<string, number>();

  add(record: RecordResults): void {
    const { results, mendable } = record;
    this.#counts.records++;
    this.#addChanges(record.changes ?? []);
    if (mendable?.isWhole) this.#counts.mendable++;
    if (mendable?.asked !== undefined) {
      this.#mendableIfAsked++;
      for (const rule of mendable.asked) this.#asked.add(rule);
    }
    if (results.length === 0) return;
    if (!isValid(results)) this.#counts.invalid++;
    const counted = new Set<string>();
    for (const result of results) {
      if (result.severity === "Warning") this.#counts.warnings++;
      const key = `${result.rule} ${result.severity}`;
      const none = { results: 0, records: 0, mendable: 0 };
      const rule = entryOf(this.#rules, key, () => ({ example: result, record, ...none, byMessage: new Map() }));
      rule.results++;
      if (!counted.has(key)) {
        rule.records++;
        if (mendable?.rules.includes(result.rule)) rule.mendable++;
      }
      countMessage(rule, result.message);
      counted.add(key);
    }
  }

  addClean(records: number): void {
    this.#counts.records += records;
  }

  /** The `summary` of a report (docs/publish/validation.md). Records that could not be converted are invalid, too. */
  get summary() {
    const { records, invalid, warnings, mendable, mended, changes } = this.#counts;
    return {
      ...{ records, valid: records - invalid, invalid, warnings },
      ...(mendable > 0 ? { mendable } : {}),
      ...(mended > 0 ? { mended, changes } : {}),
    };
  }

  /** The number of further records that mending would make valid with rules that must be requested, and those rules. */
  get mendableIfAsked(): { readonly records: number; readonly rules: readonly string[] } {
    return { records: this.#mendableIfAsked, rules: [...this.#asked].sort() };
  }

  #addChanges(changes: readonly DocumentChange[]): void {
    if (changes.length > 0) this.#counts.mended++;
    this.#counts.changes += changes.length;
    for (const { rule } of changes) this.changesByRule.set(rule, (this.changesByRule.get(rule) ?? 0) + 1);
  }

  /** The broken rules, the worst first: violations before warnings, then by the number of records. Their messages are the most frequent first; those that differ only in numbers are counted as one. */
  rules() {
    const rank = ({ example }: Pick<Counted, "example">): number => (example.severity === "Violation" ? 0 : 1);
    const rules = [...this.#rules.values()].map(({ byMessage, ...rule }) => ({
      ...rule,
      messages: [...byMessage.values()].sort((a, b) => b.results - a.results),
    }));
    return rules.sort(
      (a, b) => rank(a) - rank(b) || b.records - a.records || (a.example.rule < b.example.rule ? -1 : 1),
    );
  }
}

function countMessage({ byMessage }: Counted, message: string): void {
  // Values after a colon are left out, since they differ from record to record.
  const alike = message.replace(/: ".*$/s, "").replace(/\d+/g, "0");
  const key = byMessage.has(alike) || byMessage.size < MAX_MESSAGES ? alike : OTHERS;
  entryOf(byMessage, key, () => ({ message: key === OTHERS ? OTHERS : message, results: 0 })).results++;
}
