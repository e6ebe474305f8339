import { describe, expect, it, vi } from "vitest";
import { writeNQuads } from "../../../src/rdf/ntriples/writer.js";
import { blank, iri, literal, RDF, RDFS_LABEL, XSD } from "../../../src/rdf/terms.js";
import { canonicalGraph } from "../../../src/store/remote/canonical-graph.js";
import { listeningForTest } from "../../listening.js";
import { recordOf } from "../../query/records.js";
import { startOxigraphEngine } from "../../query/remote/oxigraph-engine.js";
import { startedForAll } from "../../started.js";
import { holdStores, RECORDS } from "./on-engine.js";
import { clearAll, expectedText, putAll, remoteStore, triplesOf } from "./published.js";

const small = startedForAll(startOxigraphEngine);

holdStores([["Oxigraph", ["records", "merged"], () => small.addresses]]);

describe("a quirk of an engine", () => {
  it("is detected, if it silently cuts the triples of a CONSTRUCT", async () => {
    const self = "http://data.example/long";
    const lines = Array.from({ length: 500 }, (_, at) => `<${self}> <urn:p> "${at}" .\n`).join("");
    const url = await listeningForTest((request, response) => {
      request.setEncoding("utf8").on("data", (form: string) => {
        const isConstruct = form.includes("CONSTRUCT");
        response.setHeader("content-type", isConstruct ? "application/n-triples" : "application/sparql-results+json");
        const count = { n: { type: "literal", value: "902", datatype: XSD.integer } };
        response.end(isConstruct ? lines : JSON.stringify({ head: { vars: ["n"] }, results: { bindings: [count] } }));
      });
    });
    const store = remoteStore({ url: `${url}/` }, "records");
    await expect(store.find(self)).rejects.toThrow(`gives 500 of the 902 triples of <${self}>`);
    await store.close();
  });
});

describe("a cached record", () => {
  const graph = recordOf("http://data.example/kept", [
    [iri("http://data.example/kept"), iri(RDF.type), iri("urn:Thing")],
    [iri("http://data.example/kept"), iri(RDFS_LABEL), literal("kept")],
  ]);

  it("is still given while the engine is down, which is reported once", async () => {
    const engine = await startOxigraphEngine();
    await putAll(engine.addresses, "records", [graph]);
    const reports: string[] = [];
    const store = remoteStore(engine.addresses, "records", {
      fresh: 1,
      pause: 1,
      report: (message) => reports.push(message),
    });
    const before = (await store.find(graph.iri))!;
    await engine.stop();
    // Only a request makes a store ask the engine again, in the background.
    await expect.poll(() => store.find(graph.iri).then(() => reports)).toHaveLength(1);
    for (let count = 0; count < 5; count++) expect((await store.find(graph.iri))?.sequence).toBe(before.sequence);
    await expect(store.find("http://data.example/other")).rejects.toThrow();
    expect(reports).toHaveLength(1);
    await store.close();
  });

  it("is read again in the background: a change appears in a later request, and an unchanged record keeps its entity tag", async () => {
    await clearAll(small.addresses);
    await putAll(small.addresses, "records", [graph]);
    const store = remoteStore(small.addresses, "records", { fresh: 1 });
    const before = (await store.find(graph.iri))!;
    const asked = vi.spyOn(small.store, "query");
    await expect.poll(() => store.find(graph.iri).then(() => asked)).toHaveBeenCalled();
    asked.mockRestore();
    expect(await store.find(graph.iri)).toMatchObject({ sequence: before.sequence, modified: before.modified });
    small.store.update(`INSERT DATA { GRAPH <${graph.iri}> { <${graph.iri}> <urn:p> "new" } }`);
    await expect.poll(async () => (await store.find(graph.iri))!.sequence).toBeGreaterThan(before.sequence);
    const after = (await store.find(graph.iri))!;
    expect(after.hash).not.toEqual(before.hash);
    small.store.update(`DROP GRAPH <${graph.iri}>`);
    await expect.poll(() => store.find(graph.iri)).toBeUndefined();
    await store.close();
  });
});

describe("the canonical order", () => {
  it("does not depend on the given order, the labels of blank nodes or the spelling of values", () => {
    const [self, part] = [iri("urn:a"), iri("urn:part")];
    const made = (labels: readonly [string, string], number: string, tag: string) => [
      [self, part, blank(labels[0])] as const,
      [self, part, blank(labels[1])] as const,
      [blank(labels[0]), iri("urn:content"), literal("first", undefined, tag)] as const,
      [blank(labels[1]), iri("urn:content"), literal(number, XSD.integer)] as const,
      [blank(labels[1]), iri("urn:in"), blank(labels[0])] as const,
    ];
    const one = canonicalGraph("urn:a", made(["x", "y"], "007", "EN"));
    const other = canonicalGraph("urn:a", made(["b2", "b1"], "7", "en").reverse());
    expect(writeNQuads(other)).toBe(writeNQuads(one));
    expect(one.triples.length).toBe(15);
    for (const graph of RECORDS.slice(0, 20)) {
      const shuffled = [...triplesOf(graph)].sort(() => 1).reverse();
      expect(writeNQuads(canonicalGraph(graph.iri, shuffled))).toBe(expectedText(graph));
    }
  });

  it("has as many triples as a record may have, which are more than a function has arguments", () => {
    const [self, part] = [iri("urn:a"), iri("urn:part")];
    const many = Array.from({ length: 150_000 }, (_, at) => [self, part, literal(String(at))] as const);
    expect(canonicalGraph("urn:a", many).triples.length).toBe(3 * many.length);
  });

  it("has texts of any length", () => {
    const long = literal("x".repeat(16_000_000));
    const graph = canonicalGraph("urn:a", [
      [iri("urn:a"), iri("urn:part"), blank("x")],
      [blank("x"), iri("urn:content"), long],
    ]);
    expect(graph.terms.at(-1)?.value === long.value).toBe(true);
  });

  it.each([
    ["1.50", XSD.decimal, "1.5"],
    ["-00.0", XSD.decimal, "0.0"],
    ["1000.0", XSD.double, "1.0E3"],
    ["1", XSD.boolean, "true"],
    ["-500-01-01T00:00:00.000+00:00", XSD.dateTime, "-0500-01-01T00:00:00Z"],
    ["1889", "http://www.w3.org/2001/XMLSchema#gYear", "1889"],
  ])("writes %j of %s as %j", (value, datatype, expected) => {
    const graph = canonicalGraph("urn:a", [[iri("urn:a"), iri("urn:p"), literal(value, datatype)]]);
    expect(graph.terms.at(-1)?.value).toBe(expected);
  });
});
