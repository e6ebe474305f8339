/** The check that shapes are well formed (SHACL Core, W3C Recommendation of 2017): a misspelt constraint would be passed over in silence. */

import { RefusalError } from "../../base/named-error.js";
import { SH } from "../../model/rules/shapes.js";
import { formatTerm } from "../../rdf/ntriples/writer.js";
import { RDF, type Term, XSD } from "../../rdf/terms.js";
import type { ShapesGraph } from "./shapes-graph.js";

/** A shapes file that cannot be used. The message begins with its place, `file:line`. */
export class ShapesError extends RefusalError {}

const NODE_KINDS = ["BlankNode", "IRI", "Literal", "BlankNodeOrIRI", "BlankNodeOrLiteral", "IRIOrLiteral"];

/** Values of one kind: the terms of SHACL Core that take such, which values these are, and what they are called. */
type ValueKind = readonly [terms: string, isOne: (value: Term, shapes: ShapesGraph) => boolean, called: string];

const VALUES: readonly ValueKind[] = [
  [
    "minCount maxCount minLength maxLength qualifiedMinCount qualifiedMaxCount",
    ({ datatype, value }) => datatype === XSD.integer && /^\+?\d+$/.test(value),
    "a number such as 1",
  ],
  [
    "uniqueLang qualifiedValueShapesDisjoint closed deactivated",
    ({ datatype }) => datatype === XSD.boolean,
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
  ["path inversePath zeroOrMorePath oneOrMorePath zeroOrOnePath", isPath, "a property path"],
  ["nodeKind", isOneOf(NODE_KINDS), `one of ${NODE_KINDS.map((name) => `sh:${name}`).join(", ")}`],
  ["severity", isOneOf(["Violation", "Warning", "Info"]), "sh:Violation, sh:Warning or sh:Info"],
];

const KINDS: ReadonlyMap<string, ValueKind> = new Map(
  VALUES.flatMap((kind) => kind[0].split(" ").map((term) => [term, kind])),
);

function isOneOf(names: readonly string[]): (value: Term) => boolean {
  return ({ value }) => names.some((name) => value === SH + name);
}

/** Terms that say something only of the values of a path. */
const OF_PATHS = /^(minCount|maxCount|uniqueLang|lessThan|lessThanOrEquals|qualifiedValueShape)$/;
const PATH_OPERATORS = /^(inverse|alternative|zeroOrMore|oneOrMore|zeroOrOne)Path$/;
const BEYOND = /^(sparql|select|ask|construct|prefixes|target|js|rule|parameter|validator)$/;

function shaclName({ value }: Term): string | undefined {
  return value.startsWith(SH) ? value.slice(SH.length) : undefined;
}

/** Throws `ShapesError` for the first thing that is wrong. */
export function checkShapes(shapes: ShapesGraph): void {
  for (const { subject, predicate, object, place } of shapes.triples) {
    const name = shaclName(predicate);
    if (name === undefined) continue;
    const kind = KINDS.get(name);
    if (kind === undefined) throw new ShapesError(`${place}: sh:${name} is not in SHACL Core${likeliest(name)}`);
    const [, isOne, called] = kind;
    if (!isOne(object, shapes))
      throw new ShapesError(`${place}: sh:${name} takes ${called}, not ${formatTerm(object)}`);
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

/** Whether a property makes a property path of another. */
export function isPathOperator(property: Term): boolean {
  return PATH_OPERATORS.test(shaclName(property) ?? "");
}

/** Whether a node is a property path (SHACL, 2.3.1): a property, a sequence, or one operator on a path. */
function isPath(path: Term, shapes: ShapesGraph): boolean {
  if (path.termType === "NamedNode") return path.value !== RDF.nil;
  if (path.termType === "Literal") return false;
  const items = shapes.list(path);
  if (items !== undefined) return items.length > 1 && items.every((item) => isPath(item, shapes));
  const said = shapes.about(path);
  return said.length === 1 && isPathOperator(said[0]!.predicate);
}

function checkPattern(shape: Term, pattern: Term, place: string, shapes: ShapesGraph): void {
  try {
    new RegExp(pattern.value, shapes.value(shape, "flags")?.value);
  } catch (error) {
    throw new ShapesError(`${place}: sh:pattern is no regular expression: ${(error as Error).message}`);
  }
}

/** The term that was probably meant: one that differs in capitals alone, or what lies beyond SHACL Core. */
function likeliest(name: string): string {
  const meant = [...KINDS.keys()].find((term) => term.toLowerCase() === name.toLowerCase());
  if (meant !== undefined) return `: write sh:${meant}`;
  return BEYOND.test(name) ? ": SHACL-SPARQL, SHACL-AF and SHACL-JS are not supported" : "";
}
