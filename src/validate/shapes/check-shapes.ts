/** The check that shapes are well-formed (SHACL Core, W3C Recommendation of 2017); otherwise a misspelt constraint would be ignored silently. */
import { RefusalError } from "../../base/named-error.js";
import { SH } from "../../model/rules/shapes.js";
import { formatTerm } from "../../rdf/ntriples/writer.js";
import { nodeName, RDF, type Term, XSD } from "../../rdf/terms.js";
import { patternOf } from "./constraints.js";
import type { ShapesGraph } from "./shapes-graph.js";

/** A shapes file that cannot be used. The message begins with its place, `file:line`. */
export class ShapesError extends RefusalError {}

const NODE_KINDS = ["BlankNode", "IRI", "Literal", "BlankNodeOrIRI", "BlankNodeOrLiteral", "IRIOrLiteral"];

/** A kind of values: the terms of SHACL Core that take such values, a test for them, and a phrase that names them. */
type ValueKind = readonly [terms: string, isOne: (value: Term, shapes: ShapesGraph) => boolean, called: string];

const VALUES: readonly ValueKind[] = [
  [
    "minCount maxCount minLength maxLength qualifiedMinCount qualifiedMaxCount",
    ({ datatype, value }) => datatype === XSD.integer && /^\+?\d+$/.test(value),
    "a number such as 1",
  ],
  [
    "uniqueLang qualifiedValueShapesDisjoint closed deactivated",
    ({ datatype, value }) => datatype === XSD.boolean && /^(?:true|false|[01])$/.test(value),
    "true or false",
  ],
  [
    "targetClass targetSubjectsOf targetObjectsOf class datatype equals disjoint lessThan lessThanOrEquals shapesGraph",
    ({ termType }) => termType === "NamedNode",
    "an IRI",
  ],
  ["property node not qualifiedValueShape", ({ termType }) => termType !== "Literal", "a shape"],
  [
    "and or xone languageIn ignoredProperties in alternativePath",
    (value, shapes) => value.termType !== "Literal" && shapes.list(value) !== undefined,
    "a list in parentheses",
  ],
  ["pattern flags", ({ datatype }) => datatype === XSD.string, "a plain text"],
  [
    "minExclusive minInclusive maxExclusive maxInclusive message name description",
    ({ termType }) => termType === "Literal",
    "a literal",
  ],
  ["targetNode hasValue order group defaultValue declare prefix namespace", () => true, "anything"],
  ["path zeroOrMorePath oneOrMorePath zeroOrOnePath", isPath, "a property path"],
  ["inversePath", ({ termType }) => termType === "NamedNode", "a property alone"],
  ["nodeKind", isOneOf(NODE_KINDS), `one of ${NODE_KINDS.map((name) => `sh:${name}`).join(", ")}`],
  ["severity", isOneOf(["Violation", "Warning", "Info"]), "sh:Violation, sh:Warning or sh:Info"],
];

const KINDS: ReadonlyMap<string, ValueKind> = new Map(
  VALUES.flatMap((kind) => kind[0].split(" ").map((term) => [term, kind])),
);

function isOneOf(names: readonly string[]): (value: Term) => boolean {
  return ({ value }) => names.some((name) => value === SH + name);
}

/** Terms that apply only to the values of a path. */
const OF_PATHS = /^(minCount|maxCount|uniqueLang|lessThan|lessThanOrEquals|qualifiedValueShape)$/;
/** Terms with at most one value in a shape: several would be applied one by one, or one of them, or none. */
const SINGLE = /^(in|flags|closed|ignoredProperties|severity|deactivated)$/;
const PATH_OPERATORS = /^(inverse|alternative|zeroOrMore|oneOrMore|zeroOrOne)Path$/;
const BEYOND = /^(sparql|select|ask|construct|prefixes|target|js|rule|parameter|validator)$/;

function shaclName({ value }: Term): string | undefined {
  return value.startsWith(SH) ? value.slice(SH.length) : undefined;
}

/** Check shapes. Throws `ShapesError` for the first fault. */
export function checkShapes(shapes: ShapesGraph): void {
  for (const { subject, predicate, object, place } of shapes.triples) {
    const name = shaclName(predicate);
    if (name === undefined) continue;
    const kind = KINDS.get(name);
    if (kind === undefined) throw new ShapesError(`${place}: sh:${name} is not in SHACL Core${suggestion(name)}`);
    const [, isOne, called] = kind;
    if (!isOne(object, shapes))
      throw new ShapesError(`${place}: sh:${name} takes ${called}, not ${formatTerm(object)}`);
    if (SINGLE.test(name) && shapes.objects(subject, predicate.value).length > 1)
      throw new ShapesError(`${place}: a shape has only one sh:${name}, but ${formatTerm(subject)} has several`);
    if (name === "pattern") checkPattern(subject, object, place, shapes);
    if (name === "property" && shapes.objects(object, `${SH}path`).length !== 1) {
      throw new ShapesError(
        `${place}: a property shape needs one sh:path, but ${formatTerm(object)} does not have one`,
      );
    }
    if (OF_PATHS.test(name) && shapes.value(subject, "path") === undefined) {
      throw new ShapesError(`${place}: sh:${name} counts or compares values, but its shape has no sh:path`);
    }
  }
}

/** Whether a property turns one property path into another. */
export function isPathOperator(property: Term): boolean {
  return PATH_OPERATORS.test(shaclName(property) ?? "");
}

/** Whether a node is a property path (SHACL, 2.3.1): a property, a sequence, or one operator on paths. @param around the paths that it is part of: none is part of itself */
function isPath(path: Term, shapes: ShapesGraph, around: readonly string[] = []): boolean {
  if (path.termType === "NamedNode") return path.value !== RDF.nil;
  const name = nodeName(path);
  if (path.termType === "Literal" || around.includes(name)) return false;
  const arePaths = (parts: readonly Term[]): boolean => parts.every((part) => isPath(part, shapes, [...around, name]));
  const items = shapes.list(path);
  if (items !== undefined) return items.length > 1 && arePaths(items);
  const [operator, ...others] = shapes.about(path);
  if (operator === undefined || others.length > 0 || !isPathOperator(operator.predicate)) return false;
  return arePaths(shapes.list(operator.object) ?? [operator.object]);
}

function checkPattern(shape: Term, pattern: Term, place: string, shapes: ShapesGraph): void {
  try {
    patternOf(pattern.value, shapes.value(shape, "flags")?.value);
  } catch (error) {
    throw new ShapesError(`${place}: sh:pattern is not a regular expression: ${(error as Error).message}`);
  }
}

/** A hint for an unknown term: the known term that differs only in capitals, or that the term is beyond SHACL Core. */
function suggestion(name: string): string {
  const known = [...KINDS.keys()].find((term) => term.toLowerCase() === name.toLowerCase());
  if (known !== undefined) return `: write sh:${known}`;
  return BEYOND.test(name) ? ": SHACL-SPARQL, SHACL-AF and SHACL-JS are not supported" : "";
}
