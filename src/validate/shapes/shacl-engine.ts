/** rdf-validate-shacl for one record at a time: the record's data in the form that the library reads, and the terms of its reports in ours. */
import type { BlankNode, DatasetCore, Literal, NamedNode, Quad, Term as RdfTerm } from "@rdfjs/types";
import SHACLValidator from "rdf-validate-shacl";
import { entryOf } from "../../base/entries.js";
import { PREFIXES } from "../../model/vocabulary/vocabulary.js";
import type { RecordGraph } from "../../rdf/record-graph.js";
import { iri, type Term, XSD } from "../../rdf/terms.js";
import type { Triple } from "./shapes-graph.js";

type Factory = SHACLValidator["factory"];

export type EngineResult = ReturnType<SHACLValidator["validationEngine"]["getReport"]>["results"][number];

const SUBCLASS_OF = `${PREFIXES.rdfs}subClassOf`;

/** Replaces `rdfs:subClassOf` in records: it must not decide which shapes apply, and the library would never leave a cycle of subclasses. */
const HIDDEN_SUBCLASS_OF = iri("urn:vitrine:hidden:subClassOf");

/** The library's own factory, except for its datasets. */
export function lightFactory(): Factory {
  const { factory } = new SHACLValidator(new RecordDataset());
  return Object.assign(Object.create(factory) as Factory, {
    dataset: (quads?: Iterable<Quad>) => new RecordDataset(quads),
  });
}

/** Shapes ready to validate records. The library's engine is called directly: its entry points are asynchronous and collect the results of all records. */
export class Engine {
  readonly validator: SHACLValidator;

  constructor(shapes: Iterable<Triple>) {
    const factory = lightFactory();
    this.validator = new SHACLValidator(datasetOf(shapes, factory), { factory });
  }

  /** Begin a record, with its triples as the data graph and an empty report. */
  begin(graph: RecordGraph): void {
    const { factory, validationEngine } = this.validator;
    this.validator.$data = factory.clownface({ dataset: datasetOf(triplesOf(graph), factory) });
    validationEngine.initReport();
  }

  validate(focus: Term, shape: Term): void {
    const { factory, validationEngine } = this.validator;
    this.validator.nodeConformsToShape(rdfTerm(focus, factory), rdfTerm(shape, factory) as NamedNode, validationEngine);
  }

  results(): readonly EngineResult[] {
    return this.validator.validationEngine.getReport().results;
  }
}

function datasetOf(triples: Iterable<Triple>, factory: Factory): DatasetCore {
  const dataset = factory.dataset();
  for (const { subject, predicate, object } of triples) {
    const quad = factory.quad(
      rdfTerm(subject, factory) as Quad["subject"],
      factory.namedNode(predicate.value),
      rdfTerm(object, factory) as Quad["object"],
    );
    dataset.add(quad);
  }
  return dataset;
}

function* triplesOf({ terms, triples }: RecordGraph): Iterable<Triple> {
  for (let at = 0; at < triples.length; at += 3) {
    const predicate = terms[triples[at + 1]!]!;
    yield {
      subject: terms[triples[at]!]!,
      predicate: predicate.value === SUBCLASS_OF ? HIDDEN_SUBCLASS_OF : predicate,
      object: terms[triples[at + 2]!]!,
    };
  }
}

function rdfTerm(term: Term, factory: Factory): NamedNode | BlankNode | Literal {
  if (term.termType === "NamedNode") return factory.namedNode(term.value);
  if (term.termType === "BlankNode") return factory.blankNode(term.value);
  return factory.literal(term.value, term.language === "" ? factory.namedNode(term.datatype) : term.language);
}

/** An RDF/JS term as one of ours. */
export function rdfjsTerm(term: RdfTerm): Term {
  const { value } = term;
  if (term.termType !== "Literal") {
    return { termType: term.termType as Term["termType"], value, datatype: "", language: "" };
  }
  return { termType: "Literal", value, datatype: term.datatype.value || XSD.string, language: term.language };
}

/** Quads are indexed if there are at least this many. */
const INDEXED = 16;

/** Quads of the default graph for rdf-validate-shacl. It is cheap to create, since each result and each `sh:or` creates one. `match` does not copy quads. */
export class RecordDataset implements DatasetCore {
  readonly #quads: Quad[] = [];
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
    const { subject, predicate, object } = quad;
    return this.#among(subject, predicate).some(
      (each) => isTerm(each.object, object) && isTerm(each.predicate, predicate) && isTerm(each.subject, subject),
    );
  }

  match(subject?: RdfTerm | null, predicate?: RdfTerm | null, object?: RdfTerm | null): DatasetCore {
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

  /** Candidates: all quads with this subject and predicate, and possibly others. */
  #among(subject: RdfTerm | null | undefined, predicate: RdfTerm | null | undefined): readonly Quad[] {
    if (this.#quads.length < INDEXED || !(subject || predicate)) return this.#quads;
    if (this.#index === undefined) {
      this.#index = { subjects: new Map(), predicates: new Map() };
      for (const quad of this.#quads) this.#file(quad);
    }
    const { subjects, predicates } = this.#index;
    return (subject ? subjects.get(subject.value) : predicates.get(predicate!.value)) ?? [];
  }

  #file(quad: Quad): void {
    entryOf(this.#index!.subjects, quad.subject.value, () => []).push(quad);
    entryOf(this.#index!.predicates, quad.predicate.value, () => []).push(quad);
  }
}

function isTerm(one: RdfTerm, other: RdfTerm): boolean {
  return one.value === other.value && (one === other || one.equals(other));
}
