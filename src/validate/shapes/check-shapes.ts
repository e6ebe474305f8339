/** Checks that shapes are well formed (SHACL Core, W3C Recommendation of 2017): a misspelt constraint would be passed over in silence. */
import { SH } from "../../model/rules/shapes.js";
import { formatTerm } from "../../rdf/ntriples/writer.js";
import { RDF, type Term, XSD } from "../../rdf/terms.js";
import { ShapesError } from "../errors.js";
import type { ShapesGraph } from "./shapes-graph.js";

/** What a parameter's value has to be. */
type ValueKind =
  | "integer"
  | "boolean"
  | "iri"
  | "node"
  | "list"
  | "text"
  | "literal"
  | "any"
  | "path"
  | "nodeKind"
  | "severity";

/** The terms of SHACL Core that shapes are written with, each with the kind of its values. */
const TERMS: Readonly<Record<string, ValueKind>> = {
  targetClass: "iri",
  targetNode: "any",
  targetSubjectsOf: "iri",
  targetObjectsOf: "iri",
  path: "path",
  property: "node",
  node: "node",
  not: "node",
  and: "list",
  or: "list",
  xone: "list",
  class: "iri",
  datatype: "iri",
  nodeKind: "nodeKind",
  minCount: "integer",
  maxCount: "integer",
  minLength: "integer",
  maxLength: "integer",
  minExclusive: "literal",
  minInclusive: "literal",
  maxExclusive: "literal",
  maxInclusive: "literal",
  pattern: "text",
  flags: "text",
  languageIn: "list",
  uniqueLang: "boolean",
  equals: "iri",
  disjoint: "iri",
  lessThan: "iri",
  lessThanOrEquals: "iri",
  qualifiedValueShape: "node",
  qualifiedMinCount: "integer",
  qualifiedMaxCount: "integer",
  qualifiedValueShapesDisjoint: "boolean",
  closed: "boolean",
  ignoredProperties: "list",
  hasValue: "any",
  in: "list",
  severity: "severity",
  message: "literal",
  deactivated: "boolean",
  name: "literal",
  description: "literal",
  order: "any",
  group: "any",
  defaultValue: "any",
  inversePath: "path",
  alternativePath: "list",
  zeroOrMorePath: "path",
  oneOrMorePath: "path",
  zeroOrOnePath: "path",
  shapesGraph: "iri",
  declare: "any",
  prefix: "any",
  namespace: "any",
};

/** Terms that say something only of the values of a path. */
const OF_PATHS: ReadonlySet<string> = new Set([
  "minCount",
  "maxCount",
  "uniqueLang",
  "lessThan",
  "lessThanOrEquals",
  "qualifiedValueShape",
]);

const PATH_OPERATORS: ReadonlySet<string> = new Set([
  "inversePath",
  "alternativePath",
  "zeroOrMorePath",
  "oneOrMorePath",
  "zeroOrOnePath",
]);

const NODE_KINDS = ["BlankNode", "IRI", "Literal", "BlankNodeOrIRI", "BlankNodeOrLiteral", "IRIOrLiteral"];
const SEVERITIES = ["Violation", "Warning", "Info"];

/** The local name of a term of SHACL. */
function shaclName({ value }: Term): string | undefined {
  return value.startsWith(SH) ? value.slice(SH.length) : undefined;
}

/** Throws `ShapesError` for the first thing that is wrong. */
export function checkShapes(shapes: ShapesGraph): void {
  for (const { subject, predicate, object, place } of shapes.triples) {
    const name = shaclName(predicate);
    if (name === undefined) continue;
    const kind = TERMS[name];
    if (kind === undefined) throw new ShapesError(`${place}: sh:${name} is no term of SHACL Core${likeliest(name)}`);
    const problem = problemOf(kind, object, shapes);
    if (problem !== undefined) throw new ShapesError(`${place}: sh:${name} ${problem}, not ${formatTerm(object)}`);
    if (name === "pattern") checkPattern(subject, object, place, shapes);
    if (name === "property" && shapes.objects(object, `${SH}path`).length !== 1) {
      throw new ShapesError(`${place}: a property shape has one sh:path, and ${formatTerm(object)} has not`);
    }
    if (OF_PATHS.has(name) && shapes.value(subject, "path") === undefined) {
      throw new ShapesError(
        `${place}: sh:${name} counts or compares values, and its shape has no sh:path that leads to some`,
      );
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
  return PATH_OPERATORS.has(shaclName(property) ?? "");
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

/** What was probably meant: the term that differs in capitals alone, or what lies beyond SHACL Core. */
function likeliest(name: string): string {
  const meant = Object.keys(TERMS).find((term) => term.toLowerCase() === name.toLowerCase());
  if (meant !== undefined) return `: write sh:${meant}`;
  return [
    "sparql",
    "select",
    "ask",
    "construct",
    "prefixes",
    "target",
    "js",
    "rule",
    "parameter",
    "validator",
  ].includes(name)
    ? ": SHACL-SPARQL, SHACL-AF and SHACL-JS are not understood"
    : "";
}
