/** Names for shapes: the shape's IRI, or for an anonymous one a readable stand-in made from the shape that leads to it and its path. */
import { SH, SHAPES } from "../../model/rules/shapes.js";
import { className } from "../../model/vocabulary/vocabulary.js";
import { nodeName, RDF, type Term } from "../../rdf/terms.js";
import { propertyTerm } from "../paths.js";
import { isPathOperator } from "./check-shapes.js";
import type { ShapesGraph } from "./shapes-graph.js";

/** A property path in the terms of documents: `identified_by/content`, `^part_of` for one against its direction. */
export function pathWords(path: Term, shapes: ShapesGraph, onClass: string): string {
  if (path.termType === "NamedNode") return propertyTerm(path.value, onClass);
  const items = shapes.list(path);
  if (items !== undefined) return items.map((item) => pathWords(item, shapes, onClass)).join("/");
  const [operator] = shapes.about(path);
  const name = operator?.predicate.value.slice(SH.length);
  if (operator === undefined || name === undefined) return "";
  if (name === "alternativePath") {
    return (shapes.list(operator.object) ?? []).map((item) => pathWords(item, shapes, onClass)).join("|");
  }
  const inner = pathWords(operator.object, shapes, onClass);
  if (name === "inversePath") return `^${inner}`;
  return inner + ({ zeroOrMorePath: "*", oneOrMorePath: "+", zeroOrOnePath: "?" }[name] ?? "");
}

/** The name of each shape by its key in the shapes graph. No two shapes share one. */
export function shapeNames(shapes: ShapesGraph): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set(shapes.subjects.map(nodeName));
  const parents = parentsOf(shapes);
  const nameOf = (shape: Term, above: readonly string[]): string => {
    const known = names.get(nodeName(shape));
    if (known !== undefined) return known;
    if (shape.termType === "NamedNode") return shape.value;
    const parent = parents.get(nodeName(shape));
    const isFirst = parent === undefined || above.includes(nodeName(parent));
    const start = isFirst ? `${SHAPES}institution` : nameOf(parent, [...above, nodeName(shape)]);
    const path = shapes.value(shape, "path");
    const words = path === undefined ? "shape" : pathWords(path, shapes, targetClassOf(parent, shapes));
    const name = unused(`${start}.${asIriPart(words)}`, taken);
    names.set(nodeName(shape), name);
    return name;
  };
  for (const node of shapes.subjects) if (!isOfPathOrList(node, shapes)) nameOf(node, []);
  return names;
}

/** Whether a node is a part of a list, or of a property path. */
function isOfPathOrList(node: Term, shapes: ShapesGraph): boolean {
  return shapes.about(node).some(({ predicate }) => predicate.value === RDF.first || isPathOperator(predicate));
}

/** The node that leads to each anonymous node, lists passed through. */
function parentsOf(shapes: ShapesGraph): ReadonlyMap<string, Term> {
  const parents = new Map<string, Term>();
  for (const { subject, predicate, object } of shapes.triples) {
    if (!predicate.value.startsWith(SH)) continue;
    for (const item of shapes.list(object) ?? [object]) {
      if (item.termType === "BlankNode" && !parents.has(nodeName(item))) parents.set(nodeName(item), subject);
    }
  }
  return parents;
}

/** The class that a shape's terms are read on, or the empty string. */
function targetClassOf(shape: Term | undefined, shapes: ShapesGraph): string {
  const target = shape && shapes.value(shape, "targetClass");
  return (target && className(target.value)) ?? "";
}

function unused(name: string, taken: Set<string>): string {
  let candidate = name;
  for (let number = 2; taken.has(candidate); number++) candidate = `${name}.${number}`;
  taken.add(candidate);
  return candidate;
}

/** The words as part of an IRI. */
function asIriPart(words: string): string {
  return words.replace(/[^A-Za-z0-9._~:/*+?-]/g, (character) => encodeURIComponent(character));
}
