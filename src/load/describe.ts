/** What is kept of a record beside its triples: its endpoint and its label. */
import { type EndpointName, endpointOf } from "../model/endpoints.js";
import { classIri, propertyIri } from "../model/vocabulary.js";
import type { RecordGraph } from "../rdf/record-graph.js";
import { RDF, RDFS_LABEL } from "../rdf/terms.js";

const CLASSIFIED_AS = propertyIri("classified_as")!;
const IDENTIFIED_BY = propertyIri("identified_by")!;
const CONTENT = propertyIri("content")!;
const NAME = classIri("Name");

export interface Description {
  /** `null` when the record's classes belong to no endpoint. */
  readonly endpoint: EndpointName | null;
  /** The `_label`, or else the content of the first Name, or the empty string. */
  readonly label: string;
}

/** Describe a record by the triples of its own entity and names. */
export function describe(graph: RecordGraph, vocabBase: string): Description {
  const { terms, triples } = graph;
  const classes: string[] = [];
  const classifications: string[] = [];
  const identifiers = new Set<number>();
  let label: string | undefined;
  for (let at = 0; at < triples.length; at += 3) {
    const subject = terms[triples[at]!]!;
    if (subject.value !== graph.iri || subject.termType !== "NamedNode") continue;
    const object = terms[triples[at + 2]!]!;
    switch (terms[triples[at + 1]!]!.value) {
      case RDF.type:
        classes.push(object.value);
        break;
      case CLASSIFIED_AS:
        classifications.push(object.value);
        break;
      case IDENTIFIED_BY:
        identifiers.add(triples[at + 2]!);
        break;
      case RDFS_LABEL:
        label ??= object.value;
    }
  }
  return {
    endpoint: endpointOf(classes, classifications, vocabBase) ?? null,
    label: label ?? firstName(graph, identifiers) ?? "",
  };
}

function firstName({ terms, triples }: RecordGraph, identifiers: ReadonlySet<number>): string | undefined {
  const names = new Set<number>();
  const contents = new Map<number, string>();
  for (let at = 0; at < triples.length; at += 3) {
    const subject = triples[at]!;
    if (!identifiers.has(subject)) continue;
    const predicate = terms[triples[at + 1]!]!.value;
    const object = terms[triples[at + 2]!]!.value;
    if (predicate === RDF.type && object === NAME) names.add(subject);
    if (predicate === CONTENT && !contents.has(subject)) contents.set(subject, object);
  }
  for (const identifier of identifiers) {
    const content = contents.get(identifier);
    if (names.has(identifier) && content !== undefined) return content;
  }
  return undefined;
}
