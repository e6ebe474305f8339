/** The description of the dataset as search engines read it: what it says in schema.org, as a document of its own. */
import { indexBySubject, type JsonObject, type RecordGraph, rootOf, valuesOf } from "../../rdf/record-graph.js";
import { RDF, XSD } from "../../rdf/terms.js";
import { SCHEMA } from "../representations/schema-org-mapping.js";

/** The terms of schema.org that a graph says of its root, with the nodes that these lead to, each told once. */
export function schemaDocument(graph: RecordGraph): JsonObject {
  return { "@context": "https://schema.org", ...nodeOf(graph, rootOf(graph), new Set()) };
}

function nodeOf(graph: RecordGraph, node: number, told: Set<number>): JsonObject {
  const { terms, triples } = graph;
  const { first, next } = indexBySubject(graph);
  const { termType, value: id } = terms[node]!;
  const document: JsonObject = termType === "NamedNode" ? { "@id": id } : {};
  if (told.has(node)) return document;
  told.add(node);
  for (let at = first[node]!; at !== -1; at = next[at]!) {
    const property = terms[triples[at * 3 + 1]!]!.value;
    const object = triples[at * 3 + 2]!;
    if (property !== RDF.type && !property.startsWith(SCHEMA)) continue;
    const name = property === RDF.type ? "@type" : property.slice(SCHEMA.length);
    const value =
      name === "@type" ? schemaName(terms[object]!.value) : object === node ? id : objectOf(graph, object, told);
    if (value === undefined) continue;
    const before = document[name];
    document[name] = before === undefined ? value : [before, value].flat();
  }
  return document;
}

function schemaName(iri: string): string | undefined {
  return iri.startsWith(SCHEMA) ? iri.slice(SCHEMA.length) : undefined;
}

/** An IRI that is nothing of schema.org's here, or the node's own, is an address. */
function objectOf(graph: RecordGraph, object: number, told: Set<number>) {
  const { termType, value, datatype } = graph.terms[object]!;
  if (termType === "Literal") return datatype === XSD.boolean ? value === "true" : value;
  return valuesOf(graph, object, RDF.type).some((type) => type.startsWith(SCHEMA))
    ? nodeOf(graph, object, told)
    : value;
}
