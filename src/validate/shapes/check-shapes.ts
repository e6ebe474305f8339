/** The check that shapes are well-formed (SHACL Core, W3C Recommendation of 2017); otherwise a misspelt constraint would be ignored silently. */
import { didYouMean } from "../../base/did-you-mean.js";
import { RefusalError, thrownMessage } from "../../base/named-error.js";
import { SH } from "../../model/rules/shapes.js";
import { misspeltTerm } from "../../model/vocabulary/vocabulary.js";
import { formatTerm } from "../../rdf/ntriples/writer.js";
import { nodeName, RDF, type Term, XSD } from "../../rdf/terms.js";
import { patternOf } from "./constraints.js";
import type { ShapesGraph, Triple } from "./shapes-graph.js";

/** A shapes file that cannot be used. The message begins with its place, `file:line`. */
export class ShapesError extends RefusalError {}

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
  oneOf("nodeKind", "BlankNode IRI Literal BlankNodeOrIRI BlankNodeOrLiteral IRIOrLiteral"),
  oneOf("severity", "Violation Warning Info"),
];

const KINDS: ReadonlyMap<string, ValueKind> = new Map(
  VALUES.flatMap((kind) => kind[0].split(" ").map((term) => [term, kind])),
);

function oneOf(term: string, names: string): ValueKind {
  const terms = names.split(" ").map((name) => `sh:${name}`);
  return [term, ({ value }) => terms.includes(value.replace(SH, "sh:")), `one of ${terms.join(", ")}`];
}

/** Terms that apply only to the values of a path. */
const OF_PATHS = /^(minCount|maxCount|uniqueLang|lessThan|lessThanOrEquals|qualifiedValueShape)$/;
/** Terms whose values are shapes, or lists of shapes. */
const OF_SHAPES = /^(node|not|qualifiedValueShape|and|or|xone)$/;
/** Terms with at most one value in a shape: several would be applied one by one, or one of them, or none. */
const SINGLE = /^(in|flags|closed|ignoredProperties|severity|deactivated)$/;
const PATH_OPERATORS = /^(inverse|alternative|zeroOrMore|oneOrMore|zeroOrOne)Path$/;
const BEYOND = /^(sparql|select|ask|construct|prefixes|target|js|rule|parameter|validator)$/;

function shaclName({ value }: Term): string | undefined {
  return value.startsWith(SH) ? value.slice(SH.length) : undefined;
}

/** Check shapes. Throws `ShapesError` for the first fault. */
export function checkShapes(shapes: ShapesGraph): void {
  for (const triple of shapes.triples) {
    const fault = faultOf(triple, shapes);
    if (fault !== undefined) throw new ShapesError(`${triple.place}: ${fault}`);
  }
}

function faultOf({ subject, predicate, object }: Triple, shapes: ShapesGraph): string | undefined {
  const name = shaclName(predicate);
  const misspelt = name === undefined && predicate.value !== RDF.first ? undefined : misspeltTerm(object.value);
  if (misspelt !== undefined) return misspelt;
  if (name === undefined) return undefined;
  const [, isOne, called] = KINDS.get(name) ?? [];
  if (isOne === undefined) {
    const hint = BEYOND.test(name)
      ? ": SHACL-SPARQL, SHACL-AF and SHACL-JS are not supported"
      : didYouMean(name, [...KINDS.keys()]);
    return `sh:${name} is not in SHACL Core${hint}`;
  }
  if (!isOne(object, shapes)) return `sh:${name} takes ${called}, not ${formatTerm(object)}`;
  const shapesNamed = OF_SHAPES.test(name) ? (shapes.list(object) ?? [object]) : [];
  const missing = shapesNamed.find((each) => each.termType === "NamedNode" && shapes.about(each).length === 0);
  // It would hold for everything.
  if (missing !== undefined) return `sh:${name} names the shape ${formatTerm(missing)}, which these files lack`;
  if (SINGLE.test(name) && shapes.objects(subject, predicate.value).length > 1)
    return `a shape has only one sh:${name}, but ${formatTerm(subject)} has several`;
  if (name === "property" && shapes.objects(object, `${SH}path`).length !== 1)
    return `a property shape needs one sh:path, but ${formatTerm(object)} does not have one`;
  if (OF_PATHS.test(name) && shapes.value(subject, "path") === undefined)
    return `sh:${name} counts or compares values, but its shape has no sh:path`;
  return name === "pattern" ? patternFault(object, shapes.value(subject, "flags")) : undefined;
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

function patternFault({ value }: Term, flags?: Term): string | undefined {
  try {
    patternOf(value, flags?.value);
    return undefined;
  } catch (error) {
    return `sh:pattern is not a regular expression: ${thrownMessage(error)}`;
  }
}
