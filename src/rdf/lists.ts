/** The lists of a record graph: chains of blank nodes, each with an item and the rest of the list (RDF Schema 1.1, 5.2). */
import { lazily } from "../base/lazily.js";
import { indexBySubject, mentionsIn, numberOfIri, type RecordGraph, type SubjectIndex } from "./record-graph.js";
import { RDF } from "./terms.js";

/** Finds well-formed lists (JSON-LD 1.1 API, 8.4.2): each cell is an object once, and has a first, a rest and nothing else. No two lists share a cell, so reading all of them takes linear time. */
export class RdfLists {
  readonly #index: SubjectIndex;
  readonly #mentions: () => readonly number[];
  readonly #nil: number;
  /** Cells that turned out to begin no list, so that a long chain of them is followed only once. */
  readonly #broken = new Set<number>();

  constructor(readonly graph: RecordGraph) {
    this.#index = indexBySubject(graph);
    this.#mentions = lazily(() => mentionsIn(graph));
    this.#nil = numberOfIri(graph, RDF.nil);
  }

  /** The items and the cells of the list that begins at a node, or `undefined` if none does. @param isCell whether a blank node may be a cell; once it may not, it never may again */
  from(head: number, isCell: (cell: number) => boolean = () => true) {
    if (this.#nil === -1) return undefined;
    const items: number[] = [];
    const cells = new Set<number>();
    for (let cell = head; cell !== this.#nil; ) {
      const content = cells.has(cell) || !isCell(cell) ? undefined : this.#contentOf(cell);
      if (content === undefined) {
        for (const each of cells) this.#broken.add(each);
        return undefined;
      }
      cells.add(cell);
      items.push(content.item);
      cell = content.rest;
    }
    return { items, cells };
  }

  /** The item and the next cell in a cell, or `undefined` for a node that is none. */
  #contentOf(cell: number): { readonly item: number; readonly rest: number } | undefined {
    const { terms, triples } = this.graph;
    const { first, next } = this.#index;
    const one = first[cell]!;
    const other = one === -1 ? -1 : next[one]!;
    if (other === -1 || next[other] !== -1 || terms[cell]!.termType !== "BlankNode") return undefined;
    if (this.#mentions()[cell] !== 1 || this.#broken.has(cell)) return undefined;
    const propertyOf = (triple: number): string => terms[triples[triple * 3 + 1]!]!.value;
    const [item, rest] = propertyOf(one) === RDF.first ? [one, other] : [other, one];
    const isPair = propertyOf(item) === RDF.first && propertyOf(rest) === RDF.rest;
    return isPair ? { item: triples[item * 3 + 2]!, rest: triples[rest * 3 + 2]! } : undefined;
  }
}
