/** The table of formats. Each row is a syntax for records; every list of formats in the service is derived from it. */
import { writeJsonLd } from "./jsonld-writer.js";
import { LineReader } from "./ntriples/reader.js";
import { writeNQuads, writeNTriples } from "./ntriples/writer.js";
import { expressesInRdfXml, writeRdfXml } from "./rdfxml/writer.js";
import type { RecordGraph } from "./record-graph.js";
import type { ReadingOptions, StatementReader, StatementSink } from "./statement.js";
import { TurtleReader } from "./turtle/reader.js";
import type { Prefixes } from "./turtle/terms.js";
import { writeTrig, writeTurtle } from "./turtle/writer.js";

/** A format as clients of the service name it. */
export interface MediaFormat {
  /** Its name in options and request parameters. */
  readonly name: string;
  readonly mediaType: string;
  /** The value of `Content-Type`. Default: the media type. */
  readonly contentType?: string;
  /** Other media types of it, for loads, for `/sparql` and for tables. At a record, each media type is a representation of its own. */
  readonly otherTypes?: readonly string[];
  /** The last part of its URI among the W3C's Unique URIs for File Formats. */
  readonly w3cName?: string;
  /** The file name extensions. The first is also the suffix in URLs. */
  readonly extensions?: readonly string[];
}

export interface Format extends MediaFormat {
  /** Its name for people. */
  readonly label: string;
  readonly extensions: readonly string[];
  /** Triples of one graph, quads of many graphs, or JSON documents, which have their own reader. */
  readonly holds: "triples" | "quads" | "documents";
  /** Whether each line is independent of the others, so that files can be split and joined between lines. Default: no. */
  readonly isLines?: boolean;
  /** Creates a reader that passes each statement to `sink`. Absent if the format holds documents or cannot be read. */
  readonly read?: (options: ReadingOptions, sink: StatementSink) => StatementReader | Promise<StatementReader>;
  /** Raised whenever the bytes that are written for a record change, so that entity tags change, too. Default: 1. */
  readonly version?: number;
  /** Writes a record, in its named graph if the format has named graphs. Throws `InexpressibleError` if the format cannot express the record. */
  readonly write?: (graph: RecordGraph, prefixes: Prefixes) => string;
  /** Whether the format can express a record. Default: it can express all. */
  readonly expresses?: (graph: RecordGraph) => boolean;
  /** Writes triples without a named graph. Default: `write`. */
  readonly writeTriples?: (graph: RecordGraph, prefixes: Prefixes) => string;
  /** Writes one of many records in a file. Its blank node labels begin with `labels`, which must differ from record to record. */
  readonly writeAmong?: (graph: RecordGraph, labels: string) => string;
}

/** Whether records can be loaded from the format. */
export function isReadable({ read, holds }: Format): boolean {
  return read !== undefined || holds === "documents";
}

const ROWS = [
  {
    name: "ttl",
    label: "Turtle",
    mediaType: "text/turtle",
    contentType: "text/turtle; charset=utf-8",
    w3cName: "Turtle",
    extensions: ["ttl"],
    holds: "triples",
    read: (options, sink) => new TurtleReader({ ...options, format: "turtle" }, sink),
    write: writeTurtle,
  },
  {
    name: "nt",
    label: "N-Triples",
    mediaType: "application/n-triples",
    w3cName: "N-Triples",
    extensions: ["nt"],
    holds: "triples",
    isLines: true,
    read: ({ source }, sink) => new LineReader({ source, graphs: false }, sink),
    write: (graph) => writeNTriples(graph),
    writeAmong: writeNTriples,
  },
  {
    name: "nq",
    label: "N-Quads",
    mediaType: "application/n-quads",
    w3cName: "N-Quads",
    extensions: ["nq"],
    holds: "quads",
    isLines: true,
    read: ({ source }, sink) => new LineReader({ source, graphs: true }, sink),
    write: (graph) => writeNQuads(graph),
    writeTriples: (graph) => writeNTriples(graph),
    writeAmong: writeNQuads,
  },
  {
    name: "trig",
    label: "TriG",
    mediaType: "application/trig",
    contentType: "application/trig; charset=utf-8",
    w3cName: "TriG",
    extensions: ["trig"],
    holds: "quads",
    read: (options, sink) => new TurtleReader({ ...options, format: "trig" }, sink),
    write: writeTrig,
    writeTriples: writeTurtle,
    writeAmong: (graph, labels) => `<${graph.iri}> {\n${writeNTriples(graph, labels)}}\n`,
  },
  {
    name: "rdf",
    label: "RDF/XML",
    mediaType: "application/rdf+xml",
    w3cName: "RDF_XML",
    extensions: ["rdf", "owl", "xml"],
    holds: "triples",
    // The library is loaded only when there is RDF/XML to read.
    read: async (options, sink) => new (await import("./rdfxml/reader.js")).RdfXmlReader(options, sink),
    write: writeRdfXml,
    expresses: expressesInRdfXml,
  },
  {
    name: "jsonld",
    label: "JSON-LD",
    mediaType: "application/ld+json",
    otherTypes: ["application/json"],
    w3cName: "JSON-LD",
    extensions: ["jsonld", "json"],
    holds: "documents",
    write: writeJsonLd,
  },
  {
    name: "jsonl",
    label: "JSON lines",
    mediaType: "application/x-ndjson",
    otherTypes: ["application/jsonl"],
    extensions: ["jsonl", "ndjson"],
    holds: "documents",
    isLines: true,
  },
] as const satisfies readonly Format[];

export type FormatName = (typeof ROWS)[number]["name"];

/** The formats of records. When several fit, the first is the default. */
export const FORMATS: readonly (Format & { readonly name: FormatName })[] = ROWS;

const RESULT_ROWS = [
  {
    name: "json",
    mediaType: "application/sparql-results+json",
    otherTypes: ["application/json"],
    w3cName: "SPARQL_Results_JSON",
  },
  {
    name: "xml",
    mediaType: "application/sparql-results+xml",
    otherTypes: ["application/xml", "text/xml"],
    w3cName: "SPARQL_Results_XML",
  },
  { name: "csv", mediaType: "text/csv", contentType: "text/csv; charset=utf-8", w3cName: "SPARQL_Results_CSV" },
  {
    name: "tsv",
    mediaType: "text/tab-separated-values",
    contentType: "text/tab-separated-values; charset=utf-8",
    w3cName: "SPARQL_Results_TSV",
  },
] as const satisfies readonly MediaFormat[];

/** The name of a format for the results of SELECT and ASK, as Oxigraph has it. */
export type ResultFormat = (typeof RESULT_ROWS)[number]["name"];

/** The formats of the results of SELECT and ASK, the default first. */
export const RESULT_FORMATS: readonly (MediaFormat & { readonly name: ResultFormat })[] = RESULT_ROWS;
