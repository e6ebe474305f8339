/** The description of the collection as a dataset, the sitemap and robots.txt. */
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import factory from "@rdfjs/data-model";
import jsonld from "jsonld";
import { Parser, Store, Writer } from "n3";
import { canonize } from "rdf-canonize";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeDump } from "../../../src/harvest/dumps/write.js";
import { RateLimits } from "../../../src/http/server/rate-limit.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import { IS_WHOLE } from "../../extent.js";
import { CONTEXT_URI, graphOf } from "../../jsonld/documents.js";
import { BASE, publish, rawGet, type Service, startService } from "../service.js";

const SHAPES = "../shared/nde/dataset-requirements.shacl.ttl";
const LICENSE = "https://creativecommons.org/publicdomain/zero/1.0/";

let service: Service;
let dumps: string;
beforeAll(async () => {
  dumps = await mkdtemp(join(tmpdir(), "vitrine-dataset-"));
  service = await startService({
    dumps,
    license: LICENSE,
    site: { title: "Museum of Examples", text: "Records of paintings. They are few. They are examples." },
    dataset: {
      license: LICENSE,
      publisher: "The Museum",
      contact: "data@museum.example",
      language: "en",
      keywords: ["paintings"],
    },
  });
  await writeDump(service.store, {
    directory: dumps,
    name: "museum",
    formats: ["nq", "nt", "jsonl"],
    model: DEFAULT_MODEL,
    contexts: [],
    made: new Date(),
    signal: new AbortController().signal,
    onLeftOut: () => {},
  });
});
afterAll(async () => {
  await service.stop();
  await rm(dumps, { recursive: true });
});

async function get(path: string, accept = "*/*") {
  const { status, headers, body } = await rawGet(service.port, path, `Accept: ${accept}\r\n`);
  return { status, headers, text: body.toString() };
}

describe("the description of the dataset", () => {
  it("is the same graph at both addresses and in all forms", async () => {
    const turtle = await get("/.well-known/void");
    expect(turtle.headers.get("content-type")).toBe("text/turtle; charset=utf-8");
    const home = await get("/", "text/turtle");
    expect(home.text).toBe(turtle.text);
    const triples = await get("/", "application/n-triples");
    const document = JSON.parse((await get("/.well-known/void", "application/ld+json")).text) as object;
    const expanded = (await jsonld.toRDF(document, { format: "application/n-quads" })) as unknown as string;
    const canonical = (text: string): Promise<string> => {
      const quads = new Writer({ format: "N-Triples" }).quadsToString(new Parser().parse(text));
      return canonize(quads, { algorithm: "RDFC-1.0", inputFormat: "application/n-quads" });
    };
    const expected = await canonical(triples.text);
    expect(await canonical(turtle.text)).toBe(expected);
    expect(await canonical(expanded)).toBe(expected);
  });

  it("has counts, dumps with checksums, services, examples and dates", async () => {
    const store = new Store(new Parser().parse((await get("/.well-known/void")).text));
    const dataset = `${BASE}/#dataset`;
    const of = (property: string, subject = dataset) =>
      store.getObjects(subject, property, null).map(({ value }) => value);
    const { records, triples } = await service.store.stats();
    expect(of("http://rdfs.org/ns/void#entities")).toEqual([String(records)]);
    expect(of("http://rdfs.org/ns/void#triples")).toEqual([String(triples)]);
    const counted = store
      .getObjects(dataset, "http://rdfs.org/ns/void#propertyPartition", null)
      .map((part) => Number(store.getObjects(part, "http://rdfs.org/ns/void#triples", null)[0]!.value));
    expect(counted.reduce((sum, count) => sum + count, 0)).toBe(triples);
    expect(of("http://rdfs.org/ns/void#classPartition").length).toBeGreaterThan(2);
    expect(of("http://rdfs.org/ns/void#dataDump")).toHaveLength(2);
    const files = of("http://www.w3.org/ns/dcat#distribution");
    expect(files.length).toBeGreaterThan(5);
    for (const file of files) {
      expect((await get(file.slice(BASE.length))).status).toBe(200);
      expect(of("http://www.w3.org/ns/dcat#byteSize", file)).toHaveLength(1);
      expect(of("http://spdx.org/rdf/terms#checksum", file)).toHaveLength(1);
    }
    expect(of("http://purl.org/dc/terms/modified")).toHaveLength(1);
    expect(of("http://rdfs.org/ns/void#exampleResource")).toHaveLength(1);
    const services = store.getObjects(`${BASE}/#catalog`, "http://www.w3.org/ns/dcat#service", null);
    expect(services.map(({ value }) => value)).toEqual([`${BASE}/#activity`]);
  });

  it("has what DCAT-AP requires of a catalogue, a dataset, its distributions, services and agents", async () => {
    const store = new Store(new Parser().parse((await get("/.well-known/void")).text));
    const dct = "http://purl.org/dc/terms/";
    const dcat = "http://www.w3.org/ns/dcat#";
    const required: readonly [cls: string, properties: readonly string[]][] = [
      [`${dcat}Catalog`, [`${dct}title`, `${dct}description`, `${dct}publisher`, `${dcat}dataset`]],
      [`${dcat}Dataset`, [`${dct}title`, `${dct}description`]],
      [`${dcat}Distribution`, [`${dcat}accessURL`]],
      [`${dcat}DataService`, [`${dct}title`, `${dcat}endpointURL`]],
      ["http://xmlns.com/foaf/0.1/Agent", ["http://xmlns.com/foaf/0.1/name"]],
    ];
    for (const [cls, properties] of required) {
      const subjects = store.getSubjects("http://www.w3.org/1999/02/22-rdf-syntax-ns#type", cls, null);
      expect(subjects.length, cls).toBeGreaterThan(0);
      for (const subject of subjects) {
        for (const property of properties)
          expect(store.getObjects(subject, property, null).length, property).toBeGreaterThan(0);
      }
    }
  });

  it.runIf(IS_WHOLE && existsSync(SHAPES))(
    "is valid by the Dutch dataset register (in the campaign, where ../shared/nde is there)",
    async () => {
      const { Validator } = await import("shacl-engine");
      // Its engine of SPARQL takes seconds to load.
      const { validations } = await import("shacl-engine/sparql.js");
      const shapes = new Store(new Parser().parse(readFileSync(SHAPES, "utf8")));
      const dataset = new Store(new Parser().parse((await get("/.well-known/void")).text));
      const report = await new Validator(shapes, { factory, validations }).validate({ dataset });
      const found = report.results.map(({ severity, path, focusNode, message }) => ({
        severity: severity.value.split("#")[1],
        path: path?.map(({ predicates }) => predicates[0]?.value).join(),
        focus: focusNode.term.value,
        message: message.map(({ value }) => value).at(-1),
      }));
      expect(found.filter(({ severity }) => severity === "Violation")).toEqual([]);
      // Those that remain are about https, which this test's service has not.
      const warnings = found.filter(
        ({ severity, message = "" }) => severity === "Warning" && !/HTTPS|https/.test(message),
      );
      expect(warnings).toEqual([]);
    },
  );

  it("is what records say that they are part of, and names their licence, as they do", async () => {
    const store = new Store(new Parser().parse((await get("/.well-known/void")).text));
    const [dataset] = store.getSubjects(null, "https://schema.org/Dataset", null);
    expect(store.getObjects(dataset!, "https://schema.org/license", null).map(({ value }) => value)).toEqual([LICENSE]);
    expect(store.getObjects(dataset!, "https://schema.org/publisher", null)).toHaveLength(1);
    const whole = { "@id": dataset!.value, "@type": "Dataset" };
    await publish(service.store, [
      await graphOf({ "@context": CONTEXT_URI, id: `${BASE}/person/licensed`, type: "Person", _label: "A person" }),
    ]);
    const described: readonly [path: string, says: object][] = [
      ["/object/1", { isPartOf: whole, sdLicense: LICENSE }],
      ["/person/licensed", { subjectOf: { "@type": "WebPage", isPartOf: whole, license: LICENSE } }],
    ];
    for (const [path, says] of described) {
      const { headers, text } = await get(`${path}.schema.jsonld`);
      expect(JSON.parse(text), path).toMatchObject(says);
      expect(headers.get("link")).toContain(`, <${LICENSE}>; rel="license"`);
      const page = (await get(path, "text/html")).text;
      const script = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(page)![1]!;
      expect(JSON.parse(script), path).toEqual(JSON.parse(text));
    }
    await publish(service.store, [], [`${BASE}/person/licensed`]);
  });

  it("follows what is loaded", async () => {
    const before = await get("/.well-known/void");
    await publish(service.store, [], [`${BASE}/object/2`]);
    const after = await get("/.well-known/void");
    expect(after.headers.get("etag")).not.toBe(before.headers.get("etag"));
    expect(
      (await rawGet(service.port, "/.well-known/void", `If-None-Match: ${after.headers.get("etag")}\r\n`)).status,
    ).toBe(304);
  });
});

describe("the sitemap", () => {
  it("has every record once, with the time of its change", async () => {
    const { text } = await get("/sitemap.xml");
    const pages = [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url]) => url!);
    expect(pages).toEqual([`${BASE}/sitemap/1.xml`]);
    const { records, lastChange } = await service.store.stats();
    // The newest change of all is that of the only page.
    expect(text).toContain(`<lastmod>${new Date(lastChange!).toISOString()}</lastmod>`);
    const page = await get(pages[0]!.slice(BASE.length));
    expect(page.headers.get("content-type")).toBe("application/xml");
    const urls = [...page.text.matchAll(/<loc>([^<]+)<\/loc><lastmod>([^<]+)<\/lastmod>/g)];
    expect(urls).toHaveLength(records);
    for (const [, url, modified] of urls) {
      const path = url!.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))).slice(BASE.length);
      const { status, headers } = await get(path);
      expect(status, path).toBe(200);
      expect(Math.floor(Date.parse(modified!) / 1000) * 1000).toBe(Date.parse(headers.get("last-modified")!));
    }
    expect((await get("/sitemap/2.xml")).status).toBe(404);
    expect((await get("/sitemap/0.xml")).status).toBe(404);
  });

  it("is named by robots.txt, which asks crawlers to leave queries alone", async () => {
    const { text } = await get("/robots.txt");
    expect(text).toContain("Disallow: /collection/sparql\n");
    expect(text).toContain("Disallow: /collection/search\n");
    expect(text).toContain(`Sitemap: ${BASE}/sitemap.xml\n`);
    expect(text).not.toMatch(/^Disallow: \/collection\/?$/m);
  });
});

describe("who asks too much", () => {
  it("is told of the dumps", async () => {
    const slow = await startService({ dumps, rateLimits: new RateLimits({ entity: 1 }, "seed") });
    await rawGet(slow.port, "/object/1");
    const { status, headers } = await rawGet(slow.port, "/object/1");
    await slow.stop();
    expect(status).toBe(429);
    expect(headers.get("link")).toMatch(/^<.*\/dumps\/>; rel="/);
  });
});
