/** Writes the triples that a query gave in the graph formats. */
import * as oxigraph from "oxigraph";
import { PREFIXES } from "../model/vocabulary/vocabulary.js";
import { LineReader } from "../rdf/ntriples-reader.js";
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
    case "jsonld":
      return dump(ntriples, GRAPH_FORMATS[format]);
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

function dump(ntriples: string, format: string): string {
  const store = new oxigraph.Store();
  store.load(ntriples, { format: "application/n-triples", lenient: true });
  try {
    return store.dump({ format, from_graph_name: oxigraph.defaultGraph() });
  } catch (error) {
    // RDF/XML has no way to write a property whose IRI ends in no XML name.
    const message = error instanceof Error ? error.message : String(error);
    throw new QueryRefusedError("not-acceptable", `${format} cannot hold this result: ${message}`);
  }
}
