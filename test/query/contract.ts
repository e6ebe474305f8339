/** The contract of query engines: what each must answer, wherever it evaluates queries. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EngineAddresses } from "../../src/engine/engine-access.js";
import type { QueryContext, QueryEngine, QueryRequest } from "../../src/query/engine.js";
import { openEngine } from "../../src/query/open.js";
import { GRAPH_TYPES, RESULT_TYPES } from "../../src/query/results.js";
import { untilReady } from "../../src/query/waiting.js";
import { BASE, labelled, type SparqlTestService, startSparqlService } from "../http/sparql/service.js";
import { ask as askEngine, ENDLESS, publish } from "./records.js";

const ONE = `${BASE}/one`;
const ALL = "SELECT * { ?s ?p ?o }";
const NO_LIMIT = Number.POSITIVE_INFINITY;

/** A synchronized engine, kept in step with the records of a service. */
export function kept(addresses: EngineAddresses, { there }: SparqlTestService): QueryEngine {
  return openEngine({ kind: "synchronized", ...addresses, graphs: "merged", store: there.store, report: () => {} });
}

/** A kind of engine. */
export interface Kind {
  /** Opens an engine that answers from the records of a service. */
  readonly open: (service: SparqlTestService) => QueryEngine;
  /** Whether it offers the records' named graphs. */
  readonly hasGraphs?: boolean;
  /** Whether the tests must close it, because they open it. Default: if it has no graphs. */
  readonly isOwn?: boolean;
  /** Whether it evaluates in this thread, so that nothing can end a query. */
  readonly isHere?: boolean;
}

/** Define the tests of the contract for engines of these kinds; `begin` prepares for them, and `end` cleans up. */
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

  describe.each(kinds)("an engine (%s)", (_, { open, hasGraphs = false, isOwn = !hasGraphs, isHere = false }) => {
    let engine: QueryEngine;
    beforeAll(async () => {
      engine = open(service);
      await untilReady(engine);
    });

    afterAll(async () => {
      if (isOwn) await engine.close();
    });

    const ask = (query: string, more: Partial<QueryRequest> = {}, asking: Partial<QueryContext> = {}) =>
      askEngine(engine, query, { base: `${BASE}/`, ...more }, asking);

    it("is ready, and says which change its answers reflect", async () => {
      expect(engine.state.state).toBe("ready");
      const { sequence } = await ask("ASK {}");
      await publish(service.there.store, [labelled(`new/${sequence}`)]);
      // An engine looks for changes by itself.
      await expect.poll(async () => (await ask("ASK {}")).sequence).toBe(sequence! + 1);
      expect(JSON.parse((await ask(`ASK { <new/${sequence}> ?p ?o }`)).text)).toMatchObject({ boolean: true });
      expect(engine.state.sequence).toBe(sequence! + 1);
    });

    it("answers each form of query in each format, with the kind and the rows of the result", async () => {
      for (const solutions of Object.keys(RESULT_TYPES) as (keyof typeof RESULT_TYPES)[]) {
        const formats = { results: solutions, graph: undefined };
        const selected = await ask("SELECT ?label { <one> ?p ?label FILTER(isLiteral(?label)) }", { formats });
        expect([selected.kind, selected.rows]).toEqual(["solutions", 1]);
        expect(selected.text).toContain("one");
        const truth = await ask("ASK { <one> ?p ?o }", { formats });
        expect(truth.kind).toBe("truth");
        expect(truth.text).toContain("true");
      }
      for (const graph of Object.keys(GRAPH_TYPES) as (keyof typeof GRAPH_TYPES)[]) {
        const formats = { results: undefined, graph };
        const constructed = await ask("CONSTRUCT WHERE { <one> ?p ?o }", { formats });
        expect(constructed.kind).toBe("graph");
        expect(constructed.text).toContain("one");
      }
      expect((await ask(`DESCRIBE <${ONE}>`)).text.trim().split("\n")).toHaveLength(2);
    });

    it("answers without a limit of rows", async () => {
      const { text } = await ask(ALL, { rows: NO_LIMIT, bytes: NO_LIMIT });
      expect(JSON.parse(text).results.bindings.length).toBeGreaterThan(80);
    });

    it.runIf(!hasGraphs)("refuses queries of named graphs, instead of answering with nothing", async () => {
      for (const query of [`SELECT * FROM <${ONE}> { ?s ?p ?o }`, "SELECT * { GRAPH ?g { ?s ?p ?o } }"]) {
        await expect(ask(query)).rejects.toMatchObject({ reason: "no-graphs" });
      }
      await expect(ask(ALL, { defaultGraphs: [ONE] })).rejects.toMatchObject({ reason: "no-graphs" });
      await expect(ask("ASK { SERVICE <http://localhost/> { ?s ?p ?o } }")).rejects.toMatchObject({
        reason: "malformed",
      });
    });

    it.runIf(hasGraphs)("answers from the dataset that the request names", async () => {
      const rows = async (more: Partial<QueryRequest>) => (await ask(ALL, more)).rows;
      expect(await rows({ defaultGraphs: [ONE] })).toBe(2);
      expect(await rows({ defaultGraphs: [ONE, `${BASE}/two`] })).toBe(4);
      expect(await rows({ namedGraphs: [ONE] })).toBe(0);
    });

    it.each([
      ["SELECT * {\n ?s ?p }", { reason: "malformed", position: { line: 2, column: 8 } }],
      ["SELECT * { ?s ?p }", { reason: "malformed", position: { line: 1, column: 18 } }],
      ["INSERT DATA { <urn:a> <urn:b> <urn:c> }", { reason: "update" }],
      [
        "PREFIX bif: <bif:> SELECT (bif:exec('select 1') AS ?x) { ?s ?p ?o }",
        { reason: "malformed", message: expect.stringContaining("<bif:exec>") },
      ],
    ])("refuses %j, and says why and where", async (query, refusal) => {
      await expect(ask(query)).rejects.toMatchObject(refusal);
    });

    it("refuses a result of too many rows or bytes instead of cutting it, and a form of query without a format", async () => {
      await expect(ask(ALL, { rows: 10 })).rejects.toMatchObject({ reason: "too-many-rows" });
      await expect(ask(ALL, { bytes: 1_000 })).rejects.toMatchObject({ reason: "too-many-bytes" });
      await expect(ask("CONSTRUCT WHERE { ?s ?p ?o }", { rows: 10 })).rejects.toMatchObject({
        reason: "too-many-rows",
      });
      const formats = { results: undefined, graph: "nt" } as const;
      await expect(ask("ASK {}", { formats })).rejects.toMatchObject({
        reason: "not-acceptable",
        message: "The formats for SELECT and ASK are json, xml, csv, tsv.",
      });
    });

    it.skipIf(isHere)("ends a query at its deadline, and answers again", async () => {
      await expect(ask(ENDLESS, {}, { timeout: 300 })).rejects.toMatchObject({ reason: "timeout" });
      // The process that ran it may have to be started again, and its place may be freed only after another query was refused.
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
