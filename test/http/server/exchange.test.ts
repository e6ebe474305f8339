/** Each request is looked up in the store once and matched with the routes once. */
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Addresses } from "../../../src/http/entity/addresses.js";
import { RouteTable } from "../../../src/http/routes/routes.js";
import { Exchange } from "../../../src/http/server/exchange.js";
import { RateLimits } from "../../../src/http/server/rate-limit.js";
import type { Store } from "../../../src/store/store.js";
import { BASE, raw, type Service, startService } from "../service.js";

const match = vi.spyOn(RouteTable.prototype, "match");
const looked: string[] = [];

let records: Service;
let service: Service;
beforeAll(async () => {
  records = await startService();
  const { store } = records;
  const find: Store["find"] = (iri) => {
    looked.push(iri);
    return store.find(iri);
  };
  const limits = { entity: 1_000, page: 1_000, search: 1_000, sparql: 1_000, dump: 1_000, file: 1_000, load: 1_000 };
  service = await startService({ store: { ...store, find }, rateLimits: new RateLimits(limits, "") });
});
afterAll(async () => {
  match.mockRestore();
  await service.stop();
  await records.stop();
});

/** The status of an answer, how often its request was matched with the routes, and the IRIs that were looked up. */
async function costOf(method: string, target: string, headers = ""): Promise<[status: number, number, string[]]> {
  match.mockClear();
  looked.length = 0;
  const head = `${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`;
  const { status } = await raw(service.port, head);
  return [status, match.mock.calls.length, [...looked]];
}

describe("a request", () => {
  it.each([
    ["GET", "/object/1", 200],
    ["HEAD", "/object/1", 200],
    ["GET", "/object/none", 404],
    ["GET", "/openapi.json", 200],
    ["GET", "/problems/none", 404],
    ["GET", "/context", 200],
  ])("%s %s is matched once, and its IRI looked up once", async (method, target, status) => {
    const [answered, matches, iris] = await costOf(method, target);
    expect([answered, matches]).toEqual([status, 1]);
    expect(iris.filter((iri) => iri === `${BASE}${target}`)).toEqual([`${BASE}${target}`]);
    expect(new Set(iris).size).toBe(iris.length);
  });

  it.each(["/", "/?b&"])("is searched for a language in time linear in its length: %s", (before) => {
    const addresses = new Addresses({ baseUrl: BASE });
    const request = Object.assign(new IncomingMessage(new Socket()), { url: `${before}${"a".repeat(300_000)}` });
    const exchange = new Exchange(request, new ServerResponse(request), addresses, {} as RouteTable);
    expect(exchange.takeLanguage(["nl"])).toBe(false);
  });

  it("with a suffix looks up the address itself, then the address without the suffix, each once", async () => {
    const [status, matches, iris] = await costOf("GET", "/object/1.ttl");
    expect([status, matches]).toEqual([200, 1]);
    expect(iris.filter((iri) => iri.startsWith(`${BASE}/object/1`)).slice(0, 2)).toEqual([
      `${BASE}/object/1.ttl`,
      `${BASE}/object/1`,
    ]);
  });

  it.each([
    ["OPTIONS", "/object/1", "", 204],
    ["POST", "/context", "Content-Length: 0\r\n", 405],
    ["DELETE", "/object/1", "", 405],
  ])("%s %s looks up nothing", async (method, target, headers, status) => {
    expect(await costOf(method, target, headers)).toEqual([status, 1, []]);
  });
});
