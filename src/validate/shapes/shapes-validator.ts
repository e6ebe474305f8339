/** The validator for an institution's own shapes: rdf-validate-shacl, applied only to the target nodes. */
import { entryOf } from "../../base/entries.js";
import { thrownMessage } from "../../base/named-error.js";
import type { NamedRule } from "../../model/rules/rule.js";
import { SH, SHAPES } from "../../model/rules/shapes.js";
import { className, PREFIXES } from "../../model/vocabulary/vocabulary.js";
import { formatTerm } from "../../rdf/ntriples/writer.js";
import { type RecordGraph, rootOf } from "../../rdf/record-graph.js";
import { nodeName, RDF, RDFS_LABEL, type Term } from "../../rdf/terms.js";
import { propertyTerm, RecordPaths } from "../paths.js";
import type { Result } from "../results.js";
import type { Severities } from "../severities.js";
import { checkShapes, isPathOperator, ShapesError } from "./check-shapes.js";
import { Engine, type EngineResult, rdfjsTerm } from "./shacl-engine.js";
import { type ShapesFile, ShapesGraph, type Triple } from "./shapes-graph.js";

const RDFS_CLASS = `${PREFIXES.rdfs}Class`;

/** The shapes, by the kind of their target (SHACL, 2.1.3) and its value. */
type Targets = Readonly<Record<"classes" | "nodes" | "subjectsOf" | "objectsOf", Map<string, Term[]>>>;

/** Shapes that were read and checked, ready to validate records one after another. */
export class ShapesValidator {
  readonly #shapes: ShapesGraph;
  readonly #engine: Engine;
  readonly #targets: Targets;
  readonly #names: ReadonlyMap<string, string>;
  /** The position of each shape in the files. */
  readonly #orders = new Map<string, number>();

  /** Throws `SyntaxProblem` for text that is not Turtle, and `ShapesError` for shapes that are not well-formed. */
  constructor(files: readonly ShapesFile[]) {
    this.#shapes = new ShapesGraph(files);
    checkShapes(this.#shapes);
    this.#targets = targetsOf(this.#shapes);
    const names = files.map(({ name }) => name).join(", ");
    if (Object.values(this.#targets).every(({ size }) => size === 0))
      throw new ShapesError(
        `${names}: no shape has a target: add one, such as sh:targetClass crm:E22_Human-Made_Object`,
      );
    this.#names = shapeNames(this.#shapes);
    for (const [order, shape] of this.#shapes.subjects.entries()) this.#orders.set(nodeName(shape), order);
    this.#engine = new Engine(this.#shapes.triples);
  }

  /** The shapes that results can name. */
  get rules(): readonly NamedRule[] {
    return [...this.#names.values()].map((name) => ({ name, severity: "Violation" }));
  }

  /** The results of a record: first those of the record's own node, then in the order of its terms and of the shapes. Throws `ShapesError` where the library fails. */
  validate(graph: RecordGraph, severities: Severities): readonly Result[] {
    const focusNodes = this.#focusNodes(graph);
    if (focusNodes.length === 0) return [];
    this.#engine.begin(graph);
    for (const { node, shape } of focusNodes) {
      try {
        this.#engine.apply(shape, graph.terms[node]!);
      } catch (error) {
        // For example, a path along a list of thousands of members.
        const { place } = this.#shapes.about(shape)[0]!;
        throw new ShapesError(`${place}: the shape cannot be applied to <${graph.iri}>: ${thrownMessage(error)}`);
      }
    }
    const results = this.#engine.results();
    return results.length === 0 ? [] : this.#ordered(results, graph, severities);
  }

  #focusNodes({ iri: record, terms, triples }: RecordGraph): readonly { node: number; shape: Term }[] {
    const { classes, nodes, subjectsOf, objectsOf } = this.#targets;
    const found = new Map<string, { node: number; shape: Term }>();
    const add = (node: number, shapes: readonly Term[] | undefined): void => {
      for (const shape of shapes ?? []) found.set(`${node} ${nodeName(shape)}`, { node, shape });
    };
    const described = describedNodes(terms, triples, record);
    for (let at = 0; at < triples.length; at += 3) {
      const [subject, object] = [triples[at]!, triples[at + 2]!];
      const property = terms[triples[at + 1]!]!.value;
      if (property === RDF.type && described.has(subject)) add(subject, classes.get(terms[object]!.value));
      add(subject, subjectsOf.get(property));
      add(object, objectsOf.get(property));
    }
    if (nodes.size > 0) {
      for (const [node, term] of terms.entries()) {
        const isReference = term.termType === "NamedNode" && term.value !== record && !described.has(node);
        if (!isReference) add(node, nodes.get(formatTerm(term)));
      }
    }
    return [...found.values()];
  }

  #ordered(results: readonly EngineResult[], graph: RecordGraph, severities: Severities): readonly Result[] {
    const numbers = new Map(graph.terms.map((term, number) => [formatTerm(term), number]));
    const paths = new RecordPaths(graph);
    const root = rootOf(graph);
    const placed = results.flatMap((each) => {
      const focus = numbers.get(formatTerm(rdfjsTerm(each.focusNode!))) ?? -1;
      const value = each.value === null ? -1 : (numbers.get(formatTerm(rdfjsTerm(each.value))) ?? -1);
      const result = this.#resultOf(each, focus, graph, paths, severities);
      const order = this.#orders.get(nodeName(rdfjsTerm(each.sourceShape!))) ?? 0;
      return result === undefined ? [] : [{ focus: focus === root ? -1 : focus, order, value, result }];
    });
    placed.sort((a, b) => a.focus - b.focus || a.order - b.order || a.value - b.value);
    return placed.map(({ result }) => result);
  }

  /** A result in the form of reports, or `undefined` when its rule is off. */
  #resultOf(found: EngineResult, focus: number, graph: RecordGraph, paths: RecordPaths, severities: Severities) {
    const { focusNode, path, value, severity, sourceShape, sourceConstraintComponent } = found;
    const shape = rdfjsTerm(sourceShape!);
    const rule = this.#names.get(nodeName(shape)) ?? shape.value;
    const stated = severity?.value === `${SH}Violation` ? "Violation" : "Warning";
    const decided = severities.of({ name: rule, severity: stated });
    if (decided === "off") return undefined;
    const way = focus === -1 ? "" : paths.to(focus);
    const ownPath = this.#shapes.value(shape, "path");
    // The path of a shape without one is the property that sh:closed forbids.
    const property = ownPath ?? (path === null ? undefined : rdfjsTerm(path));
    const words = property === undefined ? "" : pathWords(property, this.#shapes, paths.classOf(focus).known);
    return {
      severity: decided,
      path: [way, words].filter((step) => step !== "").join("/"),
      focus: focus === -1 ? `<${graph.iri}>` : formatTerm(rdfjsTerm(focusNode!)),
      value: value === null ? null : formatTerm(rdfjsTerm(value)),
      message: this.#messageOf(shape, sourceConstraintComponent!.value),
      rule,
      property: path?.termType === "NamedNode" ? path.value : null,
      component: sourceConstraintComponent!.value,
    };
  }

  /** The shape's message, description or name, preferring English and texts without a language; otherwise a text about the constraint. */
  #messageOf(shape: Term, component: string): string {
    const inOrder = ["message", "description", "name"].flatMap((name) => {
      const texts = this.#shapes.objects(shape, SH + name);
      return texts.find(({ language }) => language === "" || language.startsWith("en")) ?? texts[0] ?? [];
    });
    const name = component.slice(SH.length).replace(/ConstraintComponent$/, "");
    const constraint = name.charAt(0).toLowerCase() + name.slice(1);
    const limits = this.#shapes.objects(shape, SH + constraint).filter(({ termType }) => termType !== "BlankNode");
    return inOrder[0]?.value ?? `breaks sh:${[constraint, ...limits.map(({ value }) => value)].join(" ")} of its shape`;
  }
}

/** The nodes that a record describes: all except references, which have only a type and a label here. */
function describedNodes(terms: readonly Term[], triples: ArrayLike<number>, record: string): ReadonlySet<number> {
  const described = new Set<number>();
  for (let at = 0; at < triples.length; at += 3) {
    const { termType, value } = terms[triples[at]!]!;
    const property = terms[triples[at + 1]!]!.value;
    const isReferenceProperty = property === RDF.type || property === RDFS_LABEL;
    if (termType === "BlankNode" || value === record || !isReferenceProperty) described.add(triples[at]!);
  }
  return described;
}

function targetsOf(shapes: ShapesGraph): Targets {
  const targets: Targets = { classes: new Map(), nodes: new Map(), subjectsOf: new Map(), objectsOf: new Map() };
  const add = (to: Map<string, Term[]>, key: string, shape: Term) => entryOf(to, key, () => []).push(shape);
  for (const { subject, predicate, object } of shapes.triples) {
    if (predicate.value === `${SH}targetClass`) add(targets.classes, object.value, subject);
    else if (predicate.value === `${SH}targetNode`) add(targets.nodes, formatTerm(object), subject);
    else if (predicate.value === `${SH}targetSubjectsOf`) add(targets.subjectsOf, object.value, subject);
    else if (predicate.value === `${SH}targetObjectsOf`) add(targets.objectsOf, object.value, subject);
    // A shape that is also a class targets its instances (SHACL, 2.1.3.3).
    else if (predicate.value === RDF.type && object.value === RDFS_CLASS) {
      const isShape = shapes.about(subject).some((statement) => statement.predicate.value.startsWith(SH));
      if (isShape) add(targets.classes, subject.value, subject);
    }
  }
  return targets;
}

/** A property path in the terms of documents: `identified_by/content`, or `^part_of` for an inverse path. */
function pathWords(path: Term, shapes: ShapesGraph, onClass: string): string {
  if (path.termType === "NamedNode") return propertyTerm(path.value, onClass);
  const items = shapes.list(path);
  if (items !== undefined) return items.map((item) => pathWords(item, shapes, onClass)).join("/");
  const [operator] = shapes.about(path);
  const name = operator?.predicate.value.slice(SH.length);
  if (operator === undefined || name === undefined) return "";
  if (name === "alternativePath")
    return (shapes.list(operator.object) ?? []).map((item) => pathWords(item, shapes, onClass)).join("|");
  const inner = pathWords(operator.object, shapes, onClass);
  if (name === "inversePath") return `^${inner}`;
  return inner + ({ zeroOrMorePath: "*", oneOrMorePath: "+", zeroOrOnePath: "?" }[name] ?? "");
}

/** The unique name of each shape, by its key in the shapes graph. */
function shapeNames(shapes: ShapesGraph): ReadonlyMap<string, string> {
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
    const part = words.replace(/[^A-Za-z0-9._~:/*+?-]/g, (character) => encodeURIComponent(character));
    const name = unused(`${start}.${part}`, taken);
    names.set(nodeName(shape), name);
    return name;
  };
  const isPart = ({ predicate }: Triple): boolean => predicate.value === RDF.first || isPathOperator(predicate);
  for (const node of shapes.subjects) if (!shapes.about(node).some(isPart)) nameOf(node, []);
  return names;
}

/** The node that leads to each anonymous node, directly or through a list. */
function parentsOf(shapes: ShapesGraph): ReadonlyMap<string, Term> {
  const parents = new Map<string, Term>();
  for (const { subject, predicate, object } of shapes.triples) {
    if (!predicate.value.startsWith(SH)) continue;
    for (const item of shapes.list(object) ?? [object])
      if (item.termType === "BlankNode" && !parents.has(nodeName(item))) parents.set(nodeName(item), subject);
  }
  return parents;
}

/** The class on which a shape's terms are read, or the empty string. */
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
