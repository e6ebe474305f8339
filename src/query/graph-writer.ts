/** The writer of the triples that a query gave, in the graph formats. */
import { PREFIXES } from "../model/vocabulary/vocabulary.js";
import { FORMATS, type FormatName } from "../rdf/formats.js";
import { LineReader } from "../rdf/ntriples/reader.js";
import { RdfXmlError } from "../rdf/rdfxml/writer.js";
import { type RecordGraph, RecordGraphBuilder } from "../rdf/record-graph.js";
import type { Prefixes } from "../rdf/turtle/terms.js";
import { QueryRefusedError } from "./query-request.js";

/** N-Triples in another format. Throws `QueryRefusedError` where that cannot say what the triples say. */
export function writeGraph(ntriples: string, name: FormatName, prefixes: Prefixes = PREFIXES): string {
  // Triples that are written already; as quads they are in no named graph.
  if (name === "nt" || name === "nq") return ntriples;
  const { write, writeTriples = write } = FORMATS.find((format) => format.name === name)!;
  try {
    return writeTriples!(graphOf(ntriples), prefixes);
  } catch (error) {
    if (!(error instanceof RdfXmlError)) throw error;
    throw new QueryRefusedError("not-acceptable", `RDF/XML cannot hold this result: ${error.problem}`);
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
