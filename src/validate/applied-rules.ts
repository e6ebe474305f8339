/** The rules that are applied to the records of one endpoint, with the severities that were decided. */
import type { Rule, RuleSet, Severity } from "../model/rules/rule.js";
import { endpointRules, nestingRule, recordRules, structureRules } from "../model/rules/rules.js";
import type { ModelSettings } from "../model/settings.js";
import type { EndpointName } from "../model/tables/names.js";
import type { Severities } from "./severities.js";

/** A rule as it is applied: with the severity that was decided, and its place among all. */
export interface AppliedRule {
  readonly rule: Rule;
  readonly severity: Severity;
  readonly order: number;
}

export interface AppliedRules {
  /** The rules of the record's own node. */
  readonly record: RuleSet;
  readonly structures: readonly RuleSet[];
  readonly nesting: Rule;
  /** The rules that are looked at, by name. */
  readonly byName: ReadonlyMap<string, AppliedRule>;
}

/** The rules of an endpoint's records, or with `null` of records that belong to none. */
export function appliedRules(
  endpoint: EndpointName | null,
  model: ModelSettings,
  severities: Severities,
): AppliedRules {
  const record = endpoint === null ? recordRules() : endpointRules(endpoint, model);
  const structures = structureRules(model);
  const nesting = nestingRule();
  const rules = [
    nesting,
    ...record.rules,
    ...(record.nested?.set.rules ?? []),
    ...structures.flatMap((set) => set.rules),
  ];
  const byName = new Map<string, AppliedRule>();
  for (const [order, rule] of rules.entries()) {
    const severity = severities.of(rule);
    if (severity !== "off") byName.set(rule.name, { rule, severity, order });
  }
  return { record, structures, nesting, byName };
}
