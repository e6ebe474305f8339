/** Stores on Comunica and on Virtuoso, and the same documents from three engines. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createServer } from "../../../src/http/server/server.js";
import { iri, literal, XSD } from "../../../src/rdf/terms.js";
import { serverOptions } from "../../http/service.js";
import { recordOf } from "../../query/records.js";
import { comunica, startComunicaEngine } from "../../query/remote/comunica-engine.js";
import { type OxigraphEngine, startOxigraphEngine } from "../../query/remote/oxigraph-engine.js";
import type { SmallEngine } from "../../query/remote/small-engine.js";
import { HAS_VIRTUOSO, startVirtuoso, type Virtuoso } from "../../query/remote/virtuoso.js";
import { holdStores, RECORDS } from "./on-engine.js";
import { clearAll, putAll, remoteStore } from "./published.js";

const engine = await comunica();

let small: OxigraphEngine;
let other: SmallEngine | undefined;
let virtuoso: Virtuoso | undefined;
beforeAll(async () => {
  if (engine !== undefined) other = await startComunicaEngine(engine);
  small = await startOxigraphEngine();
  if (HAS_VIRTUOSO) virtuoso = await startVirtuoso();
});
afterAll(async () => {
  await small.stop();
  await other?.stop();
  await virtuoso?.stop();
});

holdStores([
  // Not "merged": finding a record in one graph takes it too long.
  ["Comunica", engine === undefined ? [] : ["records"], () => other!.addresses],
  ["Virtuoso", HAS_VIRTUOSO ? ["records", "merged"] : [], () => virtuoso!.addresses],
]);

describe("a quirk of an engine", () => {
  it.runIf(HAS_VIRTUOSO)("is reported at the first use, if the engine changes values", async () => {
    const truth = recordOf("http://data.example/truth", [
      [iri("http://data.example/truth"), iri("urn:is"), literal("true", XSD.boolean)],
    ]);
    const reports: string[][] = [[], []];
    for (const [at, addresses] of [virtuoso!.addresses, small.addresses].entries()) {
      await putAll(addresses, "records", [truth]);
      const store = remoteStore(addresses, "records", { report: (message) => reports[at]!.push(message) });
      await store.find(truth.iri);
      await store.find("http://data.example/other");
      // The test query runs beside that of the record, and connections stay open until both are answered.
      await expect.poll(() => reports[0]).toHaveLength(2);
      await store.close();
    }
    expect(reports[0]![0]).toContain('turns booleans into numbers: "true"');
    expect(reports[0]![1]).toContain('completes invalid dates: "1966"');
    expect(reports[1]).toEqual([]);
  });
});

describe("three engines", () => {
  it.runIf(HAS_VIRTUOSO && engine !== undefined)("give the same documents and entity tags", async () => {
    const servers = [];
    const answers: string[][] = [];
    const some = RECORDS.slice(0, 12);
    for (const { addresses } of [small, other!, virtuoso!]) {
      await clearAll(addresses);
      await putAll(addresses, "records", some);
      const store = remoteStore(addresses, "records");
      const [base] = /^https?:\/\/[^/]*\//.exec(some[0]!.iri)!;
      const server = createServer(serverOptions({ store, baseUrl: base, report: () => {} }));
      const { port } = await server.listen(0);
      servers.push({ server, store });
      const given: string[] = [];
      for (const { iri } of some) {
        const answer = await fetch(`http://127.0.0.1:${port}/entity?uri=${encodeURIComponent(iri)}`);
        given.push(`${answer.status} ${answer.headers.get("etag")} ${await answer.text()}`);
      }
      answers.push(given);
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
