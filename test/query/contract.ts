/** What every query engine must answer, wherever it evaluates. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { EngineAddresses } from "../../src/engine/engine-access.js";
import type { QueryContext, QueryEngine, QueryRequest } from "../../src/query/engine.js";
import { openEngine } from "../../src/query/open.js";
import { GRAPH_TYPES, RESULT_TYPES } from "../../src/query/results.js";
import { BASE, labelled, type SparqlTestService, startSparqlService } from "../http/sparql/service.js";
import { ask as askEngine, ENDLESS, publish } from "./records.js";

const ONE = `${BASE}/one`;
const ALL = "SELECT * { ?s ?p ?o }";
/** An engine looks for changes of its own accord. */
const FOLLOWING = { timeout: 8_000, interval: 50 };
const NO_LIMIT = Number.POSITIVE_INFINITY;

/** An engine that is kept in step with the records of a service. */
export function kept(addresses: EngineAddresses, { there }: SparqlTestService): QueryEngine {
  return openEngine({ kind: "synchronized", ...addresses, graphs: "merged", store: there.store, report: () => {} });
}

/** A kind of engine. */
export interface Kind {
  /** One that answers from the records of a service. */
  readonly open: (service: SparqlTestService) => QueryEngine;
  /** Whether it has the records' named graphs. */
  readonly hasGraphs?: boolean;
  /** Whether the tests open it, where it has graphs, and so close it. */
  readonly isOwn?: boolean;
  /** Whether it evaluates in this very thread, so that nothing ends a query. */
  readonly isHere?: boolean;
}

/** Ask engines of these kinds, which `begin` readies and `end` ends, what every engine must answer. */
export function holdToContract(
  kinds: readonly (readonly [name: string, kind: Kind])[],
  begin: () => Promise<void>,
  end: () => Promise<void> | undefined,
): void {
  let service: SparqlTestService;
  beforeAll(async () => {
    await begin();
    const more = Array.from({ length: 40 }, (_, at) => labelled(`more/${at}`));
    const limits = { rows: NO_LIMIT, bytes: NO_LIMIT };
    service = await startSparqlService([labelled("one"), labelled("two"), ...more], limits);
  });
  afterAll(async () => {
    await service.stop();
    await end();
  });

  describe.each(kinds)("%s", (_, { open, hasGraphs = false, isOwn = !hasGraphs, isHere = false }) => {
    let engine: QueryEngine;
    beforeAll(async () => {
      engine = open(service);
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
      await expect(ask("CONSTRUCT WHERE { ?s ?p ?o }", { rows: 10 })).rejects.toMatchObject({
        reason: "too-many-rows",
      });
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
}
