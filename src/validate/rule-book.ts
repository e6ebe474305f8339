/** The rules that are applied to the records of one endpoint, with the severities that were decided. */

import {
  endpointRules,
  nestingRule,
  type Rule,
  type RuleSet,
  recordRules,
  structureRules,
} from "../model/rules/rules.js";
import type { ModelSettings } from "../model/settings.js";
import type { EndpointName } from "../model/tables/endpoints.js";
import type { AppliedRule } from "./findings.js";
import type { Severities } from "./severities.js";

export interface RuleBook {
  /** The rules of the record's own node. */
  readonly record: RuleSet;
  /** The rules of structures and references. */
  readonly structures: readonly RuleSet[];
  readonly nesting: Rule;
  /** By name, the rules that are looked at. */
  readonly applied: ReadonlyMap<string, AppliedRule>;
}

/** The rule book of an endpoint, or of records that belong to none. */
export function ruleBook(endpoint: EndpointName | null, model: ModelSettings, severities: Severities): RuleBook {
  const record = endpoint === null ? recordRules() : endpointRules(endpoint, model);
  const structures = structureRules(model);
  const nesting = nestingRule();
  const rules = [
    nesting,
    ...record.rules,
    ...(record.nested?.set.rules ?? []),
    ...structures.flatMap((set) => set.rules),
  ];
  const applied = new Map<string, AppliedRule>();
  for (const [order, rule] of rules.entries()) {
    const severity = severities.of(rule);
    if (severity !== "off") applied.set(rule.name, { rule, severity, order });
  }
  return { record, structures, nesting, applied };
}
