/** An RDF/JS dataset for rdf-validate-shacl: cheap to make, since every result and every `sh:or` has one, and quick on a record's few triples. */
import type { DatasetCore, Quad, Term } from "@rdfjs/types";
import { entryOf } from "../../base/entries.js";

/** The number of quads from which on they are indexed. */
const INDEXED = 16;

/** Quads of the default graph; what is matched is no copy that could be changed. */
export class RecordDataset implements DatasetCore {
  readonly #quads: Quad[] = [];
  /** By subject, and by predicate. */
  #index: { readonly subjects: Map<string, Quad[]>; readonly predicates: Map<string, Quad[]> } | undefined;

  constructor(quads: Iterable<Quad> = []) {
    for (const quad of quads) this.add(quad);
  }

  get size(): number {
    return this.#quads.length;
  }

  add(quad: Quad): this {
    if (this.has(quad)) return this;
    this.#quads.push(quad);
    if (this.#index !== undefined) this.#file(quad);
    return this;
  }

  delete(quad: Quad): this {
    const at = this.#quads.findIndex((each) => each.equals(quad));
    if (at !== -1) this.#quads.splice(at, 1);
    this.#index = undefined;
    return this;
  }

  has(quad: Quad): boolean {
    return this.#among(quad.subject, quad.predicate).some((each) => isSame(each, quad));
  }

  match(subject?: Term | null, predicate?: Term | null, object?: Term | null): DatasetCore {
    const matched = new RecordDataset();
    for (const quad of this.#among(subject, predicate)) {
      if (subject && !isTerm(quad.subject, subject)) continue;
      if (predicate && !isTerm(quad.predicate, predicate)) continue;
      if (object && !isTerm(quad.object, object)) continue;
      matched.#quads.push(quad);
    }
    return matched;
  }

  [Symbol.iterator](): Iterator<Quad> {
    return this.#quads[Symbol.iterator]();
  }

  /** Some quads that hold all of this subject and predicate. */
  #among(subject: Term | null | undefined, predicate: Term | null | undefined): readonly Quad[] {
    if (this.#quads.length < INDEXED || !(subject || predicate)) return this.#quads;
    if (this.#index === undefined) {
      this.#index = { subjects: new Map(), predicates: new Map() };
      for (const quad of this.#quads) this.#file(quad);
    }
    const { subjects, predicates } = this.#index;
    return (subject ? subjects.get(subject.value) : predicates.get(predicate!.value)) ?? NONE;
  }

  #file(quad: Quad): void {
    entryOf(this.#index!.subjects, quad.subject.value, () => []).push(quad);
    entryOf(this.#index!.predicates, quad.predicate.value, () => []).push(quad);
  }
}

const NONE: readonly Quad[] = [];

function isSame(one: Quad, other: Quad): boolean {
  return (
    isTerm(one.object, other.object) && isTerm(one.predicate, other.predicate) && isTerm(one.subject, other.subject)
  );
}

function isTerm(one: Term, other: Term): boolean {
  return one.value === other.value && (one === other || one.equals(other));
}
