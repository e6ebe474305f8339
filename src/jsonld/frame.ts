/** A record graph becomes a document: one walk over its triples along a compiled plan (JSON-LD 1.1 Framing, `@always`). */
import { indexBySubject, type Json, type RecordGraph, type SubjectIndex, tripleCount } from "../rdf/record-graph.js";
import { RDF } from "../rdf/terms.js";
import { NotCompiledError } from "./active-context.js";
import { MAX_DEPTH } from "./expand.js";
import type { KeyUse, NodePlan, NodePlans, NodeUse } from "./plan.js";

/** A record that no document can tell. */
export class UnwritableError extends Error {
  constructor(
    readonly iri: string,
    readonly problem: string,
  ) {
    super(`<${iri}> cannot be written as a document: ${problem}`);
    this.name = "UnwritableError";
  }
}

/** A document holds at most this many nodes a triple; a record that would need more writes each node's details once. */
const NODES_PER_TRIPLE = 10;

/** Thrown and caught here: the walk has to begin anew with what it has learnt. */
class Again extends Error {}

/**
 * The document of a record: `@context` (unless undefined), then its entity's node with everything that is reachable
 * from it embedded at each place, except inside itself. Nodes that nothing leads to follow under `@included`, so that no
 * triple is lost. Throws `NotCompiledError` for what is jsonld.js's to write, `UnwritableError`.
 */
export function frame(graph: RecordGraph, plans: NodePlans, context?: Json): { [key: string]: Json } {
  const walk = new FrameWalk(graph);
  for (;;) {
    try {
      return walk.run(plans, context);
    } catch (error) {
      if (!(error instanceof Again)) throw error;
    }
  }
}

function zeros(length: number): number[] {
  return new Array<number>(length).fill(0);
}

class FrameWalk {
  readonly #index: SubjectIndex;
  #root = -1;
  #context: Json | undefined;
  #type = -1;
  #first = -1;
  #rest = -1;
  #nil = -1;
  /** Whether nodes are described at their first place only. */
  #once = false;
  /** Blank nodes found to need a label although they are mentioned but once. */
  readonly #labelled = new Set<number>();
  /** How often each node was described. */
  #described: number[];
  /** Nodes that are being described right now. */
  #open: number[];
  #mentions: number[] | undefined;
  #nodes = 0;
  readonly #labels = new Map<number, string>();

  constructor(readonly graph: RecordGraph) {
    this.#index = indexBySubject(graph);
    const { terms } = graph;
    for (let number = 0; number < terms.length; number++) {
      const { termType, value } = terms[number]!;
      if (termType !== "NamedNode") continue;
      if (value === RDF.first) this.#first = number;
      if (value === RDF.rest) this.#rest = number;
      if (value === RDF.nil) this.#nil = number;
      if (value === RDF.type) this.#type = number;
      if (value === graph.iri) this.#root = number;
    }
    this.#described = zeros(terms.length);
    this.#open = zeros(terms.length);
  }

  run(plans: NodePlans, context: Json | undefined): { [key: string]: Json } {
    this.#context = context;
    const document: { [key: string]: Json } = context === undefined ? {} : { "@context": context };
    if (this.#root === -1) {
      const plan = plans.of("");
      document[plan.id] = plan.writeIri(this.graph.iri);
    } else {
      this.#describe(this.#root, plans, 1, document);
    }
    if (!this.#isComplete()) document["@included"] = this.#included(plans);
    this.#checkBlankNodes();
    return document;
  }

  /** Write a node with its properties into `node`. */
  #describe(subject: number, plans: NodePlans, depth: number, node: { [key: string]: Json }): void {
    if (depth > MAX_DEPTH) this.#tooDeep();
    this.#countNode();
    this.#described[subject]!++;
    this.#open[subject] = 1;
    const plan = plans.of(this.#classes(subject));
    const term = this.graph.terms[subject]!;
    if (plan.standsAlone && depth > 1 && term.termType === "NamedNode") node["@context"] = this.#context!;
    if (term.termType === "NamedNode") node[plan.id] = plan.writeIri(term.value);
    else if (this.#needsLabel(subject)) node[plan.id] = this.#label(subject);
    if (plan.types !== undefined) node[plan.type] = plan.types;
    this.#properties(subject, plan, depth, node);
    this.#open[subject] = 0;
  }

  #properties(subject: number, plan: NodePlan, depth: number, node: { [key: string]: Json }): void {
    const { terms, triples } = this.graph;
    const { next } = this.#index;
    const uses: KeyUse[] = [];
    const values: Json[][] = [];
    for (let triple = this.#index.first[subject]!; triple !== -1; triple = next[triple]!) {
      const predicate = triples[triple * 3 + 1]!;
      const object = triples[triple * 3 + 2]!;
      const term = terms[object]!;
      if (predicate === this.#type && term.termType === "NamedNode") continue;
      const property = plan.property(terms[predicate]!.value);
      let use: KeyUse;
      let value: Json;
      if (term.termType === "Literal") {
        const literals = property.literals(term);
        use = literals.use;
        value = literals.write(term);
      } else {
        const { nodes } = property;
        use = nodes.use;
        value = this.#resource(object, nodes, depth + 1);
      }
      const at = uses.indexOf(use);
      if (at === -1) {
        // Insertion by rank; most triples come in the order of the field table already.
        let place = uses.length;
        while (place > 0 && uses[place - 1]!.rank > use.rank) place--;
        if (place === uses.length) {
          uses.push(use);
          values.push([value]);
        } else {
          uses.splice(place, 0, use);
          values.splice(place, 0, [value]);
        }
      } else {
        values[at]!.push(value);
      }
    }
    for (let at = 0; at < uses.length; at++) {
      const { key, isArray } = uses[at]!;
      const all = values[at]!;
      node[key] = isArray || all.length > 1 ? all : all[0]!;
    }
  }

  /** A node where a property leads to it: described, or named where that is all there is or may be. */
  #resource(object: number, nodes: NodeUse, depth: number): Json {
    const term = this.graph.terms[object]!;
    const items = this.#nil === -1 ? undefined : this.#listItems(object);
    if (items !== undefined) return this.#list(items, nodes, depth);
    const isBlank = term.termType === "BlankNode";
    const isBare = this.#index.first[object] === -1;
    if ((isBare && !isBlank) || this.#open[object] === 1 || (this.#once && this.#described[object]! > 0)) {
      this.#countNode();
      if (!isBlank) return nodes.reference(term.value);
      if (!this.#needsLabel(object)) this.#again(object);
      return nodes.reference(this.#label(object));
    }
    const node: { [key: string]: Json } = {};
    this.#describe(object, nodes.plans, depth, node);
    return isBare && Object.keys(node).length > 0 ? nodes.reference(this.#label(object)) : node;
  }

  /** The items of a well-formed list (JSON-LD 1.1 API, 8.4.2), or `undefined` when `head` begins none. */
  #listItems(head: number): number[] | undefined {
    const { triples } = this.graph;
    const items: number[] = [];
    const cells: number[] = [];
    let cell = head;
    while (cell !== this.#nil) {
      const one = this.#index.first[cell]!;
      const other = one === -1 ? -1 : this.#index.next[one]!;
      const isCell = other !== -1 && this.#index.next[other] === -1 && this.#countMentions()[cell] === 1;
      if (!isCell || this.graph.terms[cell]!.termType !== "BlankNode" || cells.includes(cell)) return undefined;
      const [first, rest] = triples[one * 3 + 1] === this.#first ? [one, other] : [other, one];
      if (triples[first * 3 + 1] !== this.#first || triples[rest * 3 + 1] !== this.#rest) return undefined;
      items.push(triples[first * 3 + 2]!);
      cells.push(cell);
      cell = triples[rest * 3 + 2]!;
    }
    for (const described of cells) this.#described[described]!++;
    return items;
  }

  #list(items: readonly number[], nodes: NodeUse, depth: number): Json {
    const { list } = nodes;
    if (list === undefined) throw new NotCompiledError("an RDF list");
    this.#countNode();
    return list.write(
      items.map((item) => {
        const term = this.graph.terms[item]!;
        return term.termType === "Literal" ? list.literal(term) : this.#resource(item, nodes, depth + 1);
      }),
    );
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

  /** Nodes that no walk from the entity reached, in source order, each with what it leads to. */
  #included(plans: NodePlans): Json[] {
    const { triples } = this.graph;
    const included: Json[] = [];
    const add = (subject: number): void => {
      if (this.#described[subject]! > 0) return;
      const node = {};
      this.#describe(subject, plans, 2, node);
      included.push(node);
    };
    const mentions = this.#countMentions();
    for (let at = 0; at < triples.length; at += 3) if (mentions[triples[at]!] === 0) add(triples[at]!);
    // What is left are cycles that nothing leads into.
    for (let at = 0; at < triples.length; at += 3) add(triples[at]!);
    return included;
  }

  /** Whether every subject was described. */
  #isComplete(): boolean {
    const { first } = this.#index;
    for (let number = 0; number < first.length; number++) {
      if (first[number] !== -1 && this.#described[number] === 0) return false;
    }
    return true;
  }

  #countMentions(): number[] {
    if (this.#mentions === undefined) {
      this.#mentions = zeros(this.graph.terms.length);
      const { triples } = this.graph;
      for (let at = 2; at < triples.length; at += 3) this.#mentions[triples[at]!]!++;
    }
    return this.#mentions;
  }

  /** A blank node needs its label when it is written at several places. */
  #needsLabel(subject: number): boolean {
    return this.#countMentions()[subject]! > 1 || this.#labelled.has(subject);
  }

  #label(subject: number): string {
    let label = this.#labels.get(subject);
    if (label === undefined) {
      label = `_:b${this.#labels.size}`;
      this.#labels.set(subject, label);
    }
    return label;
  }

  /** A blank node with one parent is written twice when its parent is: then it needs a label after all. */
  #checkBlankNodes(): void {
    const { terms } = this.graph;
    let found = -1;
    for (let number = 0; number < terms.length; number++) {
      if (this.#described[number]! < 2 || terms[number]!.termType !== "BlankNode" || this.#needsLabel(number)) continue;
      if (found !== -1) this.#labelled.add(found);
      found = number;
    }
    if (found !== -1) this.#again(found);
  }

  #countNode(): void {
    const most = tripleCount(this.graph) * NODES_PER_TRIPLE;
    if (++this.#nodes <= most || this.#once) return;
    this.#once = true;
    this.#again();
  }

  #tooDeep(): never {
    if (this.#once) throw new UnwritableError(this.graph.iri, `its nodes are nested deeper than ${MAX_DEPTH} levels`);
    this.#once = true;
    this.#again();
  }

  /** Begin anew, with one more blank node to label if given. */
  #again(blankNode?: number): never {
    if (blankNode !== undefined) this.#labelled.add(blankNode);
    this.#described = zeros(this.graph.terms.length);
    this.#open = zeros(this.graph.terms.length);
    this.#nodes = 0;
    this.#labels.clear();
    throw new Again();
  }
}
