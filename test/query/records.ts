/** Stores of small records for the tests of query engines, and queries of them. */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { QueryContext, QueryEngine, QueryRequest, QueryResult } from "../../src/query/engine.js";
import { occurrences, solutionCount } from "../../src/query/results.js";
import { type RecordGraph, RecordGraphBuilder } from "../../src/rdf/record-graph.js";
import { blank, iri, literal, RDF, RDFS_LABEL, type Term } from "../../src/rdf/terms.js";
import { type EmbeddedStore, openEmbeddedForLoading } from "../../src/store/embedded/embedded-store.js";

export type Triple = readonly [Term, Term, Term];

export function recordOf(iri: string, triples: readonly Triple[]): RecordGraph {
  const builder = new RecordGraphBuilder(iri);
  for (const [subject, predicate, object] of triples) {
    builder.add(builder.term(subject), builder.term(predicate), builder.term(object));
  }
  return builder.build();
}

export const NAME = iri("http://x.example/name");
export const PAINTING = iri("http://x.example/Painting");

/** An object with its own name, and the label of its class, which all objects repeat: three triples of its own, and one that all share. */
export function object(number: number, name = `Object ${number}`): RecordGraph {
  const self = iri(`http://x.example/object/${number}`);
  return recordOf(self.value, [
    [self, iri(RDF.type), PAINTING],
    [PAINTING, iri(RDFS_LABEL), literal("painting")],
    [self, NAME, blank("n")],
    [blank("n"), iri(RDFS_LABEL), literal(name)],
  ]);
}

export const objects = (count: number, name?: string): RecordGraph[] =>
  Array.from({ length: count }, (_, at) => object(at, name));

/** Publish records and deletions in one step. */
export async function publish(store: EmbeddedStore, graphs: readonly RecordGraph[], deletions: readonly string[] = []) {
  const stage = await store.stage();
  for (const graph of graphs) await stage.put({ graph, endpoint: null, label: "", valid: true });
  for (const iri of deletions) await stage.delete(iri);
  return stage.publish();
}

export interface TestStore {
  readonly store: EmbeddedStore;
  readonly directory: string;
  remove(): Promise<void>;
}

/** A new store, or a copy of another with everything in its folder. */
export async function testStore(copied?: TestStore): Promise<TestStore> {
  const directory = join(mkdtempSync(join(tmpdir(), "vitrine-index-")), "store");
  if (copied !== undefined)
    cpSync(copied.directory, directory, { recursive: true, filter: (file) => !basename(file).includes("lock") });
  const store = await openEmbeddedForLoading(directory);
  return {
    store,
    directory,
    remove: async () => {
      await store.close();
      rmSync(join(directory, ".."), { recursive: true, force: true });
    },
  };
}

/** A request for JSON or N-Triples over all records. */
export function request(text: string, more: Partial<QueryRequest> = {}): QueryRequest {
  return {
    text,
    defaultGraphs: [],
    namedGraphs: [],
    formats: { results: "json", graph: "nt" },
    rows: 1_000,
    bytes: Number.POSITIVE_INFINITY,
    base: "http://localhost/",
    ...more,
  };
}

export const COUNT = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }";
/** A query that runs for longer than any test, over some fifty triples. */
export const ENDLESS =
  "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?o ?p . ?q ?r ?s . ?t ?u ?v }";

/** Send a query, read the whole answer and give the turn back. The rows are those of solutions, or the lines of a graph. */
export async function ask(
  engine: QueryEngine,
  query: string,
  more: Partial<QueryRequest> = {},
  asking: Partial<QueryContext> = {},
): Promise<QueryResult & { readonly text: string; readonly rows: number }> {
  const asked = request(query, more);
  const result = await engine.query(asked, { client: "a", timeout: 60_000, ...asking });
  const text = (await buffer(result.body)).toString();
  result.release();
  const isOfSolutions = result.kind === "solutions";
  const rows = isOfSolutions ? solutionCount(text, asked.formats.results!) : occurrences(text, "\n");
  return { ...result, text, rows };
}

/** The single number that a query gives as `?n`. */
export async function count(engine: QueryEngine, query: string, more: Partial<QueryRequest> = {}): Promise<number> {
  const { results } = JSON.parse((await ask(engine, query, more)).text);
  return Number(results.bindings[0].n.value);
}
