/** The reader and writer of documents under the model's own context, shared by several tests. */
import { readFileSync } from "node:fs";
import { ContextRegistry } from "../../src/jsonld/contexts.js";
import { DocumentReader, DocumentWriter } from "../../src/jsonld/documents.js";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import type { Json, RecordGraph } from "../../src/rdf/record-graph.js";

export type JsonObject = { [key: string]: Json };

export const CONTEXT_URI = DEFAULT_MODEL.contextUri;

export const registry = new ContextRegistry();
registry.add(CONTEXT_URI, JSON.parse(readFileSync("data/context.json", "utf8")) as Json);

export const settings: ConstructorParameters<typeof DocumentReader>[0] = {
  model: DEFAULT_MODEL,
  contexts: registry,
};

export const reader = new DocumentReader(settings);
export const writer = new DocumentWriter(settings);

/** A writer whose documents are read back as exactly the same triples, numbers included. */
export const exactWriter = new DocumentWriter(settings, { exactNumbers: true });

/** The graph of a document, under the model's own context unless it has another. */
export function graphOf(document: Json): RecordGraph {
  return reader.read({ "@context": CONTEXT_URI, ...(document as JsonObject) }).graph;
}

/** What reads the graph of a document whose ids are relative to a base URL, such as one of the sample. */
export function readingAt(baseUrl: string): (document: unknown) => RecordGraph {
  const based = new DocumentReader({ ...settings, baseUrl });
  return (document) => based.read(document as Json).graph;
}

export function documentOf(graph: RecordGraph): JsonObject {
  return writer.document(graph);
}

/** A document that is read and written again. */
export function roundTrip(document: Json): JsonObject {
  return documentOf(graphOf(document));
}
