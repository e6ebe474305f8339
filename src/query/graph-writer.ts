/** Writes the triples that a query gave in the graph formats. */
import { createRequire } from "node:module";
import { PREFIXES } from "../model/vocabulary/vocabulary.js";
import { LineReader } from "../rdf/ntriples-reader.js";
import { RdfXmlError, writeRdfXml } from "../rdf/rdf-xml.js";
import { type RecordGraph, RecordGraphBuilder } from "../rdf/record-graph.js";
import { type Prefixes, writeTurtle } from "../rdf/turtle.js";
import { GRAPH_FORMATS, type GraphFormat, QueryRefusedError } from "./query-request.js";

/** N-Triples in another format. Throws `QueryRefusedError` where that cannot say what the triples say. */
export function writeGraph(ntriples: string, format: GraphFormat, prefixes: Prefixes = PREFIXES): string {
  switch (format) {
    case "nt":
    case "nq":
      return ntriples;
    case "ttl":
    case "trig":
      return writeTurtle(graphOf(ntriples), prefixes);
    case "rdf":
      return rdfXml(ntriples, prefixes);
    case "jsonld":
      return jsonLd(ntriples);
  }
}

function graphOf(ntriples: string): RecordGraph {
  const builder = new RecordGraphBuilder("");
  const reader = new LineReader({ source: "result", graphs: false }, (triple) => {
    builder.add(builder.term(triple.subject()), builder.term(triple.predicate()), builder.term(triple.object()));
  });
  reader.push(Buffer.from(ntriples, "utf8"));
  reader.end();
  return builder.build();
}

function rdfXml(ntriples: string, prefixes: Prefixes): string {
  try {
    return writeRdfXml(graphOf(ntriples), prefixes);
  } catch (error) {
    if (!(error instanceof RdfXmlError)) throw error;
    throw new QueryRefusedError("not-acceptable", `RDF/XML cannot hold this result: ${error.problem}`);
  }
}

function jsonLd(ntriples: string): string {
  // WebAssembly, which the serving process does without until somebody asks for this.
  const oxigraph = createRequire(import.meta.url)("oxigraph") as typeof import("oxigraph");
  const store = new oxigraph.Store();
  store.load(ntriples, { format: "application/n-triples", lenient: true });
  return store.dump({ format: GRAPH_FORMATS.jsonld, from_graph_name: oxigraph.defaultGraph() });
}
