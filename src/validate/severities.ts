/** The severities of the rules, from the specification or changed by an institution, and the rules as they are applied. */
import { RefusalError } from "../base/named-error.js";
import type { NamedRule, Rule, Severity } from "../model/rules/rule.js";
import { endpointRules, nestingRule, recordRules, structureRules } from "../model/rules/rules.js";
import { ruleName } from "../model/rules/shapes.js";
import { DEFAULT_MODEL, type ModelSettings } from "../model/settings.js";
import { ENDPOINT_NAMES, type EndpointName } from "../model/tables/names.js";

/** The rules about documents. No shape can express them, because a graph has neither keys nor arrays. */
export const DOCUMENT_RULES = {
  context: { name: "document.context", severity: "Violation" },
  id: { name: "document.id", severity: "Violation" },
  /** A placeholder that a program wrote into an id when it found no value. */
  idPlaceholder: { name: "document.id_placeholder", severity: "Warning" },
  // The following are warnings because the service corrects these forms when it publishes the document.
  array: { name: "document.array", severity: "Warning" },
  single: { name: "document.single", severity: "Warning" },
  serviceContext: { name: "document.service_context", severity: "Warning" },
} as const satisfies Readonly<Record<string, NamedRule>>;

/** The rules whose violations keep a record from being published, whatever is done with invalid records. */
export const UNPUBLISHABLE: readonly string[] =
  "document.json document.loss input.owner record.limit record.document record.value".split(" ");

/** The rules whose severity no decision changes: the record could not be published, or has no place for what it says. */
const FIXED_RULES: readonly string[] = [
  ...UNPUBLISHABLE,
  ..."record.class record.stray record.instant record.term".split(" "),
];

/** A decision about a rule's severity that cannot be understood. */
export class SeverityError extends RefusalError {}

/** The severity of a rule, or `off` for a rule that is not checked. */
type DecidedSeverity = Severity | "off";

const WORDS = new Map<string, DecidedSeverity>(
  Object.entries({ warning: "Warning", violation: "Violation", off: "off" }),
);

/** All rules that results can name, including those about documents. */
export function allRules(): readonly NamedRule[] {
  const endpoints = ENDPOINT_NAMES.map((name) => endpointRules(name, DEFAULT_MODEL));
  const parts = endpoints.flatMap(({ nested }) => nested?.set ?? []);
  const sets = [...endpoints, ...parts, ...structureRules(DEFAULT_MODEL), recordRules()];
  return [...sets.flatMap(({ rules }) => rules), nestingRule(), ...Object.values(DOCUMENT_RULES)];
}

/**
 * Severities with an institution's decisions. If several decisions match a rule, the last applies.
 * @example
 * const severities = new Severities(["object.*=off"]);
 * severities.of({ name: "object._label.presence", severity: "Violation" }); // => "off"
 */
export class Severities {
  readonly #decisions: readonly (readonly [fits: RegExp, severity: DecidedSeverity])[];

  /** `decisions` are `RULE=warning|violation|off`, where RULE is a name or an IRI, and `*` matches anything. Throws `SeverityError`. @param more further rules, by their IRIs */
  constructor(decisions: readonly string[] = [], more: readonly NamedRule[] = []) {
    const rules = decisions.length === 0 ? [] : [...allRules(), ...more];
    this.#decisions = decisions.map((decision) => parseDecision(decision, rules));
  }

  of({ name, severity }: NamedRule): DecidedSeverity {
    return this.#decisions.findLast(([fits]) => fits.test(name))?.[1] ?? severity;
  }
}

/**
 * The decisions in a file, one per line; empty lines and text after a `#` are ignored.
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
  const severity = WORDS.get(word?.toLowerCase() ?? "");
  if (rule === undefined || severity === undefined)
    throw new SeverityError(`${JSON.stringify(decision)}: write RULE=warning, RULE=violation or RULE=off`);
  const name = ruleName(rule);
  const parts = name.split("*").map((text) => text.replace(/[\\^$.+?()[\]{}|]/g, "\\$&"));
  const fits = new RegExp(`^${parts.join(".*")}$`);
  if (FIXED_RULES.includes(name)) throw new SeverityError(`${rule} has a severity that cannot be changed`);
  if (!rules.some((each) => fits.test(each.name)))
    throw new SeverityError(`${rule} is not a rule: rules have names such as object._label.presence, as in reports`);
  return [fits, severity];
}

/** A rule as it is applied, with its decided severity and its place among all rules. */
export interface AppliedRule {
  readonly rule: Rule;
  readonly severity: Severity;
  readonly order: number;
}

export type AppliedRules = ReturnType<typeof appliedRules>;

/** The rules for an endpoint's records; with `null`, for records that belong to no endpoint. `record` are those of the record's own node, and `byName` those that are not off. */
export function appliedRules(endpoint: EndpointName | null, model: ModelSettings, severities: Severities) {
  const record = endpoint === null ? recordRules() : endpointRules(endpoint, model);
  const structures = structureRules(model);
  const nesting = nestingRule();
  const sets = [record, record.nested?.set ?? [], structures].flat();
  const rules = [nesting, ...sets.flatMap((set) => set.rules)];
  const byName = new Map<string, AppliedRule>();
  for (const [order, rule] of rules.entries()) {
    const severity = severities.of(rule);
    if (severity !== "off") byName.set(rule.name, { rule, severity, order });
  }
  return { record, structures, nesting, byName };
}
