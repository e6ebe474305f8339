/** The contract of every representation, and of a small one that follows the recipe of CONTRIBUTING.md, "A representation". */

import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lazily } from "../../../src/base/lazily.js";
import { Addresses } from "../../../src/http/entity/addresses.js";
import { DEFAULT_SITE, navigation, Site } from "../../../src/http/pages/site.js";
import type { Representation, RepresentationMaker } from "../../../src/http/representations/representation.js";
import { REPRESENTATIONS, representations } from "../../../src/http/representations/representations.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import { FORMATS } from "../../../src/rdf/formats.js";
import { isIsomorphic } from "../../../src/rdf/isomorphism.js";
import { type Json, type RecordGraph, RecordGraphBuilder } from "../../../src/rdf/record-graph.js";
import { graphOf, writer } from "../../jsonld/documents.js";
import { dimension, fileAt, HEIGHT, WIDTH } from "../../jsonld/parts.js";
import {
  BASE,
  PAINTING,
  publishDocuments,
  type RawAnswer,
  raw,
  rawGet,
  type Service,
  startService,
} from "../service.js";

/** The record's terms as text, one per line. */
const terms: RepresentationMaker = () => ({
  version: 1,
  mediaType: "text/plain",
  contentType: "text/plain; charset=utf-8",
  profiles: ["https://data.museum.example/profiles/terms"],
  suffix: ".terms.txt",
  label: "Terms",
  write: ({ graph }) => graph.terms.map(({ value }) => `${value}\n`).join(""),
});

const MAKERS = { ...REPRESENTATIONS, terms };

/** The representations that state less than the record. */
const PARTIAL: readonly string[] = ["schema", "manifest", "edm", "html", "linkset", "linkset-text", "terms"];

/** The graph that a representation's text states. */
async function read(name: string, text: string): Promise<RecordGraph> {
  const format = FORMATS.find((each) => each.name === name);
  if (format?.read === undefined)
    return graphOf(name === "expanded" ? JSON.parse(text)[0] : (JSON.parse(text) as Json));
  const builder = new RecordGraphBuilder(IRI);
  const reader = await format.read({ source: name }, (statement) => {
    if (format.holds === "quads") expect(statement.graph()?.value).toBe(IRI);
    const [subject, predicate, object] = [statement.subject(), statement.predicate(), statement.object()];
    builder.add(builder.term(subject), builder.term(predicate), builder.term(object));
  });
  reader.push(Buffer.from(text));
  reader.end();
  return builder.build();
}

const IRI = `${BASE}/object/1`;
/** An image of known size, so that there is a manifest. */
const SHOWN = fileAt("https://images.example/1.jpg", { dimension: [dimension(WIDTH, 900), dimension(HEIGHT, 900)] });
const DOCUMENT = {
  ...PAINTING,
  identified_by: [{ type: "Name", content: "Long. ".repeat(400) }],
  representation: [{ type: "VisualItem", digitally_shown_by: [SHOWN] }],
};

let service: Service;
/** A service of the same records, where every representation has the next version. */
let next: Service;
beforeAll(async () => {
  service = await startService({ representationMakers: MAKERS });
  const raised = Object.entries(MAKERS).map(([name, make]): [string, RepresentationMaker] => [
    name,
    (settings) => ({ ...make(settings), version: make(settings).version + 1 }),
  ]);
  next = await startService({ representationMakers: Object.fromEntries(raised) });
  for (const { store } of [service, next]) await publishDocuments(store, DOCUMENT);
});
afterAll(() => Promise.all([service.stop(), next.stop()]));

/** What does not differ between the representations is asked for once. */
const [page, linkset, description] = ["/object/1.html", "/object/1.linkset.txt", "/openapi.json"].map((target) =>
  lazily(async () => (await rawGet(service.port, target)).body.toString()),
) as [Text, Text, Text];
type Text = () => Promise<string>;

function ask(name: string, headers: Record<string, string> = {}, method = "GET", from = service): Promise<RawAnswer> {
  const { suffix, contentType } = made(name);
  // With a suffix, it does not matter what Accept says.
  const all = { Host: "x", Connection: "close", Accept: suffix === null ? contentType : "image/png", ...headers };
  const lines = Object.entries(all).map(([header, value]) => `${header}: ${value}\r\n`);
  return raw(from.port, `${method} /object/1${suffix ?? ""} HTTP/1.1\r\n${lines.join("")}\r\n`);
}

const OFFERED = representations(
  {
    model: DEFAULT_MODEL,
    documents: writer,
    site: new Site(new Addresses({ baseUrl: BASE }), DEFAULT_SITE, navigation({})),
  },
  MAKERS,
);

function made(name: string): Representation {
  return OFFERED.find(({ format }) => format === name)!;
}

describe.each(Object.keys(MAKERS))("the representation %s", (name) => {
  it("is selected by its media type, and states its Content-Type and Content-Location", async () => {
    const { contentType, mediaType, suffix } = made(name);
    expect(contentType.split(";")[0]).toBe(mediaType);
    const { status, headers, body } = await ask(name);
    expect([status, headers.get("content-type")]).toEqual([200, contentType]);
    expect(headers.get("content-location")).toBe(IRI + (suffix ?? ""));
    const accept = `GET /object/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept: ${contentType}\r\n\r\n`;
    const negotiated = await raw(service.port, accept);
    expect([negotiated.headers.get("content-type"), negotiated.body.equals(body)]).toEqual([contentType, true]);
  });

  it("can be read back as the record's triples, unless it is known to state less", async () => {
    if (PARTIAL.includes(name)) return;
    const graph = await read(name, (await ask(name)).body.toString());
    expect(isIsomorphic(graph, graphOf(DOCUMENT))).toBe(true);
  });

  it("has the same headers for HEAD as for GET", async () => {
    const [got, head] = [await ask(name), await ask(name, {}, "HEAD")];
    const told = ({ status, headers }: RawAnswer) => [status, [...headers].filter(([header]) => header !== "date")];
    expect(told(head)).toEqual(told(got));
    expect([head.body.length, got.body.length]).toEqual([0, Number(got.headers.get("content-length"))]);
  });

  it("has a strong entity tag, the same for the same bytes, and answers 304 to a client that has it", async () => {
    const [one, other] = [await ask(name), await ask(name)];
    const tag = one.headers.get("etag")!;
    expect(tag).toMatch(/^"[\x21\x23-\x7e]+"$/);
    expect([other.headers.get("etag"), other.body.equals(one.body)]).toEqual([tag, true]);
    const unchanged = await ask(name, { "If-None-Match": tag });
    expect([unchanged.status, unchanged.body.length]).toEqual([304, 0]);
  });

  it("has the same body but another entity tag in each coding", async () => {
    const plain = await ask(name);
    const tags = new Set([plain.headers.get("etag")]);
    for (const [coding, decode] of [
      ["br", brotliDecompressSync],
      ["gzip", gunzipSync],
    ] as const) {
      const { headers, body } = await ask(name, { "Accept-Encoding": coding });
      expect(headers.get("content-encoding")).toBe(coding);
      expect(decode(body).equals(plain.body)).toBe(true);
      tags.add(headers.get("etag"));
    }
    expect(tags.size).toBe(3);
  });

  it("has another entity tag for another version of its writer", async () => {
    const [was, is] = [await ask(name), await ask(name, {}, "GET", next)];
    expect(is.headers.get("etag")).not.toBe(was.headers.get("etag"));
    if (made(name).dependsOn === undefined) expect(is.body.equals(was.body)).toBe(true);
  });

  it("is linked with its type, and names its first profile", async () => {
    const { suffix, mediaType, profiles, relation } = made(name);
    const own = (await ask(name)).headers.get("link")!;
    expect(own).toContain(`<${IRI}>; rel="cite-as"`);
    for (const profile of profiles.slice(0, 1)) expect(own).toContain(`<${profile}>; rel="profile"`);
    const link = `<${IRI}${suffix}>; rel="${relation ?? "describedby"}"; type="${mediaType}"`;
    if (suffix !== null && relation !== "linkset") expect(await linkset()).toContain(link);
  });

  it("is linked from pages by its label", async () => {
    const { label, suffix } = made(name);
    if (label !== undefined) expect(await page()).toContain(`title="${label}" href="${IRI}${suffix}"`);
  });

  it("is part of the OpenAPI description", async () => {
    const { suffix, contentType } = made(name);
    const path = suffix === null ? "/{path}" : "/{path}.{suffix}";
    const { content } = JSON.parse(await description()).paths[path].get.responses["200"];
    expect(Object.keys(content)).toContain(contentType);
  });
});

it("all representations have another entity tag when the record changes", async () => {
  const names = Object.keys(MAKERS);
  const tagOf = async (name: string) => (await ask(name)).headers.get("etag")!;
  const before = await Promise.all(names.map((name) => tagOf(name)));
  await publishDocuments(service.store, { ...DOCUMENT, _label: "Another" });
  for (const [at, name] of names.entries()) {
    const { status, headers } = await ask(name, { "If-None-Match": before[at]! });
    expect([name, status, headers.get("etag") === before[at]]).toEqual([name, 200, false]);
  }
  await publishDocuments(service.store, DOCUMENT);
  // A representation that depends on more than the record may show when it was published.
  for (const [at, name] of names.entries())
    if (made(name).dependsOn === undefined) expect([name, await tagOf(name)]).toEqual([name, before[at]]);
});
