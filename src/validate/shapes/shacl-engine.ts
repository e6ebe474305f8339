/** rdf-validate-shacl for one record at a time: the record's data in the form that the library reads, and the terms of its reports in ours. */
import type { Quad, Term as RdfTerm } from "@rdfjs/types";
import SHACLValidator from "rdf-validate-shacl";
import { PREFIXES } from "../../model/vocabulary/vocabulary.js";
import { formatTerm } from "../../rdf/ntriples/writer.js";
import type { RecordGraph } from "../../rdf/record-graph.js";
import { iri, type Term, XSD } from "../../rdf/terms.js";
import type { Triple } from "./shapes-graph.js";

export type EngineResult = ReturnType<SHACLValidator["validationEngine"]["getReport"]>["results"][number];

/** Replaces `rdfs:subClassOf` in records: it must not decide which shapes apply, and the library would never leave a cycle of subclasses. */
const HIDDEN_SUBCLASS_OF = iri("urn:vitrine:hidden:subClassOf");

/** Shapes ready to validate records. The library's engine is called directly: its entry points are asynchronous and collect the results of all records. */
export class Engine extends SHACLValidator {
  /** The nodes that shapes are being applied to, each with its shape. */
  readonly #open = new Set<string>();

  constructor(shapes: Iterable<Triple>) {
    super(new Set() as never);
    this.$shapes = this.#read(shapes);
  }

  /** Begin a record, with its triples as the data graph and an empty report. */
  begin(graph: RecordGraph): void {
    this.$data = this.#read(triplesOf(graph));
    this.validationEngine.initReport();
  }

  apply(shape: Term, focus: Term): void {
    this.nodeConformsToShape(this.#term(focus), this.#term(shape), this.validationEngine);
  }

  results(): readonly EngineResult[] {
    return this.validationEngine.getReport().results;
  }

  /** Ends recursion, which SHACL leaves open: a node that a shape is being applied to conforms to it. */
  override nodeConformsToShape(...given: Parameters<SHACLValidator["nodeConformsToShape"]>): boolean {
    const [focus, shape] = given;
    const key = `${formatTerm(rdfjsTerm(focus))} ${formatTerm(rdfjsTerm(shape))}`;
    if (this.#open.has(key)) return true;
    this.#open.add(key);
    try {
      return super.nodeConformsToShape(...given);
    } finally {
      this.#open.delete(key);
    }
  }

  #read(triples: Iterable<Triple>): SHACLValidator["$data"] {
    const { factory } = this;
    const dataset = factory.dataset();
    for (const { subject, predicate, object } of triples)
      dataset.add(factory.quad(this.#term(subject), factory.namedNode(predicate.value), this.#term(object)) as Quad);
    return factory.clownface({ dataset });
  }

  #term({ termType, value, datatype, language }: Term) {
    const { factory } = this;
    if (termType === "NamedNode") return factory.namedNode(value);
    if (termType === "BlankNode") return factory.blankNode(value);
    return factory.literal(value, language === "" ? factory.namedNode(datatype) : language);
  }
}

function* triplesOf({ terms, triples }: RecordGraph): Iterable<Triple> {
  for (let at = 0; at < triples.length; at += 3) {
    const predicate = terms[triples[at + 1]!]!;
    yield {
      subject: terms[triples[at]!]!,
      predicate: predicate.value === `${PREFIXES.rdfs}subClassOf` ? HIDDEN_SUBCLASS_OF : predicate,
      object: terms[triples[at + 2]!]!,
    };
  }
}

/** An RDF/JS term as one of ours. */
export function rdfjsTerm(term: RdfTerm): Term {
  const { value } = term;
  if (term.termType !== "Literal") {
    return { termType: term.termType as Term["termType"], value, datatype: "", language: "" };
  }
  return { termType: "Literal", value, datatype: term.datatype.value || XSD.string, language: term.language };
}
