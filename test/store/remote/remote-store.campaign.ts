import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { EngineAddresses } from "../../../src/engine/engine-access.js";
import { createServer } from "../../../src/http/server/server.js";
import { DocumentReader } from "../../../src/jsonld/documents.js";
import { writeNQuads } from "../../../src/rdf/ntriples/writer.js";
import { blank, iri, literal, RDF, RDFS_LABEL, XSD } from "../../../src/rdf/terms.js";
import { InvalidCursorError } from "../../../src/store/errors.js";
import { canonicalGraph } from "../../../src/store/remote/canonical-graph.js";
import type { RemoteGraphs } from "../../../src/store/remote/record-queries.js";
import type { RemoteStore } from "../../../src/store/remote/remote-store.js";
import { SAMPLE } from "../../data/sample.js";
import { serverOptions } from "../../http/service.js";
import { type JsonObject, reader } from "../../jsonld/documents.js";
import { recordOf } from "../../query/records.js";
import { startComunicaEngine } from "../../query/remote/comunica-engine.js";
import { type OxigraphEngine, startOxigraphEngine } from "../../query/remote/oxigraph-engine.js";
import type { SmallEngine } from "../../query/remote/small-engine.js";
import { HAS_VIRTUOSO, startVirtuoso, type Virtuoso } from "../../query/remote/virtuoso.js";
import { clearAll, difference, expectedText, putAll, remoteStore, triplesOf } from "./published.js";

const sampleReader = new DocumentReader({ ...reader.settings, baseUrl: "http://data.museum.example/" });
const RECORDS = [...SAMPLE.values()]
  .filter((_, at) => at % 20 === 0)
  .map(({ document }) => sampleReader.read(document as JsonObject).graph);

let small: OxigraphEngine;
let comunica: SmallEngine;
let virtuoso: Virtuoso | undefined;
beforeAll(async () => {
  comunica = await startComunicaEngine();
  small = await startOxigraphEngine();
  if (HAS_VIRTUOSO) virtuoso = await startVirtuoso();
});
afterAll(async () => {
  await small.stop();
  await comunica.stop();
  await virtuoso?.stop();
});

/** What a store does in the background comes true. */
const eventually = (holds: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(holds, { interval: 5, timeout: 10_000 });

const BOTH: readonly RemoteGraphs[] = ["records", "merged"];
const ENGINES: [string, readonly RemoteGraphs[], () => EngineAddresses][] = [
  ["Oxigraph", BOTH, () => small.addresses],
  // It takes longer than anybody waits to find a record in one graph.
  ["Comunica", ["records"], () => comunica.addresses],
  ["Virtuoso", HAS_VIRTUOSO ? BOTH : [], () => virtuoso!.addresses],
];

describe.each(ENGINES)("a store on %s", (_, ways, addressesOf) => {
  describe.each(ways)("that holds %s", (graphs) => {
    let store: RemoteStore;
    beforeAll(async () => {
      await clearAll(addressesOf());
      await putAll(addressesOf(), graphs, RECORDS);
      store = remoteStore(addressesOf(), graphs);
    });
    afterAll(() => store.close());

    it("gives the records, in an order of its own", async () => {
      const looked = graphs === "records" ? RECORDS : RECORDS.slice(0, 8);
      const found = await Promise.all(looked.map((graph) => difference(store, graph)));
      // In one graph, references carry what all records say of them, and embedded nodes with IRIs meet.
      if (graphs === "records") expect(found.filter((each) => each !== "none" && each !== "known")).toEqual([]);
      else expect(found.filter((each) => each.includes("is not there") || /lacks [^ ]/.test(each))).toEqual([]);
      const first = (await (await store.find(RECORDS[0]!.iri))!.record()).meta;
      expect(first).toMatchObject({ endpoint: expect.any(String), label: expect.stringMatching(/./), valid: true });
      expect(await store.find("http://nowhere.example/x")).toBeUndefined();
      expect(await store.find("no iri")).toBeUndefined();
    });

    it("says who refers to what, page by page", async () => {
      const target = mostReferred();
      const counts = await store.references.counts(target);
      const all = await store.references.page(target, { limit: 1_000 });
      expect(counts.reduce((sum, { records }) => sum + records, 0)).toBe(all.items.length);
      expect(all.items.length).toBeGreaterThan(2);
      const first = await store.references.page(target, { limit: 2 });
      const second = await store.references.page(target, { limit: 1_000, after: first.next });
      expect([...first.items, ...second.items]).toEqual(all.items);
      const { property } = all.items[0]!;
      const only = await store.references.page(target, { limit: 1_000, property: property! });
      expect(only.items.every((each) => each.property === property)).toBe(true);
      const records = new Set(RECORDS.map((graph) => graph.iri));
      const known = all.items.filter(({ record }) => records.has(record));
      // In one graph, a node with an IRI of its own that a record embeds stands for itself.
      if (graphs === "records") expect(known).toEqual(all.items);
      else expect(known.length).toBeGreaterThan(2);
      await expect(store.references.page(target, { limit: 1, after: "x" })).rejects.toBeInstanceOf(InvalidCursorError);
    });

    it("counts records, and knows no deletion", async () => {
      expect((await store.stats()).records).toBeGreaterThan(RECORDS.length / 2);
      expect(await store.tombstone()).toBeUndefined();
    });
  });
});

describe("what an engine keeps to itself", () => {
  it.runIf(HAS_VIRTUOSO)("is told of at the first use: values that it gives as others", async () => {
    const truth = recordOf("http://data.example/truth", [
      [iri("http://data.example/truth"), iri("urn:is"), literal("true", XSD.boolean)],
    ]);
    const told: string[][] = [[], []];
    for (const [at, addresses] of [virtuoso!.addresses, small.addresses].entries()) {
      await putAll(addresses, "records", [truth]);
      const store = remoteStore(addresses, "records", { report: (message) => told[at]!.push(message) });
      await store.find(truth.iri);
      await store.find("http://data.example/other");
      // The question goes beside the record's, over connections that are kept until all is answered.
      await eventually(() => expect(told[0]).toHaveLength(2));
      await store.close();
    }
    expect(told[0]![0]).toContain('booleans for numbers: "true"');
    expect(told[0]![1]).toContain('completes dates that are none: "1966"');
    expect(told[1]).toEqual([]);
  });

  it("is found out: triples of a CONSTRUCT that are cut without a word", async () => {
    const self = "http://data.example/long";
    const lines = Array.from({ length: 500 }, (_, at) => `<${self}> <urn:p> "${at}" .\n`).join("");
    const cutting = createHttpServer((request, response) => {
      request.setEncoding("utf8").on("data", (form: string) => {
        const isConstruct = form.includes("CONSTRUCT");
        response.setHeader("content-type", isConstruct ? "application/n-triples" : "application/sparql-results+json");
        const count = { n: { type: "literal", value: "902", datatype: XSD.integer } };
        response.end(isConstruct ? lines : JSON.stringify({ head: { vars: ["n"] }, results: { bindings: [count] } }));
      });
    });
    await new Promise<void>((resolve) => cutting.listen(0, "127.0.0.1", resolve));
    const store = remoteStore({ url: `http://127.0.0.1:${(cutting.address() as AddressInfo).port}/` }, "records");
    await expect(store.find(self)).rejects.toThrow(`gives 500 of the 902 triples of <${self}>`);
    await store.close();
    cutting.close();
  });
});

describe("three engines", () => {
  it.runIf(HAS_VIRTUOSO)("give the same documents and entity tags", async () => {
    const servers = [];
    const answers: string[][] = [];
    const some = RECORDS.slice(0, 12);
    for (const { addresses } of [small, comunica, virtuoso!]) {
      await clearAll(addresses);
      await putAll(addresses, "records", some);
      const store = remoteStore(addresses, "records");
      const [base] = /^https?:\/\/[^/]*\//.exec(some[0]!.iri)!;
      const server = createServer(serverOptions({ store, baseUrl: base, report: () => {} }));
      const { port } = await server.listen(0);
      servers.push({ server, store });
      const said: string[] = [];
      for (const { iri } of some) {
        const answer = await fetch(`http://127.0.0.1:${port}/entity?uri=${encodeURIComponent(iri)}`);
        said.push(`${answer.status} ${answer.headers.get("etag")} ${await answer.text()}`);
      }
      answers.push(said);
      const dataset = await fetch(`http://127.0.0.1:${port}/`, { headers: { accept: "application/ld+json" } });
      expect(await dataset.text()).not.toContain("/activity");
      expect((await fetch(`http://127.0.0.1:${port}/activity`)).status).toBe(404);
    }
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    expect(answers[0]!.every((answer) => answer.startsWith('200 "'))).toBe(true);
    for (const { server, store } of servers) {
      await server.close();
      await store.close();
    }
  });
});

describe("what was asked for lately", () => {
  const graph = recordOf("http://data.example/kept", [
    [iri("http://data.example/kept"), iri(RDF.type), iri("urn:Thing")],
    [iri("http://data.example/kept"), iri(RDFS_LABEL), literal("kept")],
  ]);

  it("outlives the engine, and follows it when it is back", async () => {
    const engine = await startOxigraphEngine();
    await putAll(engine.addresses, "records", [graph]);
    const told: string[] = [];
    const store = remoteStore(engine.addresses, "records", {
      fresh: 0,
      pause: 1,
      report: (message) => told.push(message),
    });
    const before = (await store.find(graph.iri))!;
    await engine.stop();
    await store.find(graph.iri);
    await eventually(() => expect(told).toHaveLength(1));
    for (let count = 0; count < 5; count++) expect((await store.find(graph.iri))?.sequence).toBe(before.sequence);
    await expect(store.find("http://data.example/other")).rejects.toThrow();
    expect(told).toHaveLength(1);
    await store.close();
  });

  it("is looked at again in the background: what changed is there at the next asking, what did not keeps its tag", async () => {
    await clearAll(small.addresses);
    await putAll(small.addresses, "records", [graph]);
    const store = remoteStore(small.addresses, "records", { fresh: 0 });
    const before = (await store.find(graph.iri))!;
    const asked = vi.spyOn(small.store, "query");
    await store.find(graph.iri);
    await eventually(() => expect(asked).toHaveBeenCalled());
    asked.mockRestore();
    expect(await store.find(graph.iri)).toMatchObject({ sequence: before.sequence, modified: before.modified });
    small.store.update(`INSERT DATA { GRAPH <${graph.iri}> { <${graph.iri}> <urn:p> "new" } }`);
    await eventually(async () => {
      expect((await store.find(graph.iri))!.sequence).toBeGreaterThan(before.sequence);
    });
    const after = (await store.find(graph.iri))!;
    expect(after.hash).not.toEqual(before.hash);
    small.store.update(`DROP GRAPH <${graph.iri}>`);
    await eventually(async () => expect(await store.find(graph.iri)).toBeUndefined());
    await store.close();
  });
});

describe("the canonical order", () => {
  it("is the same whatever the order, the labels of blank nodes and the spelling of values", () => {
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

/** What most of the records refer to. */
function mostReferred(): string {
  const counts = new Map<string, number>();
  for (const graph of RECORDS) {
    for (const [, p, o] of triplesOf(graph)) {
      if (o.termType === "NamedNode" && p.value !== RDF.type) counts.set(o.value, (counts.get(o.value) ?? 0) + 1);
    }
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]![0];
}
