/** The service's own paths: context, health, problems, images, and paths that are none of these. */
import { randomBytes } from "node:crypto";
import { renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PROBLEMS, TITLES } from "../../../src/http/message/problems/problems.js";
import { modelFiles } from "../../../src/model/generate/files.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import type { JsonObject } from "../../jsonld/documents.js";
import { forAllAsync, runsOf } from "../../properties.js";
import { BASE, CONTEXT, type RawAnswer, raw, rawGet, serviceForAll, serviceForTest } from "../service.js";

const service = serviceForAll({ index: () => ({ state: "filling", done: 1, total: 3 }) });

async function json(path: string): Promise<JsonObject> {
  return JSON.parse((await rawGet(service.port, path)).body.toString()) as JsonObject;
}

describe("the service", () => {
  it("has an icon at the path where browsers look for it", async () => {
    const { status, headers } = await rawGet(service.port, "/favicon.ico");
    expect([status, headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
  });

  it("describes itself at /", async () => {
    expect(await json("/")).toMatchObject({
      records: 13,
      endpoints: { object: 13 },
      context: `${BASE}/context`,
      entity: `${BASE}/entity?uri={iri}`,
    });
    expect(await json("/?x=1")).toEqual(await json("/"));
  });

  it.each([
    ["/context/", "/context"],
    ["/search/?text=night", "/search?text=night"],
    ["/activity/page/1/", "/activity/page/1"],
  ])("redirects %s to %s, but not unknown paths", async (path, target) => {
    const { status, headers } = await rawGet(service.port, path);
    expect([status, headers.get("location"), headers.get("cache-control")]).toEqual([301, BASE + target, "no-cache"]);
    expect((await rawGet(service.port, "/nothing/")).status).toBe(404);
  });

  it("has its paths however letters, digits and the like are encoded (RFC 3986, 6.2.2.2)", async () => {
    const targets = [
      "/context",
      "/search/all.csv?text=flowers",
      "/search/object?text=a%20b",
      "/schemas/object.json",
      "/images/girl.svg",
      "/problems/not-found",
    ];
    const plain = new Map<string, RawAnswer>();
    for (const target of targets) plain.set(target, await rawGet(service.port, target));
    const encoded = (text: string) => `%${text.charCodeAt(0).toString(16)}`;
    const numbers = fc.array(fc.nat(30), { minLength: 1, maxLength: 5 });
    await forAllAsync([fc.constantFrom(...targets), numbers], runsOf(200, 30), async (target, places) => {
      const spelling = target.replace(/(?<!%|%.)[\w.~-]/g, (each, at) => (places.includes(at) ? encoded(each) : each));
      const [one, other] = [plain.get(target)!, await rawGet(service.port, spelling)];
      expect([one.status, other.status]).toEqual([200, 200]);
      expect(other.body.equals(one.body)).toBe(true);
    });
  });

  it("redirects a POST so that clients send it again, with its body (RFC 9110, 15.4.9)", async () => {
    const body = new URLSearchParams({ queries: '{"a":{"query":"night"}}' });
    const answer = await fetch(`${service.origin}/reconcile/`, { method: "POST", body, redirect: "manual" });
    expect([answer.status, answer.headers.get("location")]).toEqual([308, `${BASE}/reconcile`]);
  });

  it("has the data model's context at /context, cacheable", async () => {
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
    const types: Readonly<Record<string, string>> = {
      shapes: "text/turtle; charset=utf-8",
      schemas: "application/schema+json",
      frames: 'application/ld+json;profile="http://www.w3.org/ns/json-ld#frame"',
    };
    for (const { path, content } of modelFiles(DEFAULT_MODEL)) {
      const contentType = types[path.split("/")[0]!];
      if (contentType === undefined) continue;
      const { status, headers, body } = await rawGet(service.port, `/${path}`);
      expect([status, headers.get("content-type"), body.toString()]).toEqual([200, contentType, content]);
    }
    expect((await rawGet(service.port, "/frames/object.json")).status).toBe(200);
    expect((await rawGet(service.port, "/frames/painting.json")).status).toBe(404);
  });

  it("is ready once entities answer, and reports the progress of the index", async () => {
    expect(await json("/ready")).toEqual({ index: { state: "filling", done: 1, total: 3 } });
  });

  it("is the same behind a proxy that keeps the base URL's path", async () => {
    expect(await json("/collection/ready")).toEqual(await json("/ready"));
    expect(await json("/collection")).toEqual(await json("/"));
    expect(await json("/collection/")).toEqual(await json("/"));
  });

  it.each(["/Context", "/ready/x", "/contexts", "/images", "/images/", "/problems/none"])(
    "is not at %s",
    async (path) => {
      const { status, headers, body } = await rawGet(service.port, path);
      expect(status).toBe(404);
      expect(headers.get("content-type")).toBe("application/problem+json");
      expect(JSON.parse(body.toString())).toMatchObject({ type: `${BASE}/problems/not-found`, instance: path });
    },
  );

  it("names the whole path of a request in a problem, that of the base URL included", async () => {
    const { body } = await rawGet(service.port, "/collection/problems/%ff");
    expect(JSON.parse(body.toString())).toMatchObject({ status: 400, instance: "/collection/problems/%ff" });
  });

  it("has the common headers on every answer", async () => {
    for (const path of ["/", "/ready", "/context", "/problems", "/problems/gone", "/images/girl.svg", "/images/none"]) {
      const { headers } = await rawGet(service.port, path);
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("vary")).toContain("Accept");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.has("x-powered-by")).toBe(false);
    }
  });
});

describe("every route", () => {
  it("is compressed on request, with a tag of its own", async () => {
    const plain = await rawGet(service.port, "/openapi.json");
    const { status, headers, body } = await rawGet(service.port, "/openapi.json", "Accept-Encoding: gzip\r\n");
    expect([status, headers.get("content-encoding")]).toEqual([200, "gzip"]);
    expect(gunzipSync(body).equals(plain.body)).toBe(true);
    expect(headers.get("etag")).not.toBe(plain.headers.get("etag"));
    const again = `Accept-Encoding: gzip\r\nIf-None-Match: ${headers.get("etag")}\r\n`;
    expect((await rawGet(service.port, "/openapi.json", again)).status).toBe(304);
  });

  it.each([
    ["/", "application/json"],
    ["/", "text/html"],
    ["/", "text/turtle"],
    ["/collection/browse/object", "text/html"],
    ["/reconcile", "application/json"],
  ])("that describes the service has a tag: %s as %s", async (path, accept) => {
    const { status, headers } = await rawGet(service.port, path, `Accept: ${accept}\r\n`);
    expect([status, headers.get("etag")]).toEqual([200, expect.stringMatching(/^"/)]);
    const again = `Accept: ${accept}\r\nIf-None-Match: ${headers.get("etag")}\r\n`;
    expect((await rawGet(service.port, path, again)).status).toBe(304);
  });

  it("is linked from the home page if it defines a link", async () => {
    const link = (await rawGet(service.port, "/")).headers.get("link");
    expect(link).toContain(`<${BASE}/openapi.json>; rel="service-desc"; type="application/vnd.oai.openapi+json"`);
    expect(link).not.toContain("{");
  });
});

describe("/health", () => {
  it("answers for the process alone", async () => {
    // In the service of the other tests, a record has this path.
    const fail = () => {
      throw new Error("broken");
    };
    const store = new Proxy(service.store, { get: () => fail });
    const failing = await serviceForTest({ store });
    const { status, body } = await rawGet(failing.port, "/health");
    expect([status, body.toString()]).toEqual([200, '{"status":"ok"}\n']);
    expect((await rawGet(failing.port, "/ready")).status).toBe(503);
  });
});

describe("problems", () => {
  it("are each documented at the address that is their type", async () => {
    const names = Object.keys(PROBLEMS) as (keyof typeof PROBLEMS)[];
    const { problems } = await json("/problems");
    expect((problems as JsonObject[]).map(({ type }) => type)).toEqual(names.map((name) => `${BASE}/problems/${name}`));
    for (const name of names) {
      const [status, advice] = PROBLEMS[name];
      const type = `${BASE}/problems/${name}`;
      expect(await json(`/problems/${name}`)).toEqual({ type, status, title: TITLES[name], advice });
    }
  });
});

describe("images", () => {
  it("come from their directory, and cannot run scripts in a browser", async () => {
    const { status, headers, body } = await rawGet(service.port, "/images/girl.svg");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("image/svg+xml");
    expect(headers.get("content-security-policy")).toContain("sandbox");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(body.toString()).toContain("<svg");
  });

  it("support ranges (RFC 9110, 14)", async () => {
    const whole = await rawGet(service.port, "/images/girl.svg");
    expect(whole.headers.get("accept-ranges")).toBe("bytes");
    const part = await rawGet(service.port, "/images/girl.svg", "Range: bytes=1-3\r\n");
    expect([part.status, part.body]).toEqual([206, whole.body.subarray(1, 4)]);
    expect(part.headers.get("content-range")).toBe(`bytes 1-3/${whole.body.length}`);
    expect(part.headers.get("content-security-policy")).toContain("sandbox");
    const end = await rawGet(service.port, "/images/girl.svg", "Range: bytes=-999\r\n");
    expect([end.status, end.body]).toEqual([200, whole.body]);
    const beyond = await rawGet(service.port, "/images/girl.svg", "Range: bytes=999-\r\n");
    expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, `bytes */${whole.body.length}`]);
    expect(JSON.parse(beyond.body.toString())).toMatchObject({ type: `${BASE}/problems/range-not-satisfiable` });
  });

  it("support conditional requests", async () => {
    const { headers } = await rawGet(service.port, "/images/girl.svg");
    const ask = async (condition: string) => (await rawGet(service.port, "/images/girl.svg", condition)).status;
    expect(await ask(`If-None-Match: ${headers.get("etag")}\r\n`)).toBe(304);
    expect(await ask(`If-Modified-Since: ${headers.get("last-modified")}\r\n`)).toBe(304);
    expect(await ask('If-Match: "other"\r\n')).toBe(412);
    // Tags are strong, and a value that is not an HTTP date is ignored.
    const tag = headers.get("etag")!;
    expect(tag).toMatch(/^"/);
    expect(await ask(`If-Match: ${tag}\r\n`)).toBe(200);
    expect(await ask(`If-Match: W/${tag}\r\n`)).toBe(412);
    expect(await ask("If-Modified-Since: 2030-01-01\r\n")).toBe(200);
    expect(await ask(`Range: bytes=0-2\r\nIf-Range: ${tag}\r\n`)).toBe(206);
    expect(await ask(`Range: bytes=0-2\r\nIf-Range: W/${tag}\r\n`)).toBe(200);
    expect(await ask(`Range: bytes=0-2\r\nIf-Range: ${headers.get("last-modified")}\r\n`)).toBe(206);
    expect(await ask("Range: bytes=0-2\r\nIf-Range: Tue, 01 Jan 2030 00:00:00 GMT\r\n")).toBe(200);
  });

  it("ignore ranges for HEAD (RFC 9110, 14.2)", async () => {
    const { status, headers, body } = await raw(
      service.port,
      "HEAD /images/girl.svg HTTP/1.1\r\nHost: x\r\nConnection: close\r\nRange: bytes=0-2\r\n\r\n",
    );
    const whole = await rawGet(service.port, "/images/girl.svg");
    expect([status, headers.get("content-length"), body.length]).toEqual([200, `${whole.body.length}`, 0]);
    expect(headers.get("etag")).toBe(whole.headers.get("etag"));
  });

  it("get another tag when their bytes are replaced, even with the same size and date", async () => {
    const path = join(service.images, "changing.png");
    writeFileSync(path, "one");
    const { mtime } = statSync(path);
    const before = await rawGet(service.port, "/images/changing.png");
    writeFileSync(`${path}.new`, "two");
    utimesSync(`${path}.new`, mtime, mtime);
    renameSync(`${path}.new`, path);
    const after = await rawGet(service.port, "/images/changing.png");
    expect([before.headers.get("content-type"), String(before.body), String(after.body)]).toEqual([
      "image/png",
      "one",
      "two",
    ]);
    expect(after.headers.get("etag")).not.toBe(before.headers.get("etag"));
  });

  it("are sent completely, whether large or empty", async () => {
    const large = randomBytes(3_000_000);
    writeFileSync(join(service.images, "large.bin"), large);
    writeFileSync(join(service.images, "empty.txt"), "");
    const got = await rawGet(service.port, "/images/large.bin");
    expect([got.headers.get("content-type"), got.body.equals(large)]).toEqual(["application/octet-stream", true]);
    const end = await rawGet(service.port, "/images/large.bin", "Range: bytes=2000000-\r\n");
    expect(end.body.equals(large.subarray(2_000_000))).toBe(true);
    const empty = await rawGet(service.port, "/images/empty.txt", "Range: bytes=0-\r\n");
    expect([empty.status, (await rawGet(service.port, "/images/empty.txt")).headers.get("content-length")]).toEqual([
      416,
      "0",
    ]);
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
  ])("never come from outside their directory: %s", async (path) => {
    const { status, headers, body } = await rawGet(service.port, path);
    expect([400, 404]).toContain(status);
    expect(headers.get("content-type")).toBe("application/problem+json");
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(body.toString()).not.toMatch(/^(outside|secret|root)/);
    expect(body.toString()).not.toContain("vitrine-http-");
  });
});
