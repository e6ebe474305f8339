/** A second SPARQL engine for tests, whose parser, algebra and writers are others': Comunica over N3's store in memory. */
import { QueryEngine } from "@comunica/query-sparql";
import { DataFactory, Parser, Store } from "n3";
import { type SmallEngine, startSmallEngine } from "./small-engine.js";

export async function startComunicaEngine(): Promise<SmallEngine> {
  const store = new Store();
  const engine = new QueryEngine();
  const context = { sources: [store] as [Store], destination: store, unionDefaultGraph: true };
  return startSmallEngine({
    async query(text, format) {
      const { data } = await engine.resultToString(await engine.query(text, context), format);
      const pieces: Buffer[] = [];
      for await (const piece of data) pieces.push(Buffer.from(piece as string));
      return Buffer.concat(pieces).toString("utf8");
    },
    async update(text) {
      await engine.invalidateHttpCache();
      await engine.queryVoid(text, context);
    },
    async add(graph, triples) {
      const name = DataFactory.namedNode(graph);
      // Labels of blank nodes hold within one request.
      const parser = new Parser({ format: "N-Triples" });
      for (const { subject, predicate, object } of parser.parse(triples))
        store.addQuad(subject, predicate, object, name);
    },
  });
}
