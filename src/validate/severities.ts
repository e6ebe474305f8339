/** Severities of the rules: the specification's word, or an institution's decision. */
import type { NamedRule, Severity } from "../model/rules/rule.js";
import { endpointRules, nestingRule, recordRules, structureRules } from "../model/rules/rules.js";
import { ruleName } from "../model/rules/shapes.js";
import { DEFAULT_MODEL } from "../model/settings.js";
import { ENDPOINTS } from "../model/tables/endpoints.js";
import { DOCUMENT_RULES } from "./document-rules.js";
import { SeverityError } from "./errors.js";

/** `off`: the rule is not looked at. */
export type DecidedSeverity = Severity | "off";

const WORDS: Readonly<Record<string, DecidedSeverity>> = { warning: "Warning", violation: "Violation", off: "off" };

/** All rules that results can name, those of documents included. */
export function allRules(): readonly NamedRule[] {
  const endpoints = ENDPOINTS.map(({ name }) => endpointRules(name, DEFAULT_MODEL));
  const parts = endpoints.flatMap(({ nested }) => nested?.set ?? []);
  const sets = [...endpoints, ...parts, ...structureRules(DEFAULT_MODEL), recordRules()];
  return [...sets.flatMap(({ rules }) => rules), nestingRule(), ...Object.values(DOCUMENT_RULES)];
}

/**
 * Severities with an institution's decisions; the last that fits a rule holds.
 * @example
 * const severities = new Severities(["object.*=off"]);
 * severities.of({ name: "object._label.presence", severity: "Violation" }); // => "off"
 */
export class Severities {
  readonly #decisions: readonly (readonly [fits: RegExp, severity: DecidedSeverity])[];

  /**
   * `decisions` are `RULE=warning|violation|off`; RULE is a rule's name or IRI, and a `*` in it stands for anything. `more`
   * are rules besides the specification's, named by their IRIs. Throws `SeverityError`.
   */
  constructor(decisions: readonly string[] = [], more: readonly NamedRule[] = []) {
    const rules = decisions.length === 0 ? [] : [...allRules(), ...more];
    this.#decisions = decisions.map((decision) => parseDecision(decision, rules));
  }

  of({ name, severity }: NamedRule): DecidedSeverity {
    return this.#decisions.findLast(([fits]) => fits.test(name))?.[1] ?? severity;
  }
}

/**
 * The decisions in a file: one a line; empty lines and what follows a `#` are passed over.
 * @example
 * decisionsIn("# Dates are being corrected.\ntimespan.*=warning\n"); // => ["timespan.*=warning"]
 */
export function decisionsIn(text: string): readonly string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.replace(/(?:^|\s)#.*$/, "").trim())
    .filter((line) => line !== "");
}

function parseDecision(decision: string, rules: readonly NamedRule[]): readonly [RegExp, DecidedSeverity] {
  const [, rule, word] = /^\s*([^=\s]+)\s*=\s*(\S+)\s*$/.exec(decision) ?? [];
  const severity = WORDS[word?.toLowerCase() ?? ""];
  if (rule === undefined || severity === undefined) {
    throw new SeverityError(`${JSON.stringify(decision)}: write RULE=warning, RULE=violation or RULE=off`);
  }
  const name = ruleName(rule);
  const parts = name.split("*").map((text) => text.replace(/[\\^$.+?()[\]{}|]/g, "\\$&"));
  const fits = new RegExp(`^${parts.join(".*")}$`);
  if (!rules.some((each) => fits.test(each.name))) {
    throw new SeverityError(`${rule} is no rule: rules have names such as object._label.presence, as in reports`);
  }
  return [fits, severity];
}
