/** The endpoint with a widely used, unchanged client: fetch-sparql-endpoint. The campaign `comunica` has another. */
import { SparqlEndpointFetcher } from "fetch-sparql-endpoint";
import { describe, expect, it } from "vitest";
import { startedForAll } from "../../started.js";
import { labelled, startSmallSparqlService } from "./service.js";

const service = startedForAll(() => startSmallSparqlService([..."abc"].map((name) => labelled(`object/${name}`))));

const LABELS = "SELECT ?s ?label { ?s <http://www.w3.org/2000/01/rdf-schema#label> ?label } ORDER BY ?label";
const ALL = "CONSTRUCT WHERE { ?s ?p ?o }";

describe("fetch-sparql-endpoint", () => {
  it.each(["GET", "POST"] as const)("reads solutions, a truth value and triples with %s", async (method) => {
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
