/** The service's own paths: context, health, problems, images, and what is at none of them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROBLEMS } from "../../../src/http/problems/problems.js";
import { modelFiles } from "../../../src/http/routes/model-files.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import type { JsonObject } from "../../jsonld/documents.js";
import { BASE, CONTEXT, rawGet, type Service, startService } from "../service.js";

let service: Service;
beforeAll(async () => {
  service = await startService({ index: () => ({ state: "filling", done: 1, total: 3 }) });
});
afterAll(() => service.stop());

async function json(path: string): Promise<JsonObject> {
  return JSON.parse((await rawGet(service.port, path)).body.toString()) as JsonObject;
}

describe("the service", () => {
  it("describes itself at /", async () => {
    expect(await json("/")).toMatchObject({
      records: 13,
      endpoints: { object: 13 },
      context: `${BASE}/context`,
      entity: `${BASE}/entity?uri={iri}`,
    });
    expect(await json("/?x=1")).toEqual(await json("/"));
  });

  it("has the data model's context at /context, to be cached", async () => {
    const { status, headers, body } = await rawGet(service.port, "/context");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/ld+json");
    expect(JSON.parse(body.toString())).toEqual(CONTEXT);
    const tag = headers.get("etag")!;
    const unchanged = await rawGet(service.port, "/context", `If-None-Match: "x", W/${tag}\r\n`);
    expect(unchanged.status).toBe(304);
    expect(unchanged.body).toHaveLength(0);
    expect(unchanged.headers.get("etag")).toBe(tag);
    expect((await rawGet(service.port, "/context", 'If-None-Match: "x"\r\n')).status).toBe(200);
  });

  it("has the files of the model, each with its type", async () => {
    for (const { path, content, contentType } of modelFiles(DEFAULT_MODEL)) {
      const { status, headers, body } = await rawGet(service.port, `/${path}`);
      expect([status, headers.get("content-type"), body.toString()]).toEqual([200, contentType, content]);
    }
    expect((await rawGet(service.port, "/frames/object.json")).status).toBe(200);
    expect((await rawGet(service.port, "/frames/painting.json")).status).toBe(404);
  });

  it("is ready once entities answer, and says how far the index is", async () => {
    expect(await json("/ready")).toEqual({ index: { state: "filling", done: 1, total: 3 } });
  });

  it("is the same behind a proxy that leaves the base URL's path on", async () => {
    expect(await json("/collection/ready")).toEqual(await json("/ready"));
    expect(await json("/collection")).toEqual(await json("/"));
    expect(await json("/collection/")).toEqual(await json("/"));
  });

  it.each(["/Context", "/context/", "/ready/x", "/contexts", "/images", "/images/", "/problems/none"])(
    "is not at %s",
    async (path) => {
      const { status, headers, body } = await rawGet(service.port, path);
      expect(status).toBe(404);
      expect(headers.get("content-type")).toBe("application/problem+json");
      expect(JSON.parse(body.toString())).toMatchObject({ type: `${BASE}/problems/not-found`, instance: path });
    },
  );

  it("has headers for everybody on every answer", async () => {
    for (const path of ["/", "/ready", "/context", "/problems", "/problems/gone", "/images/girl.svg", "/images/none"]) {
      const { headers } = await rawGet(service.port, path);
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("vary")).toContain("Accept");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.has("x-powered-by")).toBe(false);
    }
  });
});

describe("/health", () => {
  it("answers for the process alone", async () => {
    // In the service of the other tests a record has this path.
    const fail = () => {
      throw new Error("broken");
    };
    const store = new Proxy(service.store, { get: () => fail });
    const failing = await startService({ store });
    try {
      const { status, body } = await rawGet(failing.port, "/health");
      expect([status, body.toString()]).toEqual([200, '{"status":"ok"}\n']);
      expect((await rawGet(failing.port, "/ready")).status).toBe(503);
    } finally {
      await failing.stop();
    }
  });
});

describe("problems", () => {
  it("are documented, each at the address that is its type", async () => {
    const names = Object.keys(PROBLEMS);
    const { problems } = await json("/problems");
    expect((problems as JsonObject[]).map(({ type }) => type)).toEqual(names.map((name) => `${BASE}/problems/${name}`));
    for (const name of names) {
      expect(await json(`/problems/${name}`)).toEqual({
        type: `${BASE}/problems/${name}`,
        ...PROBLEMS[name as keyof typeof PROBLEMS],
      });
    }
  });
});

describe("images", () => {
  it("come from their directory, and can do nothing in a browser", async () => {
    const { status, headers, body } = await rawGet(service.port, "/images/girl.svg");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("image/svg+xml");
    expect(headers.get("content-security-policy")).toContain("sandbox");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(body.toString()).toContain("<svg");
  });

  it.each([
    "/images/../outside.txt",
    "/images/%2e%2e/outside.txt",
    "/images/..%2foutside.txt",
    "/images/%2e%2e%2foutside.txt",
    "/images/..%5coutside.txt",
    "/images/.secret",
    "/images/%2esecret",
    "/images//etc/passwd",
    "/images/girl.svg%00.txt",
    "/images/%ff",
    "/images/%",
  ])("lead nowhere else: %s", async (path) => {
    const { status, headers, body } = await rawGet(service.port, path);
    expect([400, 404]).toContain(status);
    expect(headers.get("content-type")).toBe("application/problem+json");
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(body.toString()).not.toMatch(/^(outside|secret|root)/);
    expect(body.toString()).not.toContain("vitrine-http-");
  });
});
