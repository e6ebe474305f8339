import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { startOxigraphEngine } from "../query/remote/oxigraph-engine.js";
import { startedForAll } from "../started.js";
import { failing, serveForTest } from "./run.js";
import { workspaceForAll } from "./workspace.js";

const BASE = "http://data.museum.example/";
const ENTITY = `${BASE}set/mauritshuis-collection`;
const COUNT = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }";

const { path, file, vitrine, json } = workspaceForAll();
let flags: string[];
const engine = startedForAll(startOxigraphEngine);
beforeAll(async () => {
  const { url, update, graphStore } = engine.addresses;
  flags = ["--engine", url, "--engine-update", update!, "--engine-graph-store", graphStore!];
  await vitrine("load", "data/records/set", "--base-url", BASE);
});

async function counted(url: string): Promise<{ n: number; sequence: number }> {
  const asked = { method: "POST", body: new URLSearchParams({ query: COUNT }), headers: { accept: "text/csv" } };
  for (;;) {
    const answer = await fetch(new URL("/sparql", url), asked);
    const text = await answer.text();
    if (answer.ok) return { n: Number(text.split("\n")[1]), sequence: Number(answer.headers.get("vitrine-sequence")) };
    if (answer.status !== 503) throw new Error(text);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe("an engine on the command line", () => {
  it("is filled, compared and put right", async () => {
    const filled = await vitrine("engine", "fill", ...flags);
    expect([filled.status, filled.stderr]).toEqual([0, expect.stringContaining("the query engine is ready")]);
    const equal = await vitrine("engine", "check", "--json", ...flags);
    expect(equal.status).toBe(0);
    expect(JSON.parse(equal.stdout)).toMatchObject({ missing: 0, surplus: 0, differing: [] });
    engine.store.update(`DELETE WHERE { GRAPH <urn:vitrine:records> { <${ENTITY}> ?p ?o } }`);
    const differs = await vitrine("engine", "check", ...flags);
    expect([differs.status, differs.stdout]).toEqual([1, `${ENTITY}\n`]);
    expect((await vitrine("engine", "check", ...flags, { stdout: failing("ENOSPC") })).status).toBe(2);
    const repaired = await vitrine("engine", "check", "--repair", ...flags, { stdout: failing("ENOSPC") });
    expect([repaired.status, repaired.stderr]).toEqual([3, expect.stringContaining("corrected")]);
    expect((await vitrine("engine", "check", ...flags)).status).toBe(0);
  });

  it("whose filling is interrupted says so", async () => {
    const { status, stderr } = await vitrine("engine", "fill", ...flags, { interrupted: AbortSignal.abort() });
    expect([status, stderr]).toEqual([2, "vitrine: interrupted\n"]);
  });

  it("is not called right where it does not hold what it is sent", async () => {
    const { store: held } = engine;
    const loss = `DELETE WHERE { GRAPH <urn:vitrine:records> { <${ENTITY}> ?p ?o } }`;
    held.update(loss);
    const update = held.update.bind(held);
    const losing = vi.spyOn(held, "update").mockImplementation((...given) => {
      update(...given);
      update(loss);
    });
    onTestFinished(() => losing.mockRestore());
    const repaired = await vitrine("engine", "check", "--repair", ...flags);
    expect([repaired.status, repaired.stderr]).toEqual([1, expect.stringMatching(/: \d+ differences left, of values/)]);
    losing.mockRestore();
    expect((await vitrine("engine", "check", "--repair", ...flags)).status).toBe(0);
  });

  it("answers the queries of a service, which says what state that is", async () => {
    const running = await serveForTest(["--store", path("store"), "--base-url", BASE, ...flags]);
    const { n, sequence } = await counted(running.url);
    expect(n).toBeGreaterThan(50);
    expect(sequence).toBe((await json("stats")).sequence);
    const entity = await fetch(`${running.url}/entity?uri=${encodeURIComponent(ENTITY)}`);
    expect(entity.status).toBe(200);
  });

  it("has the records, too, where others fill it", async () => {
    const running = await serveForTest([
      "--base-url",
      BASE,
      "--port",
      "0",
      "--read-only-engine",
      "--engine",
      flags[1]!,
    ]);
    const entity = await fetch(`${running.url}/entity?uri=${encodeURIComponent(ENTITY)}`);
    expect(entity.status).toBe(200);
    expect(await entity.json()).toMatchObject({ id: ENTITY, type: "Set" });
    expect((await counted(running.url)).n).toBeGreaterThan(50);
    expect((await fetch(`${running.url}/activity`)).status).toBe(404);
    expect((await fetch(`${running.url}/.well-known/void`)).status).toBe(200);
    expect(running.stderr()).not.toContain("0 triples");
  });

  it.each([
    [["serve", "--read-only-engine"], "needs --engine"],
    [["serve", "--engine-user", "me"], "needs --engine URL"],
    [["serve", "--engine", "http://me:secret@localhost/"], "holds a password"],
    [["serve", "--engine", "localhost"], "not an http or https address"],
    [["serve", "--engine", "http://localhost/", "--engine-user", "me"], "--engine-user needs --engine-password"],
    [["engine", "fill"], "name the engine"],
    [["engine", "check", "--engine", "virtuoso"], "remove engine/virtuoso in the store"],
    [["engine", "mend", "--engine", "http://localhost/"], "use vitrine engine fill"],
  ])("is refused as in %j", async (args, message) => {
    const { status, stderr } = await vitrine(...args);
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(stderr).not.toContain("secret");
  });

  it("is told of when it cannot be reached, without its key", async () => {
    const password = file("password", "s3cret\n");
    const gone = [
      "--engine",
      "http://127.0.0.1:9/sparql?key=s3cret",
      "--engine-user",
      "me",
      "--engine-password",
      `@${password}`,
    ];
    const { status, stderr } = await vitrine("engine", "check", ...gone);
    expect([status, stderr]).toEqual([2, expect.stringContaining("http://127.0.0.1:9/sparql: ")]);
    expect(stderr).not.toContain("s3cret");
  });
});
