import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { QueryIndex, type QueryIndexOptions } from "../../../src/query/oxigraph/query-index.js";
import type { QueryRequest, QueryResult } from "../../../src/query/query-request.js";
import { blank, iri, literal, RDF, RDFS_LABEL } from "../../../src/rdf/terms.js";
import { publish, recordOf, request, type TestStore, type Triple, testStore } from "../records.js";

const NAME = iri("http://x.example/name");
const PAINTING = iri("http://x.example/Painting");

/** An object with a name of its own and the label of its class, which all repeat. */
const object = (number: number, name = `Object ${number}`) => {
  const self = iri(`http://x.example/object/${number}`);
  const triples: Triple[] = [
    [self, iri(RDF.type), PAINTING],
    [PAINTING, iri(RDFS_LABEL), literal("painting")],
    [self, NAME, blank("n")],
    [blank("n"), iri(RDFS_LABEL), literal(name)],
  ];
  return recordOf(self.value, triples);
};
const objects = (count: number, name?: string) => Array.from({ length: count }, (_, at) => object(at, name));

/** Runs for longer than any test. */
const ENDLESS = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?o ?p }";
const COUNT = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }";

let there: TestStore;
let index: QueryIndex;
const make = async (): Promise<void> => {
  there = await testStore();
};
const remove = async (): Promise<void> => {
  await index.close();
  await there.remove();
};

async function start(options: Partial<QueryIndexOptions> = {}): Promise<void> {
  index = new QueryIndex({ directory: there.directory, followInterval: 50, ...options });
  await index.whenReady();
}

/** Ask, read the whole answer and give the turn back. */
async function ask(query: string, more: Partial<QueryRequest> = {}, asking = {}) {
  const result = await index.query(request(query, more), { client: "a", timeout: 60_000, ...asking });
  const text = await read(result);
  result.release();
  return { ...result, text };
}

async function read({ body }: QueryResult): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

async function text(query: string, more: Partial<QueryRequest> = {}): Promise<string> {
  return (await ask(query, more)).text;
}

async function count(query: string, more: Partial<QueryRequest> = {}): Promise<number> {
  const { results } = JSON.parse(await text(query, more));
  return Number(results.bindings[0].n.value);
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe("the index", () => {
  beforeEach(make);
  afterEach(remove);

  it("says how far it is, refuses queries until it is filled, and then says what it reflects", async () => {
    await publish(there.store, objects(10));
    index = new QueryIndex({ directory: there.directory });
    expect(index.state).toEqual({ state: "filling", done: 0, total: 0 });
    await expect(ask(COUNT)).rejects.toMatchObject({
      reason: "busy",
      message: expect.stringContaining("being filled"),
    });
    await index.whenReady();
    expect(index.state).toEqual({ state: "ready", done: 40, total: 40, sequence: 10 });
    expect(await count(COUNT)).toBe(31);
    expect((await ask(COUNT)).sequence).toBe(10);
    expect(await index.memory()).toBeGreaterThan(10_000_000);
  });

  it("answers a query by what was published before it", async () => {
    await publish(there.store, objects(2));
    await start({ followInterval: 60_000 });
    await publish(there.store, [object(7)], ["http://x.example/object/1"]);
    expect(await count(COUNT)).toBe(7);
    expect((await ask(COUNT)).sequence).toBe(4);
  });

  it("follows when nobody asks, and reads all anew when there is too much to follow", async () => {
    await publish(there.store, objects(3));
    await start();
    await publish(there.store, objects(1, "renamed"));
    await until(() => index.state.sequence === 4);
    await publish(there.store, objects(10_002, "many"));
    // The old index answers until the new one does, with the sequence number that it reflects.
    const { sequence } = await ask(COUNT);
    expect([4, 10_006]).toContain(sequence);
    await until(() => index.state.sequence === 10_006);
    expect(await count(COUNT)).toBe(10_002 * 3 + 1);
  });

  it("is filled anew, the old one answering, when too many triples are dead", async () => {
    await publish(there.store, objects(3));
    await start({ rebuild: { triples: 2, share: 0.1 } });
    const before = index.workerNumbers();
    await publish(there.store, objects(3, "renamed"));
    await until(() => index.workerNumbers().join() !== before.join());
    expect(await count(COUNT)).toBe(10);
    expect(await text('ASK { ?n <http://www.w3.org/2000/01/rdf-schema#label> "renamed" }')).toContain("true");
  });

  it("recognises a collection that does not fit, and never answers from a part of it", async () => {
    await publish(there.store, objects(2_000));
    const reports: string[] = [];
    index = new QueryIndex({ directory: there.directory, memory: 50 * 2 ** 20, report: (told) => reports.push(told) });
    await expect(index.whenReady()).rejects.toMatchObject({ reason: "no-index" });
    expect(index.state).toMatchObject({ state: "too large", detail: expect.stringMatching(/need about .* MiB/) });
    await expect(ask(COUNT)).rejects.toMatchObject({ reason: "no-index" });
    expect(reports).toHaveLength(1);
    await index.close();
    // As much is not read again to know it; with more memory it is.
    index = new QueryIndex({ directory: there.directory, memory: 50 * 2 ** 20, report: () => {} });
    await expect(index.whenReady()).rejects.toThrow("as it was found before");
    await index.close();
    await start();
    expect(await count(COUNT)).toBe(2_000 * 3 + 1);
  });

  it("takes in every record but the one that Oxigraph refuses, says which, and takes it in once it is mended", async () => {
    const odd = (name: string, triples: readonly Triple[]) => recordOf(`http://x.example/${name}`, triples);
    const self = iri("http://x.example/langString");
    const strange = odd("strange", [[iri("http://x.example/st>range"), NAME, literal("x")]]);
    const reports: string[] = [];
    await publish(there.store, [
      ...objects(3),
      // Loading refuses both; stores of earlier versions have them.
      odd("langString", [[self, NAME, literal("x", RDF.langString)]]),
      strange,
    ]);
    await start({ report: (message) => reports.push(message) });
    expect(index.state).toMatchObject({ state: "ready", leftOut: [strange.iri] });
    expect(reports).toEqual([expect.stringContaining(`<${strange.iri}> is left out of the index`)]);
    expect(await count(COUNT)).toBe(11);
    await publish(there.store, [odd("strange", [[iri("http://x.example/strange"), NAME, literal("x")]])]);
    await until(() => index.state.leftOut === undefined && index.state.sequence === 6);
    expect(await count(COUNT)).toBe(12);
  });

  it("says in a sentence why a store cannot be read, and tries again", async () => {
    const reports: string[] = [];
    index = new QueryIndex({ directory: join(there.directory, "none"), report: (told) => reports.push(told) });
    await until(() => reports.length >= 2);
    expect(reports[0]).toMatch(/^the index for SPARQL cannot be filled: there is no store in \S*none: /);
    expect(reports[1]).toMatch(/another is started/);
    await expect(ask(COUNT)).rejects.toMatchObject({ reason: "busy" });
  });

  it("leaves a damaged record out, names it, and refuses to answer from it", async () => {
    await publish(there.store, objects(3));
    const { root, records } = there.store.database;
    const key = Buffer.from(object(1).iri);
    const value = records.getBinary(key)!;
    value[value.length - 1]! ^= 1;
    root.transactionSync(() => records.putSync(key, value));
    const reports: string[] = [];
    await start({ report: (told) => reports.push(told) });
    expect(index.state).toMatchObject({ state: "ready", leftOut: [object(1).iri] });
    expect(reports).toEqual([
      expect.stringContaining(`left out of the index for SPARQL: the record <${object(1).iri}>`),
    ]);
    expect(await count(COUNT)).toBe(7);
    const named = ask(`SELECT * FROM <${object(1).iri}> { ?s ?p ?o }`);
    await expect(named).rejects.toMatchObject({ reason: "damaged", message: expect.stringContaining(object(1).iri) });
    // Loaded anew it is there again.
    await publish(there.store, [object(1, "mended")]);
    await until(() => index.state.leftOut === undefined);
    expect(await count(COUNT)).toBe(10);
  });

  it("ends a query at its deadline, and answers again", async () => {
    await publish(there.store, objects(50));
    await start({ processes: 2 });
    await until(() => index.workerNumbers().length === 2);
    const events: string[] = [];
    const endless = ask(ENDLESS, {}, { client: "b", timeout: 1_500 }).catch((error) => events.push(error.reason));
    await ask(COUNT).then(() => events.push("answered"));
    await endless;
    expect(events).toEqual(["answered", "timeout"]);
    await until(() => index.state.state === "ready");
    expect(await count(COUNT)).toBe(151);
  });

  it("ends a query that takes too much memory, and one that ends its process", async () => {
    await publish(there.store, objects(300));
    await start({ queryMemory: 60 * 2 ** 20 });
    const product = "SELECT ?a ?d ?g { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } ORDER BY ?a ?d ?g";
    await expect(ask(product, { rows: Number.POSITIVE_INFINITY })).rejects.toMatchObject({ reason: "too-large" });
    await index.whenReady();
    const deep = `SELECT (1${" + 1".repeat(20_000)} AS ?n) {}`;
    await expect(ask(deep)).rejects.toMatchObject({ reason: expect.stringMatching(/too-large|malformed/) });
    await index.whenReady();
    expect(await count(COUNT)).toBe(901);
  });

  it("runs one query of a client at a time, refuses beyond its queue, and forgets whose client has gone", async () => {
    await publish(there.store, objects(50));
    // A process that just follows would let the first query wait too.
    await start({ processes: 2, queue: 2, followInterval: 60_000 });
    await until(() => index.workerNumbers().length === 2);
    const gone = new AbortController();
    const first = ask(ENDLESS, {}, { timeout: 1_000 });
    // It may end before anybody waits for it.
    first.catch(() => {});
    const order: string[] = [];
    const second = ask(COUNT).then(() => order.push("second of a"));
    const forgotten = ask(COUNT, {}, { signal: gone.signal });
    await expect(ask(COUNT)).rejects.toMatchObject({ reason: "busy", message: "2 queries are waiting already." });
    gone.abort();
    await expect(forgotten).rejects.toThrow("Nobody waits for the answer.");
    await expect(ask(COUNT, {}, { signal: gone.signal })).rejects.toThrow("Nobody waits for the answer.");
    await ask(COUNT, {}, { client: "b" }).then(() => order.push("b"));
    await expect(first).rejects.toMatchObject({ reason: "timeout" });
    await second;
    expect(order).toEqual(["b", "second of a"]);
  });

  it("lets clients take turns, and few queries of one wait", async () => {
    await publish(there.store, objects(50));
    await start({ queueOfClient: 3, followInterval: 60_000 });
    const order: string[] = [];
    const asked = ["a1", "a2", "a3", "a4", "b1"].map((name) =>
      ask(COUNT, {}, { client: name[0] }).then(() => order.push(name)),
    );
    await expect(ask(COUNT)).rejects.toMatchObject({ reason: "too-many-waiting" });
    await Promise.all(asked);
    expect(order).toEqual(["a1", "b1", "a2", "a3", "a4"]);
  });

  it("counts waiting against the deadline", async () => {
    await publish(there.store, objects(50));
    await start({ followInterval: 60_000 });
    const gone = new AbortController();
    const first = ask(ENDLESS, {}, { client: "b", signal: gone.signal });
    await expect(ask(COUNT, {}, { timeout: 300 })).rejects.toMatchObject({ reason: "busy" });
    gone.abort();
    await expect(first).rejects.toMatchObject({ reason: "busy", message: "Nobody waits for the answer." });
    await index.whenReady();
    expect(await count(COUNT)).toBe(151);
  });

  it("ends a query whose client goes, and answers again", async () => {
    await publish(there.store, objects(50));
    await start();
    const [number] = index.workerNumbers();
    const gone = new AbortController();
    const first = ask(ENDLESS, {}, { client: "b", timeout: 2 ** 31, signal: gone.signal });
    const refused = expect(first).rejects.toMatchObject({ reason: "busy" });
    setTimeout(() => gone.abort(), 100);
    expect(await count(COUNT)).toBe(151);
    expect(index.workerNumbers()).not.toContain(number);
    await refused;
  });

  it("replaces a process that is stalled, whether it follows or answers", async () => {
    await publish(there.store, objects(2));
    const reports: string[] = [];
    const patience = { following: 1_000, filling: 60_000 };
    await start({ patience, report: (message) => reports.push(message) });
    const [first] = index.workerNumbers();
    process.kill(first!, "SIGSTOP");
    await until(() => index.workerNumbers().every((number) => number !== first) && index.state.state === "ready");
    expect(reports).toEqual(["an index process was silent for 1 s; another takes its place"]);
    index.close();
    await start({ followInterval: 60_000 });
    const [second] = index.workerNumbers();
    process.kill(second!, "SIGSTOP");
    await expect(ask(COUNT, {}, { timeout: 500 })).rejects.toMatchObject({ reason: "timeout" });
    await index.whenReady();
    expect(await count(COUNT)).toBe(7);
  });

  it("ends a process that is silent while it is filled", async () => {
    await publish(there.store, objects(2));
    const reports: string[] = [];
    const patience = { following: 60_000, filling: 1 };
    index = new QueryIndex({ directory: there.directory, patience, report: (message) => reports.push(message) });
    await until(() => reports.length > 1);
    expect(reports).toEqual([
      "an index process was silent for 0.001 s; another takes its place",
      "an index process ended before it was filled; another is started",
    ]);
  });

  it("replaces a process that was killed", async () => {
    await publish(there.store, objects(2));
    await start();
    const [number] = index.workerNumbers();
    process.kill(number!, "SIGKILL");
    await until(() => index.state.state !== "ready");
    await index.whenReady();
    expect(await count(COUNT)).toBe(7);
  });

  it("refuses GRAPH ?g over a large collection, and says how to ask", async () => {
    await publish(there.store, objects(5));
    await start({ graphTriples: 10 });
    await expect(ask("SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }")).rejects.toMatchObject({
      reason: "no-graphs",
      message: expect.stringContaining("FROM NAMED"),
    });
  });
});

// One index is asked, in the order of the tests; the last one changes what it answers from.
describe("what is answered", () => {
  beforeAll(async () => {
    await make();
    await publish(there.store, objects(5));
    await start();
  });
  afterAll(remove);

  it("keeps a long answer for its reader, and the turn with it, while others are answered", async () => {
    const long = "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }";
    const results = await Promise.all(
      ["b", "c"].map((client) => index.query(request(long, { rows: 5_000 }), { client, timeout: 60_000 })),
    );
    expect(results.map(({ bytes }) => bytes! > 500_000)).toEqual([true, true]);
    let isOver = false;
    const next = ask(COUNT, {}, { client: "b" }).then(() => {
      isOver = true;
    });
    expect(await count(COUNT)).toBe(16);
    const texts = await Promise.all(results.map(read));
    for (const [at, text] of texts.entries()) {
      expect(Buffer.byteLength(text)).toBe(results[at]!.bytes);
      expect(JSON.parse(text).results.bindings).toHaveLength(4_096);
    }
    expect(isOver).toBe(false);
    for (const { release } of results) release();
    await next;
    // The process that wrote it is not needed to read it.
    const last = await index.query(request(long, { rows: 5_000 }), { client: "b", timeout: 60_000 });
    process.kill(index.workerNumbers()[0]!, "SIGKILL");
    expect(await read(last)).toBe(texts[0]);
    last.release();
    await until(() => index.state.state !== "ready");
    await index.whenReady();
  });

  it("has no more bytes than asked for", async () => {
    for (const [query, few] of [
      ["SELECT * { ?s ?p ?o }", 500],
      ["SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }", 100_000],
      ["CONSTRUCT WHERE { ?s ?p ?o }", 500],
    ] as const) {
      await expect(ask(query, { rows: 5_000, bytes: few })).rejects.toMatchObject({ reason: "too-many-bytes" });
      const { bytes, text } = await ask(query, { rows: 5_000 });
      const whole = bytes!;
      expect(whole).toBe(Buffer.byteLength(text));
      expect((await ask(query, { rows: 5_000, bytes: whole })).bytes).toBe(whole);
      await expect(ask(query, { rows: 5_000, bytes: whole - 1 })).rejects.toMatchObject({ reason: "too-many-bytes" });
    }
  });

  it("has no more rows than asked for, and is refused rather than cut", async () => {
    const all = "SELECT * { ?s ?p ?o }";
    for (const solutions of ["json", "xml", "csv", "tsv"] as const) {
      const formats = { solutions, truth: solutions, graph: undefined };
      await expect(ask(all, { rows: 15, formats })).rejects.toMatchObject({ reason: "too-many-rows" });
      expect((await ask(all, { rows: 16, formats })).rows).toBe(16);
    }
    await expect(ask("CONSTRUCT WHERE { ?s ?p ?o }", { rows: 15 })).rejects.toMatchObject({ reason: "too-many-rows" });
    expect((await ask("CONSTRUCT WHERE { ?s ?p ?o }", { rows: 16 })).rows).toBe(16);
  });

  it("is written in every format", async () => {
    const solutions = async (format: "json" | "xml" | "csv" | "tsv") =>
      text(`SELECT ?o { <${object(1).iri}> a ?o }`, {
        formats: { solutions: format, truth: format, graph: undefined },
      });
    expect(await solutions("csv")).toBe("o\r\nhttp://x.example/Painting\r\n");
    expect(await solutions("tsv")).toBe("?o\n<http://x.example/Painting>\n");
    expect(await solutions("xml")).toContain("<uri>http://x.example/Painting</uri>");
    const graph = async (format: "ttl" | "nt" | "nq" | "trig" | "rdf" | "jsonld") =>
      text(`CONSTRUCT WHERE { <${object(1).iri}> <${NAME.value}> ?n . ?n ?p ?o }`, {
        formats: { solutions: undefined, truth: undefined, graph: format },
      });
    expect(await graph("ttl")).toMatch(/rdfs:label "Object 1"/);
    expect(await graph("trig")).toBe(await graph("ttl"));
    expect(await graph("nt")).toMatch(/^_:\S+ <\S+#label> "Object 1" \.$/m);
    expect(await graph("rdf")).toContain("<rdf:Description");
    expect(JSON.parse(await graph("jsonld"))["@graph"]).toHaveLength(2);
  });

  it("describes an entity by its record, and other nodes by their triples", async () => {
    const described = await text(`PREFIX o: <http://x.example/object/> DESCRIBE o:1`);
    expect(described.split("\n")).toHaveLength(5);
    expect(described).toContain('"Object 1"');
    expect(await text(`DESCRIBE <${PAINTING.value}>`)).toBe(`<${PAINTING.value}> <${RDFS_LABEL}> "painting" .\n`);
    const both = await text(`DESCRIBE ?s { ?s <${NAME.value}>/<${RDFS_LABEL}> ?label FILTER(?label < "Object 2") }`);
    expect(both.split("\n")).toHaveLength(8);
  });

  it.each([
    ["SELECT * {\n ?s ?p }", { reason: "malformed", position: { line: 2, column: 8 } }],
    ["SELECT * { ?s x:p ?o }", { reason: "malformed" }],
    ["INSERT DATA { <urn:a> <urn:b> <urn:c> }", { reason: "update" }],
    ["SELECT * { SERVICE <http://x.example/> { ?s ?p ?o } }", { reason: "malformed" }],
    ["SELECT (<urn:f>(1) AS ?x) {}", { reason: "malformed", message: expect.stringContaining("urn:f") }],
    [`SELECT * ${"{".repeat(30_000)}${"}".repeat(30_000)}`, { reason: "malformed" }],
  ])("refuses %.40s and says why", async (query, refusal) => {
    await expect(ask(query)).rejects.toMatchObject(refusal);
  });

  it("comes from the records that FROM, GRAPH and the protocol name, and counts what several state once", async () => {
    const [one, two] = [object(1).iri, object(2).iri];
    expect(await count(`SELECT (COUNT(*) AS ?n) FROM <${one}> FROM <${two}> { ?s ?p ?o }`)).toBe(7);
    expect(await count(COUNT, { defaultGraphs: [one] })).toBe(4);
    const inGraphs = "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }";
    expect(await count(inGraphs, { namedGraphs: [one, two] })).toBe(8);
    expect(await count(`SELECT (COUNT(*) AS ?n) FROM NAMED <${one}> { GRAPH ?g { ?s ?p ?o } }`)).toBe(4);
    expect(await count(`SELECT (COUNT(*) AS ?n) FROM NAMED <${one}> { ?s ?p ?o }`)).toBe(0);
    // The protocol's dataset goes before that of the query.
    expect(await count(`SELECT (COUNT(*) AS ?n) FROM <${one}> { ?s ?p ?o }`, { namedGraphs: [two] })).toBe(0);
    expect(await count(`SELECT (COUNT(*) AS ?n) { GRAPH <${one}> { ?s ?p ?o } }`)).toBe(4);
    // Five objects have the class, and the label, the name's node and the name stand once in the default graph.
    expect(await count(`SELECT (COUNT(*) AS ?n) { GRAPH <${one}> { ?s ?p ?o } ?x ?y ?o }`)).toBe(8);
    expect(await count(COUNT)).toBe(16);
    expect(await count(`SELECT (COUNT(*) AS ?n) { GRAPH <urn:none> { ?s ?p ?o } }`)).toBe(0);
  });

  it("has all named graphs when they are asked for, in a store of their own that follows too", async () => {
    const names = "SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }";
    expect((await ask(names)).rows).toBe(5);
    await publish(there.store, [object(9)], [object(1).iri, object(2).iri]);
    expect((await ask(names)).rows).toBe(4);
    expect(await count(COUNT)).toBe(13);
  });
});
