/** `vitrine serve` as several processes over one store. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { rawGet } from "../http/service.js";
import { BASE, places } from "../sent/sending.js";
import { temporaryFolder } from "../temporary-folder.js";
import { type Built, childrenBy, childrenOf, isRunning, startServing, until } from "./built.js";
import { run } from "./run.js";

const folder = temporaryFolder();
let store: string;
beforeAll(async () => {
  store = join(folder, "store");
  const loading = ["load", "-", "--format", "jsonl", "--store", store, "--base-url", BASE];
  await run(loading, { stdin: places(1, 4) });
});

/** The two workers among the processes that a process started, once there are no others: its index seems to be one until it has begun. */
async function workersOf(pid: number): Promise<number[]> {
  let workers: number[] = [];
  await until(() => {
    workers = childrenBy(pid, "serve");
    return workers.length === 2;
  });
  return workers;
}

type Workers = Built & { readonly port: number };

async function startWorkers(...more: readonly string[]): Promise<Workers> {
  const args = ["--store", store, "--base-url", BASE, "--workers", "2", ...more];
  // A folder of their own: other services that start remove what killed ones left in the common one.
  const built = await startServing(args, ["env", `TMPDIR=${folder}`]);
  return { ...built, port: Number(new URL(built.url).port) };
}

describe("--workers 2", () => {
  it("answers from two processes, replaces one that dies, and leaves nothing behind when the first is killed", async () => {
    const { process: first, pid, port, told } = await startWorkers();
    const workers = await workersOf(pid);
    const askMany = async (path: string) =>
      new Set((await Promise.all(Array.from({ length: 8 }, () => rawGet(port, path)))).map(({ status }) => status));
    expect(await askMany("/place/1")).toEqual(new Set([200]));

    writeFileSync(join(folder, "later.jsonl"), places(4, 5));
    await run(["load", join(folder, "later.jsonl"), "--store", store]);
    expect(await askMany("/place/4")).toEqual(new Set([200]));

    const ready = async () => JSON.parse((await rawGet(port, "/ready")).body.toString()) as object;
    // How long that takes is the machine's matter, and a query does not wait for ever.
    await until(async () => JSON.stringify(await ready()).includes('"state":"ready"'));
    const query = encodeURIComponent("SELECT (COUNT(?s) AS ?n) { ?s a ?c }");
    const results = await Promise.all(Array.from({ length: 8 }, () => rawGet(port, `/sparql?query=${query}`)));
    for (const { status, headers, body } of results) {
      expect([status, headers.get("content-type")]).toEqual([200, "application/sparql-results+json"]);
      expect(JSON.parse(body.toString())).toMatchObject({ results: { bindings: [{ n: { value: "4" } }] } });
    }
    expect(await ready()).toMatchObject({ index: { state: "ready" } });

    const counted = async (): Promise<number> => {
      const text = (await rawGet(port, "/metrics")).body.toString();
      return Number(/endpoint="place",representation="jsonld",status="200"\} (\d+)/.exec(text)?.[1]);
    };
    const before = await counted();
    expect(before).toBeGreaterThanOrEqual(16);
    process.kill(workers[0]!, "SIGKILL");
    await told(/died \(SIGKILL\); a new one replaces it/);
    const now = await workersOf(pid);
    expect(now).toContain(workers[1]);
    expect(now).not.toContain(workers[0]);
    expect(await askMany("/place/1")).toEqual(new Set([200]));
    expect(await counted()).toBe(before + 8);

    const all = childrenOf(pid);
    expect(all).toHaveLength(3);
    first.kill("SIGKILL");
    await until(() => !all.some(isRunning));
    const left = () => readdirSync(folder).filter((name) => name.includes(`-${pid}-`));
    expect(left()).toHaveLength(1);
    const next = await startWorkers();
    expect(left()).toEqual([]);
    next.process.kill("SIGTERM");
    await next.ended;
  });

  it("counts requests of all processes, for limits and for metrics, and ends all in order", async () => {
    const limits = ["--rate-limit", "entity=6", "--rate-limit", "robot=3", "--log-format", "json"];
    const { process: first, pid, port, ended } = await startWorkers(...limits);
    await until(async () => (await rawGet(port, "/ready")).body.toString().includes('"state":"ready"'));
    expect((await rawGet(port, `/sparql?query=${encodeURIComponent("ASK { ?s ?p ?o }")}`)).status).toBe(200);
    const statuses = [];
    for (let request = 0; request < 12; request++) statuses.push((await rawGet(port, "/place/1")).status);
    expect(statuses).toEqual([...Array<number>(6).fill(200), ...Array<number>(6).fill(429)]);
    const robots = [];
    for (const name of ["Googlebot", "bingbot", "Googlebot", "CCBot", "bingbot"])
      robots.push((await rawGet(port, "/search/all.csv", `User-Agent: ${name}\r\n`)).status);
    expect(robots).toEqual([200, 200, 200, 429, 429]);
    const { body } = await rawGet(port, "/metrics");
    expect(body.toString()).toContain(
      'vitrine_requests_total{endpoint="place",representation="jsonld",status="200"} 6',
    );
    expect(body.toString()).toMatch(/vitrine_records\{endpoint="place"\} \d/);
    expect(body.toString()).toMatch(/vitrine_disk_free_bytes \d/);
    const workers = await workersOf(pid);
    first.kill("SIGTERM");
    expect(await ended).toBe(0);
    for (const worker of workers) expect(() => process.kill(worker, 0)).toThrow("ESRCH");
  });
});
