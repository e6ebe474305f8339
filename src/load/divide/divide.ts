/** The division of triples without a graph among the records of the entities that they describe. */
import { entryOf } from "../../base/entries.js";
import { CLASSIFIED_AS, embeds, REFERENCE_PROPERTIES } from "../../model/embedding.js";
import { endpointOf, isEntityClass } from "../../model/tables/endpoints.js";
import { classIri } from "../../model/vocabulary/vocabulary.js";
import { indexBySubject, type RecordGraph, type SubjectIndex, subjectsOf } from "../../rdf/record-graph.js";
import { RDF, type Term } from "../../rdf/terms.js";

/** The triples to divide. Terms need only their kinds; predicates and classes also need their names. */
export interface Dataset {
  readonly terms: readonly Pick<Term, "termType" | "value">[];
  readonly triples: RecordGraph["triples"];
}

/** Takes a record's share: the number of its entity's term, and its triples in source order. A triple may be in several shares. */
type ShareSink = (entity: number, triples: readonly number[]) => void;

const TYPE = classIri("Type");

/** How much of a node a record takes: only what a reference carries, or all of it. */
const CARRIED = 1;
const WHOLE = 2;

/**
 * Divide the triples of `dataset`. An IRI has a record if its class belongs to an endpoint, nothing embeds it, and its triples state
 * more than a reference does (or nothing mentions it). Concepts are never embedded, only referred to. A record takes its own triples,
 * those of the blank and embedded nodes reachable from it, and, of each node that it refers to, the triples that a reference carries.
 *
 * Returns the subjects, in source order, with triples that no record took.
 */
export function divide(dataset: Dataset, sink: ShareSink): number[] {
  return new Divider(dataset).divide(sink);
}

class Divider {
  readonly #index: SubjectIndex;
  /** The classes by node; most nodes share the list with others of their class. */
  readonly #classes: (readonly string[] | undefined)[];
  readonly #classLists = new Map<string, readonly string[]>();
  /** By node: 1 when it has a record. */
  readonly #records: Uint8Array;
  readonly #taken: Uint8Array;

  constructor(private readonly dataset: Dataset) {
    this.#index = indexBySubject(dataset);
    this.#classes = new Array(dataset.terms.length);
    this.#records = new Uint8Array(dataset.terms.length);
    this.#taken = new Uint8Array(dataset.triples.length / 3);
  }

  divide(sink: ShareSink): number[] {
    const subjects = subjectsOf({ ...this.dataset, subjects: this.#index });
    const mentioned = this.#mentioned();
    const embedded = this.#embedded();
    for (const subject of subjects) {
      if (!this.#isEntity(subject) || embedded[subject] === 1) continue;
      const isMore = (triple: number): boolean => !this.#isOfReference(subject, triple);
      if (mentioned[subject] === 0 || this.#triplesOf(subject).some(isMore)) this.#records[subject] = 1;
    }
    for (const subject of subjects) if (this.#records[subject] === 1) sink(subject, this.#share(subject));
    // The rest are entities that embed each other, or that are mentioned only by nodes without a record.
    for (const subject of subjects) {
      if (!this.#isEntity(subject) || this.#isTaken(subject)) continue;
      this.#records[subject] = 1;
      sink(subject, this.#share(subject));
    }
    return subjects.filter((subject) => !this.#isTaken(subject));
  }

  /** By term: 1 when another node mentions it. */
  #mentioned(): Uint8Array {
    const { terms, triples } = this.dataset;
    const mentioned = new Uint8Array(terms.length);
    for (let at = 0; at < triples.length; at += 3) if (triples[at] !== triples[at + 2]) mentioned[triples[at + 2]!] = 1;
    return mentioned;
  }

  /** By term: 1 when it is an entity that some node embeds, because a property whose range is a structure leads to it. */
  #embedded(): Uint8Array {
    const { terms, triples } = this.dataset;
    const embedded = new Uint8Array(terms.length);
    for (let at = 0; at < triples.length; at += 3) {
      const object = triples[at + 2]!;
      if (object === triples[at] || embedded[object] === 1 || !this.#isEntity(object)) continue;
      if (endpointOf(this.#classesOf(object), [], "") === "concept") continue;
      const property = terms[triples[at + 1]!]!.value;
      if (embeds(property, this.#classesOf(triples[at]!), this.#classesOf(object))) embedded[object] = 1;
    }
    return embedded;
  }

  #classesOf(node: number): readonly string[] {
    let classes = this.#classes[node];
    if (classes === undefined) {
      const { terms, triples } = this.dataset;
      const found = this.#triplesOf(node)
        .filter((triple) => terms[triples[triple * 3 + 1]!]!.value === RDF.type)
        .map((triple) => terms[triples[triple * 3 + 2]!]!.value);
      classes = entryOf(this.#classLists, found.join(" "), () => found);
      this.#classes[node] = classes;
    }
    return classes;
  }

  /** Whether a node is an IRI whose class belongs to an endpoint. */
  #isEntity(node: number): boolean {
    return this.dataset.terms[node]!.termType === "NamedNode" && this.#classesOf(node).some(isEntityClass);
  }

  #isOfReference(node: number, triple: number): boolean {
    const property = this.dataset.terms[this.dataset.triples[triple * 3 + 1]!]!.value;
    return property === CLASSIFIED_AS ? this.#classesOf(node).includes(TYPE) : REFERENCE_PROPERTIES.has(property);
  }

  #triplesOf(node: number): number[] {
    const triples: number[] = [];
    for (let triple = this.#index.first[node]!; triple !== -1; triple = this.#index.next[triple]!) triples.push(triple);
    return triples;
  }

  #isTaken(subject: number): boolean {
    return this.#triplesOf(subject).every((triple) => this.#taken[triple] === 1);
  }

  /** The triples that a record takes. The walk uses a stack, because embedded nodes nest without limit. */
  #share(entity: number): number[] {
    const { terms, triples } = this.dataset;
    const share = new Set<number>();
    const extents = new Map([[entity, WHOLE]]);
    const waiting = [entity];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      const isWhole = extents.get(node) === WHOLE;
      for (const triple of this.#triplesOf(node)) {
        if (!isWhole && !this.#isOfReference(node, triple)) continue;
        share.add(triple);
        this.#taken[triple] = 1;
        const object = triples[triple * 3 + 2]!;
        const property = terms[triples[triple * 3 + 1]!]!.value;
        if (property === RDF.type || this.#index.first[object] === -1) continue;
        const extent = this.#extent(node, property, object, isWhole);
        if (extent <= (extents.get(object) ?? 0)) continue;
        extents.set(object, extent);
        waiting.push(object);
      }
    }
    return [...share].sort((a, b) => a - b);
  }

  /** How much of `object` a record takes when it takes `node`. */
  #extent(node: number, property: string, object: number, isWhole: boolean): number {
    if (this.dataset.terms[object]!.termType === "BlankNode") return WHOLE;
    if (!isWhole || this.#records[object] === 1) return CARRIED;
    return embeds(property, this.#classesOf(node), this.#classesOf(object)) ? WHOLE : CARRIED;
  }
}
