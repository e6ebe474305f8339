/** A second SPARQL engine for campaigns, with a parser, algebra and writers of its own: Comunica with N3's store in memory. */
import { join } from "node:path";
import type { Quad } from "@rdfjs/types";
import { DataFactory, Parser, Store } from "n3";
import { installed } from "../../packages.js";
import { type SmallEngine, startSmallEngine } from "./small-engine.js";

/** The source of a query: a store, or an address, whose kind Comunica detects or is given. */
export interface ComunicaContext {
  readonly sources: readonly [string | Store | { readonly type: "sparql"; readonly value: string }];
  readonly destination?: Store;
  readonly unionDefaultGraph?: boolean;
}

interface Answers<Answer> {
  toArray(): Promise<Answer[]>;
}

/** The part of Comunica that campaigns use. */
export interface Comunica {
  queryBindings(text: string, context: ComunicaContext): Promise<Answers<ReadonlyMap<string, { value: string }>>>;
  queryBoolean(text: string, context: ComunicaContext): Promise<boolean>;
  queryQuads(text: string, context: ComunicaContext): Promise<Answers<Quad>>;
  queryVoid(text: string, context: ComunicaContext): Promise<void>;
  query(text: string, context: ComunicaContext): Promise<object>;
  resultToString(result: object, format: string): Promise<{ readonly data: AsyncIterable<string> }>;
  invalidateHttpCache(): Promise<void>;
}

/** Comunica, or `undefined` if npm cannot install it. */
export async function comunica(): Promise<Comunica | undefined> {
  const modules = await installed("comunica");
  if (modules === undefined) return undefined;
  const { QueryEngine } = await import(join(modules, "@comunica/query-sparql/lib/index.js"));
  return new QueryEngine();
}

export async function startComunicaEngine(engine: Comunica): Promise<SmallEngine> {
  const store = new Store();
  const context = { sources: [store] as [Store], destination: store, unionDefaultGraph: true };
  return startSmallEngine({
    async query(text, format) {
      const { data } = await engine.resultToString(await engine.query(text, context), format);
      const pieces: Buffer[] = [];
      for await (const piece of data) pieces.push(Buffer.from(piece));
      return Buffer.concat(pieces).toString("utf8");
    },
    async update(text) {
      await engine.invalidateHttpCache();
      await engine.queryVoid(text, context);
    },
    async add(graph, triples) {
      const name = DataFactory.namedNode(graph);
      // Labels of blank nodes are valid only within one request.
      const parser = new Parser({ format: "N-Triples" });
      for (const { subject, predicate, object } of parser.parse(triples))
        store.addQuad(subject, predicate, object, name);
    },
  });
}
