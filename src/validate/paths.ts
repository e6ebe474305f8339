/** Paths to the nodes of a record, in the terms of its document. */
import { entryOf } from "../base/entries.js";
import { lazily } from "../base/lazily.js";
import { fieldForm, fieldOrder } from "../model/layout.js";
import { className, propertyIri } from "../model/vocabulary/vocabulary.js";
import { indexBySubject, objectsOf, type RecordGraph, rootOf } from "../rdf/record-graph.js";
import { RDF } from "../rdf/terms.js";

/** The shortest path from a record's own node to each other node. */
export class RecordPaths {
  /** The triple by which the walk first reached each term, or -1. That of each cell of a list is that of the first cell. */
  readonly #arrival: Int32Array;
  /** The position of each cell in its list. */
  readonly #nth: Int32Array;
  readonly #depths: Int32Array;
  readonly #classes = new Map<number, ReturnType<RecordPaths["classOf"]>>();
  readonly #places = lazily(() => this.#placesOf());

  constructor(private readonly graph: RecordGraph) {
    this.#arrival = new Int32Array(graph.terms.length).fill(-1);
    this.#nth = new Int32Array(graph.terms.length);
    this.#depths = new Int32Array(graph.terms.length).fill(-1);
    this.#walk();
  }

  /** The path to a node, with positions where a document has an array (`identified_by[1]/part[0]`); empty when the record does not lead to the node. */
  to(term: number): string {
    const { terms, triples } = this.graph;
    const steps: string[] = [];
    let inList = "";
    for (let at = this.#arrival[term]!; at !== -1; at = this.#arrival[triples[at]!]!) {
      const property = terms[triples[at + 1]!]!.value;
      if (property === RDF.first) {
        inList = `[${this.#nth[triples[at]!]}]${inList}`;
        continue;
      }
      const step = this.term(triples[at]!, property);
      steps.unshift(step + this.#positionOf(at, step) + inList);
      inList = "";
    }
    return steps.join("/");
  }

  /** The position of a value among those of its property, in brackets, or the empty string when a document has no array there. */
  position(subject: number, property: string | undefined, value: number, term: string): string {
    const { terms, triples } = this.graph;
    const first = this.#places().leading.get(this.#keyOf(subject, value)) ?? triples.length;
    for (let at = first; at < triples.length; at += 3) {
      const isMatch =
        triples[at] === subject && triples[at + 2] === value && terms[triples[at + 1]!]!.value === property;
      if (isMatch) return this.#positionOf(at, term);
    }
    return "";
  }

  #positionOf(triple: number, term: string): string {
    const { triples } = this.graph;
    const { nth, counts } = this.#places();
    const isAlone = counts.get(this.#keyOf(triples[triple]!, triples[triple + 1]!)) === 1;
    return isAlone && fieldForm(term) !== "array" ? "" : `[${nth[triple / 3]}]`;
  }

  /** `nth`: the position of each triple among those with its subject and property, from 0. `counts`: the number of these. `leading`: the first triple by subject and object. */
  #placesOf() {
    const { triples } = this.graph;
    const nth = new Int32Array(triples.length / 3);
    const counts = new Map<number, number>();
    const leading = new Map<number, number>();
    for (let at = 0; at < triples.length; at += 3) {
      const both = this.#keyOf(triples[at]!, triples[at + 2]!);
      if (!leading.has(both)) leading.set(both, at);
      const key = this.#keyOf(triples[at]!, triples[at + 1]!);
      const before = counts.get(key) ?? 0;
      nth[at / 3] = before;
      counts.set(key, before + 1);
    }
    return { nth, counts, leading };
  }

  #keyOf(subject: number, predicate: number): number {
    return subject * this.graph.terms.length + predicate;
  }

  /** The IRI of a node's first class, and the term of its first class that is in the vocabulary; or the empty string. */
  classOf(node: number): { readonly first: string; readonly known: string } {
    return entryOf(this.#classes, node, () => {
      const terms = objectsOf(this.graph, node, RDF.type).map((each) => this.graph.terms[each]!);
      const iris = terms.flatMap(({ termType, value }) => (termType === "NamedNode" ? value : []));
      return { first: iris[0] ?? "", known: iris.map(className).find((each) => each !== undefined) ?? "" };
    });
  }

  /** A property's term on a node, or its IRI when it is not in the vocabulary. */
  term(subject: number, property: string): string {
    return propertyTerm(property, this.classOf(subject).known);
  }

  /** The first node that is more than `most` steps away from the record's own node, or -1. A list is one step, however long it is. */
  deeperThan(most: number): number {
    return this.#depths.findIndex((depth) => depth > most);
  }

  #walk(): void {
    const { terms, triples } = this.graph;
    const { first, next } = indexBySubject(this.graph);
    const root = rootOf(this.graph);
    const queue = root === -1 ? [] : [root];
    if (root !== -1) this.#depths[root] = 0;
    for (const subject of queue) {
      for (let triple = first[subject]!; triple !== -1; triple = next[triple]!) {
        const object = triples[triple * 3 + 2]!;
        const property = terms[triples[triple * 3 + 1]!]!.value;
        const isNode = terms[object]!.termType !== "Literal" && property !== RDF.type;
        if (!isNode || this.#depths[object] !== -1) continue;
        const isInList = property === RDF.rest && subject !== root;
        this.#depths[object] = this.#depths[subject]! + (isInList ? 0 : 1);
        this.#arrival[object] = isInList ? this.#arrival[subject]! : triple * 3;
        this.#nth[object] = isInList ? this.#nth[subject]! + 1 : 0;
        queue.push(object);
      }
    }
  }
}

/** The terms of the properties of each class, by their IRIs. */
const TERMS = new Map<string, ReadonlyMap<string, string>>();

/**
 * A property's term on nodes of a class, or its IRI when it is not in the vocabulary.
 * @example
 * propertyTerm("http://www.w3.org/2000/01/rdf-schema#label", "Place"); // => "_label"
 */
export function propertyTerm(property: string, onClass: string): string {
  if (property === RDF.type) return "type";
  const ofClass = entryOf(TERMS, onClass, () => {
    return new Map(fieldOrder(onClass).map((term) => [propertyIri(term, onClass)!, term]));
  });
  return ofClass.get(property) ?? property;
}
