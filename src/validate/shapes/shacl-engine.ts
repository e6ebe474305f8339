/** rdf-validate-shacl for one record at a time: the record's data in the form that the library reads, and the terms of its reports in ours. */
import type { Quad, Term as RdfTerm } from "@rdfjs/types";
import SHACLValidator from "rdf-validate-shacl";
import ValidationEngine from "rdf-validate-shacl/src/validation-engine.js";
import { PREFIXES } from "../../model/vocabulary/vocabulary.js";
import { formatTerm } from "../../rdf/ntriples/writer.js";
import type { RecordGraph } from "../../rdf/record-graph.js";
import { iri, type Term, XSD } from "../../rdf/terms.js";
import "./constraints.js";
import type { Triple } from "./shapes-graph.js";

export type EngineResult = ReturnType<SHACLValidator["validationEngine"]["getReport"]>["results"][number];

/** Replaces `rdfs:subClassOf` in records: it must not decide which shapes apply, and the library would never leave a cycle of subclasses. */
const HIDDEN_SUBCLASS_OF = iri("urn:vitrine:hidden:subClassOf");

/** Shapes ready to validate records. The library's engine is called directly: its entry points are asynchronous and collect the results of all records. */
export class Engine extends SHACLValidator {
  /** The shapes that are being applied to nodes, and whether a node breaks one that was, by a text that names both. Results are reported once for each focus node. */
  readonly open = new Set<string>();
  readonly broken = new Map<string, boolean>();
  readonly reported = new Map<string, boolean>();
  /** How often a verdict was assumed. */
  assumptions = 0;

  constructor(shapes: Iterable<Triple>) {
    super(new Set() as never);
    this.$shapes = this.#read(shapes);
    this.validationEngine = new OnceEngine(this);
  }

  /** Begin a record, with its triples as the data graph and an empty report. */
  begin(graph: RecordGraph): void {
    this.$data = this.#read(triplesOf(graph));
    this.broken.clear();
    this.validationEngine.initReport();
  }

  apply(shape: Term, focus: Term): void {
    this.reported.clear();
    this.nodeConformsToShape(this.#term(focus), this.#term(shape), this.validationEngine);
  }

  results(): readonly EngineResult[] {
    return this.validationEngine.getReport().results;
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

/** The library's engine, which applies a shape to a node only once for a focus node. By itself the library does it up to 50 times, and reports nothing after that. */
class OnceEngine extends ValidationEngine {
  constructor(private readonly validator: Engine) {
    super(validator, {});
  }

  /** An engine for verdicts without results. */
  override clone(): ValidationEngine {
    return new OnceEngine(this.validator);
  }

  override validateNodeAgainstShape(...given: Parameters<ValidationEngine["validateNodeAgainstShape"]>): boolean {
    const [focus, { shapeNode }] = given;
    const { open, broken, reported, assumptions } = this.validator;
    const key = `${formatTerm(rdfjsTerm(focus))} ${formatTerm(rdfjsTerm(shapeNode))}`;
    const isReported = this.recordErrorsLevel === 0 && this.validator.validationEngine === this;
    const verdicts = isReported ? reported : broken;
    const known = verdicts.get(key);
    if (known !== undefined) return known;
    // Ends recursion, which SHACL leaves open: a node that a shape is being applied to conforms to it.
    if (open.has(key)) {
      this.validator.assumptions++;
      return false;
    }
    open.add(key);
    try {
      const isBroken = super.validateNodeAgainstShape(...given);
      if (this.validator.assumptions === assumptions) verdicts.set(key, isBroken);
      return isBroken;
    } finally {
      open.delete(key);
    }
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
  if (term.termType !== "Literal")
    return { termType: term.termType as Term["termType"], value, datatype: "", language: "" };
  return { termType: "Literal", value, datatype: term.datatype.value || XSD.string, language: term.language };
}
