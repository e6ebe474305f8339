/** The results of queries: media types, counting rows, and writing graphs in the requested format. */
import { xmlProblem } from "../base/xml.js";
import { PREFIXES } from "../model/vocabulary/vocabulary.js";
import { FORMATS, type FormatName, RESULT_FORMATS, type ResultFormat } from "../rdf/formats.js";
import { InexpressibleError } from "../rdf/inexpressible.js";
import { LineReader } from "../rdf/ntriples/reader.js";
import { type RecordGraph, RecordGraphBuilder } from "../rdf/record-graph.js";
import { QueryRefusedError } from "./engine.js";

/** The media types for results of SELECT and ASK, by format name. */
export const RESULT_TYPES = typesOf(RESULT_FORMATS);

/** The media types for graphs of CONSTRUCT and DESCRIBE, by format name. */
export const GRAPH_TYPES = typesOf(FORMATS.filter(({ write }) => write !== undefined));

/** Refuses a query that has no accepted format for its kind of result, and names the formats that it could have. */
export function refuseFormat(kind: "results" | "graph"): never {
  const [forms, types] = kind === "graph" ? ["CONSTRUCT and DESCRIBE", GRAPH_TYPES] : ["SELECT and ASK", RESULT_TYPES];
  throw new QueryRefusedError("not-acceptable", `The formats for ${forms} are ${Object.keys(types).join(", ")}.`);
}

function typesOf<Name extends string>(formats: readonly { readonly name: Name; readonly mediaType: string }[]) {
  return Object.fromEntries(formats.map(({ name, mediaType }) => [name, mediaType])) as Readonly<Record<Name, string>>;
}

/** The number of solutions in a serialized result (SPARQL 1.1 results in JSON, XML, CSV and TSV). Throws `QueryRefusedError` for JSON that breaks off. */
export function solutionCount(text: string, format: ResultFormat): number {
  // `{"results": {"bindings": [{...}]}}`: a solution is an object within two objects and an array.
  if (format === "json") return objectsAtDepth(text, 3);
  if (format === "xml") return occurrences(text, "<result>") + occurrences(text, "<result/>");
  // In CSV, line breaks between quotation marks belong to values. A doubled mark ends one quotation and begins another.
  return occurrences(format === "csv" ? text.replace(/"[^"]*"/g, "") : text, "\n") - 1;
}

function objectsAtDepth(json: string, wanted: number): number {
  let count = 0;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') {
      for (at++; at < json.length && json[at] !== '"'; at++) if (json[at] === "\\") at++;
    } else if (character === "{" || character === "[") {
      if (character === "{" && depth === wanted) count++;
      depth++;
    } else if (character === "}" || character === "]") depth--;
  }
  if (depth !== 0) throw new QueryRefusedError("unreachable", "the engine's result breaks off");
  return count;
}

/** How often `piece` occurs in a text, without overlaps. */
export function occurrences(text: string, piece: string): number {
  let count = 0;
  for (let at = text.indexOf(piece); at !== -1; at = text.indexOf(piece, at + piece.length)) count++;
  return count;
}

/** Make XML well-formed that has carriage returns unescaped, and perhaps characters that XML does not allow, for which it is refused. */
export function wellFormed(xml: string): string {
  const problem = xmlProblem(xml);
  if (problem === undefined) return xml.replaceAll("\r", "&#xD;");
  const [ofValue = problem] = xml.split(/<[^>]*>/).flatMap((each) => xmlProblem(each) ?? []);
  throw new QueryRefusedError("not-acceptable", `The XML format cannot hold this result: ${ofValue}. Ask for JSON.`);
}

/** Convert N-Triples to another format. Throws `QueryRefusedError` if it cannot express the triples. */
export function writeGraph(ntriples: string, name: FormatName): string {
  // Already in this format; as N-Quads, the triples are in the default graph.
  if (name === "nt" || name === "nq") return ntriples;
  const { write, writeTriples = write } = FORMATS.find((format) => format.name === name)!;
  try {
    return writeTriples!(graphOf(ntriples), PREFIXES);
  } catch (error) {
    if (!(error instanceof InexpressibleError)) throw error;
    throw new QueryRefusedError("not-acceptable", `${error.format} cannot hold this result: ${error.problem}`);
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
