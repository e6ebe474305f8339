/** The licences of a record: by what it says that it, its pictures or its texts may be reused. */
import { TOLD_BY } from "../model/found-by.js";
import { propertyIri } from "../model/vocabulary/vocabulary.js";
import { numberOfIri, objectsOf, type RecordGraph, valuesOf } from "../rdf/record-graph.js";

const SUBJECT_TO = propertyIri("subject_to")!;
const CLASSIFIED_AS = propertyIri("classified_as")!;

/** The IRIs of licences: how rights are classified, or else the rights themselves. Those of statements are of these alone. */
export function licencesIn(graph: RecordGraph): string[] {
  const { terms, triples } = graph;
  const predicate = numberOfIri(graph, SUBJECT_TO);
  if (predicate === -1) return [];
  const statements = new Set<number>();
  const subjects = new Set<number>();
  for (let at = 0; at < triples.length; at += 3) {
    if (TOLD_BY.has(terms[triples[at + 1]!]!.value)) statements.add(triples[at + 2]!);
    if (triples[at + 1] === predicate) subjects.add(triples[at]!);
  }
  const rights = [...subjects]
    .filter((each) => !statements.has(each))
    .flatMap((each) => objectsOf(graph, each, SUBJECT_TO));
  const licences = rights.flatMap((right) => {
    const kinds = valuesOf(graph, right, CLASSIFIED_AS);
    return kinds.length > 0 || terms[right]!.termType !== "NamedNode" ? kinds : [terms[right]!.value];
  });
  return [...new Set(licences)];
}
