/** What every query engine must answer: the processes of this machine, and another process's endpoint. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { EngineAddresses } from "../../src/engine/engine-access.js";
import type { QueryContext, QueryEngine, QueryRequest } from "../../src/query/engine.js";
import { openEngine } from "../../src/query/open.js";
import { GRAPH_TYPES, RESULT_TYPES } from "../../src/query/results.js";
import { BASE, labelled, type SparqlTestService, startSparqlService } from "../http/sparql/service.js";
import { InProcessIndex } from "./in-process-index.js";
import { managed } from "./managed/managed.js";
import { ask as askEngine, ENDLESS, publish, request } from "./records.js";
import { type OxigraphEngine, startOxigraphEngine } from "./remote/oxigraph-engine.js";
import { HAS_VIRTUOSO, startVirtuoso, type Virtuoso } from "./remote/virtuoso.js";

const ONE = `${BASE}/one`;
const ALL = "SELECT * { ?s ?p ?o }";
/** An engine looks for changes of its own accord. */
const FOLLOWING = { timeout: 8_000, interval: 50 };
const NO_LIMIT = Number.POSITIVE_INFINITY;

let service: SparqlTestService;
let virtuoso: Virtuoso | undefined;
let small: OxigraphEngine;
beforeAll(async () => {
  small = await startOxigraphEngine();
  if (HAS_VIRTUOSO) virtuoso = await startVirtuoso();
  const more = Array.from({ length: 40 }, (_, at) => labelled(`more/${at}`));
  service = await startSparqlService([labelled("one"), labelled("two"), ...more], {
    rows: NO_LIMIT,
    bytes: NO_LIMIT,
  });
});
afterAll(async () => {
  await service.stop();
  await small.stop();
  await virtuoso?.stop();
});

/** An engine that is kept in step with the records. */
function kept(addresses: EngineAddresses): QueryEngine {
  return openEngine({
    kind: "synchronized",
    ...addresses,
    graphs: "merged",
    store: service.there.store,
    report: () => {},
  });
}

interface Kind {
  readonly open: () => QueryEngine;
  /** Whether it has the records' named graphs. */
  readonly hasGraphs?: boolean;
  /** Whether the tests open it, where it has graphs, and so close it. */
  readonly isOwn?: boolean;
  /** Whether it evaluates in this very thread, so that nothing ends a query. */
  readonly isHere?: boolean;
}

const KINDS: [string, Kind][] = [
  ["the processes of this machine", { open: () => service.index, hasGraphs: true }],
  ["another process's endpoint", { open: () => openEngine({ kind: "endpoint", url: service.url }), hasGraphs: true }],
  ["the index of the tests", { open: () => new InProcessIndex(service.there.store), hasGraphs: true, isHere: true }],
  ["a small engine that is kept in step", { open: () => kept(small.addresses), isHere: true }],
  ...(HAS_VIRTUOSO
    ? ([
        ["Virtuoso, kept in step", { open: () => kept(virtuoso!.addresses) }],
        ["Virtuoso, run by the service", { open: () => managed(service.there), hasGraphs: true, isOwn: true }],
      ] as [string, Kind][])
    : []),
];

describe.each(KINDS)("%s", (_, { open, hasGraphs = false, isOwn = !hasGraphs, isHere = false }) => {
  let engine: QueryEngine;
  beforeAll(async () => {
    engine = open();
    await engine.whenReady();
  });

  afterAll(async () => {
    if (isOwn) await engine.close();
  });

  const ask = (query: string, more: Partial<QueryRequest> = {}, asking: Partial<QueryContext> = {}) =>
    askEngine(engine, query, { base: `${BASE}/`, ...more }, asking);

  it("are ready, and say what their answers reflect", async () => {
    expect(engine.state.state).toBe("ready");
    const { sequence } = await ask("ASK {}");
    await publish(service.there.store, [labelled(`new/${sequence}`)]);
    await vi.waitFor(async () => expect((await ask("ASK {}")).sequence).toBe(sequence! + 1), FOLLOWING);
    expect(JSON.parse((await ask(`ASK { <new/${sequence}> ?p ?o }`)).text)).toMatchObject({ boolean: true });
    expect(engine.state.sequence).toBe(sequence! + 1);
  });

  it("answer each form of query in each format, with rows and kind", async () => {
    for (const solutions of Object.keys(RESULT_TYPES) as (keyof typeof RESULT_TYPES)[]) {
      const formats = { solutions, truth: solutions, graph: undefined };
      const selected = await ask("SELECT ?label { <one> ?p ?label FILTER(isLiteral(?label)) }", { formats });
      expect([selected.kind, selected.format, selected.rows]).toEqual(["solutions", solutions, 1]);
      expect(selected.text).toContain("one");
      const truth = await ask("ASK { <one> ?p ?o }", { formats });
      expect([truth.kind, truth.format, truth.rows]).toEqual(["truth", solutions, 1]);
      expect(truth.text).toContain("true");
    }
    for (const graph of Object.keys(GRAPH_TYPES) as (keyof typeof GRAPH_TYPES)[]) {
      const formats = { solutions: undefined, truth: undefined, graph };
      const constructed = await ask("CONSTRUCT WHERE { <one> ?p ?o }", { formats });
      expect([constructed.kind, constructed.format]).toEqual(["graph", graph]);
      expect(constructed.text).toContain("one");
    }
    expect((await ask(`DESCRIBE <${ONE}>`)).text.trim().split("\n")).toHaveLength(2);
  });

  it("answer without a limit of rows", async () => {
    const { text } = await ask(ALL, { rows: NO_LIMIT, bytes: NO_LIMIT });
    expect(JSON.parse(text).results.bindings.length).toBeGreaterThan(80);
  });

  it.runIf(!hasGraphs)("refuse what names graphs that they do not have, rather than give nothing", async () => {
    for (const query of [`SELECT * FROM <${ONE}> { ?s ?p ?o }`, "SELECT * { GRAPH ?g { ?s ?p ?o } }"]) {
      await expect(ask(query)).rejects.toMatchObject({ reason: "no-graphs" });
    }
    await expect(ask(ALL, { defaultGraphs: [ONE] })).rejects.toMatchObject({ reason: "no-graphs" });
    await expect(ask("ASK { SERVICE <http://localhost/> { ?s ?p ?o } }")).rejects.toMatchObject({
      reason: "malformed",
    });
  });

  it.runIf(hasGraphs)("answer from the dataset that the request names", async () => {
    const rows = async (more: Partial<QueryRequest>) => (await ask(ALL, more)).rows;
    expect(await rows({ defaultGraphs: [ONE] })).toBe(2);
    expect(await rows({ defaultGraphs: [ONE, `${BASE}/two`] })).toBe(4);
    expect(await rows({ namedGraphs: [ONE] })).toBe(0);
  });

  it.each([
    ["SELECT * {\n ?s ?p }", { reason: "malformed", position: { line: 2, column: 8 } }],
    ["SELECT * { ?s ?p }", { reason: "malformed", position: { line: 1, column: 18 } }],
    ["INSERT DATA { <urn:a> <urn:b> <urn:c> }", { reason: "update" }],
  ])("refuse %j, and say why and where", async (query, refusal) => {
    await expect(ask(query)).rejects.toMatchObject(refusal);
  });

  it("refuse a result of more rows or bytes rather than cut it, and a kind of query without a format", async () => {
    await expect(ask(ALL, { rows: 10 })).rejects.toMatchObject({ reason: "too-many-rows" });
    await expect(ask(ALL, { bytes: 1_000 })).rejects.toMatchObject({ reason: "too-many-bytes" });
    await expect(ask("CONSTRUCT WHERE { ?s ?p ?o }", { rows: 10 })).rejects.toMatchObject({ reason: "too-many-rows" });
    const formats = { solutions: undefined, truth: undefined, graph: "nt" } as const;
    await expect(ask("ASK {}", { formats })).rejects.toMatchObject({ reason: "not-acceptable" });
  });

  it.skipIf(isHere)("end a query at its deadline, and answer again", async () => {
    await expect(ask(ENDLESS, {}, { timeout: 300 })).rejects.toMatchObject({ reason: "timeout" });
    // What ran it may have to be started anew, and the client that gave up may be noticed after another was answered.
    const answered = (): Promise<{ readonly text: string } | undefined> =>
      ask("ASK {}").catch((error) => {
        if (error.reason === "busy") return undefined;
        throw error;
      });
    let answer = await answered();
    for (; answer === undefined; answer = await answered()) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(JSON.parse(answer.text)).toMatchObject({ boolean: true });
  });
});

describe("an endpoint elsewhere", () => {
  async function answering<T>(listener: RequestListener, work: (engine: QueryEngine) => Promise<T>): Promise<T> {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const engine = openEngine({
      kind: "endpoint",
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      credentials: { token: "secret" },
    });
    try {
      return await work(engine);
    } finally {
      await engine.close();
      server.closeAllConnections();
      server.close();
    }
  }
  const asking = { client: "a", timeout: 10_000 };

  it.each([
    [400, "malformed"],
    [401, "unreachable"],
    [404, "unreachable"],
    [429, "busy"],
    [503, "busy"],
    [504, "timeout"],
  ])("that answers %i is understood: %s", async (status, reason) => {
    await answering(
      (_request, response) => response.writeHead(status, { "content-type": "text/plain" }).end("Virtuoso 37000 Error"),
      async (engine) => {
        const refused = engine.query(request("ASK {}"), asking);
        await expect(refused).rejects.toMatchObject({ reason, message: "Virtuoso 37000 Error" });
      },
    );
  });

  it("that says of a query that it took too long, in Virtuoso's words, is understood", async () => {
    await answering(
      (_request, response) => response.writeHead(500).end("Virtuoso S1T00 Error SR171: Transaction timed out"),
      (engine) => expect(engine.query(request("ASK {}"), asking)).rejects.toMatchObject({ reason: "timeout" }),
    );
  });

  it("that does not answer is said to be unreachable, until it does", async () => {
    const engine = await answering(
      (incoming, response) => {
        const isKnown = incoming.headers.authorization === "Bearer secret";
        response.writeHead(isKnown ? 200 : 401, { "content-type": "application/sparql-results+json; charset=utf-8" });
        response.end('{"head":{},"boolean":true}');
      },
      async (open) => {
        expect(await open.query(request("ASK {}"), asking)).toMatchObject({ kind: "truth", sequence: undefined });
        return open;
      },
    );
    await expect(engine.query(request("ASK {}"), asking)).rejects.toMatchObject({ reason: "busy" });
    const gone = openEngine({ kind: "endpoint", url: "http://127.0.0.1:9/" });
    await expect(gone.query(request("ASK {}"), asking)).rejects.toMatchObject({ reason: "unreachable" });
    expect(gone.state).toMatchObject({ state: "unreachable", detail: expect.any(String) });
  });

  it("gives its answer as it comes, stops when nobody waits, and says so when it breaks off", async () => {
    const more: (() => void)[] = [];
    const closed: string[] = [];
    await answering(
      (incoming, response) => {
        response.on("close", () => closed.push("closed"));
        response.writeHead(200, { "content-type": "text/csv" });
        response.write("a\r\n");
        incoming.resume();
        more.push(() => response.destroy());
      },
      async (engine) => {
        const formats = { solutions: "csv", truth: "csv", graph: undefined } as const;
        const flowing = request(ALL, { rows: NO_LIMIT, bytes: NO_LIMIT, formats });
        const given = new AbortController();
        const { body } = await engine.query(flowing, { ...asking, signal: given.signal });
        const read = (async () => {
          for await (const piece of body) {
            expect(Buffer.from(piece).toString()).toBe("a\r\n");
            given.abort();
          }
        })();
        await expect(read).rejects.toMatchObject({ reason: "busy", message: "The query was given up." });
        const late = engine.query(request(ALL, { formats }), { ...asking, timeout: 200 });
        await expect(late).rejects.toMatchObject({ reason: "timeout" });
        const cut = await engine.query(flowing, asking);
        more.at(-1)!();
        await expect(buffer(cut.body)).rejects.toThrow();
      },
    );
    expect(closed.length).toBeGreaterThan(1);
  });
});
