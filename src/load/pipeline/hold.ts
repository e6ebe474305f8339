/** The rules by which a load holds records: it loads and validates them, but does not publish them. */
import { NamedError } from "../../base/named-error.js";
import { CLASSIFIED_AS } from "../../model/embedding.js";
import { ENDPOINT_NAMES, type EndpointName } from "../../model/tables/names.js";
import { classIri, PREFIXES } from "../../model/vocabulary/vocabulary.js";
import { type RecordGraph, rootOf, valuesOf } from "../../rdf/record-graph.js";
import { hasScheme, iriProblem, RDF } from "../../rdf/terms.js";
import type { Hold } from "../../store/store.js";
import { KNOWN_PREFIXES } from "../mend/terms.js";

/** A rule for holding, as people write it, such as `class=HumanMadeObject`. */
export interface HoldRule {
  readonly by: (typeof HOLD_BY)[number];
  /** The IRI of a class, a classification or a record, or the name of an endpoint or a source. */
  readonly value: string;
  /** The line of the file that names the IRI, as `file:line`. */
  readonly place?: string;
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

/** What could be a relative IRI, but looks like an inventory number, or has a date behind. */
const UNLIKELY = /^[^/:<]*$|[,;]\d{4}-\d\d-\d\d$/;

/** The rule for an IRI in a line of a file. Throws `HoldRuleError`, also for an unlikely IRI without angle brackets. */
export function listedRule(text: string, place: string): HoldRule {
  if (!UNLIKELY.test(text)) return { ...holdRule(`iri=${text}`)!, place };
  const what = "looks like an inventory number or has a date behind: write one IRI a line, such as object/1";
  throw new HoldRuleError(`${text} ${what}, or <${text}> if it is one`);
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

/** A function that says whether a record is held, and why. A record that a rule names is held even if it was released. @param rules of sources only that of the load */
export function holder(rules: readonly HoldRule[]) {
  const held = new Set(rules.map(({ by, value }) => `${by}=${value}`));
  const isNamed = (by: HoldRule["by"], value: string | null): boolean => held.has(`${by}=${value}`);
  const isAll = rules.some(({ by }) => by === "source");
  return (graph: RecordGraph, endpoint: EndpointName | null): Hold | undefined => {
    if (isNamed("iri", graph.iri)) return "name";
    const root = rootOf(graph);
    const isHeld =
      isAll ||
      isNamed("endpoint", endpoint) ||
      valuesOf(graph, root, RDF.type).some((iri) => isNamed("class", iri)) ||
      valuesOf(graph, root, CLASSIFIED_AS).some((iri) => isNamed("classification", iri));
    return isHeld ? "rule" : undefined;
  };
}
