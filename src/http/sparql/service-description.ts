/** The description of the SPARQL endpoint, given to a request without a query (SPARQL 1.1 Service Description). */
import { type RecordGraph, RecordGraphBuilder } from "../../rdf/record-graph.js";
import { blank, iri, literal, RDF, type Term, XSD } from "../../rdf/terms.js";
import { W3C_NAMES } from "./formats.js";

const SD = "http://www.w3.org/ns/sparql-service-description#";
const FORMATS = "http://www.w3.org/ns/formats/";
const VOID = "http://rdfs.org/ns/void#";

export const DESCRIPTION_PREFIXES = {
  rdf: RDF.type.replace("type", ""),
  sd: SD,
  formats: FORMATS,
  void: VOID,
} as const;

/** @param endpoint the endpoint's address; @param triples of all records together, repeated ones included */
export function serviceDescription(endpoint: string, base: string, triples: number): RecordGraph {
  const builder = new RecordGraphBuilder(endpoint);
  const add = (subject: Term, property: string, object: Term): void => {
    builder.add(builder.term(subject), builder.iri(property), builder.term(object));
  };
  const service = iri(endpoint);
  const dataset = blank("dataset");
  const graph = blank("graph");
  add(service, RDF.type, iri(`${SD}Service`));
  add(service, `${SD}endpoint`, service);
  add(service, `${SD}supportedLanguage`, iri(`${SD}SPARQL11Query`));
  for (const name of W3C_NAMES) add(service, `${SD}resultFormat`, iri(FORMATS + name));
  add(service, `${SD}feature`, iri(`${SD}EmptyGraphs`));
  add(service, `${SD}defaultDataset`, dataset);
  add(dataset, RDF.type, iri(`${SD}Dataset`));
  add(dataset, `${SD}defaultGraph`, graph);
  add(graph, RDF.type, iri(`${SD}Graph`));
  add(graph, `${VOID}uriSpace`, literal(`${base}/`));
  add(graph, `${VOID}triples`, literal(String(triples), XSD.integer));
  return builder.build();
}
