/** Dereferencing over real sockets: the tables of docs/use/http.md and the clauses of RFC 9110 behind them, over each kind of store. */
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CONTEXT_URI } from "../../jsonld/documents.js";
import {
  BASE,
  type FlatOptions,
  PAINTING,
  publish,
  publishDocuments,
  rawGet,
  type Service,
  STORES,
  serviceForAll,
  serviceForTest,
  startService,
} from "../service.js";

interface Linksets {
  readonly linkset: readonly { readonly alternate: readonly { readonly href: string; readonly type: string }[] }[];
}

let service: Service;

function get(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Response> {
  return fetch(service.origin + path, { headers, method, redirect: "manual" });
}

const LINKED_ART_TYPE = `application/ld+json;profile="${CONTEXT_URI}"`;
const EDM = "http://www.europeana.eu/schemas/edm/";
const EDM_TYPE = `application/rdf+xml;profile="${EDM}"`;
const MANIFEST_TYPE = 'application/ld+json;profile="http://iiif.io/api/presentation/3/context.json"';
const EXPANDED_TYPE = 'application/ld+json;profile="http://www.w3.org/ns/json-ld#expanded"';

describe.each(STORES)("over %s", (_store, openStore) => {
  const startForTest = (options: FlatOptions = {}): Promise<Service> => serviceForTest(options, openStore);
  beforeAll(async () => {
    service = await startService({}, openStore);
  });
  afterAll(() => service.stop());

  describe("representations", () => {
    it.each([
      ["<http://www.w3.org/ns/json-ld#expanded>", "*/*", EXPANDED_TYPE],
      [`<urn:unknown>, <${CONTEXT_URI}>;q=0.5, <http://www.w3.org/ns/json-ld#expanded>;q=0.7`, "*/*", EXPANDED_TYPE],
      ["<urn:unknown>", "text/turtle", "text/turtle; charset=utf-8"],
      ["<http://www.w3.org/ns/json-ld#expanded>", "text/turtle", "text/turtle; charset=utf-8"],
      ["<http://www.w3.org/ns/json-ld#expanded>;q=0", "*/*", LINKED_ART_TYPE],
    ])("for Accept-Profile: %s and Accept: %s have Content-Type: %s", async (profile, accept, contentType) => {
      const { headers } = await get("/object/1", { "accept-profile": profile, accept });
      expect(headers.get("content-type")).toBe(contentType);
      const followed = /profile="([^"]*)"/.exec(contentType)?.[1];
      if (followed !== undefined) expect(headers.get("link")).toContain(`<${followed}>; rel="profile"`);
    });

    it.each([
      [`${MANIFEST_TYPE},application/json`, "application/json"],
      [`${MANIFEST_TYPE}, ${EDM_TYPE};q=0.9, text/turtle;q=0.1`, "text/turtle; charset=utf-8"],
      [`${EDM_TYPE}, application/rdf+xml;q=0.9`, "application/rdf+xml"],
      [`${EDM_TYPE}, */*;q=0.1`, LINKED_ART_TYPE],
      [EDM_TYPE, "application/problem+json"],
      [`${MANIFEST_TYPE}, ${EDM_TYPE}`, "application/problem+json"],
    ])("that do not apply to a record give way to the next in Accept: %s", async (accept, contentType) => {
      const place = { id: `${BASE}/place/1`, type: "Place", _label: "A place" };
      await publishDocuments(service.store, place);
      expect((await get("/place/1", { accept })).headers.get("content-type")).toBe(contentType);
      const byProfile = await get("/place/1", { "accept-profile": `<${EDM}>` });
      expect([byProfile.status, byProfile.headers.get("content-type")]).toEqual([200, LINKED_ART_TYPE]);
    });

    it("include a page for browsers", async () => {
      const response = await get("/object/1", {
        accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
      });
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(response.headers.get("vary")).toContain("Accept-Language");
    });
  });

  describe("headers", () => {
    it("are complete on the answer for an entity", async () => {
      const { headers } = await get("/object/1");
      expect(headers.get("access-control-expose-headers")).toBe("*");
      expect(headers.get("cache-control")).toBe("no-cache");
      expect(headers.get("content-location")).toBe(`${BASE}/object/1.jsonld`);
      expect(headers.get("last-modified")).toMatch(/ GMT$/);
    });

    it("link to the entity's types, to its description and to the linkset (RFC 8288)", async () => {
      expect((await get("/object/1")).headers.get("link")!.split(", ")).toEqual([
        `<${BASE}/object/1>; rel="cite-as"`,
        `<${BASE}/object/1.linkset.json>; rel="linkset"; type="application/linkset+json"`,
        `<${BASE}/object/1.jsonld>; rel="describedby"; type="application/ld+json"`,
        `<${BASE}/object/1>; rel="describes"; anchor="${BASE}/object/1.jsonld"`,
        '<https://schema.org/AboutPage>; rel="type"',
        '<https://schema.org/VisualArtwork>; rel="type"',
        `<${BASE}/person/9>; rel="author"`,
        `<${CONTEXT_URI}>; rel="profile"`,
      ]);
    });

    it("take at most 1.3 KB", async () => {
      const { headers } = await rawGet(service.port, "/object/1");
      const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`);
      expect(`HTTP/1.1 200 OK\r\n${lines.join("")}\r\n`.length).toBeLessThan(1_331);
    });

    it("lead where they say: each alternate and Content-Location answers with its type", async () => {
      await publishDocuments(service.store, { ...PAINTING, id: `${BASE}/?id=5` });
      for (const path of [
        "/object/1",
        "/only",
        "/?id=5",
        `/entity?uri=${encodeURIComponent("http://vocab.example/aat/300033618")}`,
      ]) {
        const linkset = /<([^>]*)>; rel="linkset"/.exec((await get(path)).headers.get("link")!)![1]!;
        const { linkset: contexts } = (await (await get(linkset.slice(BASE.length))).json()) as Linksets;
        const links = contexts[0]!.alternate;
        expect(links).toHaveLength(10);
        for (const { href, type } of links) {
          const response = await get(href.slice(BASE.length));
          expect(response.status).toBe(200);
          expect(response.headers.get("content-type")).toContain(type);
          expect(response.headers.get("content-location")).toBe(href);
        }
      }
    });
  });

  describe("conditional requests (RFC 9110, 13)", () => {
    it("accept the tag under any name of the record", async () => {
      const tag = (await get("/object/1", { accept: "text/turtle" })).headers.get("etag")!;
      expect((await get("/object/1.ttl", { "if-none-match": `W/${tag}` })).status).toBe(304);
      expect((await get(`/entity?uri=${BASE}/object/1.ttl`, { "if-none-match": tag })).status).toBe(304);
    });

    it("have tags that depend on the record and the settings, not on the service", async () => {
      const twin = await startForTest();
      const other = await startForTest({ contexts: [["urn:context:of-may", {}]] });
      const tagAt = async (origin: string) => (await fetch(`${origin}/object/1`)).headers.get("etag");
      expect(await tagAt(twin.origin)).toBe(await tagAt(service.origin));
      expect(await tagAt(other.origin)).not.toBe(await tagAt(service.origin));
    });

    it("never match after the record changed, even when the old bytes were cached", async () => {
      const changing = await startForTest();
      const url = `${changing.origin}/object/1`;
      const seen = new Map<string, string>();
      for (let change = 0; change < 3; change++) {
        await publishDocuments(changing.store, { ...PAINTING, _label: `Change ${change}` });
        for (let asking = 0; asking < 3; asking++) {
          for (const accept of ["application/ld+json", "text/turtle"]) {
            const response = await fetch(url, { headers: { accept } });
            const body = await response.text();
            const tag = response.headers.get("etag")!;
            expect(body).toContain(`Change ${change}`);
            expect(seen.get(tag) ?? body).toBe(body);
            seen.set(tag, body);
            const again = await fetch(url, { headers: { accept, "if-none-match": tag } });
            expect(again.status).toBe(304);
            const others = ['"none"', ...seen.keys()].filter((each) => each !== tag);
            const stale = await fetch(url, { headers: { accept, "if-none-match": others.join(", ") } });
            expect(stale.status).toBe(200);
          }
        }
      }
      expect(seen.size).toBe(6);
      await publish(changing.store, [], [`${BASE}/object/1`]);
      expect((await fetch(url)).status).toBe(410);
    });
  });

  describe("content codings (RFC 9110, 8.4)", () => {
    const long = { ...PAINTING, identified_by: [{ type: "Name", content: "ü very long name ".repeat(200) }] };
    const coding = serviceForAll({}, openStore);
    beforeAll(async () => {
      await publishDocuments(coding.store, long);
    });

    const coded = (accepted: string, more = "") =>
      rawGet(coding.port, "/object/1", `${accepted === "" ? "" : `Accept-Encoding: ${accepted}\r\n`}${more}`);

    it.each([
      ["gzip", "gzip", gunzipSync],
      ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
    ] as const)(
      "for Accept-Encoding: %s are %s, with the same content, an entity tag of its own, and the right length",
      async (accepted, name, decode) => {
        const plain = await coded("");
        for (let asking = 0; asking < 3; asking++) {
          const { status, headers, body } = await coded(accepted);
          expect([status, headers.get("content-encoding")]).toEqual([200, name]);
          expect(headers.get("vary")).toContain("Accept-Encoding");
          expect(headers.get("content-length")).toBe(String(body.length));
          expect(decode(body).equals(plain.body)).toBe(true);
          expect(headers.get("etag")).not.toBe(plain.headers.get("etag"));
          const condition = `If-None-Match: ${headers.get("etag")}\r\n`;
          expect((await coded(accepted, condition)).status).toBe(304);
          expect((await coded("", condition)).status).toBe(200);
        }
      },
    );

    it("are not used for short bodies", async () => {
      const { headers, body } = await rawGet(coding.port, "/object/2", "Accept-Encoding: gzip\r\n");
      expect(headers.has("content-encoding")).toBe(false);
      expect(JSON.parse(body.toString())).toMatchObject({ id: `${BASE}/object/2` });
    });
  });

  describe("settings", () => {
    it("include the Cache-Control of entities, also on 304, and the size of the answer cache", async () => {
      const other = await startForTest({ cacheControl: "max-age=60", cacheBytes: 0 });
      for (let asking = 0; asking < 3; asking++) {
        const { headers } = await rawGet(other.port, "/object/1");
        expect(headers.get("cache-control")).toBe("max-age=60");
        const unchanged = await rawGet(other.port, "/object/1", `If-None-Match: ${headers.get("etag")}\r\n`);
        expect([unchanged.status, unchanged.headers.get("cache-control")]).toEqual([304, "max-age=60"]);
      }
    });
  });
});
