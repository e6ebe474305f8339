/** rdf-validate-shacl on one record at a time: its data as the library reads it, and the terms of its reports as ours. */
import type { BlankNode, DatasetCore, Literal, NamedNode, Quad, Term as RdfTerm } from "@rdfjs/types";
import SHACLValidator from "rdf-validate-shacl";
import { PREFIXES } from "../../model/vocabulary/vocabulary.js";
import { formatTerm } from "../../rdf/ntriples/writer.js";
import type { RecordGraph } from "../../rdf/record-graph.js";
import { iri, type Term, XSD } from "../../rdf/terms.js";
import { RecordDataset } from "./record-dataset.js";
import type { Triple } from "./shapes-graph.js";

type Factory = SHACLValidator["factory"];

/** One result of the library's report. */
export type EngineResult = ReturnType<SHACLValidator["validationEngine"]["getReport"]>["results"][number];

const SUBCLASS_OF = `${PREFIXES.rdfs}subClassOf`;

/** A record's own statements about classes do not decide which shapes it breaks, and a circle of subclasses would not end for the library. */
const HIDDEN_SUBCLASS_OF = iri("urn:vitrine:hidden:subClassOf");

/** The library's own factory, but for its datasets. */
export function lightFactory(): Factory {
  const { factory } = new SHACLValidator(new RecordDataset());
  return Object.assign(Object.create(factory) as Factory, {
    dataset: (quads?: Iterable<Quad>) => new RecordDataset(quads),
  });
}

/**
 * Shapes ready to validate records. The library's own entry points are asynchronous and collect the results of all
 * records, so its engine is driven here as they drive it.
 */
export class Engine {
  readonly validator: SHACLValidator;

  /** `maxNodeChecks`: so often is a node validated against one shape at most, as shapes may refer to themselves; 0 for no limit. */
  constructor(shapes: Iterable<Triple>, maxNodeChecks?: number) {
    const factory = lightFactory();
    const options = { factory, ...(maxNodeChecks === undefined ? {} : { maxNodeChecks }) };
    this.validator = new SHACLValidator(
      datasetOf(shapes, factory),
      options as ConstructorParameters<typeof SHACLValidator>[1],
    );
  }

  /** Take a record as the data graph, with an empty report. */
  begin(graph: RecordGraph): void {
    const { factory, validationEngine } = this.validator;
    this.validator.$data = factory.clownface({ dataset: datasetOf(triplesOf(graph), factory) });
    validationEngine.initReport();
  }

  validate(focus: Term, shape: Term): void {
    const { factory, validationEngine } = this.validator;
    this.validator.nodeConformsToShape(rdfTerm(focus, factory), rdfTerm(shape, factory) as NamedNode, validationEngine);
  }

  /** The report's results since the record was taken. */
  results(): readonly EngineResult[] {
    return this.validator.validationEngine.getReport().results;
  }
}

/** The number of each term of a record, by its form in N-Triples. */
export function termNumbers({ terms }: RecordGraph): ReadonlyMap<string, number> {
  return new Map(terms.map((term, number) => [formatTerm(term), number]));
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

/** A term of RDF/JS as ours. */
export function rdfjsTerm(term: RdfTerm): Term {
  const { value } = term;
  if (term.termType !== "Literal") {
    return { termType: term.termType as Term["termType"], value, datatype: "", language: "" };
  }
  return { termType: "Literal", value, datatype: term.datatype.value || XSD.string, language: term.language };
}
