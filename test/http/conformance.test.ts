/** The protocols' demands on a read-only service, clause by clause over raw sockets; docs/inside/conformance.md lists them. */
import { readFileSync } from "node:fs";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CONTEXT_URI, type JsonObject } from "../jsonld/documents.js";
import { BASE, PAINTING, type RawAnswer, raw, type Service, STORES, startService } from "./service.js";

let service: Service;

type Headers = Readonly<Record<string, string>>;

function ask(path: string, headers: Headers = {}, method = "GET"): Promise<RawAnswer> {
  const lines = Object.entries({ Host: "data.museum.example", Connection: "close", ...headers });
  return raw(
    service.port,
    `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`,
  );
}

async function typeFor(accept: string): Promise<string | undefined> {
  return (await ask("/object/1", { Accept: accept })).headers.get("content-type");
}

const LINKED_ART = `application/ld+json;profile="${CONTEXT_URI}"`;
const EXPANDED = 'application/ld+json;profile="http://www.w3.org/ns/json-ld#expanded"';
const TURTLE = "text/turtle; charset=utf-8";
const PATHS = ["/object/1", "/object/1.ttl", "/object/none", "/object/gone", "/production/1", "/", "/context", "/%zz"];

describe.each(STORES)("over %s", (_store, openStore) => {
  beforeAll(async () => {
    service = await startService({}, openStore);
  });
  afterAll(() => service.stop());

  describe("Linked Art API 1.0, protocol", () => {
    it("HTTP/1.1 is spoken, with persistent connections", async () => {
      const request = "GET /object/1 HTTP/1.1\r\nHost: x\r\n";
      const { body } = await raw(service.port, `${request}\r\n${request}Connection: close\r\n\r\n`);
      expect(body.toString("latin1").match(/HTTP\/1\.1 200 OK/g)).toHaveLength(1);
    });

    it("GET gives a representation of the entity", async () => {
      const { status, body } = await ask("/object/1");
      expect([status, JSON.parse(body.toString())]).toEqual([200, PAINTING]);
    });

    it("OPTIONS is answered on every path", async () => {
      for (const path of PATHS) {
        const { status, headers } = await ask(path, {}, "OPTIONS");
        expect([path, status, headers.get("allow")]).toEqual([path, 204, "GET, HEAD, OPTIONS"]);
      }
    });

    it("HEAD is answered like GET, without the body", async () => {
      for (const path of PATHS) {
        const [get, head] = await Promise.all([ask(path), ask(path, {}, "HEAD")]);
        expect([head.status, head.body.length]).toEqual([get.status, 0]);
        expect(new Map([...head.headers].filter(([name]) => name !== "date"))).toEqual(
          new Map([...get.headers].filter(([name]) => name !== "date")),
        );
      }
    });

    it("the media type with the context as profile is answered with itself as Content-Type", async () => {
      expect(await typeFor(LINKED_ART)).toBe(LINKED_ART);
    });

    it("other serializations are at the same URI, selected by media type", async () => {
      for (const type of ["text/turtle", "application/n-triples", "application/n-quads", "application/trig"]) {
        expect(await typeFor(type)).toMatch(type);
      }
    });

    it("Access-Control-Allow-Origin is * on every answer, whatever its status and method", async () => {
      const statuses = new Set<number>();
      for (const path of PATHS) {
        for (const method of ["GET", "HEAD", "OPTIONS", "POST"]) {
          const { status, headers } = await ask(path, { Origin: "https://viewer.example" }, method);
          expect([path, method, headers.get("access-control-allow-origin")]).toEqual([path, method, "*"]);
          statuses.add(status);
        }
      }
      expect(statuses).toEqual(new Set([200, 204, 303, 400, 404, 405, 410]));
    });

    it("a preflight allows what it asks for", async () => {
      const { headers } = await ask(
        "/object/1",
        {
          Origin: "https://viewer.example",
          "Access-Control-Request-Method": "GET",
          "Access-Control-Request-Headers": "accept",
        },
        "OPTIONS",
      );
      expect(headers.get("access-control-allow-methods")).toContain("GET");
      expect(headers.get("access-control-allow-headers")).toBe("*");
    });
  });

  describe("Linked Art API 1.0, JSON-LD", () => {
    it("the default Content-Type is application/ld+json with the context as profile", async () => {
      expect((await ask("/object/1")).headers.get("content-type")).toBe(LINKED_ART);
      expect(await typeFor("*/*")).toBe(LINKED_ART);
    });

    it("documents use the context, and a property that may have several values is an array", async () => {
      const document = JSON.parse((await ask("/object/1")).body.toString()) as JsonObject;
      expect(document["@context"]).toBe(CONTEXT_URI);
      expect(document.identified_by).toBeInstanceOf(Array);
    });

    it("an unknown profile is ignored", async () => {
      expect(await typeFor('application/ld+json;profile="https://example.org/unknown"')).toBe(LINKED_ART);
    });
  });

  describe("RFC 9110, 12: content negotiation", () => {
    it("12.4.1: without Accept, any representation will do", async () => {
      expect((await ask("/object/1")).status).toBe(200);
    });

    it("12.4.2: the highest quality value wins, and 0 means not acceptable", async () => {
      expect(await typeFor("text/turtle;q=0.5, application/n-triples;q=0.6")).toBe("application/n-triples");
      expect(await typeFor("text/turtle;q=0, text/*;q=0.1")).not.toBe(TURTLE);
      expect((await ask("/object/1", { Accept: "*/*;q=0" })).status).toBe(406);
    });

    it("12.5.1: the most specific range that names a representation has precedence", async () => {
      expect(await typeFor("text/*;q=0.9, text/turtle;q=0.1, text/html;q=0.1, application/n-triples;q=0.5")).toBe(
        "application/n-triples",
      );
      expect(await typeFor(`application/ld+json;q=0.1, ${EXPANDED}, text/turtle;q=0.5`)).toBe(EXPANDED);
    });

    it("12.5.1: 406 lists the representations when none is acceptable", async () => {
      const { status, headers, body } = await ask("/object/1", { Accept: "image/png" });
      const listed = [{ type: TURTLE, url: `${BASE}/object/1.ttl` }, { type: EXPANDED }];
      expect([status, JSON.parse(body.toString()).representations]).toEqual([406, expect.arrayContaining(listed)]);
      expect(headers.get("link")).toContain(
        `<${BASE}/object/1.linkset.json>; rel="linkset"; type="application/linkset+json"`,
      );
    });

    it("12.5.3: an acceptable coding is used, or none", async () => {
      const long = await ask("/object/1.nt");
      for (const [accepted, coding, decode] of [
        ["br", "br", brotliDecompressSync],
        ["gzip", "gzip", gunzipSync],
        ["x-gzip", "gzip", gunzipSync],
      ] as const) {
        const { headers, body } = await ask("/object/1.nt", { "Accept-Encoding": accepted });
        expect(headers.get("content-encoding")).toBe(coding);
        expect(decode(body).equals(long.body)).toBe(true);
      }
      for (const accepted of ["", "identity", "br;q=0, gzip;q=0", "compress"]) {
        const { headers, body } = await ask("/object/1.nt", { "Accept-Encoding": accepted });
        expect([headers.has("content-encoding"), body.equals(long.body)]).toEqual([false, true]);
      }
    });

    it("12.5.5: Vary names the headers that select the representation, on every answer for an entity", async () => {
      for (const path of PATHS) {
        expect((await ask(path)).headers.get("vary")).toBe("Accept, Accept-Encoding, Accept-Profile");
      }
      expect((await ask("/object/1", { Accept: "image/png" })).headers.get("vary")).toContain("Accept");
    });
  });

  async function validators(path = "/object/1"): Promise<{ tag: string; modified: string }> {
    const { headers } = await ask(path);
    return { tag: headers.get("etag")!, modified: headers.get("last-modified")! };
  }

  const BEFORE = "Sun, 06 Nov 1994 08:49:37 GMT";
  const AFTER = "Fri, 01 Jan 2100 00:00:00 GMT";

  describe("RFC 9110, 13: conditional requests", () => {
    it("8.8.2: Last-Modified is sent, and does not lie in the future", async () => {
      const { headers } = await ask("/object/1");
      expect(Date.parse(headers.get("last-modified")!)).toBeLessThanOrEqual(Date.parse(headers.get("date")!));
    });

    it("8.8.3: ETag is sent, strong, and different for each representation and coding", async () => {
      const tags = new Set<string>();
      for (const accept of [LINKED_ART, "application/json", EXPANDED, "text/turtle", "application/n-triples"]) {
        for (const coding of ["identity", "gzip", "br"]) {
          tags.add((await ask("/object/1", { Accept: accept, "Accept-Encoding": coding })).headers.get("etag")!);
        }
      }
      expect(tags.size).toBe(15);
      for (const tag of tags) expect(tag).toMatch(/^"[\x21\x23-\x7e]+"$/);
    });

    it("13.1.1: If-Match compares strongly, and 412 is the answer when it is false", async () => {
      const { tag } = await validators();
      expect((await ask("/object/1", { "If-Match": `"x", ${tag}` })).status).toBe(200);
      expect((await ask("/object/1", { "If-Match": "*" })).status).toBe(200);
      expect((await ask("/object/1", { "If-Match": `W/${tag}` })).status).toBe(412);
      const { status, headers } = await ask("/object/1", { "If-Match": '"x"' });
      expect([status, headers.get("etag")]).toEqual([412, tag]);
    });

    it("13.1.2: If-None-Match compares weakly, and 304 is the answer to GET and HEAD when it is false", async () => {
      const { tag } = await validators();
      for (const list of [tag, `W/${tag}`, `"x", ${tag}`, `"x",W/${tag} ,"y"`, "*"]) {
        for (const method of ["GET", "HEAD"]) {
          expect((await ask("/object/1", { "If-None-Match": list }, method)).status).toBe(304);
        }
      }
      expect((await ask("/object/1", { "If-None-Match": '"x"' })).status).toBe(200);
    });

    it("13.1.3: If-Modified-Since gives 304 when the record has not changed since", async () => {
      const { modified } = await validators();
      expect((await ask("/object/1", { "If-Modified-Since": modified })).status).toBe(304);
      expect((await ask("/object/1", { "If-Modified-Since": BEFORE })).status).toBe(200);
    });

    it("13.1.3: If-Modified-Since is ignored beside If-None-Match and when it is not a date", async () => {
      const { modified } = await validators();
      for (const headers of [
        { "If-None-Match": '"x"', "If-Modified-Since": modified },
        { "If-Modified-Since": "yesterday" },
        { "If-Modified-Since": `${modified}, ${modified}` },
      ]) {
        expect((await ask("/object/1", headers)).status).toBe(200);
      }
    });

    it("13.1.4: If-Unmodified-Since gives 412 when the record has changed since", async () => {
      expect((await ask("/object/1", { "If-Unmodified-Since": BEFORE })).status).toBe(412);
      expect((await ask("/object/1", { "If-Unmodified-Since": AFTER })).status).toBe(200);
    });

    it("13.1.4: If-Unmodified-Since is ignored beside If-Match and when it is not a date", async () => {
      const { tag } = await validators();
      expect((await ask("/object/1", { "If-Match": tag, "If-Unmodified-Since": BEFORE })).status).toBe(200);
      expect((await ask("/object/1", { "If-Unmodified-Since": "yesterday" })).status).toBe(200);
    });

    it("13.1.5: If-Range and Range are ignored, since there are no ranges", async () => {
      const { tag } = await validators();
      for (const headers of [{ "If-Range": tag }, { "If-Range": tag, Range: "bytes=0-1" }, { Range: "bytes=0-1" }]) {
        const { status, headers: answered } = await ask("/object/1", headers);
        expect([status, answered.has("content-range")]).toEqual([200, false]);
      }
    });

    it("13.2.1: conditions are ignored when the answer without them is neither 2xx nor 412, and on OPTIONS", async () => {
      for (const [path, status, accept] of [
        ["/object/none", 404],
        ["/object/gone", 410],
        ["/production/1", 303],
        ["/object/1", 406, "image/png"],
      ] as const) {
        for (const condition of [{ "If-None-Match": "*" }, { "If-Match": '"x"' }])
          expect((await ask(path, { ...condition, ...(accept && { Accept: accept }) })).status).toBe(status);
      }
      expect((await ask("/object/1", { "If-None-Match": "*" }, "OPTIONS")).status).toBe(204);
    });

    it("13.2.2: If-Match is evaluated before If-None-Match", async () => {
      const { tag } = await validators();
      expect((await ask("/object/1", { "If-Match": '"x"', "If-None-Match": tag })).status).toBe(412);
      expect((await ask("/object/1", { "If-Match": tag, "If-None-Match": tag })).status).toBe(304);
    });

    it("15.4.5: 304 has Date, ETag, Content-Location, Cache-Control and Vary of the 200, and nothing of its body", async () => {
      const whole = await ask("/object/1");
      const { headers, body } = await ask("/object/1", { "If-None-Match": whole.headers.get("etag")! });
      expect(body.length).toBe(0);
      expect(headers.has("date")).toBe(true);
      for (const name of ["etag", "content-location", "cache-control", "vary", "access-control-allow-origin"]) {
        expect(headers.get(name)).toBe(whole.headers.get(name));
      }
      for (const name of ["content-type", "content-length", "content-encoding", "last-modified", "link"]) {
        expect(headers.has(name)).toBe(false);
      }
    });

    it("15.5.6: 405 lists the allowed methods", async () => {
      for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
        const { status, headers } = await ask("/object/1", {}, method);
        expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
      }
    });
  });

  interface Link {
    readonly target: string;
    readonly rel: readonly string[];
    readonly parameters: string;
  }

  async function linksOf(path: string, headers: Headers = {}): Promise<Link[]> {
    const answer = await ask(path, headers);
    return [...answer.headers.get("link")!.matchAll(/<([^>]*)>; rel="([^"]*)"([^<]*)/g)].map(
      ([, target, rel, parameters]) => ({ target: target!, rel: rel!.split(" "), parameters: parameters! }),
    );
  }

  async function targets(path: string, relation: string): Promise<string[]> {
    return (await linksOf(path)).filter(({ rel }) => rel.includes(relation)).map(({ target }) => target);
  }

  describe("FAIR Signposting, level 1", () => {
    it("cite-as occurs once, and is the entity's persistent identifier", async () => {
      for (const path of ["/object/1", "/object/1.ttl", `/entity?uri=${encodeURIComponent(`${BASE}/object/1`)}`]) {
        expect(await targets(path, "cite-as")).toEqual([`${BASE}/object/1`]);
      }
    });

    it("describedby leads to the metadata and linkset to all links, and both answer with their types", async () => {
      const links = await linksOf("/object/1");
      const [described, linkset] = ["describedby", "linkset"].map((relation) =>
        links.filter(({ rel }) => rel.includes(relation)),
      );
      expect([described, linkset].map((each) => each!.length)).toEqual([1, 1]);
      const { linkset: contexts } = JSON.parse((await ask(linkset![0]!.target.slice(BASE.length))).body.toString());
      const all: { href: string; type: string }[] = contexts[0].describedby;
      expect(all.length).toBeGreaterThan(5);
      const header = [...described!, ...linkset!].map(({ target, parameters }) => ({
        href: target,
        type: /type="([^"]*)"/.exec(parameters)![1]!,
      }));
      for (const { href, type } of [...all, ...header]) {
        const { status, headers } = await ask(href.slice(BASE.length));
        expect([href, status, headers.get("content-type")]).toEqual([href, 200, expect.stringContaining(type)]);
      }
    });

    it("describes leads from the metadata back to the entity", async () => {
      for (const suffix of [".jsonld", ".json", ".ttl", ".nt", ".nq", ".trig"]) {
        const [link, ...more] = (await linksOf(`/object/1${suffix}`)).filter(({ rel }) => rel.includes("describes"));
        expect(more).toEqual([]);
        expect([link!.target, link!.parameters]).toEqual([
          `${BASE}/object/1`,
          expect.stringContaining(`anchor="${BASE}/object/1${suffix}"`),
        ]);
      }
    });

    it("type says that the page is about an entity, and what the entity is", async () => {
      expect(await targets("/object/1", "type")).toEqual([
        "https://schema.org/AboutPage",
        "https://schema.org/VisualArtwork",
      ]);
    });

    it("author is the maker, if the record names one", async () => {
      expect(await targets("/object/1", "author")).toEqual([`${BASE}/person/9`]);
      expect(await targets("/only", "author")).toEqual([]);
    });

    it("license, item and collection are given if the record has them", async () => {
      const links = await linksOf("/object/stated");
      const named = (relation: string) => links.filter(({ rel }) => rel.includes(relation)).map(({ target }) => target);
      expect(named("license")).toEqual(["https://creativecommons.org/publicdomain/zero/1.0/"]);
      expect(named("item")).toEqual(["https://images.example/1.jpg"]);
      expect(named("collection")).toEqual([`${BASE}/set/1`]);
    });

    it("links are in the headers of GET and HEAD alike", async () => {
      const [get, head] = await Promise.all([ask("/object/1"), ask("/object/1", {}, "HEAD")]);
      expect(head.headers.get("link")).toBe(get.headers.get("link"));
    });
  });
});

describe("docs/inside/conformance.md", () => {
  it("names every test of this file and no other", () => {
    const source = readFileSync("test/http/conformance.test.ts", "utf8");
    const tests = [...source.matchAll(/^ {4}it\("([^"]+)"/gm)].map(([, name]) => name!).sort();
    const rows = readFileSync("docs/inside/conformance.md", "utf8").matchAll(/^\|.*\| ([^|]+) \|$/gm);
    const named = [...rows].map(([, name]) => name!).filter((name) => !["test", "---", "none"].includes(name));
    expect([...new Set(named)].sort()).toEqual(tests.filter((name) => !name.startsWith("names every")));
  });
});
