/** What is kept of a record beside its triples: its endpoint and its label. */
import { type EndpointName, endpointOf } from "../../model/tables/endpoints.js";
import { classIri, propertyIri } from "../../model/vocabulary/vocabulary.js";
import type { RecordGraph } from "../../rdf/record-graph.js";
import { RDF, RDFS_LABEL } from "../../rdf/terms.js";

const CLASSIFIED_AS = propertyIri("classified_as")!;
const IDENTIFIED_BY = propertyIri("identified_by")!;
const CONTENT = propertyIri("content")!;
const NAME = classIri("Name");
const IDENTIFIER = classIri("Identifier");

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

/** The contents of a record's Identifiers, by which its makers know it. */
export function identifiersOf(graph: RecordGraph): readonly string[] {
  const { terms, triples } = graph;
  const identifiers = new Set<number>();
  for (let at = 0; at < triples.length; at += 3) {
    const subject = terms[triples[at]!]!;
    const isOfRecord = subject.termType === "NamedNode" && subject.value === graph.iri;
    if (isOfRecord && terms[triples[at + 1]!]!.value === IDENTIFIED_BY) identifiers.add(triples[at + 2]!);
  }
  return contentsOf(graph, identifiers, IDENTIFIER);
}

function firstName(graph: RecordGraph, identifiers: ReadonlySet<number>): string | undefined {
  return contentsOf(graph, identifiers, NAME)[0];
}

/** The first content of each of these nodes that is of a class, in their order. */
function contentsOf(
  { terms, triples }: RecordGraph,
  nodes: ReadonlySet<number>,
  ofClass: string | undefined,
): readonly string[] {
  const members = new Set<number>();
  const contents = new Map<number, string>();
  for (let at = 0; at < triples.length; at += 3) {
    const subject = triples[at]!;
    if (!nodes.has(subject)) continue;
    const predicate = terms[triples[at + 1]!]!.value;
    const object = terms[triples[at + 2]!]!.value;
    if (predicate === RDF.type && object === ofClass) members.add(subject);
    if (predicate === CONTENT && !contents.has(subject)) contents.set(subject, object);
  }
  return [...nodes].flatMap((node) => (members.has(node) ? (contents.get(node) ?? []) : []));
}
