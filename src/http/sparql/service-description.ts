/** The description of the SPARQL endpoint, given to a request without a query (SPARQL 1.1 Service Description). */
import type { RecordGraph } from "../../rdf/record-graph.js";
import { integer, iri, literal, RDF } from "../../rdf/terms.js";
import { DescriptionGraph } from "../dataset/graph.js";
import { W3C_NAMES } from "./formats.js";

export const DESCRIPTION_PREFIXES = {
  rdf: RDF.type.replace("type", ""),
  sd: "http://www.w3.org/ns/sparql-service-description#",
  formats: "http://www.w3.org/ns/formats/",
  void: "http://rdfs.org/ns/void#",
} as const;

/** @param endpoint the endpoint's address; @param triples of all records together, repeated ones included */
export function serviceDescription(endpoint: string, base: string, triples: number): RecordGraph {
  const description = new DescriptionGraph(endpoint, DESCRIPTION_PREFIXES);
  const graph = { "rdf:type": "sd:Graph", "void:uriSpace": literal(`${base}/`), "void:triples": integer(triples) };
  description.add(iri(endpoint), {
    "rdf:type": "sd:Service",
    "sd:endpoint": iri(endpoint),
    "sd:supportedLanguage": "sd:SPARQL11Query",
    "sd:resultFormat": W3C_NAMES.map((name) => `formats:${name}`),
    "sd:feature": "sd:EmptyGraphs",
    "sd:defaultDataset": { "rdf:type": "sd:Dataset", "sd:defaultGraph": graph },
  });
  return description.graph;
}
