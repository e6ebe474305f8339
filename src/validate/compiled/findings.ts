/** Findings: broken rules and where they are broken, as term numbers of a record. They are converted into results for people. */
import { groupBy } from "../../base/entries.js";
import { lazily } from "../../base/lazily.js";
import { quoted, shortened } from "../../base/shortened.js";
import { messageFor } from "../../model/rules/messages.js";
import type { Rule } from "../../model/rules/rule.js";
import { shapeIri } from "../../model/rules/shapes.js";
import { className, propertyIri } from "../../model/vocabulary/vocabulary.js";
import { formatTerm } from "../../rdf/ntriples/writer.js";
import { objectsOf, type RecordGraph, rootOf } from "../../rdf/record-graph.js";
import type { Term } from "../../rdf/terms.js";
import { RecordPaths } from "../paths.js";
import type { Result } from "../results.js";
import type { AppliedRule } from "../severities.js";
import { component, isBefore } from "./constraints.js";

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
  // Two may count the values of one property: in a record that refers to itself, the rule for references counts its labels, too.
  const things = [...groupBy(sorted, thingOf).values()];
  const reported = new Set(things.map((same) => same.find((each) => each.applied.severity === "Violation") ?? same[0]));
  return sorted.filter((each) => reported.has(each)).map((finding) => resultOf(finding, root, graph, paths));
}

/** What a finding is about, as a text: a node and its property with too many values, or else a rule, a place and a value. */
function thingOf({ applied: { rule, order }, focus, value, property }: Finding): string {
  return rule.demand.kind === "count" ? `${focus} ${rule.path}` : `${focus} ${order} ${value} ${property}`;
}

/** The message about a timestamp that is before another of its node, with both. */
function disorder({ demand, property }: Rule, focus: number, value: Term, graph: RecordGraph): string | undefined {
  if (demand.kind !== "order") return undefined;
  for (const other of demand.notBefore) {
    const later = objectsOf(graph, focus, propertyIri(other)!).find((each) => isBefore(value, graph.terms[each]!));
    if (later !== undefined) return `${property} ${value.value} is before ${other} ${graph.terms[later]!.value}`;
  }
  return undefined;
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

/** The end of a message about a value of another class than the rule demands: the class that it has. */
function wrongClass({ demand }: Rule, value: number, paths: () => RecordPaths): string {
  const first = demand.kind === "class" ? paths().classOf(value).first : "";
  return first === "" ? "" : `, not ${className(first) ?? shortened(`<${first}>`)}`;
}

function resultOf(finding: Finding, root: number, graph: RecordGraph, paths: () => RecordPaths): Result {
  const { applied, focus, value, property, component } = finding;
  const { iri, terms } = graph;
  const { rule, severity } = applied;
  const term = property === undefined ? rule.property : paths().term(focus, property);
  const position =
    value === -1 || term === undefined ? "" : paths().position(focus, property ?? rule.path, value, term);
  const wayToFocus = focus === -1 || focus === root ? "" : paths().to(focus);
  const step = term === undefined ? "" : term + position;
  return {
    severity,
    path: [wayToFocus, step].filter((part) => part !== "").join("/"),
    focus: focus === -1 ? `<${iri}>` : formatTerm(terms[focus]!),
    value: value === -1 ? null : formatTerm(terms[value]!),
    message:
      value === -1
        ? `${rule.message}${tooMany(rule, focus, graph)}`
        : (disorder(rule, focus, terms[value]!, graph) ?? messageFor(rule, terms[value]!)) +
          wrongClass(rule, value, paths),
    rule: shapeIri(rule.name),
    property: property ?? rule.path ?? null,
    component,
  };
}
