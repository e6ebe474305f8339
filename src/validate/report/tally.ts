/** The tally of a validation: records, warnings, and each rule with its first example. */
import { entryOf } from "../../base/entries.js";
import { type DocumentChange, isValid, type RecordResults, type Result } from "../results.js";

export interface RuleCount {
  readonly example: Result;
  readonly record: Pick<RecordResults, "iri" | "source">;
  readonly results: number;
  readonly records: number;
  /** Of those records, how many would keep the rule if they were mended. */
  readonly mendable: number;
  /** The messages of the results, the most frequent first; those that differ in numbers alone are one. */
  readonly messages: readonly MessageCount[];
}

interface MessageCount {
  readonly message: string;
  readonly results: number;
}

/** The most messages of a rule that are counted apart; the others are counted together. */
const MAX_MESSAGES = 200;
const OTHERS = "other messages";

/** The `summary` of a report (DESIGN.md, Reports). */
export interface Summary {
  readonly records: number;
  readonly valid: number;
  /** Records with a violation, those included that could not become one. */
  readonly invalid: number;
  readonly warnings: number;
  /** Invalid records that mending would make valid; there only where that was found out. */
  readonly mendable?: number;
  /** Records that were mended, and the changes made; there only where there are some. */
  readonly mended?: number;
  readonly changes?: number;
}

/** A rule while it is counted; messages by what is alike in them. */
type Counted = { -readonly [key in keyof Omit<RuleCount, "messages">]: RuleCount[key] } & {
  readonly said: Map<string, { readonly message: string; results: number }>;
};

/** Counts of one run, which grow with each record. */
export class Tally {
  readonly #rules = new Map<string, Counted>();
  #records = 0;
  #invalid = 0;
  #warnings = 0;
  #mendable = 0;
  #mended = 0;
  /** Records that mending would make valid if these rules were asked for, too. */
  #mendableIfAsked = 0;
  readonly #asked = new Set<string>();
  #changes = 0;
  readonly #changesByRule = new Map<string, number>();

  /** Count a record, with or without results. */
  add(record: RecordResults): void {
    const { results, mendable } = record;
    this.#records++;
    this.#addChanges(record.changes ?? []);
    if (mendable?.isWhole) this.#mendable++;
    if (mendable?.asked !== undefined) {
      this.#mendableIfAsked++;
      for (const rule of mendable.asked) this.#asked.add(rule);
    }
    if (results.length === 0) return;
    if (!isValid(results)) this.#invalid++;
    const counted = new Set<string>();
    for (const result of results) {
      if (result.severity === "Warning") this.#warnings++;
      const key = `${result.rule} ${result.severity}`;
      const none = { results: 0, records: 0, mendable: 0 };
      const rule = entryOf(this.#rules, key, () => ({ example: result, record, ...none, said: new Map() }));
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
    this.#records += records;
  }

  get summary(): Summary {
    const records = this.#records;
    return {
      records,
      valid: records - this.#invalid,
      invalid: this.#invalid,
      warnings: this.#warnings,
      ...(this.#mendable > 0 ? { mendable: this.#mendable } : {}),
      ...(this.#mended > 0 ? { mended: this.#mended, changes: this.#changes } : {}),
    };
  }

  /** How many changes each rule of mending made. */
  get changesByRule(): ReadonlyMap<string, number> {
    return this.#changesByRule;
  }

  /** How many further records mending would make valid by rules that are to be asked for, and which these are. */
  get mendableIfAsked(): { readonly records: number; readonly rules: readonly string[] } {
    return { records: this.#mendableIfAsked, rules: [...this.#asked].sort() };
  }

  #addChanges(changes: readonly DocumentChange[]): void {
    if (changes.length > 0) this.#mended++;
    this.#changes += changes.length;
    for (const { rule } of changes) this.#changesByRule.set(rule, (this.#changesByRule.get(rule) ?? 0) + 1);
  }

  /** The broken rules, the worst first: violations before warnings, then by the number of records. */
  rules(): readonly RuleCount[] {
    const rank = ({ example }: RuleCount): number => (example.severity === "Violation" ? 0 : 1);
    const rules = [...this.#rules.values()].map(({ said, ...rule }) => ({
      ...rule,
      messages: [...said.values()].sort((a, b) => b.results - a.results),
    }));
    return rules.sort(
      (a, b) => rank(a) - rank(b) || b.records - a.records || (a.example.rule < b.example.rule ? -1 : 1),
    );
  }
}

function countMessage({ said }: Counted, message: string): void {
  // Without the values behind a colon, which every record has its own of.
  const alike = message.replace(/: ".*$/s, "").replace(/\d+/g, "0");
  const key = said.has(alike) || said.size < MAX_MESSAGES ? alike : OTHERS;
  entryOf(said, key, () => ({ message: key === OTHERS ? OTHERS : message, results: 0 })).results++;
}
