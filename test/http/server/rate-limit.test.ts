/** Requests a minute by class of cost: what a client may send, and what it is told beyond that. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RateLimits } from "../../../src/http/server/rate-limit.js";
import { temporaryFolder } from "../../temporary-folder.js";
import { BASE, type Service, startService } from "../service.js";

describe("the budget of a client", () => {
  it("is one for each class, and none where none was given", async () => {
    const limits = new RateLimits({ search: 2, entity: 3 }, "seed");
    const send = (cost: "search" | "entity" | "page", times: number) =>
      Promise.all(Array.from({ length: times }, () => limits.secondsToWait(cost, "192.0.2.1")));
    expect(await send("search", 3)).toEqual([0, 0, expect.any(Number)]);
    expect(await send("entity", 3)).toEqual([0, 0, 0]);
    expect(new Set(await send("page", 100))).toEqual(new Set([0]));
    const [wait] = await send("search", 1);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    expect([limits.has("search"), limits.has("page")]).toEqual([true, false]);
  });

  it("is hardly ever another client's", async () => {
    const limits = new RateLimits({ entity: 1 }, "seed");
    let refused = 0;
    for (let client = 0; client < 2_000; client++) {
      if ((await limits.secondsToWait("entity", `198.51.${client >> 8}.${client & 255}`)) > 0) refused++;
    }
    // Two of so many share one of 2^18 places in about 8 cases.
    expect(refused).toBeLessThan(40);
  });
});

describe("beyond it", () => {
  let service: Service;
  const dumps = temporaryFolder();
  beforeAll(async () => {
    await mkdir(join(dumps, "2026-11-22T101500Z"));
    await writeFile(join(dumps, "2026-11-22T101500Z", "dump.json"), '{"made":"2026-11-22T10:15:00Z","files":[]}');
    const rateLimits = new RateLimits({ entity: 1, file: 1, search: 1 }, "seed");
    service = await startService({ rateLimits, trustProxy: true, dumps });
  });
  afterAll(async () => {
    await service.stop();
  });

  const get = (path: string, client: string) =>
    fetch(`${service.origin}${path}`, { headers: { "x-forwarded-for": client } });

  it("is 429 with Retry-After and the class, for that client and class alone", async () => {
    expect((await get("/object/1", "192.0.2.1")).status).toBe(200);
    const refused = await get("/object/2", "192.0.2.1");
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({
      detail: expect.stringContaining("1 requests of the class entity per minute"),
    });
    expect((await get("/object/1", "192.0.2.2")).status).toBe(200);
    expect((await get("/context", "192.0.2.1")).status).toBe(200);
    expect((await get("/context", "192.0.2.1")).status).toBe(429);
    for (let request = 0; request < 3; request++) expect((await get("/health", "192.0.2.1")).status).toBe(200);
  });

  it("names the dumps, for whoever wants all", async () => {
    await get("/search/all?name=a", "192.0.2.3");
    const refused = await get("/search/all?name=b", "192.0.2.3");
    expect([refused.status, refused.headers.get("link")]).toEqual([429, `<${BASE}/dumps/>; rel="alternate"`]);
    expect(await refused.json()).toMatchObject({ detail: expect.stringContaining("Take a dump") });
    expect((await get("/dumps/", "192.0.2.3")).status).toBe(200);
  });

  it("names no dumps where there is none", async () => {
    const empty = await mkdtemp(join(tmpdir(), "vitrine-dumps-"));
    const bare = await startService({ rateLimits: new RateLimits({ search: 0 }, "seed"), dumps: empty });
    const refused = await fetch(`${bare.origin}/search/all?name=a`);
    expect([refused.status, refused.headers.get("link")]).toEqual([429, null]);
    expect(await refused.json()).toMatchObject({ detail: expect.not.stringContaining("dump") });
    await bare.stop();
    await rm(empty, { recursive: true });
  });
});
