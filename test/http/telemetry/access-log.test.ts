/** Metrics, the log and request ids, and that they hold nobody's address or words. */
import { EventEmitter, once } from "node:events";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { AccessLog } from "../../../src/http/telemetry/access-log.js";
import { createLog } from "../../../src/http/telemetry/log.js";
import { Metrics, metricsText } from "../../../src/http/telemetry/metrics.js";
import { type Service, startService } from "../service.js";

const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0";

let service: Service;
const metrics = new Metrics();
const lines: string[] = [];
/** Emits `line` for each line of the log. */
const written = new EventEmitter();
const text = async () =>
  metricsText(
    [await metrics.ofProcess()],
    [{ name: "vitrine_moment", help: "Now.", values: [{ labels: {}, value: 7 }] }],
  );
const write = (line: string): void => {
  lines.push(line);
  written.emit("line");
};
beforeAll(async () => {
  const log = createLog({ write }, { format: "json", level: "info" });
  const watch = new AccessLog({ log, metrics, logRequests: "all", logClients: false, trustProxy: true });
  service = await startService({ watch, trustProxy: true, metrics: { text, token: "geheim" } });
});
afterAll(async () => {
  await service.stop();
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${service.origin}${path}`, { headers: { "user-agent": BROWSER, ...headers } });
const scraped = async () => (await get("/metrics", { authorization: "Bearer geheim" })).text();

describe("metrics", () => {
  it("count requests by endpoint, representation and status, and their times by class", async () => {
    const { headers } = await get("/object/1.ttl");
    await get("/object/1.ttl", { "if-none-match": headers.get("etag")! });
    await get("/object/none");
    await get("/context");
    const told = await scraped();
    expect(told).toContain('vitrine_requests_total{endpoint="object",representation="ttl",status="200"} 1');
    expect(told).toMatch(/vitrine_requests_total\{endpoint="(object|entity)",representation="ttl",status="304"\} 1/);
    expect(told).toContain('vitrine_requests_total{endpoint="/{path*}",representation="",status="404"} 1');
    expect(told).toContain('vitrine_requests_total{endpoint="/context",representation="",status="200"} 1');
    expect(told).toMatch(/vitrine_request_seconds_bucket\{class="entity",le="\+Inf"\} [3-9]/);
    expect(told).toMatch(/vitrine_request_seconds_count\{class="entity"\} [3-9]/);
    expect(told).toMatch(/nodejs_eventloop_lag_seconds \d/);
    expect(told).toMatch(/vitrine_cache_lookups_total \d/);
    expect(told).toContain("vitrine_moment 7");
  });

  it("are summed over several processes", async () => {
    const [first, second] = [new Metrics(), new Metrics()];
    for (const each of [first, first, second]) each.count("person", "jsonld", 200, "entity", 0.0007);
    for (const status of [200, 504, 422, 504]) first.count("/sparql", "", status, "sparql", 1);
    const told = await metricsText([await first.ofProcess(), await second.ofProcess()], []);
    expect(told).toContain('vitrine_requests_total{endpoint="person",representation="jsonld",status="200"} 3');
    expect(told).toContain('vitrine_request_seconds_bucket{class="entity",le="0.0005"} 0');
    expect(told).toContain('vitrine_request_seconds_bucket{class="entity",le="0.001"} 3');
    expect(told).toMatch(/vitrine_request_seconds_sum\{class="entity"\} 0\.0021/);
    expect(told).toContain('vitrine_queries_ended_total{reason="timeout"} 2');
    expect(told).toContain('vitrine_queries_ended_total{reason="too large"} 1');
  });

  it("require their token", async () => {
    for (const authorization of ["", "Bearer wrong", "geheim"]) {
      const refused = await get("/metrics", { authorization });
      expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    }
  });
});

describe("the log", () => {
  afterEach(() => {
    vi.useRealTimers();
  });
  const last = () => JSON.parse(lines.join("").trim().split("\n").at(-1)!) as Record<string, unknown>;

  it("has a line for a request with its id, and neither query, address nor token", async () => {
    // The lines for the requests of earlier tests are written first.
    await get("/health");
    while (!lines.join("").includes("/health")) await once(written, "line");
    lines.length = 0;
    const { headers } = await get("/object/2?q=a-persons-own-words", {
      authorization: "Bearer geheim",
      "x-forwarded-for": "192.0.2.77",
      "x-request-id": "from-the-proxy.1",
    });
    expect(headers.get("x-request-id")).toBe("from-the-proxy.1");
    while (lines.length === 0) await once(written, "line");
    expect(last()).toMatchObject({
      request: "from-the-proxy.1",
      method: "GET",
      path: "/object/2",
      status: 404,
      level: "info",
    });
    expect(lines.join("")).not.toMatch(/words|192\.0\.2|geheim/);
  });

  it("names a file by its whole path", async () => {
    for (const path of ["/images/girl.svg", "/images/none.svg"]) {
      const line = once(written, "line");
      await (await get(path)).text();
      await line;
      expect(last().path).toBe(path);
    }
  });

  it("makes an id when the request has no usable one", async () => {
    const ids = new Set<string | null>();
    for (const id of ["", "a b", "x".repeat(200)])
      ids.add((await get("/object/1", { "x-request-id": id })).headers.get("x-request-id"));
    expect(ids.size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-z]+$/);
  });

  it("is found from every answer with an error, also from its page", async () => {
    const log = createLog({ write }, { format: "json", level: "info" });
    const watch = new AccessLog({ log, metrics: undefined, logRequests: "slow", logClients: false, trustProxy: false });
    const own = await startService({ watch });
    onTestFinished(own.stop);
    const idOf = async (path: string, accept: string) =>
      (await fetch(`${own.origin}${path}`, { headers: { accept } })).headers.get("x-request-id");
    for (const accept of ["text/html", "application/json"])
      expect(await idOf("/nothing", accept)).toMatch(/^[0-9a-f]{8}-/);
    expect(await idOf("/object/1", "text/html")).toBeNull();
  });

  it("as text is readable, with errors and their causes", async () => {
    vi.useFakeTimers();
    const text: string[] = [];
    const log = createLog({ write: (line) => text.push(line) }, { format: "text", level: "info" });
    log.info("listening");
    log.debug("unseen");
    log.warn({ status: 200, path: "/a" }, "a slow answer");
    log.error({ error: new Error("broken", { cause: new Error("disk") }) }, "failed");
    vi.runAllTimers();
    const [first, second, ...error] = text.join("").split("\n");
    expect([first, second]).toEqual(["listening", "warn: a slow answer status=200 path=/a"]);
    expect(error.join("\n")).toMatch(/^error: failed\nError: broken[\s\S]*caused by Error: disk/);
  });

  it("set to slow requests has only those and failed ones", async () => {
    vi.useFakeTimers();
    const few: string[] = [];
    const log = createLog({ write: (line) => few.push(line) }, { format: "json", level: "info" });
    const watch = new AccessLog({
      log,
      metrics: new Metrics(),
      logRequests: "slow",
      logClients: true,
      trustProxy: true,
    });
    const request = { headers: { "x-forwarded-for": "192.0.2.77" }, url: "/a?b", method: "GET", socket: {} } as never;
    const route = { path: "/a", cost: "entity" } as never;
    const ended = (milliseconds: number) => ({ request, route, came: performance.now() - milliseconds });
    watch.answered(ended(1), 200);
    watch.answered(ended(1), 404);
    // Twice a second, while a follower is out of step.
    watch.answered({ ...ended(1), route: { path: "/ready", cost: "status" } as never }, 503);
    vi.runAllTimers();
    expect(few).toEqual([]);
    watch.answered(ended(1), 503);
    watch.answered(ended(1_001), 200);
    // Any client may send a query that reaches its time limit.
    watch.answered(ended(30_001), 504);
    vi.runAllTimers();
    const lines = few.join("").trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(["error", "warn", "warn"]);
    expect(lines[0]).toContain('"client":"192.0.2.0/24"');
    const sixth = { headers: { "x-forwarded-for": "2001:db8:1:2::77" }, url: "/a", method: "GET", socket: {} } as never;
    watch.answered({ ...ended(1), request: sixth }, 503);
    vi.runAllTimers();
    expect(few.join("")).toContain('"client":"2001:db8:1:2::/64"');
  });
});
