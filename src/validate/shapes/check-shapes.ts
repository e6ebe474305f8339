/** The check that shapes are well formed (SHACL Core, W3C Recommendation of 2017): a misspelt constraint would be passed over in silence. */
import { SH } from "../../model/rules/shapes.js";
import { formatTerm } from "../../rdf/ntriples/writer.js";
import { RDF, type Term, XSD } from "../../rdf/terms.js";
import { ShapesError } from "../errors.js";
import type { ShapesGraph } from "./shapes-graph.js";

const NODE_KINDS = ["BlankNode", "IRI", "Literal", "BlankNodeOrIRI", "BlankNodeOrLiteral", "IRIOrLiteral"];
const SEVERITIES = ["Violation", "Warning", "Info"];

/** The terms of SHACL Core that shapes are written with, by the kind of their values. */
const TERMS = {
  integer: "minCount maxCount minLength maxLength qualifiedMinCount qualifiedMaxCount",
  boolean: "uniqueLang qualifiedValueShapesDisjoint closed deactivated",
  iri: "targetClass targetSubjectsOf targetObjectsOf class datatype equals disjoint lessThan lessThanOrEquals shapesGraph",
  node: "property node not qualifiedValueShape",
  list: "and or xone languageIn ignoredProperties in alternativePath",
  text: "pattern flags",
  literal: "minExclusive minInclusive maxExclusive maxInclusive message name description",
  any: "targetNode hasValue order group defaultValue declare prefix namespace",
  path: "path inversePath zeroOrMorePath oneOrMorePath zeroOrOnePath",
  nodeKind: "nodeKind",
  severity: "severity",
};

type ValueKind = keyof typeof TERMS;

const KINDS: ReadonlyMap<string, ValueKind> = new Map(
  Object.entries(TERMS).flatMap(([kind, terms]) => terms.split(" ").map((term) => [term, kind as ValueKind])),
);

/** Terms that say something only of the values of a path. */
const OF_PATHS = /^(minCount|maxCount|uniqueLang|lessThan|lessThanOrEquals|qualifiedValueShape)$/;
const PATH_OPERATORS = /^(inverse|alternative|zeroOrMore|oneOrMore|zeroOrOne)Path$/;
/** Terms of what lies beyond SHACL Core. */
const BEYOND = /^(sparql|select|ask|construct|prefixes|target|js|rule|parameter|validator)$/;

/** The local name of a term of SHACL. */
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
    const problem = problemOf(kind, object, shapes);
    if (problem !== undefined) throw new ShapesError(`${place}: sh:${name} ${problem}, not ${formatTerm(object)}`);
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

function problemOf(kind: ValueKind, value: Term, shapes: ShapesGraph): string | undefined {
  const isLiteral = value.termType === "Literal";
  switch (kind) {
    case "integer":
      return isLiteral && value.datatype === XSD.integer && /^\+?\d+$/.test(value.value)
        ? undefined
        : "takes a number such as 1";
    case "boolean":
      return isLiteral && value.datatype === XSD.boolean ? undefined : "takes true or false";
    case "iri":
      return value.termType === "NamedNode" ? undefined : "takes an IRI";
    case "node":
      return isLiteral ? "takes a shape" : undefined;
    case "text":
      return isLiteral && value.datatype === XSD.string ? undefined : "takes a plain text";
    case "literal":
      return isLiteral ? undefined : "takes a literal";
    case "list":
      return isLiteral || shapes.list(value) === undefined ? "takes a list in parentheses" : undefined;
    case "path":
      return isPath(value, shapes) ? undefined : "takes a property path";
    case "nodeKind":
      return isOneOf(NODE_KINDS, value)
        ? undefined
        : `takes one of ${NODE_KINDS.map((name) => `sh:${name}`).join(", ")}`;
    case "severity":
      return isOneOf(SEVERITIES, value) ? undefined : "takes sh:Violation, sh:Warning or sh:Info";
    case "any":
      return undefined;
  }
}

function isOneOf(names: readonly string[], { value }: Term): boolean {
  return names.some((name) => value === SH + name);
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
