/** Requests per minute by class of cost: a client's budget, and the answers beyond it. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { RateLimits } from "../../../src/http/server/rate-limit.js";
import { temporaryFolder } from "../../temporary-folder.js";
import { BASE, serviceForAll, serviceForTest } from "../service.js";

describe("a client's budget", () => {
  it("is separate for each class, and unlimited for a class without a limit", async () => {
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

  it("is hardly ever shared with another client", async () => {
    const limits = new RateLimits({ entity: 1 }, "seed");
    let refused = 0;
    for (let client = 0; client < 2_000; client++) {
      if ((await limits.secondsToWait("entity", `198.51.${client >> 8}.${client & 255}`)) > 0) refused++;
    }
    // Of this many clients, two share one of 2^18 places in about 8 cases.
    expect(refused).toBeLessThan(40);
  });
});

describe("the answer beyond the budget", () => {
  const dumps = temporaryFolder();
  const rateLimits = new RateLimits({ entity: 1, file: 1, search: 1 }, "seed");
  const service = serviceForAll({ rateLimits, trustProxy: true, dumps });
  beforeAll(async () => {
    await mkdir(join(dumps, "2026-11-22T101500Z"));
    await writeFile(join(dumps, "2026-11-22T101500Z", "dump.json"), '{"made":"2026-11-22T10:15:00Z","files":[]}');
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

  it("names the dumps, for clients that want everything", async () => {
    await get("/search/all?name=a", "192.0.2.3");
    const refused = await get("/search/all?name=b", "192.0.2.3");
    expect([refused.status, refused.headers.get("link")]).toEqual([429, `<${BASE}/dumps/>; rel="alternate"`]);
    expect(await refused.json()).toMatchObject({ detail: expect.stringContaining("Take a dump") });
    expect((await get("/dumps/", "192.0.2.3")).status).toBe(200);
  });

  it("names no dumps when there are none", async () => {
    const dumps = temporaryFolder(onTestFinished);
    const bare = await serviceForTest({ rateLimits: new RateLimits({ search: 0 }, "seed"), dumps });
    const refused = await fetch(`${bare.origin}/search/all?name=a`);
    expect([refused.status, refused.headers.get("link")]).toEqual([429, null]);
    expect(await refused.json()).toMatchObject({ detail: expect.not.stringContaining("dump") });
  });
});
