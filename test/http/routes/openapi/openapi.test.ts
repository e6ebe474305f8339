/** The description of the interface: valid, complete, and true of the service's answers. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { PROBLEMS } from "../../../../src/http/message/problems/problems.js";
import { ENDPOINTS } from "../../../../src/model/tables/endpoints.js";
import { temporaryFolder } from "../../../temporary-folder.js";
import { BASE, publishDocuments, type RawAnswer, raw, rawGet, serviceForAll, serviceForTest } from "../../service.js";

interface Response {
  readonly headers?: Record<string, unknown>;
  readonly content?: Record<string, unknown>;
  readonly $ref?: string;
}

interface Description {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, { readonly responses: Record<string, Response> }>>;
  readonly components: Record<string, Record<string, Response>>;
}

const OBJECT = encodeURIComponent(`${BASE}/object/1`);

// Any endpoint, even an empty one, is described.
const service = serviceForAll({ sparql: { answer: async () => ({ type: "text/plain", body: "" }), files: [] } });
let description: Description;
beforeAll(async () => {
  const { headers, body } = await rawGet(service.port, "/openapi.json");
  expect(headers.get("content-type")).toBe("application/vnd.oai.openapi+json;version=3.1");
  description = JSON.parse(body.toString()) as Description;
});

/** All references in the description. */
function references(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, held]) =>
    key === "$ref" && typeof held === "string" ? [held] : references(held),
  );
}

describe("the description", () => {
  it("is valid OpenAPI 3.1", async () => {
    const { valid, errors } = await new Validator().validate(
      structuredClone(description) as object as Record<string, unknown>,
    );
    expect([valid, errors]).toEqual([true, undefined]);
    expect(description.openapi).toBe("3.1.0");
  });

  it("refers only to parts that it has", () => {
    for (const reference of new Set(references(description))) {
      const [, kind = "", name = ""] = /^#\/components\/([a-z]+)\/([^/]+)$/i.exec(reference) ?? [];
      expect(description.components[kind]?.[name], reference).toBeDefined();
    }
  });

  it("has every path of the service, every kind of record and every problem", () => {
    expect(Object.keys(description.paths)).toEqual(
      expect.arrayContaining(["/", "/context", "/shapes/{endpoint}.ttl", "/ready", "/sparql", "/entity", "/{path}"]),
    );
    expect(Object.keys(description.components.responses!)).toEqual(Object.keys(PROBLEMS));
    const documents = Object.keys(description.components.schemas!).filter((name) => name.endsWith("Document"));
    expect(documents).toHaveLength(1 + ENDPOINTS.length);
  });

  it("lets a document of provenance have the shape of an event, too, which it has", () => {
    const { anyOf } = description.components.schemas!.Document as { anyOf?: readonly object[] };
    expect(anyOf).toHaveLength(ENDPOINTS.length);
  });

  it("describes every parameter of a path at each of its operations", () => {
    type Operations = Readonly<Record<string, { readonly parameters?: readonly { name: string; in: string }[] }>>;
    for (const [path, operations] of Object.entries(description.paths as Readonly<Record<string, Operations>>)) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const [method, { parameters = [] }] of Object.entries(operations)) {
        const described = parameters.filter((each) => each.in === "path").map(({ name }) => name);
        expect([path, method, described]).toEqual([path, method, names]);
      }
    }
  });

  it("has no 200 for a path that only redirects", () => {
    const { responses } = description.paths["/search"]!.get!;
    expect(Object.keys(responses).filter((status) => status < "400")).toEqual(["302"]);
  });

  it("has a unique id for each operation", () => {
    const ids = [...JSON.stringify(description).matchAll(/"operationId":"([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

const NEITHER = new Set(["connection", "content-length", "content-type", "date", "keep-alive", "transfer-encoding"]);

function expectDescribed(path: string, method: string, answer: RawAnswer): void {
  const listed = description.paths[path]![method]!.responses[String(answer.status)];
  expect(listed, `${method} ${path} ${answer.status}`).toBeDefined();
  const { headers = {}, content = {} } =
    listed!.$ref === undefined ? listed! : description.components.responses![listed!.$ref.split("/").at(-1)!]!;
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  expect(names).toEqual(expect.arrayContaining([...answer.headers.keys()].filter((name) => !NEITHER.has(name))));
  const type = answer.headers.get("content-type");
  if (method !== "get" || type === undefined) return;
  const ranges = Object.keys(content).map((range) => range.replace(/(?:\*\/)?\*$/, ""));
  expect(
    ranges.some((range) => type.startsWith(range)),
    `${path}: ${type} of ${ranges.join(" ")}`,
  ).toBe(true);
}

describe("the description is true of the answers of", () => {
  it.each([
    ["/{path}", "/object/1"],
    ["/{path}", "/production/1"],
    ["/{path}", "/object/none"],
    ["/{path}", "/object/gone"],
    ["/{path}.{suffix}", "/object/1.trig"],
    ["/entity", `/entity?uri=${encodeURIComponent(`${BASE}/object/1`)}`],
    ["/entity", "/entity"],
    ["/", "/"],
    ["/context", "/context"],
    ["/frames/{endpoint}.json", "/frames/object.json"],
    ["/shapes/{endpoint}.ttl", "/shapes/object.ttl"],
    ["/shapes/structures.ttl", "/shapes/structures.ttl"],
    ["/schemas/{endpoint}.json", "/schemas/object.json"],
    ["/schemas/structures.json", "/schemas/structures.json"],
    ["/schemas/{endpoint}.json", "/schemas/none.json"],
    ["/ready", "/ready"],
    ["/problems", "/problems"],
    ["/problems/{name}", "/problems/gone"],
    ["/openapi.json", "/openapi.json"],
    ["/openapi.html", "/openapi.html"],
    ["/search/all", "/search/all?text=a"],
    ["/search/{endpoint}", "/search/object"],
    ["/search/{endpoint}", "/search/none"],
    ["/search/all", "/search/all?none=1"],
    ["/search/all/facets", "/search/all/facets"],
    ["/search/{endpoint}/facets", "/search/object/facets"],
    ["/search/{endpoint}.{table}", "/search/object.csv"],
    ["/browse/{endpoint}", "/browse/object"],
    ["/related/{relation}", `/related/objectPartOfObject?uri=${OBJECT}`],
    ["/referring", `/referring?uri=${OBJECT}&property=part_of`],
    ["/reconcile", "/reconcile"],
    ["/reconcile/suggest/entity", "/reconcile/suggest/entity?prefix=a"],
    ["/reconcile/suggest/type", "/reconcile/suggest/type?prefix=a"],
    ["/reconcile/suggest/property", "/reconcile/suggest/property?prefix=a"],
    ["/reconcile/extend/propose", "/reconcile/extend/propose"],
    ["/activity", "/activity"],
    ["/activity/page/{number}", "/activity/page/1"],
    ["/activity/latest", "/activity/latest"],
    ["/activity/latest/page/{number}", "/activity/latest/page/1"],
    ["/activity/refresh/page/{number}", "/activity/refresh/page/1"],
    ["/ldes", "/ldes"],
    ["/ldes/page/{number}", "/ldes/page/1"],
    ["/robots.txt", "/robots.txt"],
    ["/sitemap.xml", "/sitemap.xml"],
    ["/sitemap/{number}.xml", "/sitemap/1.xml"],
  ])("%s: %s", async (path, target) => {
    for (const method of ["GET", "HEAD", "OPTIONS"]) {
      const head = `${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
      const answer = await raw(service.port, `${head}\r\n`);
      expectDescribed(path, method.toLowerCase(), answer);
      const tag = answer.headers.get("etag");
      if (method !== "GET") continue;
      const named = Object.keys(description.paths[path]!.get!.responses[200]!.headers!);
      if (answer.status === 200)
        expect(named.includes("Last-Modified"), "Last-Modified").toBe(answer.headers.has("last-modified"));
      expectDescribed(path, "get", await raw(service.port, `${head}Accept: text/html\r\n\r\n`));
      if (tag === undefined) continue;
      expectDescribed(path, "get", await raw(service.port, `${head}If-Match: "other"\r\n\r\n`));
      const unchanged = await raw(service.port, `${head}If-None-Match: ${tag}\r\n\r\n`);
      expect(unchanged.status).toBe(304);
      expectDescribed(path, "get", unchanged);
      expectDescribed(path, "get", await raw(service.port, `${head}Accept-Encoding: br\r\n\r\n`));
    }
  });
});

describe("the description is also true of", () => {
  const ask = (request: string, ...headers: readonly string[]) =>
    raw(service.port, [`${request} HTTP/1.1`, "Host: x", "Connection: close", ...headers, "", ""].join("\r\n"));

  it("files, their parts, and those that are not given", async () => {
    for (const [header, status] of [
      ["Accept: image/*", 200],
      ["If-None-Match: *", 304],
      ["Range: bytes=0-1", 206],
      ["Range: bytes=999-", 416],
      ['If-Match: "other"', 412],
    ] as const) {
      const answer = await ask("GET /images/girl.svg", header);
      expect(answer.status).toBe(status);
      expectDescribed("/images/{file}", "get", answer);
    }
  });

  it("POST, whose answers have no tag", async () => {
    const form = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 10";
    const answer = await ask("POST /reconcile", `${form}\r\n\r\nqueries={}`);
    expect([answer.status, answer.headers.get("etag")]).toEqual([200, undefined]);
    expectDescribed("/reconcile", "post", answer);
  });

  it("expanded JSON-LD, which is an array", async () => {
    const type = 'application/ld+json;profile="http://www.w3.org/ns/json-ld#expanded"';
    const { body } = await ask("GET /object/1", `Accept: ${type}`);
    expect(JSON.parse(body.toString())).toBeInstanceOf(Array);
    expect(description.paths["/{path}"]!.get!.responses[200]!.content![type]).toEqual({ schema: { type: "array" } });
  });
});

describe("the description of a parameter", () => {
  interface Described {
    readonly name: string;
    readonly required?: boolean;
  }
  const parametersOf = (path: string) => {
    const { get } = description.paths[path] as unknown as { get: { parameters: Described[] } };
    return new Map(get.parameters.map(({ name, required = false }) => [name, required]));
  };

  it("says which of a change stream it needs: an IRI for that of a record, which that of a kind can do without", async () => {
    const [ofRecord, ofEndpoint] = ["/activity/record", "/activity/{endpoint}"].map(parametersOf) as [
      Map<string, boolean>,
      Map<string, boolean>,
    ];
    expect([ofRecord.get("uri"), ofRecord.get("page")]).toEqual([true, false]);
    expect([ofEndpoint.get("uri"), ofEndpoint.get("page")]).toEqual([false, false]);
    for (const [target, status] of [
      ["/activity/record", 400],
      [`/activity/record?uri=${OBJECT}&page=1`, 200],
      ["/activity/set", 200],
      [`/activity/set?uri=${OBJECT}&page=1`, 200],
    ] as const) {
      expect([target, (await rawGet(service.port, target)).status]).toEqual([target, status]);
    }
  });

  it("names the time of a version for every address of an entity, with the answers that it leads to", async () => {
    for (const path of ["/{path}", "/{path}.{suffix}", "/entity"]) {
      expect([path, parametersOf(path).get("Accept-Datetime")]).toEqual([path, false]);
    }
    const versioned = await serviceForTest();
    const stage = await versioned.store.stage({ keeps: "versions" });
    await stage.delete(`${BASE}/object/stated`);
    await stage.publish();
    for (const [path, target, time, status] of [
      ["/{path}", "/object/1", new Date(), 302],
      ["/{path}", "/object/stated", undefined, 410],
      ["/{path}", "/object/gone", new Date(), 404],
      ["/{path}.{suffix}", "/object/1.ttl", new Date(), 302],
      ["/entity", `/entity?uri=${OBJECT}`, new Date(), 302],
      ["/entity", `/entity?uri=${OBJECT}`, "soon", 400],
      ["/context", "/context", "soon", 200],
      ["/versions", `/versions?uri=${OBJECT}&uri=${OBJECT}`, undefined, 400],
      ["/versions/{number}", "/versions/1", undefined, 200],
    ] as const) {
      const value = time instanceof Date ? time.toUTCString() : time;
      const header = value === undefined ? "" : `Accept-Datetime: ${value}\r\n`;
      const answer = await raw(
        versioned.port,
        `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${header}\r\n`,
      );
      expect([target, answer.status]).toEqual([target, status]);
      expectDescribed(path, "get", answer);
    }
  });
});

describe("the page", () => {
  it("shows every path, parameter and status, and runs nothing", async () => {
    const { headers, body } = await rawGet(service.port, "/openapi.html");
    const html = body.toString();
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    for (const [path, { head, options, ...operations }] of Object.entries(description.paths)) {
      for (const [method, { responses }] of Object.entries(operations)) {
        expect(html).toContain(`<details><summary><h3>${method.toUpperCase()} <code>${path}</code></h3>`);
        for (const status of Object.keys(responses)) expect(html).toContain(`<td>${status}</td>`);
      }
    }
    for (const name of Object.keys(description.components.parameters!)) expect(html).toContain(`<td>${name}</td>`);
    expect(html).not.toContain("undefined");
  });

  it("has an address to try for most paths that can be read, and each answers", async () => {
    const html = (await rawGet(service.port, "/openapi.html")).body.toString();
    const tried = [...html.matchAll(/Try it: <a href="([^"]+)"/g)].map(([, url]) => url!.replaceAll("&amp;", "&"));
    for (const url of tried) {
      const { status } = await rawGet(service.port, url.slice(BASE.length));
      expect([url, status]).toEqual([url, url === `${BASE}/search` ? 302 : 200]);
    }
    const readable = Object.entries(description.paths).filter(([, operations]) => "get" in operations);
    expect(tried.length).toBeGreaterThan(readable.length * 0.7);
  });

  it("has addresses of a record to try also under a base URL in Unicode", async () => {
    const unicode = await serviceForTest({ baseUrl: `${BASE}/musée` });
    await publishDocuments(unicode.store, { id: `${BASE}/musée/é`, type: "Place", _label: "E" });
    const html = (await rawGet(unicode.port, "/openapi.html")).body.toString();
    expect(html).toContain(`Try it: <a href="${BASE}/mus%C3%A9e/entity?uri=`);
  });

  it("has no address of a dump to try while there is none, and then that of a file which is there", async () => {
    const dumps = temporaryFolder(onTestFinished);
    const withDumps = await serviceForTest({ dumps });
    const tried = async (): Promise<readonly string[]> => {
      const html = (await rawGet(withDumps.port, "/openapi.html")).body.toString();
      return [...html.matchAll(/Try it: <a href="([^"]+\/dumps\/latest\/[^"]+)"/g)].map(([, url]) => url!);
    };
    expect(await tried()).toEqual([]);
    expect((await rawGet(withDumps.port, "/dumps/latest/all.nq.gz")).body.toString()).toContain(
      "There is no dump yet.",
    );
    const dump = join(dumps, "2026-01-01T000000Z");
    mkdirSync(dump);
    const file = { name: "records.nq.gz", of: "all", format: "nq" };
    writeFileSync(join(dump, "dump.json"), JSON.stringify({ folder: "2026-01-01T000000Z", files: [file] }));
    expect(await tried()).toEqual([`${BASE}/dumps/latest/all.nq.gz`]);
  });
});
