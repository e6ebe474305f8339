/** `vitrine serve --engine virtuoso`: queries and entities as with the index, and nothing left when it ends. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ownQueries } from "../../src/cli/serving/query-service.js";
import { DEFAULT_SITE } from "../../src/http/pages/site.js";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import { processesIn } from "../query/managed/managed.js";
import { objects, publish, testStore } from "../query/records.js";
import { HAS_VIRTUOSO } from "../query/remote/virtuoso.js";
import { temporaryFolder } from "../temporary-folder.js";
import { start, until, urlOf } from "./built.js";
import { run } from "./run.js";

const COUNT = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }";

describe.skipIf(!HAS_VIRTUOSO)("serve --engine virtuoso (skipped: it is not installed)", () => {
  it("answers queries, also of the command line, and entities while the engine is away", async () => {
    const folder = temporaryFolder(onTestFinished);
    const store = join(folder, "store");
    await run(["load", "data/records/place", "--store", store, "--base-url", "http://localhost:3000"]);
    const service = start(["serve", "--store", store, "--port", "0", "--engine", "virtuoso"]);
    onTestFinished(() => void service.process.kill("SIGKILL"));
    const url = await urlOf(service);
    const asked = async (query = COUNT): Promise<number> =>
      (await fetch(`${url}/sparql?query=${encodeURIComponent(query)}`, { headers: { accept: "text/csv" } })).status;
    await service.told(/the query engine is ready: [\d,]+ triples/);
    expect(await asked()).toBe(200);
    expect(await asked("SELECT * FROM <http://localhost:3000/place/delft> { ?s ?p ?o }")).toBe(200);
    expect(await asked("SELECT * { ?s ?p ?o GRAPH <http://localhost:3000/place/delft> { ?s ?p ?o } }")).toBe(422);
    const answer = await run(["query", COUNT, "--store", store, "--format", "csv"]);
    expect(answer.stdout).toMatch(/\d{4}/);
    // It is soon back: a query may come only when it is away again.
    await until(async () => {
      spawnSync("kill", ["-KILL", ...processesIn(folder).map(String)]);
      expect((await fetch(`${url}/place/delft`)).status).toBe(200);
      return (await asked()) === 503;
    });
    expect((await fetch(`${url}/place/delft`)).status).toBe(200);
    await service.told(/the query engine is down: it ended with SIGKILL; it is started again/);
    await until(async () => (await asked()) === 200);
    service.process.kill("SIGTERM");
    expect(await service.ended).toBe(0);
    expect(processesIn(folder)).toEqual([]);
  });
});

describe("an engine by name", () => {
  it("is one that there is, and that is installed", async () => {
    expect(await run(["serve", "--engine", "quleve"])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("not an http or https address, nor an engine that can be run here (virtuoso)"),
    });
    expect(await run(["engine", "check", "--engine", "virtuoso"])).toMatchObject({ status: 2 });
    const { PATH } = process.env;
    process.env.PATH = "/nowhere";
    const { status, stderr } = await run(["serve", "--engine", "virtuoso"]).finally(() => {
      process.env.PATH = PATH;
    });
    expect([status, stderr]).toEqual([2, expect.stringContaining("apt-get install virtuoso-opensource-7-bin")]);
  });

  it("is named to whoever has many records", async () => {
    const there = await testStore();
    await publish(there.store, objects(2));
    const store = { ...there.store, stats: async () => ({ ...(await there.store.stats()), records: 238_568 }) };
    const told: string[] = [];
    const index = { kind: "index", directory: there.directory } as const;
    const queries = ownQueries(
      {
        ...{
          directory: there.directory,
          querying: {
            index: { ...index, processes: 1 },
            timeout: 1_000,
            rows: 1,
            bytes: 1,
            engine: undefined,
            managed: undefined,
            token: undefined,
          },
          records: undefined,
        },
        announce: (message) => void told.push(message),
        serving: {
          publication: { cacheControl: "no-cache", trustProxy: false, hal: false, site: DEFAULT_SITE, cacheBytes: 0 },
        },
      },
      store,
      { model: DEFAULT_MODEL, base: "http://x.example" },
    );
    await queries.start();
    expect(told[0]).toBe(
      "238,568 records: an engine answers most queries over this many several times faster, and with less memory: " +
        "apt-get install virtuoso-opensource-7-bin, then vitrine serve --engine virtuoso (docs/run/engines.md)",
    );
    await queries.close();
    await there.remove();
  });
});
