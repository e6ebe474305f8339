/** Canonical N-Quads of graphs (RDFC-1.0), to compare graphs regardless of their blank node labels. */
import { canonize } from "rdf-canonize";
import type { RecordGraph } from "../src/rdf/record-graph.js";
import type { Term } from "../src/rdf/terms.js";

/** An RDF/JS term in the form of rdf-canonize and jsonld.js. */
export interface PlainTerm {
  termType: string;
  value: string;
  language?: string;
  datatype?: { termType: string; value: string };
}
export interface PlainQuad {
  subject: PlainTerm;
  predicate: PlainTerm;
  object: PlainTerm;
  graph: PlainTerm;
}

/** A term as a plain object. */
export function plainTerm(term: Term): PlainTerm {
  if (term.termType === "NamedNode") return { termType: "NamedNode", value: term.value };
  if (term.termType === "BlankNode") return { termType: "BlankNode", value: `_:${term.value}` };
  const language = term.language.toLowerCase();
  return {
    termType: "Literal",
    value: term.value,
    language,
    datatype: { termType: "NamedNode", value: term.datatype },
  };
}

/** A record graph's triples as plain quads of the default graph. */
export function plainQuads(graph: RecordGraph): PlainQuad[] {
  const quads: PlainQuad[] = [];
  for (let at = 0; at < graph.triples.length; at += 3) {
    const [subject, predicate, object] = [0, 1, 2].map((place) => plainTerm(graph.terms[graph.triples[at + place]!]!));
    quads.push({
      subject: subject!,
      predicate: predicate!,
      object: object!,
      graph: { termType: "DefaultGraph", value: "" },
    });
  }
  return quads;
}

/** Canonical N-Quads, which are equal for isomorphic graphs. Labels of blank nodes may begin with `_:` or not. */
export async function canonical(quads: readonly PlainQuad[]): Promise<string> {
  const labelled = quads.map((quad) => ({
    subject: withLabel(quad.subject),
    predicate: quad.predicate,
    object: withLabel(quad.object),
    graph: withLabel(quad.graph),
  }));
  return canonize(labelled, { algorithm: "RDFC-1.0", maxWorkFactor: Number.POSITIVE_INFINITY });
}

function withLabel({ termType, value, language, datatype }: PlainTerm): PlainTerm {
  if (termType === "BlankNode") return { termType, value: value.startsWith("_:") ? value : `_:${value}` };
  if (termType !== "Literal") return { termType, value };
  // Language tags are compared without regard to case (RDF 1.1 Concepts, 3.3).
  const lowercase = language === undefined ? {} : { language: language.toLowerCase() };
  return {
    termType,
    value,
    ...lowercase,
    ...(datatype === undefined ? {} : { datatype: { ...NAMED, value: datatype.value } }),
  };
}

const NAMED = { termType: "NamedNode" };
