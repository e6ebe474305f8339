/** Representations that depend on more than their record: tags, cached answers and headers match what they show. */

import { beforeEach, describe, expect, it } from "vitest";
import { Addresses } from "../../../src/http/entity/addresses.js";
import { Dereferencer } from "../../../src/http/entity/dereference.js";
import type { Answer } from "../../../src/http/message/answer.js";
import { DEFAULT_SITE, navigation, Site } from "../../../src/http/pages/site.js";
import type { Representation, WrittenBody } from "../../../src/http/representations/representation.js";
import { representations } from "../../../src/http/representations/representations.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import type { Store } from "../../../src/store/store.js";
import { graphOf, type JsonObject, writer } from "../../jsonld/documents.js";
import { BASE, publish, serviceForAll } from "../service.js";

const service = serviceForAll();

const PAINTER = `${BASE}/person/1`;
const POLICY = "default-src 'none'; img-src https://images.example";

/** Called by the page while it is written. */
let whileWriting: () => Promise<void>;
let written: number;
let stated: number;

/** The number of records that refer to an IRI, and the states of the first of them. */
async function referrersState(store: Store, iri: string): Promise<string> {
  const { items } = await store.references!.page(iri, { limit: 3 });
  const found = await Promise.all(items.map(({ record }) => store.find(record)));
  return JSON.stringify([await store.references!.counts(iri), items, found.map((each) => each?.sequence)]);
}

function pageOf(settings: string): Representation {
  return {
    format: "html",
    version: 1,
    mediaType: "text/html",
    contentType: "text/html; charset=utf-8",
    profiles: [],
    suffix: ".html",
    dependsOn: {
      languages: true,
      settings,
      state: async ({ graph }, { store }) => {
        stated++;
        return referrersState(store, graph.iri);
      },
    },
    write: async ({ graph }, { store, languages }): Promise<WrittenBody> => {
      written++;
      const { items } = await store.references!.page(graph.iri, { limit: 3 });
      await whileWriting();
      const body = `${settings} ${graph.iri} in ${languages.join()} by ${items.map(({ record }) => record).join()}`;
      return { body: body.padEnd(2_000), headers: ["Content-Security-Policy", POLICY] };
    },
  };
}

function dereferencer(settings = "A museum"): Dereferencer {
  const addresses = new Addresses({ baseUrl: BASE });
  const site = new Site(addresses, DEFAULT_SITE, navigation({}));
  const graphs = representations({ model: DEFAULT_MODEL, documents: writer, site }).filter(
    ({ dependsOn }) => dependsOn === undefined,
  );
  const { store } = service;
  return new Dereferencer({
    store,
    model: DEFAULT_MODEL,
    addresses,
    representations: [...graphs, pageOf(settings)],
  });
}

interface Got {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

function got({ status, headers, body }: Answer): Got {
  const named = new Map<string, string>();
  for (let at = 0; at < headers.length; at += 2) named.set(headers[at]!.toLowerCase(), headers[at + 1]!);
  return { status, headers: named, body: (body as string | Buffer).toString() };
}

let answers: Dereferencer;
async function get(headers: Record<string, string> = {}, accept = "text/html"): Promise<Got> {
  const request = { url: "/person/1", headers: { accept, ...headers } };
  return got((await answers.existing(request))!);
}

async function tag(accept?: string): Promise<string> {
  return (await get({}, accept)).headers.get("etag")!;
}

async function put(...documents: readonly JsonObject[]): Promise<void> {
  const graphs = documents.map((document) => graphOf(document));
  await publish(service.store, await Promise.all(graphs));
}

let next = 0;
/** A new painting, by another painter unless one is given. */
function painting(by?: string): JsonObject {
  const carried_out_by = [{ id: by ?? `${BASE}/person/other`, type: "Person", _label: "A painter" }];
  return {
    id: `${BASE}/object/new${next++}`,
    type: "HumanMadeObject",
    produced_by: { type: "Production", carried_out_by },
  };
}

beforeEach(async () => {
  await put({ id: PAINTER, type: "Person", _label: `Painter ${next++}` });
  answers = dereferencer();
  whileWriting = async () => {};
  written = 0;
  stated = 0;
});

describe("a page of a record and its referrers", () => {
  it("gets a new entity tag when a record begins to refer, and keeps it when any other is loaded", async () => {
    const before = await tag();
    const ofGraph = await tag("text/turtle");
    await put(painting());
    expect(await tag()).toBe(before);
    const referring = painting(PAINTER);
    await put(referring);
    const after = await tag();
    expect(after).not.toBe(before);
    expect((await get({ "if-none-match": before })).status).toBe(200);
    expect((await get({ "if-none-match": after })).status).toBe(304);
    await put({ ...referring, _label: "Of another name" });
    expect(await tag()).not.toBe(after);
    // Turtle depends on the record alone.
    expect(await tag("text/turtle")).toBe(ofGraph);
  });

  it("is cached while what it shows stays the same, which is checked only after loads", async () => {
    for (let time = 0; time < 5; time++) expect((await get()).status).toBe(200);
    // The second request puts it into the cache.
    expect([written, stated]).toEqual([2, 2]);
    await put(painting());
    for (let time = 0; time < 5; time++) await get();
    expect([written, stated]).toEqual([2, 3]);
    await put(painting(PAINTER));
    const { body } = await get();
    expect([written, stated]).toEqual([3, 4]);
    expect(body).toContain("/object/new");
  });

  it("is written for the client's languages", async () => {
    const german = await get({ "accept-language": "de-CH, en;q=0.5" });
    expect(german.body).toContain(" in de,en ");
    expect(german.headers.get("vary")).toBe("Accept, Accept-Encoding, Accept-Profile, Accept-Language");
    const french = await get({ "accept-language": "fr" });
    expect(french.body).toContain(" in fr ");
    expect(french.headers.get("etag")).not.toBe(german.headers.get("etag"));
    const unchanged = await get({ "accept-language": "fr", "if-none-match": french.headers.get("etag")! });
    expect([unchanged.status, unchanged.headers.get("vary")]).toEqual([304, german.headers.get("vary")]);
    for (let time = 0; time < 3; time++) {
      expect((await get({ "accept-language": "de-ch, en;q=0.1" })).body).toBe(german.body);
      expect((await get({ "accept-language": "fr" })).body).toBe(french.body);
    }
    expect((await get({}, "text/turtle")).headers.get("vary")).not.toContain("Language");
  });

  it("has headers of its own, and no Last-Modified, which would cover the record alone", async () => {
    for (let time = 0; time < 3; time++) {
      const { headers } = await get();
      expect(headers.get("content-security-policy")).toBe(POLICY);
      expect(headers.has("last-modified")).toBe(false);
    }
    expect((await get({ "if-modified-since": "Fri, 01 Jan 2100 00:00:00 GMT" })).status).toBe(200);
  });

  it("has different tags for different settings and codings", async () => {
    const before = await tag();
    const coded = await get({ "accept-encoding": "br" });
    expect([coded.headers.get("content-encoding"), coded.headers.get("etag")]).toEqual([
      "br",
      expect.not.stringMatching(before),
    ]);
    answers = dereferencer("Another museum");
    expect(await tag()).not.toBe(before);
  });

  it("is written again when the store changes meanwhile, and never matches a tag if changes do not stop", async () => {
    let changes = 1;
    whileWriting = async () => {
      if (changes-- > 0) await put(painting(PAINTER));
    };
    const once = await get();
    expect(written).toBe(2);
    expect((await get({ "if-none-match": once.headers.get("etag")! })).status).toBe(304);
    changes = 10;
    await put(painting(PAINTER));
    const unsteady = await get();
    expect(unsteady.status).toBe(200);
    changes = 0;
    expect((await get({ "if-none-match": unsteady.headers.get("etag")! })).status).toBe(200);
  });
});
