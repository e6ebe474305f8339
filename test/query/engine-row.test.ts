/** The table of engines: a row that is added is opened, answers queries and is offered over HTTP, without any other change. */
import * as oxigraph from "oxigraph";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type EngineState,
  inMemory,
  type QueryEngine,
  QueryRefusedError,
  type QueryRequest,
  type QueryResult,
} from "../../src/query/engine.js";
import { ENGINES, openEngine } from "../../src/query/open.js";
import { RESULT_TYPES, writeGraph } from "../../src/query/results.js";
import { untilReady } from "../../src/query/waiting.js";
import { writeNTriples } from "../../src/rdf/ntriples/writer.js";
import type { StoreWith } from "../../src/store/store.js";
import { BASE, labelled, type SparqlServer, serveSparql } from "../http/sparql/service.js";
import { ask, publish, type TestStore, testStore } from "./records.js";

/** Oxigraph with the records as they are when it is opened, made by the recipe in CONTRIBUTING.md, "An engine". */
class SmallEngine implements QueryEngine {
  readonly state: EngineState;
  readonly #quads = new oxigraph.Store();

  constructor({ store }: { readonly store: StoreWith<"snapshots"> }) {
    const snapshot = store.snapshots.take();
    for (const { graph } of snapshot.records(({ message }) => expect.unreachable(message))) {
      this.#quads.load(writeNTriples(graph), { format: "application/n-triples" });
    }
    const { triples, sequence } = snapshot.stats;
    this.state = { state: "ready", done: triples, total: triples, sequence };
    snapshot.close();
  }

  async close(): Promise<void> {}

  async query({ text, formats, base, bytes: most }: QueryRequest): Promise<QueryResult> {
    const kind = /\bASK\b/.test(text) ? "truth" : /\bSELECT\b/.test(text) ? "solutions" : "graph";
    const format = kind === "graph" ? formats.graph : formats.results;
    if (format === undefined) throw new QueryRefusedError("not-acceptable", `No format for ${kind} is accepted.`);
    const type = kind === "graph" ? "application/n-triples" : RESULT_TYPES[format as keyof typeof RESULT_TYPES];
    const written = this.#written(text, { base_iri: base, results_format: type });
    const whole = Buffer.from(kind === "graph" ? writeGraph(written, format as "nt") : written);
    if (whole.length > most) throw new QueryRefusedError("too-many-bytes", "The result has too many bytes.");
    return { kind, sequence: this.state.sequence, ...inMemory(whole) };
  }

  #written(text: string, options: object): string {
    try {
      return this.#quads.query(text, options) as string;
    } catch (error) {
      throw new QueryRefusedError("malformed", (error as Error).message);
    }
  }
}

const LABELS = "SELECT ?label { <one> <http://www.w3.org/2000/01/rdf-schema#label> ?label }";

let there: TestStore;
let engine: QueryEngine;
beforeAll(async () => {
  there = await testStore();
  await publish(there.store, [labelled("one"), labelled("two")]);
  Object.assign(ENGINES, { small: SmallEngine });
  engine = openEngine({ kind: "small", store: there.store } as never);
  await untilReady(engine);
});
afterAll(async () => {
  Reflect.deleteProperty(ENGINES, "small");
  await engine.close();
  await there.remove();
});

describe("an engine that is one row of the table", () => {
  it("is opened by its kind, and answers each form of query", async () => {
    expect(engine.state).toEqual({ state: "ready", done: 4, total: 4, sequence: 2 });
    const base = `${BASE}/`;
    const selected = await ask(engine, LABELS, { base });
    expect(JSON.parse(selected.text).results.bindings).toEqual([{ label: { type: "literal", value: "one" } }]);
    expect(JSON.parse((await ask(engine, "ASK { <three> ?p ?o }", { base })).text).boolean).toBe(false);
    expect((await ask(engine, "CONSTRUCT { ?s a ?s } { ?s a ?t } ORDER BY ?s LIMIT 1", { base })).text).toBe(
      `<${BASE}/one> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <${BASE}/one> .\n`,
    );
  });

  describe("behind a service", () => {
    let service: SparqlServer;
    beforeAll(async () => {
      service = await serveSparql(there, engine);
    });
    afterAll(() => service.stop());

    const get = (query: string, accept: string) =>
      fetch(`${service.url}?query=${encodeURIComponent(query)}`, { headers: { accept } });

    it("answers in the requested format, and says which change it reflects", async () => {
      const query = LABELS.replace("<one>", `<${BASE}/one>`);
      const answer = await get(query, "text/csv");
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
      expect(await answer.text()).toBe("label\r\none\r\n");
      const graph = await get("DESCRIBE <http://data.museum.example/one>", "text/turtle");
      expect(await graph.text()).toContain('rdfs:label "one"');
      expect(graph.headers.get("Vitrine-Sequence")).toBe("2");
    });

    it("has its refusals passed on to clients", async () => {
      expect((await get("SELECT", "text/csv")).status).toBe(400);
      expect((await get(LABELS, "image/png")).status).toBe(406);
      expect(await (await fetch(new URL("/ready", service.url))).json()).toMatchObject({ index: { state: "ready" } });
    });
  });
});
