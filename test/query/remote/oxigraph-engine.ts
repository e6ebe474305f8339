/** A SPARQL 1.1 engine for tests, with Oxigraph in memory. */
import * as oxigraph from "oxigraph";
import { type SmallEngine, startSmallEngine } from "./small-engine.js";

export interface OxigraphEngine extends SmallEngine {
  readonly store: oxigraph.Store;
}

export async function startOxigraphEngine(): Promise<OxigraphEngine> {
  const store = new oxigraph.Store();
  const engine = await startSmallEngine({
    query(text, format, graphs) {
      const named = graphs.map((name) => oxigraph.namedNode(name));
      const dataset = named.length > 0 ? { default_graph: named } : { use_default_graph_as_union: true };
      return store.query(text, { results_format: format, ...dataset }) as string;
    },
    update: (text) => store.update(text),
    add(graph, triples) {
      store.load(triples, { format: "application/n-triples", to_graph_name: oxigraph.namedNode(graph), lenient: true });
    },
  });
  return { ...engine, store };
}
