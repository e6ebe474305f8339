/** Clients that people use, unchanged: Comunica and fetch-sparql-endpoint. */
import { QueryEngine } from "@comunica/query-sparql";
import { SparqlEndpointFetcher } from "fetch-sparql-endpoint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { InProcessIndex } from "../../query/in-process-index.js";
import { labelled, type SparqlTestService, startSmallSparqlService } from "./service.js";

let service: SparqlTestService<InProcessIndex>;
beforeAll(async () => {
  service = await startSmallSparqlService([..."abc"].map((name) => labelled(`object/${name}`)));
});
afterAll(() => service.stop());

const LABELS = "SELECT ?s ?label { ?s <http://www.w3.org/2000/01/rdf-schema#label> ?label } ORDER BY ?label";
const ALL = "CONSTRUCT WHERE { ?s ?p ?o }";

describe("Comunica", () => {
  const engine = new QueryEngine();
  const context = () => ({
    sources: [{ type: "sparql" as const, value: service.url }] as [{ type: "sparql"; value: string }],
  });

  it("selects", async () => {
    const bindings = await (await engine.queryBindings(LABELS, context())).toArray();
    expect(bindings.map((each) => each.get("label")?.value)).toEqual(["object/a", "object/b", "object/c"]);
  });

  it("asks, and constructs", async () => {
    expect(await engine.queryBoolean('ASK { ?s ?p "object/a" }', context())).toBe(true);
    expect(await engine.queryBoolean('ASK { ?s ?p "object/z" }', context())).toBe(false);
    expect(await (await engine.queryQuads(ALL, context())).toArray()).toHaveLength(6);
  });

  it("finds out by itself that it is an endpoint", async () => {
    const bindings = await (await engine.queryBindings(LABELS, { sources: [service.url] })).toArray();
    expect(bindings).toHaveLength(3);
  });
});

describe("fetch-sparql-endpoint", () => {
  it.each(["GET", "POST"] as const)("reads solutions, a truth value and triples by %s", async (method) => {
    const fetcher = new SparqlEndpointFetcher({ method });
    const labels: string[] = [];
    for await (const solution of await fetcher.fetchBindings(service.url, LABELS)) {
      labels.push((solution as unknown as Record<string, { value: string }>).label!.value);
    }
    expect(labels).toEqual(["object/a", "object/b", "object/c"]);
    expect(await fetcher.fetchAsk(service.url, "ASK {}")).toBe(true);
    let triples = 0;
    for await (const _triple of await fetcher.fetchTriples(service.url, ALL)) triples++;
    expect(triples).toBe(6);
  });
});
