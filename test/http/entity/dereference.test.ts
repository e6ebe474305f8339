/** Dereferencing over real sockets: DESIGN.md's HTTP table and the clauses of RFC 9110 behind it. */

import { setTimeout as sleep } from "node:timers/promises";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { modelFiles } from "../../../src/http/routes/model-files.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import { writeNQuads, writeNTriples } from "../../../src/rdf/ntriples-writer.js";
import { CONTEXT_URI, graphOf, type JsonObject, writer } from "../../jsonld/documents.js";
import { BASE, PAINTING, publish, raw, rawGet, type Service, startService } from "../service.js";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

function get(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Response> {
  return fetch(service.origin + path, { headers, method, redirect: "manual" });
}

async function json(response: Response): Promise<JsonObject> {
  return (await response.json()) as JsonObject;
}

const LINKED_ART_TYPE = `application/ld+json;profile="${CONTEXT_URI}"`;
const EXPANDED_TYPE = 'application/ld+json;profile="http://www.w3.org/ns/json-ld#expanded"';

describe("representations", () => {
  it("is the document by default, deep-equal to the one that was loaded", async () => {
    const response = await get("/object/1");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe(LINKED_ART_TYPE);
    expect(await json(response)).toEqual(PAINTING);
  });

  it.each([
    ["*/*", LINKED_ART_TYPE],
    ["application/ld+json", LINKED_ART_TYPE],
    [LINKED_ART_TYPE, LINKED_ART_TYPE],
    ["application/json", "application/json"],
    [EXPANDED_TYPE, EXPANDED_TYPE],
    ["text/turtle", "text/turtle; charset=utf-8"],
    ["application/n-triples", "application/n-triples"],
    ["application/n-quads", "application/n-quads"],
    ["application/trig", "application/trig; charset=utf-8"],
    ["application/rdf+xml", "application/rdf+xml"],
  ])("for Accept: %s has Content-Type: %s", async (accept, contentType) => {
    const response = await get("/object/1", { accept });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe(contentType);
  });

  it("writes each with the writer of its own", async () => {
    const graph = await graphOf(PAINTING);
    const bodyFor = async (accept: string) => (await get("/object/1", { accept })).text();
    expect(await bodyFor("application/n-triples")).toBe(writeNTriples(graph));
    expect(await bodyFor("application/n-quads")).toBe(writeNQuads(graph));
    expect(JSON.parse(await bodyFor(EXPANDED_TYPE))).toEqual(writer.expanded(graph));
    expect(await bodyFor("text/turtle")).toMatch(
      /^@prefix crm: .*\n[\s\S]*<http:\/\/data\.museum\.example\/collection\/object\/1>/,
    );
  });

  it("gives application/json the very bytes of JSON-LD", async () => {
    const [compact, plain] = await Promise.all(
      ["application/ld+json", "application/json"].map(async (accept) => (await get("/object/1", { accept })).text()),
    );
    expect(plain).toBe(compact);
  });

  it.each([
    [".jsonld", LINKED_ART_TYPE],
    [".json", "application/json"],
    [".ttl", "text/turtle; charset=utf-8"],
    [".nt", "application/n-triples"],
    [".nq", "application/n-quads"],
    [".trig", "application/trig; charset=utf-8"],
    [".rdf", "application/rdf+xml"],
  ])("has the suffix %s, which Accept does not change", async (suffix, contentType) => {
    const response = await get(`/object/1${suffix}`, { accept: "image/png" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe(contentType);
    expect(response.headers.get("content-location")).toBe(`${BASE}/object/1${suffix}`);
  });

  it.each([
    ["<http://www.w3.org/ns/json-ld#expanded>", "*/*", EXPANDED_TYPE],
    [`<urn:unknown>, <${CONTEXT_URI}>;q=0.5, <http://www.w3.org/ns/json-ld#expanded>;q=0.7`, "*/*", EXPANDED_TYPE],
    ["<urn:unknown>", "text/turtle", "text/turtle; charset=utf-8"],
    ["<http://www.w3.org/ns/json-ld#expanded>", "text/turtle", "text/turtle; charset=utf-8"],
    ["<http://www.w3.org/ns/json-ld#expanded>;q=0", "*/*", LINKED_ART_TYPE],
  ])("for Accept-Profile: %s and Accept: %s has Content-Type: %s", async (profile, accept, contentType) => {
    const { headers } = await get("/object/1", { "accept-profile": profile, accept });
    expect(headers.get("content-type")).toBe(contentType);
    const followed = /profile="([^"]*)"/.exec(contentType)?.[1];
    if (followed !== undefined) expect(headers.get("link")).toContain(`<${followed}>; rel="profile"`);
  });

  it("answers 406 with the list of what there is (RFC 9110, 15.5.7)", async () => {
    const response = await get("/object/1", { accept: "application/vnd.example" });
    expect(response.status).toBe(406);
    const { representations } = await json(response);
    expect(representations).toContainEqual({ type: "text/turtle; charset=utf-8", url: `${BASE}/object/1.ttl` });
    expect(representations).toContainEqual({ type: EXPANDED_TYPE });
    expect(response.headers.get("link")).toContain(
      `<${BASE}/object/1.ttl>; rel="alternate describedby"; type="text/turtle"`,
    );
  });

  it("offers a browser a page", async () => {
    const response = await get("/object/1", {
      accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    });
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("vary")).toContain("Accept-Language");
  });
});

describe("headers", () => {
  it("are all there on the answer for an entity", async () => {
    const { headers } = await get("/object/1");
    expect(headers.get("vary")).toBe("Accept, Accept-Encoding, Accept-Profile");
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-expose-headers")).toContain("ETag");
    expect(headers.get("access-control-expose-headers")).toContain("Link");
    expect(headers.get("cache-control")).toBe("no-cache");
    expect(headers.get("content-location")).toBe(`${BASE}/object/1.jsonld`);
    expect(headers.get("etag")).toMatch(/^"[!#-~]+"$/);
    expect(Date.parse(headers.get("last-modified")!)).toBeLessThanOrEqual(Date.now());
    expect(headers.get("last-modified")).toMatch(/ GMT$/);
  });

  it("link to what the entity is and to its representations (RFC 8288)", async () => {
    const link = (await get("/object/1")).headers.get("link")!;
    const paths = modelFiles(DEFAULT_MODEL).map(({ path }) => path);
    const modelLinks = [
      ["shapes/object.ttl", "text/turtle"],
      ["schemas/object.json", "application/schema+json"],
    ]
      .filter(([path]) => paths.includes(path!))
      .map(([path, type]) => `<${BASE}/${path}>; rel="describedby"; type="${type}"`);
    expect(link.split(", ")).toEqual([
      `<${BASE}/object/1>; rel="canonical"`,
      `<${BASE}/object/1>; rel="cite-as"`,
      `<${BASE}/object/1>; rel="describes"; anchor="${BASE}/object/1.jsonld"`,
      `<${BASE}/object/1.jsonld>; rel="alternate describedby"; type="application/ld+json"; profile="${CONTEXT_URI}"`,
      `<${BASE}/object/1.json>; rel="alternate describedby"; type="application/json"`,
      `<${BASE}/object/1.ttl>; rel="alternate describedby"; type="text/turtle"`,
      `<${BASE}/object/1.nt>; rel="alternate describedby"; type="application/n-triples"`,
      `<${BASE}/object/1.nq>; rel="alternate describedby"; type="application/n-quads"`,
      `<${BASE}/object/1.trig>; rel="alternate describedby"; type="application/trig"`,
      `<${BASE}/object/1.rdf>; rel="alternate describedby"; type="application/rdf+xml"`,
      `<${BASE}/object/1.schema.jsonld>; rel="alternate describedby"; type="application/ld+json"; profile="https://schema.org/"`,
      `<${BASE}/object/1.html>; rel="alternate"; type="text/html"`,
      '<http://www.cidoc-crm.org/cidoc-crm/E22_Human-Made_Object>; rel="type"',
      `<${BASE}/person/9>; rel="author"`,
      ...modelLinks,
      `<${CONTEXT_URI}>; rel="profile"`,
      '<http://www.w3.org/ns/json-ld#compacted>; rel="profile"',
    ]);
  });

  it("lead to what they say: each alternate and Content-Location answers with its type", async () => {
    for (const path of [
      "/object/1",
      "/only",
      `/entity?uri=${encodeURIComponent("http://vocab.example/aat/300033618")}`,
    ]) {
      const { headers } = await get(path);
      const links = [...headers.get("link")!.matchAll(/<([^>]*)>; rel="alternate describedby"; type="([^"]*)"/g)];
      expect(links).toHaveLength(8);
      for (const [, url, type] of links) {
        const response = await get(url!.slice(BASE.length));
        expect(response.status).toBe(200);
        expect(response.headers.get("content-type")).toContain(type);
        expect(response.headers.get("content-location")).toBe(url);
      }
    }
  });

  it("have the length of the body in bytes", async () => {
    const { headers, body } = await rawGet(service.port, "/object/1");
    expect(headers.get("content-length")).toBe(String(body.length));
    expect(headers.has("transfer-encoding")).toBe(false);
  });

  it("are those of GET for HEAD, and there is no body (RFC 9110, 9.3.2)", async () => {
    for (const target of [
      "/object/1",
      "/object/1.ttl",
      "/nothing",
      "/object/gone",
      "/production/1",
      "/health",
      "/context",
    ]) {
      const [whole, head] = await Promise.all([
        rawGet(service.port, target),
        raw(service.port, `HEAD ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
      ]);
      expect(head.status).toBe(whole.status);
      expect(head.body).toHaveLength(0);
      expect(withoutDate(head.headers)).toEqual(withoutDate(whole.headers));
    }
  });
});

function withoutDate(headers: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...headers].filter(([name]) => name !== "date"));
}

describe("conditional requests (RFC 9110, 13)", () => {
  it("answer 304 for the tag, with the headers of 15.4.5 and none that describe a body", async () => {
    const { headers } = await rawGet(service.port, "/object/1");
    const tag = headers.get("etag")!;
    const unchanged = await rawGet(service.port, "/object/1", `If-None-Match: ${tag}\r\n`);
    expect(unchanged.status).toBe(304);
    expect(unchanged.body).toHaveLength(0);
    for (const name of ["etag", "vary", "cache-control", "content-location", "access-control-allow-origin"]) {
      expect(unchanged.headers.get(name)).toBe(headers.get(name));
    }
    for (const name of ["content-type", "content-length", "last-modified", "link"]) {
      expect(unchanged.headers.has(name)).toBe(false);
    }
  });

  it("negotiate first: the tag of one representation is not that of another", async () => {
    const tags = new Set<string>();
    for (const accept of [LINKED_ART_TYPE, "application/json", EXPANDED_TYPE, "text/turtle", "application/n-triples"]) {
      const tag = (await get("/object/1", { accept })).headers.get("etag")!;
      expect((await get("/object/1", { accept, "if-none-match": tag })).status).toBe(304);
      expect((await get("/object/1", { accept: "application/n-quads", "if-none-match": tag })).status).toBe(200);
      tags.add(tag);
    }
    expect(tags.size).toBe(5);
  });

  it("know the tag by any name of the record", async () => {
    const tag = (await get("/object/1", { accept: "text/turtle" })).headers.get("etag")!;
    expect((await get("/object/1.ttl", { "if-none-match": `W/${tag}` })).status).toBe(304);
    expect((await get(`/entity?uri=${BASE}/object/1.ttl`, { "if-none-match": tag })).status).toBe(304);
  });

  it("compare the date of the last change", async () => {
    const since = (await get("/object/1")).headers.get("last-modified")!;
    expect((await get("/object/1", { "if-modified-since": since })).status).toBe(304);
    expect((await get("/object/1", { "if-modified-since": "Thu, 01 Jan 1970 00:00:00 GMT" })).status).toBe(200);
    expect((await get("/object/1", { "if-modified-since": since, "if-none-match": '"x"' })).status).toBe(200);
  });

  it("answer 412 where the client wants a state that is gone", async () => {
    const response = await get("/object/1", { "if-match": '"x"' });
    expect(response.status).toBe(412);
    expect(response.headers.get("etag")).toBe((await get("/object/1")).headers.get("etag"));
    expect((await get("/object/1", { "if-match": response.headers.get("etag")! })).status).toBe(200);
  });

  it("are ignored where the answer would not be 200 (13.2.1)", async () => {
    expect((await get("/nothing", { "if-none-match": "*" })).status).toBe(404);
    expect((await get("/object/gone", { "if-none-match": "*" })).status).toBe(410);
    expect((await get("/object/1", { accept: "image/png", "if-none-match": "*" })).status).toBe(406);
  });

  it("have tags that no other service would give otherwise, and that the settings change", async () => {
    const twin = await startService();
    const other = await startService({ edition: "contexts of May" });
    try {
      const tagAt = async (origin: string) => (await fetch(`${origin}/object/1`)).headers.get("etag");
      expect(await tagAt(twin.origin)).toBe(await tagAt(service.origin));
      expect(await tagAt(other.origin)).not.toBe(await tagAt(service.origin));
    } finally {
      await twin.stop();
      await other.stop();
    }
  });

  it("never match after the record changed, however often the old bytes were asked for", async () => {
    const changing = await startService();
    try {
      const url = `${changing.origin}/object/1`;
      const seen = new Map<string, string>();
      for (let change = 0; change < 5; change++) {
        await publish(changing.store, [await graphOf({ ...PAINTING, _label: `Change ${change}` })]);
        for (let asking = 0; asking < 4; asking++) {
          for (const accept of ["application/ld+json", "text/turtle"]) {
            const response = await fetch(url, { headers: { accept } });
            const body = await response.text();
            const tag = response.headers.get("etag")!;
            expect(body).toContain(`Change ${change}`);
            expect(seen.get(tag) ?? body).toBe(body);
            seen.set(tag, body);
            const again = await fetch(url, { headers: { accept, "if-none-match": tag } });
            expect(again.status).toBe(304);
          }
        }
      }
      expect(seen.size).toBe(10);
      await publish(changing.store, [], [`${BASE}/object/1`]);
      expect((await fetch(url)).status).toBe(410);
    } finally {
      await changing.stop();
    }
  });

  it("never match after the record changed, and the new bytes have a new tag", async () => {
    const changing = await startService();
    try {
      const url = `${changing.origin}/object/1`;
      const before = (await fetch(url)).headers.get("etag")!;
      await publish(changing.store, [await graphOf({ ...PAINTING, _label: "Renamed" })]);
      const after = await fetch(url, { headers: { "if-none-match": before } });
      expect(after.status).toBe(200);
      expect(after.headers.get("etag")).not.toBe(before);
      expect((await json(after))._label).toBe("Renamed");
    } finally {
      await changing.stop();
    }
  });
});

describe("content codings (RFC 9110, 8.4)", () => {
  const long = { ...PAINTING, identified_by: [{ type: "Name", content: "ü very long name ".repeat(200) }] };
  let coding: Service;
  beforeAll(async () => {
    coding = await startService();
    await publish(coding.store, [await graphOf(long)]);
  });
  afterAll(() => coding.stop());

  const coded = (accepted: string, more = "") =>
    rawGet(coding.port, "/object/1", `${accepted === "" ? "" : `Accept-Encoding: ${accepted}\r\n`}${more}`);

  it.each([
    ["gzip", "gzip", gunzipSync],
    ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
  ] as const)(
    "for %s is %s, with the same content, a tag of its own, and the length that it has",
    async (accepted, name, decode) => {
      const plain = await coded("");
      for (let asking = 0; asking < 3; asking++) {
        const { status, headers, body } = await coded(accepted);
        expect([status, headers.get("content-encoding")]).toEqual([200, name]);
        expect(headers.get("vary")).toContain("Accept-Encoding");
        expect(headers.get("content-length")).toBe(String(body.length));
        expect(decode(body)).toEqual(plain.body);
        expect(headers.get("etag")).not.toBe(plain.headers.get("etag"));
        const condition = `If-None-Match: ${headers.get("etag")}\r\n`;
        expect((await coded(accepted, condition)).status).toBe(304);
        expect((await coded("", condition)).status).toBe(200);
      }
    },
  );

  it.each(["", "identity", "gzip;q=0", "deflate", "gzip;q=0.5, identity;q=0.8"])("for %j is none", async (accepted) => {
    expect((await coded(accepted)).headers.has("content-encoding")).toBe(false);
  });

  it("is none for what is short anyway", async () => {
    const { headers, body } = await rawGet(coding.port, "/object/2", "Accept-Encoding: gzip\r\n");
    expect(headers.has("content-encoding")).toBe(false);
    expect(JSON.parse(body.toString())).toMatchObject({ id: `${BASE}/object/2` });
  });
});

describe("settings", () => {
  it("are the Cache-Control of entities, also on 304, and whether answers are kept", async () => {
    const other = await startService({ cacheControl: "max-age=60", cacheBytes: 0 });
    try {
      for (let asking = 0; asking < 3; asking++) {
        const { headers } = await rawGet(other.port, "/object/1");
        expect(headers.get("cache-control")).toBe("max-age=60");
        const unchanged = await rawGet(other.port, "/object/1", `If-None-Match: ${headers.get("etag")}\r\n`);
        expect([unchanged.status, unchanged.headers.get("cache-control")]).toEqual([304, "max-age=60"]);
      }
    } finally {
      await other.stop();
    }
  });
});

describe("what an address names", () => {
  const labelAt = async (path: string) => (await json(await get(path)))._label;

  it.each([
    ["a query is part of the IRI", "/object?id=7", "Has a query"],
    ["a record that ends like a suffix", "/object/list.ttl", "Ends like a suffix"],
    ["and its own suffixes", "/object/list.ttl.json", "Ends like a suffix"],
    ["a record goes before a service", "/health", "Has the path of a service"],
    ["Unicode, percent-encoded by the client", "/k%C3%BCnstler/Br%c3%bccke", "Unicode"],
    ["Unicode, with a suffix", "/k%C3%BCnstler/Br%C3%BCcke.json", "Unicode"],
    ["an encoding in the other case", "/encoded/%E4%BD%9C", "Percent-encoded in lower case"],
    ["Unicode for an encoding", "/encoded/作", "Percent-encoded in lower case"],
    ["an encoding that needs none", "/%6Fbject/%31", "Sonnenblumen 🌻"],
    ["the only fragment of a document", "/only", "The only fragment"],
    ["the only fragment, with a suffix", "/only.json", "The only fragment"],
    ["the base URL's own path, left on by a proxy", "/collection/object/1", "Sonnenblumen 🌻"],
    ["an IRI that lies elsewhere", "/entity?uri=http://vocab.example/aat/300033618", "Lies elsewhere"],
    ["the same, percent-encoded", "/entity?uri=http%3A%2F%2Fvocab.example%2Faat%2F300033618", "Lies elsewhere"],
    ["the same, with a suffix", "/entity?uri=http%3A%2F%2Fvocab.example%2Faat%2F300033618.json", "Lies elsewhere"],
    ["a URN", "/entity?uri=urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a66", "A URN"],
    ["a fragment by parameter", `/entity?uri=${encodeURIComponent(`${BASE}/many#two`)}`, "The other"],
    ["the parameter behind a proxy", "/collection/entity?uri=urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a66", "A URN"],
  ])("%s: %s", async (_what, path, label) => {
    expect(await labelAt(path)).toBe(label);
  });

  it("takes the absolute form (RFC 9112, 3.2.2)", async () => {
    expect((await rawGet(service.port, `${BASE}/object/1`)).status).toBe(200);
  });

  it.each(["/Object/1", "/object//1", "/object/1?", "/object%2F1", "/object/1.htm", "/object/1.TTL"])(
    "is not guessed at: %s",
    async (path) => {
      expect((await rawGet(service.port, path)).status).toBe(404);
    },
  );

  it("is 404 for a document with several fragments, naming them", async () => {
    const response = await get("/many");
    expect(response.status).toBe(404);
    expect((await json(response)).fragments).toEqual(
      ["one", "two"].map((name) => ({
        iri: `${BASE}/many#${name}`,
        url: `${BASE}/entity?uri=${encodeURIComponent(`${BASE}/many#${name}`)}`,
      })),
    );
  });
});

describe("what has no record", () => {
  it("is 303 even where the record says no more of it than what it is called, when no record could say more", async () => {
    const acquired = {
      "@context": CONTEXT_URI,
      type: "HumanMadeObject",
      id: `${BASE}/object/acquired`,
      changed_ownership_through: [{ id: `${BASE}/acquisition/5`, type: "Acquisition", _label: "Bought" }],
    };
    await publish(service.store, [await graphOf(acquired)]);
    const response = await get("/acquisition/5");
    expect([response.status, response.headers.get("location")]).toEqual([303, `${BASE}/object/acquired`]);
    // A person has a record of their own, or none.
    expect((await get("/person/9")).status).toBe(404);
  });

  it("is 303 to the record that describes it", async () => {
    const response = await get("/production/1");
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toBe(`${BASE}/object/1`);
    expect(await json(response)).toEqual({ describedIn: [`${BASE}/object/1`] });
    expect((await get("/production/1.ttl")).headers.get("location")).toBe(`${BASE}/object/1.ttl`);
  });

  it("is 404 with who refers to it", async () => {
    const response = await get("/person/9");
    expect(response.status).toBe(404);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    const problem = await json(response);
    expect(problem).toMatchObject({
      type: `${BASE}/problems/not-found`,
      title: "Not found",
      status: 404,
      instance: "/person/9",
    });
    expect(problem.detail).toContain(`${BASE}/object/1, ${BASE}/object/2`);
    expect(problem.referrers).toEqual(
      ["1", "2"].map((id) => ({
        record: `${BASE}/object/${id}`,
        property: "http://www.cidoc-crm.org/cidoc-crm/P14_carried_out_by",
      })),
    );
  });

  it("is 404 for what nobody mentions", async () => {
    const response = await get("/nothing");
    expect(response.status).toBe(404);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("vary")).toBe("Accept, Accept-Encoding, Accept-Profile");
    expect(await json(response)).toEqual({
      type: `${BASE}/problems/not-found`,
      title: "Not found",
      status: 404,
      detail: `No record describes ${BASE}/nothing.`,
      instance: "/nothing",
    });
  });

  it("is 410 with the time when it was deleted", async () => {
    for (const path of ["/object/gone", "/object/gone.ttl", `/entity?uri=${BASE}/object/gone`]) {
      const response = await get(path);
      expect(response.status).toBe(410);
      const { deleted, type } = await json(response);
      expect(type).toBe(`${BASE}/problems/gone`);
      expect(Date.now() - Date.parse(String(deleted))).toBeLessThan(120_000);
    }
  });

  it.each([
    ["a percent sign alone", "/object/100%"],
    ["half an encoding", "/object/%4"],
    ["Unicode that is not percent-encoded", "/object/künstler"],
    ["a character that no IRI may have", "/object/<1>"],
    ["a bracket", "/object/{1}"],
    ["/entity without an IRI", "/entity"],
    ["/entity with another parameter", "/entity?iri=urn:a"],
    ["/entity with what does not decode", "/entity?uri=%FF"],
    ["/entity with a relative IRI", "/entity?uri=object/1"],
    ["/entity with a space", "/entity?uri=http://example.org/a%20b"],
  ])("is 400 for %s", async (_what, target) => {
    const { status, headers, body } = await rawGet(service.port, target);
    expect(status).toBe(400);
    expect(headers.get("content-type")).toBe("application/problem+json");
    expect(JSON.parse(body.toString())).toMatchObject({ type: `${BASE}/problems/malformed`, status: 400 });
  });

  it("cannot put a header into the answer", async () => {
    for (const target of ["/a%0d%0aSet-Cookie:x=y", "/entity?uri=urn:a%0D%0ASet-Cookie:x=y", "/a%0d%0aX: y.ttl"]) {
      const { status, headers } = await rawGet(service.port, target);
      expect([400, 404]).toContain(status);
      expect(headers.has("set-cookie")).toBe(false);
    }
  });
});

describe("an address that is a record's but for what says nothing of it", () => {
  it.each([
    ["/object/1/", "/object/1"],
    ["/object/1?utm_source=newsletter&utm_medium=email", "/object/1"],
    ["/object/1/?fbclid=x", "/object/1"],
    ["/object?id=7&gclid=1", "/object?id=7"],
    ["/object?utm_id=1&id=7", "/object?id=7"],
  ])("%s is 301 to %s", async (path, location) => {
    const response = await get(path);
    expect([response.status, response.headers.get("location")]).toEqual([301, BASE + location]);
    expect((await get(location)).status).toBe(200);
  });

  it.each(["/object/1?id=7", "/object/none/", "/object/1//", "/object?utm_source=x", "/many/?fbclid=1"])(
    "%s is 404: it names no record",
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );
});

describe("RDF/XML", () => {
  it("is refused with the reason where the record says what it cannot express, and only there", async () => {
    const label = "A vertical\u000Btab";
    await publish(service.store, [
      await graphOf({ "@context": CONTEXT_URI, id: `${BASE}/object/tab`, type: "HumanMadeObject", _label: label }),
    ]);
    const refused = await get("/object/tab", { accept: "application/rdf+xml" });
    expect(refused.status).toBe(406);
    expect((await json(refused)).detail).toMatch(/U\+000B/);
    expect((await json(await get("/object/tab")))._label).toBe(label);
  });
});

describe("records whose IRIs are others' with a suffix", () => {
  const SUFFIXES = [".jsonld", ".json", ".ttl", ".nt", ".nq", ".trig", ".rdf", ".schema.jsonld", ".html"];
  const named = (name: string): JsonObject => ({
    "@context": CONTEXT_URI,
    id: `${BASE}/object/${name}`,
    type: "HumanMadeObject",
    _label: name,
  });
  /** Every address that an answer names of a representation: `Content-Location`, alternates, and links in the page. */
  async function namedBy(path: string): Promise<string[]> {
    const answers = await Promise.all(
      ["", ...SUFFIXES].map(async (suffix) => {
        const accept = suffix === ".html" || suffix === "" ? "text/html" : "*/*";
        const answer = await get(path, { accept });
        const link = answer.headers.get("link")!;
        const alternates = [...link.matchAll(/<([^>]*)>; rel="alternate/g)].map(([, url]) => url!);
        const hrefs = [...(await answer.text()).matchAll(/href="([^"]*)"/g)].map(([, url]) => url!);
        return [answer.headers.get("content-location")!, ...alternates, ...hrefs];
      }),
    );
    return answers.flat().map((url) => url.replace(BASE, "").replace("/collection/", "/"));
  }

  it.each(SUFFIXES)("are nobody's Content-Location and alternate: %s", async (suffix) => {
    const name = `file${SUFFIXES.indexOf(suffix)}`;
    await publish(service.store, [await graphOf(named(name))]);
    // Asked for twice, so that answers are kept ready from before the other record is there.
    for (const _ of [1, 2]) expect(await namedBy(`/object/${name}`)).toContain(`/object/${name}${suffix}`);
    await publish(service.store, [await graphOf(named(`${name}${suffix}`))]);
    // The store looks every tenth of a second whether there are such IRIs at all.
    await sleep(150);
    const after = await namedBy(`/object/${name}`);
    expect(after).not.toContain(`/object/${name}${suffix}`);
    expect(after).toContain(`/object/${name}${suffix === ".ttl" ? ".jsonld" : ".ttl"}`);
    const other = await get(`/object/${name}${suffix}`);
    expect((await json(other))._label).toBe(`${name}${suffix}`);
    // By Accept the representation is there all the same.
    expect((await json(await get(`/object/${name}`)))._label).toBe(name);
    await publish(service.store, [], [`${BASE}/object/${name}${suffix}`]);
    await sleep(150);
    expect(await namedBy(`/object/${name}`)).toContain(`/object/${name}${suffix}`);
  });

  it("lead nobody astray who was moved, or who asks in vain", async () => {
    await publish(service.store, await Promise.all(["goal", "goal.ttl", "start"].map((name) => graphOf(named(name)))));
    const stage = await service.store.stage();
    await stage.delete(`${BASE}/object/start`, `${BASE}/object/goal`);
    await stage.publish();
    await sleep(150);
    const location = async (path: string) => (await get(path)).headers.get("location");
    expect(await location("/object/start.ttl")).toBe(`${BASE}/object/goal`);
    expect(await location("/object/start.nt")).toBe(`${BASE}/object/goal.nt`);
    const refused = await get("/object/goal", { accept: "image/png" });
    expect(refused.headers.get("link")).not.toContain("/object/goal.ttl");
    expect(JSON.stringify(await json(refused))).not.toContain("/object/goal.ttl");
  });
});
