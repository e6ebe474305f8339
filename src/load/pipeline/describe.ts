/** The description stored beside a record's triples: its endpoint and its label. */
import { CLASSIFIED_AS } from "../../model/embedding.js";
import { CONTENT, IDENTIFIER } from "../../model/search-paths.js";
import { endpointOf } from "../../model/tables/endpoints.js";
import { classIri, propertyIri } from "../../model/vocabulary/vocabulary.js";
import { objectsOf, type RecordGraph, rootOf, valuesOf } from "../../rdf/record-graph.js";
import { RDF, RDFS_LABEL } from "../../rdf/terms.js";
import type { RecordMeta } from "../../store/record.js";

const IDENTIFIED_BY = propertyIri("identified_by")!;
const NAME = classIri("Name");

/** Describe a record by the triples and the names of its own entity. */
export function describe(graph: RecordGraph, vocabBase: string): Pick<RecordMeta, "endpoint" | "label"> {
  const root = rootOf(graph);
  const labels = objectsOf(graph, root, RDFS_LABEL).filter((at) => graph.terms[at]!.termType === "Literal");
  const named = [...labels.map((at) => graph.terms[at]!.value), ...contentsOf(graph, root, NAME)];
  const label = named.find((each) => each.trim() !== "") ?? "";
  const endpoint = endpointOf(valuesOf(graph, root, RDF.type), valuesOf(graph, root, CLASSIFIED_AS), vocabBase);
  return { endpoint: endpoint ?? null, label };
}

/** The contents of a record's Identifiers, such as accession numbers. */
export function identifiersOf(graph: RecordGraph): readonly string[] {
  return contentsOf(graph, rootOf(graph), IDENTIFIER);
}

/** The first content of each of an entity's names of one class, in their order. */
function contentsOf(graph: RecordGraph, root: number, ofClass: string | undefined): readonly string[] {
  return objectsOf(graph, root, IDENTIFIED_BY)
    .filter((name) => ofClass !== undefined && valuesOf(graph, name, RDF.type).includes(ofClass))
    .flatMap((name) => valuesOf(graph, name, CONTENT).slice(0, 1));
}
