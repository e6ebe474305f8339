/** The rules by which a load holds records: it loads and validates them, but does not publish them. */
import { NamedError } from "../../base/named-error.js";
import { CLASSIFIED_AS } from "../../model/embedding.js";
import { ENDPOINT_NAMES, type EndpointName } from "../../model/tables/names.js";
import { classIri, PREFIXES } from "../../model/vocabulary/vocabulary.js";
import { type RecordGraph, rootOf, valuesOf } from "../../rdf/record-graph.js";
import { hasScheme, iriProblem, RDF } from "../../rdf/terms.js";
import type { Hold } from "../../store/store.js";
import { KNOWN_PREFIXES } from "../mend/terms.js";

/** The rules for holding, as data that can be sent to other threads. */
export interface HoldRules {
  readonly classes: readonly string[];
  readonly endpoints: readonly EndpointName[];
  /** The IRIs of classifications whose records are held. */
  readonly classifications: readonly string[];
  /** Whether all records of the load are held, because a rule names its source. */
  readonly isAll: boolean;
  /** The IRIs of records that are held even if they were released. */
  readonly iris: readonly string[];
}

/** One rule as people write it, such as `class=HumanMadeObject`. */
export interface HoldRule {
  readonly by: (typeof HOLD_BY)[number];
  /** The IRI of a class, a classification or a record, or the name of an endpoint or a source. */
  readonly value: string;
}

export const HOLD_BY = ["class", "endpoint", "classification", "source", "iri"] as const;

export class HoldRuleError extends NamedError {}

/** The rule that a text states, or `undefined` when the text does not begin like one. Throws `HoldRuleError`. */
export function holdRule(text: string): HoldRule | undefined {
  const [, name, given = ""] = /^([a-z]+)=(.*)$/s.exec(text) ?? [];
  const by = HOLD_BY.find((each) => each === name);
  if (by === undefined) return undefined;
  return { by, value: checkedValue(text, by, given) };
}

function checkedValue(text: string, by: HoldRule["by"], value: string): string {
  if (by === "class") return classIri(value) ?? checkedIri(text, by, value);
  if (by === "classification" || by === "iri") return checkedIri(text, by, value);
  if (by === "endpoint" && !ENDPOINT_NAMES.some((name) => name === value))
    throw new HoldRuleError(`${text} does not name an endpoint`);
  if (value === "") throw new HoldRuleError(`${text} is not a rule for held records`);
  return value;
}

/** An IRI, with or without angle brackets; a record's may be relative. A value that can match nothing is refused, since its records would become public. Throws `HoldRuleError`. */
function checkedIri(text: string, by: HoldRule["by"], given: string): string {
  const iri = given.trim().replace(/^<(.*)>$/, "$1");
  const [, prefix = ""] = /^([a-z]+):/.exec(iri) ?? [];
  const isCompact = KNOWN_PREFIXES.has(prefix) || Object.hasOwn(PREFIXES, prefix);
  const isRelative = by === "iri" && iri !== "" && !hasScheme(iri);
  const problem = isCompact
    ? `has the prefix ${prefix}: write the whole IRI`
    : iriProblem(isRelative ? `x:${iri}` : iri);
  if (problem === undefined) return iri;
  const what = by === "class" ? "is neither a class of the data model nor an IRI" : "names no IRI";
  throw new HoldRuleError(`${text} ${what}: ${JSON.stringify(iri)} ${problem}`);
}

/** A function that says whether a record is held, and why. */
export function holder(rules: HoldRules): (graph: RecordGraph, endpoint: EndpointName | null) => Hold | undefined {
  const [classes, classifications] = [new Set(rules.classes), new Set(rules.classifications)];
  const [endpoints, iris] = [new Set<string | null>(rules.endpoints), new Set(rules.iris)];
  const isStated = (graph: RecordGraph): boolean => {
    const root = rootOf(graph);
    return (
      valuesOf(graph, root, RDF.type).some((iri) => classes.has(iri)) ||
      valuesOf(graph, root, CLASSIFIED_AS).some((iri) => classifications.has(iri))
    );
  };
  const isByStatement = classes.size + classifications.size > 0;
  return (graph, endpoint) => {
    if (iris.has(graph.iri)) return "name";
    return rules.isAll || endpoints.has(endpoint) || (isByStatement && isStated(graph)) ? "rule" : undefined;
  };
}
