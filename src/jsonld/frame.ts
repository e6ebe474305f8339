/** The conversion of a record graph into a document, in one walk over its triples along a compiled plan (JSON-LD 1.1 Framing, `@always`). */
import { entryOf } from "../base/entries.js";
import { lazily } from "../base/lazily.js";
import { NamedError } from "../base/named-error.js";
import { RdfLists } from "../rdf/lists.js";
import {
  indexBySubject,
  type Json,
  type JsonObject,
  mentionsIn,
  numberOfIri,
  objectsOf,
  type RecordGraph,
  rootOf,
  type SubjectIndex,
  subjectsOf,
  tripleCount,
} from "../rdf/record-graph.js";
import { RDF, RDFS_LABEL, type Term } from "../rdf/terms.js";
import { hasKey, MAX_DEPTH } from "./json-values.js";
import type { KeyUse, ListUse, NodePlan, NodePlans, NodeUse } from "./plan.js";

/** A record that no document can express. */
export class UnwritableError extends NamedError {
  constructor(
    readonly iri: string,
    readonly problem: string,
  ) {
    super(`<${iri}> cannot be written as a document: ${problem}`);
  }
}

/** A document may be at most this many times as long as the triples of its record. In one that would be longer, each node is described only once. */
export const MAX_REPEATS = 10;

/** The length of a value of this many bytes, in units of a short value. */
export function lengthOf(bytes: number): number {
  return 1 + (bytes >> 6);
}

/** A reference to a node that is described elsewhere leaves out a label, or the IRIs of classes, of more characters than this. */
const MAX_REFERENCE = 1_000;

/** Thrown and caught here: the walk must start again with what it has learned. */
class Again extends Error {}

/** The document of a record: `@context` (unless undefined), then the entity's node with all that is reachable from it embedded at each place, except inside itself. Nodes that nothing leads to follow under `@included`. Throws `UnwritableError`, `ConfusedIriError`. */
export function frame(graph: RecordGraph, plans: NodePlans, context?: Json): JsonObject {
  const walk = new FrameWalk(graph);
  for (;;) {
    try {
      return walk.run(plans, context);
    } catch (error) {
      if (!(error instanceof Again)) throw error;
    }
  }
}

class FrameWalk {
  readonly #index: SubjectIndex;
  readonly #root: number;
  readonly #type: number;
  #context: Json | undefined;
  readonly #lists: RdfLists;
  /** Whether nodes are described only at their first place. */
  #once = false;
  /** Blank nodes that turned out to need a label although they are mentioned only once. */
  readonly #labelled = new Set<number>();
  /** How often each node was described. */
  readonly #described: number[];
  /** 1 for nodes that are being described. */
  readonly #open: number[];
  readonly #mentions = lazily(() => mentionsIn(this.graph));
  #written = 0;
  /** The length of all triples. */
  readonly #whole = lazily(() =>
    this.#mentions().reduce((sum, mentions, at) => sum + mentions * lengthOfTerm(this.graph.terms[at]!), 0),
  );
  /** For each node that is described elsewhere, its classes and its first label. */
  readonly #references = new Map<number, { readonly classes: string; readonly label: Term | undefined }>();
  readonly #labels = new Map<number, string>();

  constructor(readonly graph: RecordGraph) {
    this.#index = indexBySubject(graph);
    this.#described = new Array<number>(graph.terms.length).fill(0);
    this.#open = [...this.#described];
    this.#lists = new RdfLists(graph);
    this.#root = rootOf(graph);
    this.#type = numberOfIri(graph, RDF.type);
  }

  run(plans: NodePlans, context: Json | undefined): JsonObject {
    this.#context = context;
    this.#described.fill(0);
    this.#open.fill(0);
    this.#written = 0;
    this.#labels.clear();
    const labelled = this.#labelled.size;
    const document: JsonObject = context === undefined ? {} : { "@context": context };
    const plan = plans(this.#root === -1 ? "" : this.#classes(this.#root));
    if (this.#root === -1) document[plan.id] = plan.writeIri(this.graph.iri);
    else this.#describe(this.#root, plans, 1, document);
    const included = this.#included(plan.included);
    if (included.length > 0) document["@included"] = included;
    this.#labelRepeated();
    // A node was written without the label that it turned out to need.
    if (this.#labelled.size > labelled) throw new Again();
    return document;
  }

  #describe(subject: number, plans: NodePlans, depth: number, node: JsonObject): void {
    if (depth > MAX_DEPTH) this.#tooDeep();
    this.#described[subject]!++;
    this.#open[subject] = 1;
    const plan = plans(this.#classes(subject));
    const term = this.graph.terms[subject]!;
    if (plan.standsAlone && depth > 1 && term.termType === "NamedNode") node["@context"] = this.#context!;
    if (term.termType === "NamedNode") node[plan.id] = plan.writeIri(term.value);
    else if (this.#needsLabel(subject)) node[plan.id] = this.#label(subject);
    if (plan.types !== undefined) node[plan.type] = plan.types;
    this.#properties(subject, plan, depth, node);
    this.#open[subject] = 0;
  }

  #properties(subject: number, plan: NodePlan, depth: number, node: JsonObject): void {
    const { terms, triples } = this.graph;
    const { next } = this.#index;
    const entries = new NodeEntries();
    for (let triple = this.#index.first[subject]!; triple !== -1; triple = next[triple]!) {
      const predicate = triples[triple * 3 + 1]!;
      const object = triples[triple * 3 + 2]!;
      const term = terms[object]!;
      this.#count(term);
      if (predicate === this.#type && term.termType === "NamedNode") continue;
      const property = plan.property(terms[predicate]!.value);
      if (term.termType === "Literal") {
        const literals = property.literals(term);
        const { use, write } = literals.apart !== undefined && entries.has(literals.use) ? literals.apart : literals;
        entries.add(use, write(term), term);
        continue;
      }
      const items = this.#listItems(object);
      if (items === undefined) {
        const nodes = property.nodes();
        entries.add(nodes.use, this.#resource(object, nodes, depth + 1));
      } else {
        const lists = property.lists();
        const list = lists.apart !== undefined && entries.has(lists.use) ? lists.apart : lists;
        entries.add(list.use, list.write(this.#writeList(items, list, depth + 1)));
      }
    }
    // The root has the `@context` of the document, so it has no numbers that need one, wherever it is described.
    entries.writeTo(node, subject !== this.#root);
  }

  /** A node as the value of a property: described, or only named if there is no more to say or it must not be repeated. */
  #resource(object: number, nodes: NodeUse, depth: number): Json {
    const term = this.graph.terms[object]!;
    const isBlank = term.termType === "BlankNode";
    const isBare = this.#index.first[object] === -1;
    if ((isBare && !isBlank) || this.#open[object] === 1 || (this.#once && this.#described[object]! > 0)) {
      // If the node was begun without the label, the walk goes on, to find all such nodes before it starts again.
      if (isBlank && !this.#needsLabel(object)) this.#labelled.add(object);
      const isName = isBare || (nodes.isTerm && !isBlank);
      return isName ? nodes.reference(isBlank ? this.#label(object) : term.value) : this.#reference(object, nodes);
    }
    const node: JsonObject = {};
    this.#describe(object, nodes.plans, depth, node);
    return isBare && Object.keys(node).length > 0 ? nodes.reference(this.#label(object)) : node;
  }

  /** A node that is described elsewhere, written like a reference: `id`, `type` and `_label` (specification, 2.1). */
  #reference(object: number, nodes: NodeUse): Json {
    const term = this.graph.terms[object]!;
    const { classes, label } = entryOf(this.#references, object, () => this.#referenceTo(object));
    const plan = nodes.plans(classes);
    const node: JsonObject = {
      [plan.id]: term.termType === "NamedNode" ? plan.writeIri(term.value) : this.#label(object),
    };
    if (plan.types !== undefined) node[plan.type] = plan.types;
    const entries = new NodeEntries();
    if (label !== undefined) {
      const { use, write } = plan.property(RDFS_LABEL).literals(label);
      if (!use.isSingle) entries.add(use, write(label));
    }
    entries.writeTo(node, false);
    return node;
  }

  /** The classes and the label of references to a node, without those that are too long: these are only where the node is described. */
  #referenceTo(object: number): { readonly classes: string; readonly label: Term | undefined } {
    const classes = this.#classes(object);
    const labels = objectsOf(this.graph, object, RDFS_LABEL).map((each) => this.graph.terms[each]!);
    const label = labels.find(({ termType, value }) => termType === "Literal" && value.length <= MAX_REFERENCE);
    return { classes: classes.length > MAX_REFERENCE ? "" : classes, label };
  }

  /** The items of a list, or `undefined` when `head` does not begin one. */
  #listItems(head: number): number[] | undefined {
    // A cell that is written twice, because its list is, needs a label, and a list cannot give it one.
    const found = this.#lists.from(head, (cell) => !this.#labelled.has(cell));
    for (const cell of found?.cells ?? []) this.#described[cell]!++;
    return found?.items;
  }

  #writeList(items: readonly number[], list: ListUse, depth: number): Json[] {
    if (depth > MAX_DEPTH) this.#tooDeep();
    return items.map((item) => {
      const term = this.graph.terms[item]!;
      this.#count(term);
      if (term.termType === "Literal") return list.literal(term);
      const inner = this.#listItems(item);
      return inner === undefined
        ? this.#resource(item, list.nodes, depth + 1)
        : list.inner(this.#writeList(inner, list, depth + 1));
    });
  }

  /** The IRIs of a node's classes, joined by a space. */
  #classes(subject: number): string {
    const { terms, triples } = this.graph;
    let classes = "";
    for (let triple = this.#index.first[subject]!; triple !== -1; triple = this.#index.next[triple]!) {
      if (triples[triple * 3 + 1] !== this.#type) continue;
      const term = terms[triples[triple * 3 + 2]!]!;
      if (term.termType === "NamedNode") classes = classes === "" ? term.value : `${classes} ${term.value}`;
    }
    return classes;
  }

  /** The nodes that no walk from the entity reached, in source order, each with everything reachable from it. */
  #included(plans: NodePlans): Json[] {
    const strays = subjectsOf(this.graph).filter((subject) => this.#described[subject] === 0);
    const heads = strays.filter((subject) => this.#mentions()[subject] === 0);
    // What remains after those are cycles that nothing leads into.
    return [...heads, ...strays].flatMap((subject) => {
      if (this.#described[subject]! > 0) return [];
      const node = {};
      this.#describe(subject, plans, 2, node);
      return node;
    });
  }

  /** Whether a blank node needs a label, because it is written at several places. */
  #needsLabel(subject: number): boolean {
    return this.#mentions()[subject]! > 1 || this.#labelled.has(subject);
  }

  #label(subject: number): string {
    return entryOf(this.#labels, subject, () => `_:b${this.#labels.size}`);
  }

  /** Label the blank nodes that were written twice although they are mentioned once, because their parents were. */
  #labelRepeated(): void {
    for (const [number, { termType }] of this.graph.terms.entries()) {
      if (termType === "BlankNode" && this.#described[number]! > 1 && !this.#needsLabel(number))
        this.#labelled.add(number);
    }
  }

  #count(value: Term): void {
    this.#written += lengthOfTerm(value);
    if (this.#once || this.#written <= tripleCount(this.graph) * MAX_REPEATS) return;
    if (this.#written <= this.#whole() * MAX_REPEATS) return;
    this.#once = true;
    throw new Again();
  }

  #tooDeep(): never {
    if (this.#once) throw new UnwritableError(this.graph.iri, `its nodes are nested deeper than ${MAX_DEPTH} levels`);
    this.#once = true;
    throw new Again();
  }
}

/** The length of a value. Texts of up to 20 characters have fewer than 64 bytes. */
function lengthOfTerm({ value }: Term): number {
  return value.length <= 20 ? 1 : lengthOf(Buffer.byteLength(value));
}

/** The keys of one node with their values, in the order of its triples. */
class NodeEntries {
  readonly #values = new Map<KeyUse, Json[]>();
  /** The last number-like literal under each key whose values are numbers. */
  #numbers: Map<KeyUse, Term> | undefined;

  has(use: KeyUse): boolean {
    return this.#values.has(use);
  }

  add(use: KeyUse, value: Json, literal?: Term): void {
    if (use.number !== undefined && literal !== undefined && typeof value === "object") {
      this.#numbers ??= new Map();
      this.#numbers.set(use, literal);
    }
    entryOf(this.#values, use, () => []).push(value);
  }

  /** Write all entries into a node, which may get a `@context` of its own. */
  writeTo(node: JsonObject, mayHaveContext: boolean): void {
    if (this.#numbers !== undefined && mayHaveContext) this.#writeNumbers(this.#numbers, node);
    for (const [use, all] of [...this.#values].sort(([one], [other]) => one.rank - other.rank)) {
      const { key, isArray, isMap, nest } = use;
      const value = isMap ? mapOf(all as [string, Json][], isArray) : isArray || all.length > 1 ? all : all[0]!;
      if (nest === undefined) node[key] = value;
      else {
        node[nest] ??= {};
        (node[nest] as JsonObject)[key] = value;
      }
    }
  }

  /** Turn literals that are numbers but for their datatype into JSON numbers; the node's own context keeps the datatype. */
  #writeNumbers(numbers: ReadonlyMap<KeyUse, Term>, node: JsonObject): void {
    const definitions: JsonObject = {};
    for (const [use, literal] of numbers) {
      const values = this.#values.get(use)!;
      const number = values.length === 1 ? use.number!(literal) : undefined;
      if (number === undefined || ("@context" in node && number.definition !== undefined)) continue;
      values[0] = number.value;
      if (number.definition !== undefined) definitions[use.key] = number.definition;
    }
    if (Object.keys(definitions).length === 0) return;
    // The keys of nodes within this one are read without these definitions.
    const isInside = [...this.#values.values()].some((values) => hasKey(values, definitions));
    const before = { ...node };
    for (const key of Object.keys(before)) delete node[key];
    Object.assign(node, { "@context": isInside ? { "@propagate": false, ...definitions } : definitions }, before);
  }
}

/** The values of a map by key; with `isArray`, single values are in arrays, too. */
function mapOf(pairs: readonly [string, Json][], isArray: boolean): Json {
  const values = new Map<string, Json[]>();
  for (const [key, value] of pairs) entryOf(values, key, () => []).push(value);
  return Object.fromEntries([...values].map(([key, all]) => [key, isArray || all.length > 1 ? all : all[0]!]));
}
