/** Documents to triples and back: the compiled plans beside jsonld.js, with the same documents. */
import jsonld from "jsonld";
import { DEFAULT_MODEL } from "../src/model/settings.js";
import { type Json, type RecordGraph, tripleCount } from "../src/rdf/record-graph.js";
import { documentLoader } from "../test/jsonld/reference.js";
import { corpus, type JsonObject, reader, registry, writer } from "./documents.js";
import { fixed, microseconds, report, seconds } from "./figures.js";

const processor = jsonld as unknown as {
  toRDF(document: Json, options: object): Promise<object[]>;
  fromRDF(quads: readonly object[], options: object): Promise<Json>;
  frame(document: Json, frame: Json, options: object): Promise<Json>;
};

/** Documents for jsonld.js, which takes tens of milliseconds for each. */
const SAMPLE = 60;

export async function benchJsonld(): Promise<void> {
  const { name, documents } = corpus();
  const graphs = documents.map((document) => (reader.read(document) as { graph: RecordGraph }).graph);
  const triples = graphs.reduce((sum, graph) => sum + tripleCount(graph), 0);
  report(`\nDocuments and triples: ${documents.length} of ${name}, ${fixed(triples / graphs.length)} triples each`);

  const toTriples = microseconds(documents, (document) => reader.read(document));
  const framing = microseconds(graphs, (graph) => writer.document(graph));
  const text = microseconds(graphs, (graph) => JSON.stringify(writer.document(graph)));

  const step = Math.max(1, Math.floor(documents.length / SAMPLE));
  const some = documents.filter((_, index) => index % step === 0);
  const options = { documentLoader: documentLoader(registry), base: "http://localhost:3000/" };
  const datasets: object[][] = [];
  const toRdf = await seconds(async () => {
    for (const document of some) datasets.push(await processor.toRDF(document, options));
  });
  const frames = await seconds(async () => {
    for (const [index, dataset] of datasets.entries()) await frameByReference(some[index]!, dataset, options);
  });
  const each = (spent: number): number => (spent * 1e6) / some.length;
  report(
    `  document to triples  ${fixed(toTriples)} µs; jsonld.js toRDF ${fixed(each(toRdf))} µs: ${fixed(each(toRdf) / toTriples)} times`,
  );
  report(
    `  framing              ${fixed(framing)} µs (${fixed(text)} µs as text); jsonld.js fromRDF and frame ${fixed(each(frames))} µs: ${fixed(each(frames) / framing)} times`,
  );
}

async function frameByReference(document: JsonObject, dataset: readonly object[], options: object): Promise<void> {
  const flat = await processor.fromRDF(dataset, { useNativeTypes: true });
  const id = new URL(String(document.id), "http://localhost:3000/").href;
  await processor.frame(flat, { "@context": DEFAULT_MODEL.contextUri, "@id": id, "@embed": "@always" }, options);
}
