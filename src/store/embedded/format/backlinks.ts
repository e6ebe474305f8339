/** The backlinks of a record: the IRIs that it refers to, with the property, and the IRIs of embedded nodes that it describes. */
import { REFERENCE_PROPERTIES } from "../../../model/embedding.js";
import { isEntityClass } from "../../../model/tables/endpoints.js";
import { className } from "../../../model/vocabulary/vocabulary.js";
import { indexBySubject, type RecordGraph } from "../../../rdf/record-graph.js";
import { RDF } from "../../../rdf/terms.js";

/** The backlinks of a record, each once. Those for embedded nodes that it describes have no property. Classes are left out: nobody asks for all records of a class this way. */
export function backlinksOf(graph: RecordGraph) {
  const { terms, triples } = graph;
  const backlinks: { readonly iri: string; readonly property: string | null }[] = [];
  const seen = new Set<number>();
  for (let at = 0; at < triples.length; at += 3) {
    const object = triples[at + 2]!;
    const term = terms[object]!;
    if (term.termType !== "NamedNode") continue;
    const predicate = triples[at + 1]!;
    const property = terms[predicate]!.value;
    const key = predicate * terms.length + object;
    if (property === RDF.type || seen.has(key)) continue;
    seen.add(key);
    backlinks.push({ iri: term.value, property });
  }
  for (const iri of describedIn(graph)) backlinks.push({ iri, property: null });
  return backlinks;
}

/** The IRIs of embedded nodes that a record describes beyond what a reference states. */
function describedIn(graph: RecordGraph): string[] {
  const { terms, triples } = graph;
  const { first, next } = indexBySubject(graph);
  const described: string[] = [];
  for (let number = 0; number < terms.length; number++) {
    const term = terms[number]!;
    if (first[number] === -1 || term.termType !== "NamedNode" || term.value === graph.iri) continue;
    for (let triple = first[number]!; triple !== -1; triple = next[triple]!) {
      const property = terms[triples[triple * 3 + 1]!]!.value;
      const object = terms[triples[triple * 3 + 2]!]!.value;
      // Nodes of such a class have no records of their own: all that is stated about one, even if only its name, is in this record.
      const isStructure = property === RDF.type && className(object) !== undefined && !isEntityClass(object);
      if (!isStructure && REFERENCE_PROPERTIES.has(property)) continue;
      described.push(term.value);
      break;
    }
  }
  return described;
}

/** The common number of all predicates beyond the 65,534 that have their own. */
export const OTHER_PROPERTY = 0xffff;
/** Takes the place of a property's number if the node is described, not referred to. */
export const DESCRIBED = 0;

/** The numbers of a store's predicates, from 1. A load adds new ones. */
export class PropertyNumbers {
  readonly #numbers: Map<string, number>;

  constructor(known: readonly string[]) {
    this.#numbers = new Map(known.map((iri, index) => [iri, index + 1]));
  }

  /** The number of a predicate's IRI, or of `null`, which stands for a described node. */
  of(property: string | null): number {
    if (property === null) return DESCRIBED;
    let number = this.#numbers.get(property);
    if (number === undefined) {
      number = this.#numbers.size + 1;
      if (number >= OTHER_PROPERTY) return OTHER_PROPERTY;
      this.#numbers.set(property, number);
    }
    return number;
  }

  list(): string[] {
    return [...this.#numbers.keys()];
  }
}
