/** Stores of small records for the tests of the index. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { QueryRequest } from "../../src/query/query-request.js";
import { type RecordGraph, RecordGraphBuilder } from "../../src/rdf/record-graph.js";
import type { Term } from "../../src/rdf/terms.js";
import { type EmbeddedStore, openForLoading } from "../../src/store/embedded/embedded-store.js";

export type Triple = readonly [Term, Term, Term];

export function recordOf(iri: string, triples: readonly Triple[]): RecordGraph {
  const builder = new RecordGraphBuilder(iri);
  for (const [subject, predicate, object] of triples) {
    builder.add(builder.term(subject), builder.term(predicate), builder.term(object));
  }
  return builder.build();
}

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

export async function testStore(): Promise<TestStore> {
  const directory = join(mkdtempSync(join(tmpdir(), "vitrine-index-")), "store");
  const store = await openForLoading(directory);
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
    formats: { solutions: "json", truth: "json", graph: "nt" },
    rows: 1_000,
    bytes: Number.POSITIVE_INFINITY,
    base: "http://localhost/",
    ...more,
  };
}
