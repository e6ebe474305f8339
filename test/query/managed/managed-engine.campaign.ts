/** Virtuoso run by the service: killed, outdated, copied from another store, and never left behind. The campaign `managed` kills it more often. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { ask, objects, publish, type TestStore, testStore } from "../records.js";
import { HAS_VIRTUOSO } from "../remote/virtuoso.js";
import { killedAndInStep } from "./kills.js";
import { inStep, listening, managed, processesIn } from "./managed.js";

const COUNT = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }";

describe.skipIf(!HAS_VIRTUOSO)("Virtuoso, run by the service (skipped: it is not installed)", () => {
  /** The store that is copied for each test, after the first test has filled an engine for it. */
  let made: TestStore;
  let there: TestStore;
  beforeAll(async () => {
    made = await testStore();
    await publish(made.store, objects(20));
  });
  beforeEach(async () => {
    there = await testStore(made);
  });
  afterEach(() => there.remove());
  afterAll(() => made.remove());

  const counted = async (engine: ReturnType<typeof managed>): Promise<string> =>
    JSON.parse((await ask(engine, COUNT)).text).results.bindings[0].n.value;

  it("is filled, says how far it is, listens on loopback only, answers only its owner, and refuses to join named graphs with all records", async () => {
    const engine = managed(made);
    await expect(ask(engine, COUNT)).rejects.toMatchObject({ reason: "busy" });
    await inStep(engine, made);
    expect(await counted(engine)).toBe("61");
    const at = listening(engine.pid!);
    expect(at).toHaveLength(2);
    for (const address of at) expect(address).toMatch(/^127\.0\.0\.1:/);
    const folder = join(made.directory, "engine/virtuoso");
    const { ports, password } = JSON.parse(readFileSync(join(folder, "made.json"), "utf8"));
    const sent = { method: "POST", body: new URLSearchParams({ query: "SELECT * { ?s ?p ?o } LIMIT 1" }) };
    const { status } = await fetch(`http://127.0.0.1:${ports[1]}/sparql-auth`, sent);
    expect(status).toBe(401);
    const open = await fetch(`http://127.0.0.1:${ports[1]}/sparql`, sent);
    expect(await open.text()).not.toContain("http://x.example");
    for (const pid of processesIn(folder)) {
      expect(readFileSync(`/proc/${pid}/cmdline`, "utf8")).not.toContain(password);
    }
    await joinsNoNamedGraphs(engine);
    await engine.close();
    expect(processesIn(made.directory)).toEqual([]);
    await expect(ask(engine, COUNT)).rejects.toThrow();
  });

  /** Expects answers from named graphs, and a refusal to join them with all records. */
  async function joinsNoNamedGraphs(engine: ReturnType<typeof managed>): Promise<void> {
    const one = "http://x.example/object/1";
    expect((await ask(engine, `SELECT * { GRAPH <${one}> { ?s ?p ?o } }`)).rows).toBe(4);
    expect((await ask(engine, `SELECT * FROM <${one}> { ?s ?p ?o }`)).rows).toBe(4);
    expect((await ask(engine, "SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }")).rows).toBe(20);
    await publish(made.store, objects(21));
    const named = async () => (await ask(engine, "SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }")).rows;
    await expect.poll(named).toBe(21);
    const joined = ask(engine, `SELECT * { GRAPH <${one}> { ?s ?p ?o } ?o ?q ?r }`);
    await expect(joined).rejects.toMatchObject({ reason: "no-graphs" });
  }

  it("is in step again after a kill, with nothing left behind", async () => {
    const { lives } = await killedAndInStep(there, 1, "managed");
    expect(lives).toBe(2);
  });

  /** The reports of an engine from its start until it is in step. */
  const lived = async (from = there): Promise<string[]> => {
    const reports: string[] = [];
    const engine = managed(from, { report: (message) => reports.push(message) });
    await inStep(engine, from);
    await engine.close();
    return reports;
  };

  it("continues where it was, and is filled anew by another version", async () => {
    const note = join(there.directory, "engine/virtuoso/made.json");
    const data = join(there.directory, "engine/virtuoso/data");
    expect(await lived()).toEqual([]);
    const before = readFileSync(note, "utf8");
    const { birthtimeMs } = statSync(data);
    await publish(there.store, objects(5, "renamed"));
    expect(await lived()).toEqual([]);
    expect(statSync(data).birthtimeMs).toBe(birthtimeMs);
    writeFileSync(note, JSON.stringify({ ...JSON.parse(before), version: "Version 6" }));
    expect(await lived()).toEqual([]);
    expect(statSync(data).birthtimeMs).toBeGreaterThan(birthtimeMs);
  });

  it("is filled anew if it holds a state that this store has never had", async () => {
    const other = await testStore();
    await publish(other.store, objects(7));
    cpSync(join(there.directory, "engine"), join(other.directory, "engine"), { recursive: true });
    const reports = await lived(other);
    expect(reports).toEqual([expect.stringContaining("it reflects another state of the store, so it is filled again")]);
    await other.remove();
  });

  it("is run by one service at a time, and by the next when the first has ended", async () => {
    const first = managed(there);
    await inStep(first, there);
    const reports: string[] = [];
    const second = managed(there, { report: (message) => reports.push(message) });
    while (reports.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(reports[0]).toMatch(
      /the query engine is down: process \d+ runs the engine of this store; it is started again/,
    );
    await expect(ask(second, COUNT)).rejects.toMatchObject({ reason: "unreachable" });
    await first.close();
    await inStep(second, there);
    expect(await counted(second)).toBe("64");
    await second.close();
  });

  it("ends with a service that is killed", async () => {
    const script = `
      import { openStore } from ${JSON.stringify(import.meta.resolve("../../../src/store/open.ts"))};
      import { openEngine } from ${JSON.stringify(import.meta.resolve("../../../src/query/open.ts"))};
      import { untilReady } from ${JSON.stringify(import.meta.resolve("../../../src/query/waiting.ts"))};
      const directory = ${JSON.stringify(there.directory)};
      const store = await openStore({ directory });
      const engine = openEngine({ kind: "managed", engine: "virtuoso", directory, store, queryMemory: 2 ** 28, timeout: 9_000, report() {} });
      await untilReady(engine);
      console.log("ready");
      setInterval(() => {}, 1_000);`;
    const file = join(there.directory, "service.mjs");
    writeFileSync(file, script);
    const service = spawn(process.execPath, ["--import", "tsx", file], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void service.kill("SIGKILL"));
    await once(service.stdout, "data");
    const [pid] = processesIn(there.directory);
    expect(pid).toBeDefined();
    service.kill("SIGKILL");
    await once(service, "exit");
    while (processesIn(there.directory).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  });
});
