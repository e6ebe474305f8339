/** Resolution: an address names a record by its IRI or an equivalent, an embedded node, or nothing. Over each kind of store. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { graphOf, type JsonObject } from "../../jsonld/documents.js";
import {
  BASE,
  publish,
  publishDocuments,
  rawGet,
  type Service,
  STORES,
  serviceForTest,
  startService,
} from "../service.js";

let service: Service;

function get(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Response> {
  return fetch(service.origin + path, { headers, method, redirect: "manual" });
}

async function json(response: Response): Promise<JsonObject> {
  return (await response.json()) as JsonObject;
}

describe.each(STORES)("over %s", (_store, openStore) => {
  beforeAll(async () => {
    service = await startService({}, openStore);
    const joined = { id: `${BASE}/می\u200cرود`, type: "HumanMadeObject", _label: "Joined" };
    await publishDocuments(service.store, joined);
  });
  afterAll(() => service.stop());

  describe("what an address names", () => {
    const labelAt = async (path: string) => (await json(await get(path)))._label;

    it.each([
      ["a query is part of the IRI", "/object?id=7", "Has a query"],
      ["a record whose IRI ends like a suffix", "/object/list.ttl", "Ends like a suffix"],
      ["the same, with a suffix of its own", "/object/list.ttl.json", "Ends like a suffix"],
      ["a record takes precedence over a service", "/health", "Has the path of a service"],
      ["Unicode, percent-encoded by the client", "/k%C3%BCnstler/Br%c3%bccke", "Unicode"],
      ["Unicode, with a suffix", "/k%C3%BCnstler/Br%C3%BCcke.json", "Unicode"],
      ["an encoding in the other case", "/encoded/%E4%BD%9C", "Percent-encoded in lower case"],
      ["a joiner within a word, encoded", "/%D9%85%DB%8C%E2%80%8C%D8%B1%D9%88%D8%AF", "Joined"],
      ["Unicode for an encoding", "/encoded/作", "Percent-encoded in lower case"],
      ["characters encoded without need", "/%6Fbject/%31", "Sonnenblumen 🌻"],
      ["the only fragment of a document", "/only", "The only fragment"],
      ["the only fragment, with a suffix", "/only.json", "The only fragment"],
      ["the base URL's own path, kept by a proxy", "/collection/object/1", "Sonnenblumen 🌻"],
      ["an IRI of another host", "/entity?uri=http://vocab.example/aat/300033618", "Lies elsewhere"],
      ["the same, percent-encoded", "/entity?uri=http%3A%2F%2Fvocab.example%2Faat%2F300033618", "Lies elsewhere"],
      ["the same, with a suffix", "/entity?uri=http%3A%2F%2Fvocab.example%2Faat%2F300033618.json", "Lies elsewhere"],
      ["a URN", "/entity?uri=urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a66", "A URN"],
      ["a fragment by parameter", `/entity?uri=${encodeURIComponent(`${BASE}/many#two`)}`, "The other"],
      ["the parameter behind a proxy", "/collection/entity?uri=urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a66", "A URN"],
    ])("%s: %s", async (_what, path, label) => {
      expect(await labelAt(path)).toBe(label);
    });

    it("is answered in the format that /entity is given, whatever Accept says", async () => {
      const elsewhere = "http://vocab.example/aat/300033618";
      const inFormat = (format: string) => get(`/entity?uri=${elsewhere}&format=${format}`, { accept: "text/csv" });
      for (const [format, type] of [
        ["ttl", "text/turtle; charset=utf-8"],
        ["expanded", 'application/ld+json;profile="http://www.w3.org/ns/json-ld#expanded"'],
      ] as const) {
        const response = await inFormat(format);
        expect([response.status, response.headers.get("content-type")]).toEqual([200, type]);
      }
      const unknown = await inFormat("turtle");
      expect([unknown.status, (await json(unknown)).detail]).toEqual([
        400,
        expect.stringMatching(/^There is no format turtle; the formats are jsonld, json, /),
      ]);
    });

    it("may be in absolute form (RFC 9112, 3.2.2)", async () => {
      expect((await rawGet(service.port, `${BASE}/object/1`)).status).toBe(200);
    });

    it.each(["/Object/1", "/object//1", "/object%2F1", "/object/1.htm", "/object/1.TTL"])(
      "is not guessed: %s",
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

  describe("the path of a service", () => {
    const named = (path: string): JsonObject => ({ id: BASE + path, type: "HumanMadeObject", _label: path });
    const put = async (...paths: string[]) =>
      publish(
        service.store,
        paths.map((path) => graphOf(named(path))),
      );

    it("is the service's where only the document of a record has it", async () => {
      await put("/activity/page/1#a");
      const { type } = (await (await get("/activity/page/1")).json()) as { type: string };
      expect(type).toBe("OrderedCollectionPage");
      expect((await get("/activity/page/1.ttl")).status).toBe(200);
    });

    it.each([
      "/activity/abc",
      "/activity/page/abc",
      "/activity/source/é",
      "/browse/é",
      "/ldes/page/abc",
      "/related/é",
      "/schemas/object",
      "/search/é",
      "/versions/7",
    ])("is that of a record with all its spellings and suffixes, and of what became of it: %s", async (path) => {
      await put(path, `${path}-goal`);
      for (const spelling of [encodeURI(path), encodeURI(path).toLowerCase()]) {
        for (const suffix of ["", ".json", ".jsonld"]) {
          const { status, body } = await rawGet(service.port, spelling + suffix);
          expect([status, JSON.parse(body.toString())]).toMatchObject([200, { _label: path }]);
        }
        for (const suffix of [".ttl", ".nt", ".html", ".linkset.json"])
          expect([suffix, (await get(spelling + suffix)).status]).toEqual([suffix, 200]);
      }
      const stage = await service.store.stage();
      await stage.delete(BASE + path, `${BASE}${path}-goal`);
      await stage.publish();
      // Any text names a source, whose changes are listed there again.
      if (path === "/activity/source/é") return;
      const moved = await get(encodeURI(path));
      expect([moved.status, moved.headers.get("location")]).toEqual([301, encodeURI(`${BASE}${path}-goal`)]);
      await put(path);
      await publish(service.store, [], [BASE + path]);
      for (const suffix of ["", ".ttl"]) expect((await get(encodeURI(path) + suffix)).status).toBe(410);
    });

    it("keeps its own problem where there never was a record", async () => {
      const answer = await get("/activity/none");
      expect([answer.status, (await json(answer)).detail]).toEqual([
        404,
        expect.stringMatching("There is no kind none"),
      ]);
    });
  });

  describe("an address without a record", () => {
    it("is 303 for a node that has only a label if its class can have no record of its own", async () => {
      const acquired = {
        type: "HumanMadeObject",
        id: `${BASE}/object/acquired`,
        changed_ownership_through: [{ id: `${BASE}/acquisition/5`, type: "Acquisition", _label: "Bought" }],
      };
      await publishDocuments(service.store, acquired);
      const response = await get("/acquisition/5");
      expect([response.status, response.headers.get("location")]).toEqual([303, `${BASE}/object/acquired`]);
      // A person could have a record of their own.
      expect((await get("/person/9")).status).toBe(404);
    });

    it("is 303 to the record that describes it", async () => {
      const response = await get("/production/1");
      expect(response.status).toBe(303);
      expect(response.headers.get("location")).toBe(`${BASE}/object/1`);
      expect(await json(response)).toEqual({ describedIn: [`${BASE}/object/1`] });
      expect((await get("/production/1.ttl")).headers.get("location")).toBe(`${BASE}/object/1.ttl`);
    });

    it("is 404 with the records that refer to it", async () => {
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
          url: `${BASE}/object/${id}`,
        })),
      );
    });

    it("is 404 when no record mentions it", async () => {
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

    it("is 410 with the time of deletion for a deleted record", async () => {
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
      ["a character that is not allowed in IRIs", "/object/<1>"],
      ["a bracket", "/object/{1}"],
      ["/entity without an IRI", "/entity"],
      ["/entity with another parameter", "/entity?iri=urn:a"],
      ["/entity with an IRI that does not decode", "/entity?uri=%FF"],
      ["/entity with a relative IRI", "/entity?uri=object/1"],
      ["/entity with a space", "/entity?uri=http://example.org/a%20b"],
    ])("is 400 for %s", async (_what, target) => {
      const { status, headers, body } = await rawGet(service.port, target);
      expect(status).toBe(400);
      expect(headers.get("content-type")).toBe("application/problem+json");
      expect(JSON.parse(body.toString())).toMatchObject({ type: `${BASE}/problems/malformed`, status: 400 });
    });

    it("cannot inject a header into the answer", async () => {
      for (const target of ["/a%0d%0aSet-Cookie:x=y", "/entity?uri=urn:a%0D%0ASet-Cookie:x=y", "/a%0d%0aX: y.ttl"]) {
        const { status, headers } = await rawGet(service.port, target);
        expect([400, 404]).toContain(status);
        expect(headers.has("set-cookie")).toBe(false);
      }
    });
  });

  describe("an address with a trailing slash, an empty query or tracking parameters", () => {
    it.each([
      ["/object/1/", "/object/1"],
      ["/object/1?utm_source=newsletter&utm_medium=email", "/object/1"],
      ["/object/1/?fbclid=x", "/object/1"],
      ["/object/1.html?fbclid=x", "/object/1.html"],
      ["/object/1.schema.jsonld?utm_source=x", "/object/1.schema.jsonld"],
      ["/object?id=7&gclid=1", "/object?id=7"],
      ["/object?utm_id=1&id=7", "/object?id=7"],
      ["/object?id=7&", "/object?id=7"],
    ])("%s is 301 to %s", async (path, location) => {
      const response = await get(path);
      expect([response.status, response.headers.get("location")]).toEqual([301, BASE + location]);
      expect((await get(location)).status).toBe(200);
    });

    it("with an empty query is 301 to the same without it", async () => {
      for (const path of ["/object/1", "/object/1.ttl"]) {
        const { status, headers } = await rawGet(service.port, `${path}?`);
        expect([status, headers.get("location")]).toEqual([301, BASE + path]);
      }
    });

    it.each(["?format=ttl", ".ttl?x=1"])(
      "with another query (%s) is 404, with the record without it",
      async (query) => {
        const { detail, record } = await json(await get(`/object/1${query}`));
        const isStem = query.startsWith("?");
        expect(record).toBe(isStem ? `${BASE}/object/1` : undefined);
        expect(detail).toMatch(isStem ? /only \/entity takes `format`/ : /^No record describes \S+$/);
      },
    );

    it.each(["/object/1?id=7", "/object/none/", "/object/1//", "/object?utm_source=x", "/many/?fbclid=1"])(
      "%s is 404: it names no record",
      async (path) => {
        expect((await get(path)).status).toBe(404);
      },
    );
  });

  it("with a trailing slash is 301 to the record of the requested host, if several base URLs have one", async () => {
    const other = "http://other.museum.example";
    const several = await serviceForTest({ otherBaseUrls: [other] }, openStore);
    await publish(several.store, [graphOf({ id: `${other}/object/1`, type: "HumanMadeObject", _label: "x" })]);
    for (const base of [other, BASE]) {
      const { status, headers } = await rawGet(several.port, "/object/1/", "", new URL(base).host);
      expect([status, headers.get("location")]).toEqual([301, `${base}/object/1`]);
    }
  });

  describe("RDF/XML", () => {
    it("is refused with the reason for a record that it cannot express, which other formats can", async () => {
      const label = "A vertical\u000Btab";
      await publish(service.store, [graphOf({ id: `${BASE}/object/tab`, type: "HumanMadeObject", _label: label })]);
      const refused = await get("/object/tab", { accept: "application/rdf+xml" });
      expect(refused.status).toBe(406);
      expect((await json(refused)).detail).toMatch(/U\+000B/);
      for (const coding of ["identity", "gzip"]) {
        const accept = "application/rdf+xml, text/turtle;q=0.5";
        const next = await get("/object/tab", { accept, "accept-encoding": coding });
        expect([next.status, next.headers.get("content-type")]).toEqual([200, "text/turtle; charset=utf-8"]);
      }
      expect((await json(await get("/object/tab")))._label).toBe(label);
      expect((await get("/object/tab.rdf")).status).toBe(406);
      const none = await get("/object/tab", { accept: "image/png" });
      const suffixed = await get("/object/tab.rdf");
      for (const listing of [none, suffixed, await get("/object/tab.linkset.json"), await get("/object/tab.html")]) {
        const text = await listing.text();
        expect(text).toContain("/object/tab.ttl");
        expect(text).not.toContain("/object/tab.rdf");
      }
      expect(await (await get("/object/1.html")).text()).toContain("/object/1.rdf");
    });

    it("is subject to conditions only for a record that it can express", async () => {
      await publish(service.store, [graphOf({ id: `${BASE}/object/ff`, type: "HumanMadeObject", _label: "\f" })]);
      const statusesWith = async (condition: Record<string, string>) => {
        const paths = ["/object/ff.rdf", "/object/1.rdf"];
        return Promise.all(paths.map(async (path) => (await get(path, condition)).status));
      };
      expect(await statusesWith({ "if-none-match": "*" })).toEqual([406, 304]);
      expect(await statusesWith({ "if-modified-since": new Date().toUTCString() })).toEqual([406, 304]);
      expect(await statusesWith({ "if-match": '"x"' })).toEqual([406, 412]);
      const accept = "application/rdf+xml, text/turtle;q=0.5";
      const kept = await get("/object/ff", { accept, "if-modified-since": new Date().toUTCString() });
      expect([kept.status, kept.headers.get("content-location")]).toEqual([304, `${BASE}/object/ff.ttl`]);
    });
  });

  describe("records whose IRIs are other records' IRIs with a suffix", () => {
    const SUFFIXES = [
      ".jsonld",
      ".json",
      ".ttl",
      ".nt",
      ".nq",
      ".trig",
      ".rdf",
      ".schema.jsonld",
      ".html",
      ".linkset.json",
    ];
    const named = (name: string): JsonObject => ({
      id: `${BASE}/object/${name}`,
      type: "HumanMadeObject",
      _label: name,
    });
    /** The store checks every tenth of a second whether there are such IRIs at all. */
    let later = 0;
    const lookAnew = (): void => {
      later += 1_000;
    };
    beforeAll(() => {
      const now = performance.now.bind(performance);
      const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + later);
      return () => clock.mockRestore();
    });
    /** Every address of a representation in the answers for a path: `Content-Location`, links, and those of page and linkset. */
    async function namedBy(path: string): Promise<string[]> {
      const answers = await Promise.all(
        ["text/html", "*/*", "application/linkset"].map(async (accept) => {
          const answer = await get(path, { accept });
          const links = `${answer.headers.get("link")!} ${await answer.text()}`;
          const hrefs = [...links.matchAll(/href="([^"]*)"|<([^>]*)>; rel="(?:alternate|linkset|describedby)/g)];
          return [answer.headers.get("content-location")!, ...hrefs.map(([, href, target]) => (href ?? target)!)];
        }),
      );
      return answers.flat().map((url) => url.replace(BASE, "").replace("/collection/", "/"));
    }

    it("are never the Content-Location or an alternate of the other record", async () => {
      const paths = SUFFIXES.map((suffix, at) => [`file${at}`, `file${at}${suffix}`, suffix] as const);
      const own = paths.map(([name, , suffix]) => [`/object/${name}`, `/object/${name}${suffix}`] as const);
      const others = paths.map(([, other]) => graphOf(named(other)));
      await publishDocuments(service.store, ...paths.map(([name]) => named(name)));
      // Requested twice, so that answers from before the other record exists are cached.
      for (const _ of [1, 2]) for (const [path, address] of own) expect(await namedBy(path)).toContain(address);
      await publish(service.store, others);
      lookAnew();
      for (const [name, other, suffix] of paths) {
        const after = await namedBy(`/object/${name}`);
        expect(after).not.toContain(`/object/${other}`);
        expect(after).toContain(`/object/${name}${suffix === ".ttl" ? ".jsonld" : ".ttl"}`);
        expect((await json(await get(`/object/${other}`)))._label).toBe(other);
        // Accept still selects the representation.
        expect((await json(await get(`/object/${name}`)))._label).toBe(name);
      }
      const deleted = others.map(({ iri }) => iri);
      await publish(service.store, [], deleted);
      lookAnew();
      for (const [path, address] of own) expect(await namedBy(path)).toContain(address);
    });

    it("have no addresses that end in a longer suffix: those are the other record's", async () => {
      const names = ["long", "long.schema", "long.edm", "long.linkset"];
      await publish(
        service.store,
        names.map((name) => graphOf(named(name))),
      );
      for (const [suffix, type] of [
        [".schema.jsonld", "https://schema.org/"],
        [".edm.rdf", "http://www.europeana.eu/schemas/edm/"],
        [".linkset.json", "application/linkset+json"],
      ]) {
        const { headers } = await get(`/object/long${suffix}`);
        expect(headers.get("content-type")).toContain(type);
        expect(headers.get("content-location")).toBe(`${BASE}/object/long${suffix}`);
        expect(await namedBy("/object/long")).toContain(`/object/long${suffix}`);
        const other = await namedBy(`/object/long${suffix!.slice(0, suffix!.lastIndexOf("."))}`);
        expect(other).not.toContain(`/object/long${suffix}`);
        expect(other).toContain(`/object/long${suffix!.slice(0, suffix!.lastIndexOf("."))}.ttl`);
      }
      await publish(service.store, [], [`${BASE}/object/long`]);
      expect((await json(await get("/object/long.schema.jsonld")))._label).toBe("long.schema");
    });

    it("are neither the target of a move with a suffix nor listed on 406", async () => {
      await publish(
        service.store,
        ["goal", "goal.ttl", "start"].map((name) => graphOf(named(name))),
      );
      const stage = await service.store.stage();
      await stage.delete(`${BASE}/object/start`, `${BASE}/object/goal`);
      await stage.publish();
      lookAnew();
      const location = async (path: string) => (await get(path)).headers.get("location");
      expect(await location("/object/start.ttl")).toBe(`${BASE}/object/goal`);
      expect(await location("/object/start.nt")).toBe(`${BASE}/object/goal.nt`);
      const refused = await get("/object/goal", { accept: "image/png" });
      expect(refused.headers.get("link")).not.toContain("/object/goal.ttl");
      expect(JSON.stringify(await json(refused))).not.toContain("/object/goal.ttl");
    });
  });
});
