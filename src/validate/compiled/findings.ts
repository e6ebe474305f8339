/** Findings: broken rules and where they are broken, as term numbers of a record. They are converted into results for people. */
import { lazily } from "../../base/lazily.js";
import { quoted } from "../../base/shortened.js";
import { messageFor } from "../../model/rules/messages.js";
import type { Rule } from "../../model/rules/rule.js";
import { shapeIri } from "../../model/rules/shapes.js";
import { className } from "../../model/vocabulary/vocabulary.js";
import { formatTerm } from "../../rdf/ntriples/writer.js";
import { objectsOf, type RecordGraph, rootOf } from "../../rdf/record-graph.js";
import { RecordPaths } from "../paths.js";
import type { Result } from "../results.js";
import type { AppliedRule } from "../severities.js";
import { component } from "./constraints.js";

export interface Finding {
  readonly applied: AppliedRule;
  /** The term number of the node that breaks the rule; -1 for the record itself when no triple mentions it. */
  readonly focus: number;
  /** The term number of the value that breaks it, or -1. */
  readonly value: number;
  /** The property's IRI, when the rule itself does not name it. */
  readonly property?: string;
  /** The IRI of SHACL's constraint component; `null` for rules that no shape can express. */
  readonly component: string | null;
}

/** The finding that a node lacks a value, with the component that SHACL names for it. */
export function missing(applied: AppliedRule, focus: number): Finding {
  const { demand, when } = applied.rule;
  // A demand on some classes only is an `sh:or` in SHACL.
  const name = when !== undefined ? "Or" : demand.kind === "includes" ? "HasValue" : "MinCount";
  return { applied, focus, value: -1, component: component(name) };
}

/** Findings as results, one for each rule, place and value: first those of the record itself, then in the order of its terms and of the rules. */
export function resultsOf(graph: RecordGraph, findings: readonly Finding[]): readonly Result[] {
  if (findings.length === 0) return [];
  const root = rootOf(graph);
  const place = ({ focus }: Finding): number => (focus === root ? -1 : focus);
  const sorted = [...findings].sort(
    (a, b) => place(a) - place(b) || a.applied.order - b.applied.order || a.value - b.value,
  );
  // Most findings are about the record's own node, which no path leads to.
  const paths = lazily(() => new RecordPaths(graph));
  const counted = countedOf(sorted);
  const results = sorted.filter(
    (each, at) => (at === 0 || !isSame(each, sorted[at - 1]!)) && (counted.get(surplusOf(each)) ?? each) === each,
  );
  return results.map((finding) => resultOf(finding, root, graph, paths));
}

function isSame(one: Finding, other: Finding): boolean {
  return (
    one.applied === other.applied &&
    one.focus === other.focus &&
    one.value === other.value &&
    one.property === other.property
  );
}

/** The one finding to report for each node and property with too many values. There may be two: in a record that refers to itself, the rule for references counts its labels, too. */
function countedOf(findings: readonly Finding[]): ReadonlyMap<string | undefined, Finding> {
  const counted = new Map<string | undefined, Finding>();
  for (const finding of findings) {
    const surplus = surplusOf(finding);
    const before = counted.get(surplus);
    const isWorse = before?.applied.severity !== "Violation" && finding.applied.severity === "Violation";
    if (surplus !== undefined && (before === undefined || isWorse)) counted.set(surplus, finding);
  }
  return counted;
}

/** The node and the property that have too many values; `undefined` for another finding. */
function surplusOf({ applied: { rule }, focus }: Finding): string | undefined {
  return rule.demand.kind === "count" ? `${focus} ${rule.path}` : undefined;
}

/** How many values a message lists. */
const MAX_VALUES = 10;

/** The end of a message about too many values: the values, if none is a blank node. A document that mentions a node in several places may give it another value in each. */
function tooMany({ demand, path }: Rule, focus: number, graph: RecordGraph): string {
  if (demand.kind !== "count" || path === undefined) return "";
  const terms = objectsOf(graph, focus, path).map((object) => graph.terms[object]!);
  if (terms.some(({ termType }) => termType === "BlankNode")) return "";
  const values = terms.map(({ value }) => className(value) ?? value);
  const more = values.length > MAX_VALUES ? ` and ${values.length - MAX_VALUES} more` : "";
  return `: ${values.slice(0, MAX_VALUES).map(quoted).join(", ")}${more}`;
}

function resultOf(
  { applied, focus, value, property, component }: Finding,
  root: number,
  graph: RecordGraph,
  paths: () => RecordPaths,
): Result {
  const { iri, terms } = graph;
  const { rule, severity } = applied;
  const term = property === undefined ? rule.property : paths().term(focus, property);
  const position =
    value === -1 || term === undefined ? "" : paths().position(focus, property ?? rule.path, value, term);
  const way = focus === -1 || focus === root ? "" : paths().to(focus);
  return {
    severity,
    path: [way, term === undefined ? "" : term + position].filter((step) => step !== "").join("/"),
    focus: focus === -1 ? `<${iri}>` : formatTerm(terms[focus]!),
    value: value === -1 ? null : formatTerm(terms[value]!),
    message: value === -1 ? `${rule.message}${tooMany(rule, focus, graph)}` : messageFor(rule, terms[value]!),
    rule: shapeIri(rule.name),
    property: property ?? rule.path ?? null,
    component,
  };
}
