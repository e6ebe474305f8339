/** The description of the collection as a dataset, the sitemap and robots.txt. */
import { existsSync, readFileSync } from "node:fs";
import type { Literal } from "@rdfjs/types";
import jsonld from "jsonld";
import { Parser, Store, Writer } from "n3";
import { canonize } from "rdf-canonize";
import SHACLValidator from "rdf-validate-shacl";
import { describe, expect, it } from "vitest";
import { RateLimits } from "../../../src/http/server/rate-limit.js";
import type { LoadableStore } from "../../../src/store/open.js";
import type { WritableStore } from "../../../src/store/writable-store.js";
import { graphOf } from "../../jsonld/documents.js";
import { startedForAll } from "../../started.js";
import { MemoryStore } from "../../store/memory-store.js";
import { temporaryFolder } from "../../temporary-folder.js";
import { BASE, publish, rawGet, serviceForTest } from "../service.js";
import { LICENSE, startDescribed } from "./described-dataset.js";

const DCAT_AP = "../shared/outside/dcat-ap";

const dumps = temporaryFolder();
const service = startedForAll(() => startDescribed(dumps));

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

  it("has the properties that DCAT-AP requires and recommends for catalogues, datasets, distributions, services and agents", async () => {
    const store = new Store(new Parser().parse((await get("/.well-known/void")).text));
    const dct = "http://purl.org/dc/terms/";
    const dcat = "http://www.w3.org/ns/dcat#";
    const provided = [`${dct}publisher`, `${dct}license`, `${dcat}contactPoint`, `${dcat}keyword`];
    const required: readonly [cls: string, properties: readonly string[]][] = [
      [`${dcat}Catalog`, [`${dct}title`, `${dct}description`, `${dct}publisher`, `${dcat}dataset`, ...provided]],
      [`${dcat}Catalog`, [`${dct}language`, `${dct}issued`]],
      [`${dcat}Dataset`, [`${dct}title`, `${dct}description`]],
      [`${dcat}Distribution`, [`${dcat}accessURL`, `${dct}description`]],
      [`${dcat}DataService`, [`${dct}title`, `${dcat}endpointURL`, ...provided]],
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

  it("has values of the types in DCAT-AP's ranges, and a registered media type for JSON lines", async () => {
    const store = new Store(new Parser().parse((await get("/.well-known/void")).text));
    const prefixes: Readonly<Record<string, string>> = {
      dct: "http://purl.org/dc/terms/",
      dcat: "http://www.w3.org/ns/dcat#",
      foaf: "http://xmlns.com/foaf/0.1/",
      spdx: "http://spdx.org/rdf/terms#",
    };
    const iriOf = (name: string) => prefixes[name.split(":")[0]!]! + name.split(":")[1]!;
    const ranges: readonly [property: string, range: string][] = [
      ["dct:license", "dct:LicenseDocument"],
      ["dct:language", "dct:LinguisticSystem"],
      ["dct:conformsTo", "dct:Standard"],
      ["dct:accessRights", "dct:RightsStatement"],
      ["dct:format", "dct:MediaTypeOrExtent"],
      ["dct:temporal", "dct:PeriodOfTime"],
      ["dcat:mediaType", "dct:MediaType"],
      ["dcat:compressFormat", "dct:MediaType"],
      ["dcat:landingPage", "foaf:Document"],
      ["foaf:homepage", "foaf:Document"],
      ["spdx:algorithm", "spdx:ChecksumAlgorithm"],
    ];
    for (const [property, range] of ranges) {
      const values = store.getObjects(null, iriOf(property), null);
      expect(values.length, property).toBeGreaterThan(0);
      for (const value of values) {
        expect(
          store.countQuads(value, "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", iriOf(range), null),
          value.value,
        ).toBe(1);
      }
    }
    const types = store.getObjects(null, iriOf("dcat:mediaType"), null).map(({ value }) => value);
    expect(types.filter((type) => type.includes("/x-"))).toEqual([]);
  });

  it.skipIf(!existsSync(DCAT_AP))("conforms to DCAT-AP, its ranges included (needs ../shared)", async () => {
    const turtle = (await get("/.well-known/void")).text;
    const dataset = new Store(new Parser().parse(turtle));
    for (const file of ["shapes.ttl", "range.ttl"]) {
      const shapes = new Store(new Parser().parse(readFileSync(`${DCAT_AP}/${file}`, "utf8")));
      const report = await new SHACLValidator(shapes).validate(dataset);
      const found = report.results
        .filter(({ severity }) => severity?.value.endsWith("Violation"))
        .map(({ path, focusNode }) => `${focusNode?.value} ${path?.value}`);
      expect(found, file).toEqual([]);
    }
  });

  it("takes place, time and access from the settings, or else from the records", async () => {
    const dct = "http://purl.org/dc/terms/";
    const dcat = "http://www.w3.org/ns/dcat#";
    const derived = new Store(new Parser().parse((await get("/.well-known/void")).text));
    const values = (store: Store, property: string) => store.getObjects(null, property, null).map(({ value }) => value);
    expect(values(derived, `${dct}spatial`)).toEqual([`${BASE}/place/arles`]);
    expect(values(derived, `${dcat}startDate`)).toEqual(["1888"]);
    expect(values(derived, `${dcat}endDate`)).toEqual(["1889"]);
    expect(values(derived, "https://schema.org/temporalCoverage")).toEqual(["1888/1889"]);
    expect(new Set(values(derived, `${dct}accessRights`))).toEqual(
      new Set(["http://publications.europa.eu/resource/authority/access-right/PUBLIC"]),
    );
    const spatial = ["https://sws.geonames.org/2750405/"];
    const set = { language: "en", keywords: [], spatial, temporal: "1600-05/..", accessRights: "restricted" } as const;
    const other = await serviceForTest({ dataset: set });
    const { body } = await rawGet(other.port, "/.well-known/void");
    const stated = new Store(new Parser().parse(body.toString()));
    expect(values(stated, `${dct}spatial`)).toEqual(spatial);
    const [begin, ...more] = stated.getObjects(null, `${dcat}startDate`, null);
    expect([begin!.value, (begin as Literal).datatype.value, more]).toEqual([
      "1600-05",
      "http://www.w3.org/2001/XMLSchema#gYearMonth",
      [],
    ]);
    expect(values(stated, `${dcat}endDate`)).toEqual([]);
    expect(values(stated, `${dct}accessRights`)[0]).toMatch(/RESTRICTED$/);
  });

  it("states no number of triples that the store does not know, and its home page links to no lists that it lacks", async () => {
    const store = new MemoryStore();
    const stats = store.stats.bind(store);
    Object.assign(store, { stats: async () => ({ ...(await stats()), triples: 0 }) });
    const other = await serviceForTest({}, async () => store as WritableStore as LoadableStore);
    const turtle = (await rawGet(other.port, "/.well-known/void")).body.toString();
    expect([turtle.includes("void:entities"), turtle.includes("void:triples 0")]).toEqual([true, false]);
    const home = (await rawGet(other.port, "/", "Accept: text/html\r\n")).body.toString();
    expect([home.includes("Objects"), home.includes("/browse/")]).toEqual([true, false]);
  });

  it("is in the head of the home page in the form that search engines read", async () => {
    const page = (await get("/", "text/html")).text;
    const dataset = JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/.exec(page)![1]!);
    expect(dataset).toMatchObject({
      "@context": "https://schema.org",
      "@id": `${BASE}/#dataset`,
      "@type": "Dataset",
      name: "Museum of Examples",
      license: LICENSE,
      publisher: { "@type": "Organization", name: "The Museum" },
      temporalCoverage: "1888/1889",
      spatialCoverage: { "@type": "Place", name: "Arles" },
      isAccessibleForFree: true,
      includedInDataCatalog: { "@type": "DataCatalog", dataset: { "@id": `${BASE}/#dataset` } },
    });
    const files = dataset.distribution as Record<string, string>[];
    expect(files.length).toBeGreaterThan(5);
    for (const file of files) expect(file).toMatchObject({ "@type": "DataDownload", contentUrl: file["@id"] });
  });

  it("is the dataset that records are part of, with the same licence", async () => {
    const store = new Store(new Parser().parse((await get("/.well-known/void")).text));
    const [dataset] = store.getSubjects(null, "https://schema.org/Dataset", null);
    expect(store.getObjects(dataset!, "https://schema.org/license", null).map(({ value }) => value)).toEqual([LICENSE]);
    expect(store.getObjects(dataset!, "https://schema.org/publisher", null)).toHaveLength(1);
    const whole = { "@id": dataset!.value, "@type": "Dataset" };
    await publish(service.store, [graphOf({ id: `${BASE}/person/licensed`, type: "Person", _label: "A person" })]);
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

  it("changes when records are loaded", async () => {
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
    // There is only one page, so the newest change of all is the page's.
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

  it("has other tags after a store was replaced, also by one with as many changes", async () => {
    const tags: (string | undefined)[] = [];
    for (let loaded = 0; loaded < 2; loaded++) {
      const other = await serviceForTest({});
      for (const path of ["/sitemap.xml", "/sitemap/1.xml"])
        tags.push((await rawGet(other.port, path)).headers.get("etag"));
    }
    expect(new Set(tags).size).toBe(4);
  });

  it("has other tags with another base URL, whose records have other addresses, and so have pages", async () => {
    const other = await serviceForTest({ store: service.store, otherBaseUrls: ["http://vocab.example"] });
    const address = "<loc>http://vocab.example/aat/300033618</loc>";
    expect((await rawGet(other.port, "/sitemap/1.xml")).body.toString()).toContain(address);
    for (const path of ["/sitemap/1.xml", "/object/1.html"]) {
      const [one, two] = [await get(path), await rawGet(other.port, path)];
      expect(two.headers.get("etag")).not.toBe(one.headers.get("etag"));
    }
  });

  it("is named by robots.txt, which asks crawlers to leave queries alone", async () => {
    const { text } = await get("/robots.txt");
    expect(text).toContain("Disallow: /collection/sparql\n");
    expect(text).toContain("Disallow: /collection/search\n");
    expect(text).toContain(`Sitemap: ${BASE}/sitemap.xml\n`);
    expect(text).not.toMatch(/^Disallow: \/collection\/?$/m);
  });

  it("lets robots.txt bar the pages of the change stream, but no record below /activity (RFC 9309, 2.2.3)", async () => {
    const { text } = await get("/robots.txt");
    const patterns = [...text.matchAll(/^Disallow: \/collection(.+)$/gm)].map(([, pattern]) =>
      pattern!
        .split("*")
        .map((part) => part.replace(/[.?]/g, "\\$&"))
        .join(".*"),
    );
    const isBarred = (path: string): boolean => patterns.some((pattern) => new RegExp(`^${pattern}`).test(path));
    const barred = ["/activity/page/1", "/activity/person/page/2", "/activity/source/a/page/1", "/activity/change/7"];
    expect(
      [...barred, "/activity/record?uri=urn:a", "/activity/set?uri=urn:a"].filter((path) => !isBarred(path)),
    ).toEqual([]);
    const records = ["/activity/1", "/activity/1.ttl", "/activity/sale-1889", "/object/page/1"];
    expect(records.filter(isBarred)).toEqual([]);
  });
});

describe("a client beyond its budget", () => {
  it("gets a link to the dumps", async () => {
    const slow = await serviceForTest({ dumps, rateLimits: new RateLimits({ entity: 1 }, "seed") });
    await rawGet(slow.port, "/object/1");
    const { status, headers } = await rawGet(slow.port, "/object/1");
    expect(status).toBe(429);
    expect(headers.get("link")).toMatch(/^<.*\/dumps\/>; rel="/);
  });
});
