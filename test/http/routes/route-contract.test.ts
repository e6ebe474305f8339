/** The contract of every route, and of a small one that follows the recipe of CONTRIBUTING.md, "A route". */
import { beforeAll, describe, expect, it } from "vitest";
import type { Route, RouteMaker } from "../../../src/http/routes/route.js";
import { ROUTES } from "../../../src/http/routes/routes.js";
import { RateLimits } from "../../../src/http/server/rate-limit.js";
import { type RawAnswer, raw, serviceForAll, serviceForTest } from "../service.js";

/** A route that greets by name with the number of records. It needs only the store, and so is always offered. */
const greeting: RouteMaker = ({ store }) => [
  {
    path: "/greetings/{name}",
    cost: "page",
    operations: {
      get: { id: "greet", tag: "Service", summary: "A greeting.", types: ["text/plain"] },
    },
    answer: async (request) => {
      const { records, sequence } = await store.stats();
      const body = `Welcome to ${records} records, ${request.parameter("name")}!\n`.padEnd(2_000);
      return { type: "text/plain; charset=utf-8", body, tag: `${sequence}` };
    },
  },
];

let routes: readonly Route[] = [];
/** A route maker that passes all routes to the test. */
const spy: RouteMaker = (context) => {
  routes = context.routes;
  return [];
};

const service = serviceForAll({
  routeMakers: [greeting, spy, ...ROUTES],
  sparql: { answer: async () => ({ type: "text/plain", body: "" }), files: [] },
  metrics: { text: async () => "" },
  robots: "",
});
let description: { readonly paths: Record<string, Record<string, { operationId: string; summary: string }>> };
/** The answers to GET. */
const answers = new Map<Route, RawAnswer>();
beforeAll(async () => {
  description = JSON.parse((await ask("GET", "/openapi.json")).body.toString());
  for (const route of routes) answers.set(route, await ask("GET", targetOf(route)));
});

function ask(method: string, target: string, headers = "", { port } = service): Promise<RawAnswer> {
  return raw(port, `${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`);
}

/** A target that belongs to a route, whether or not it exists. */
function targetOf({ path }: Route): string {
  return path.replace("{endpoint}", "object").replace(/\{\w+\*?\}/g, "x");
}

/** Run a check for each route, and name the route in the error when the check fails. */
async function each(check: (route: Route) => Promise<void>): Promise<void> {
  expect(routes.length).toBeGreaterThan(40);
  for (const route of routes) {
    await check(route).catch((cause) => {
      throw new Error(`${route.path}: ${cause.message}`, { cause });
    });
  }
}

describe("every route", () => {
  it("lists its methods for OPTIONS, and for other methods with 405", () =>
    each(async (route) => {
      const methods = Object.keys(route.operations).map((method) => method.toUpperCase());
      const allow = [...methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])), "OPTIONS"];
      const options = await ask("OPTIONS", targetOf(route));
      expect([options.status, options.headers.get("allow")]).toEqual([204, allow.join(", ")]);
      for (const method of ["GET", "POST", "PUT", "DELETE", "PATCH"].filter((name) => !methods.includes(name))) {
        const { status, headers } = await ask(method, targetOf(route));
        expect([method, status, headers.get("allow")]).toEqual([method, 405, allow.join(", ")]);
      }
    }));

  it("names each header only once in Vary", () =>
    each(async (route) => {
      const accepted = ["application/json", "text/html"].map((type) => `Accept: ${type}\r\n`);
      const others = await Promise.all(accepted.map((accept) => ask("GET", targetOf(route), accept)));
      for (const { headers } of [answers.get(route)!, ...others]) {
        const names = headers.get("vary")!.toLowerCase().split(/,\s*/);
        expect(names).toEqual([...new Set(names)]);
      }
    }));

  it("answers HEAD like GET, without the body", () =>
    each(async (route) => {
      if (route.operations.get === undefined) return;
      const [got, head] = [answers.get(route)!, await ask("HEAD", targetOf(route))];
      const told = ({ status, headers }: RawAnswer) => [status, [...headers].filter(([name]) => name !== "date")];
      expect(told(head)).toEqual(told(got));
      expect(head.body).toHaveLength(0);
    }));

  it("answers 304 to a client that has its entity tag, and allows all origins", () =>
    each(async (route) => {
      if (route.operations.get === undefined) return;
      const { headers } = answers.get(route)!;
      expect(headers.get("access-control-allow-origin")).toBe("*");
      const tag = headers.get("etag");
      if (tag === undefined) return;
      expect((await ask("GET", targetOf(route), `If-None-Match: ${tag}\r\n`)).status).toBe(304);
    }));

  it("is described, with an id for each method", async () => {
    const ids: string[] = [];
    await each(async ({ path, operations }) => {
      const described = description.paths[path.replace("*}", "}")]!;
      for (const [method, { id, summary }] of Object.entries(operations)) {
        expect(described[method]).toMatchObject({ operationId: id, summary });
        ids.push(id);
      }
    });
    expect(ids).toEqual([...new Set(ids)]);
  });

  it("has a unique path, and a class of cost that limits and metrics know", async () => {
    const paths = routes.map(({ path }) => path);
    expect(paths).toEqual([...new Set(paths)]);
    const costs = new Set(["entity", "page", "search", "facet", "table", "sparql", "dump", "file", "load", "status"]);
    await each(async ({ cost }) => expect(costs).toContain(cost));
  });
});

describe("a route of one file and one row", () => {
  it("answers, compressed on request", async () => {
    const { status, body } = await ask("GET", "/greetings/Ada");
    expect([status, body.toString().trim()]).toEqual([200, "Welcome to 13 records, Ada!"]);
    const coded = await ask("GET", "/greetings/Ada", "Accept-Encoding: br\r\n");
    expect(coded.headers.get("content-encoding")).toBe("br");
    expect((await ask("GET", "/greetings/%ff")).status).toBe(400);
  });

  it("is limited by its class of cost", async () => {
    const limited = await serviceForTest({
      routeMakers: [greeting, ...ROUTES],
      rateLimits: new RateLimits({ page: 1 }, ""),
    });
    const statuses = [await ask("GET", "/greetings/x", "", limited), await ask("GET", "/greetings/x", "", limited)];
    expect(statuses.map(({ status }) => status)).toEqual([200, 429]);
  });
});
