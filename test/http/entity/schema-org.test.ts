/** schema.org of records: what the Dutch heritage network's shapes and search engines demand, over the whole sample. */
import { existsSync, readFileSync } from "node:fs";
import jsonld from "jsonld";
import { Parser, Store as Quads } from "n3";
import SHACLValidator from "rdf-validate-shacl";
import { beforeAll, describe, expect, it } from "vitest";
import { SchemaWriter } from "../../../src/http/representations/schema-org.js";
import { SCHEMA_MAPPING, SHARED } from "../../../src/http/representations/schema-org-mapping.js";
import { DocumentReader } from "../../../src/jsonld/documents.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import { ENDPOINTS } from "../../../src/model/tables/endpoints.js";
import { PROPERTY_NAMES } from "../../../src/model/vocabulary/vocabulary.js";
import type { Json } from "../../../src/rdf/record-graph.js";
import { RecordDataset } from "../../../src/validate/shapes/record-dataset.js";
import { lightFactory } from "../../../src/validate/shapes/shacl-engine.js";
import { SAMPLE } from "../../data/sample.js";
import { firstOfEach, shareOf } from "../../extent.js";
import { type JsonObject, settings } from "../../jsonld/documents.js";

const SHAPES = "../shared/nde/schema-profile.shacl.ttl";
const BASE = "http://localhost";

/** As schema.org's own context types the properties that are used here; that lies on the web. */
const CONTEXT: Json = {
  "@vocab": "https://schema.org/",
  ...Object.fromEntries(
    ["url", "sameAs", "image", "mainEntityOfPage", "distribution", "contentUrl", "license"].map((name) => [
      name,
      { "@type": "@id" },
    ]),
  ),
  ...Object.fromEntries(
    ["birthDate", "deathDate", "dateCreated", "startDate", "endDate", "foundingDate", "dissolutionDate"].map((name) => [
      name,
      { "@type": "https://schema.org/Date" },
    ]),
  ),
  sdDatePublished: { "@type": "http://www.w3.org/2001/XMLSchema#dateTime" },
};

/** Written documents by the path of their records. */
const written = new Map<string, JsonObject>();

beforeAll(async () => {
  const reader = new DocumentReader({ ...settings, baseUrl: `${BASE}/` });
  const writer = new SchemaWriter({ dataset: `${BASE}/`, vocabBase: DEFAULT_MODEL.vocabBase });
  for (const { path, endpoint, document } of SAMPLE.values()) {
    const { graph } = await reader.read(document as Json);
    written.set(path, writer.document(graph, endpoint, Date.UTC(2026, 0, 2, 3, 4, 5), graph.iri));
  }
});

function typesOf(document: JsonObject): readonly string[] {
  return [document["@type"]].flat() as string[];
}

describe("the mapping", () => {
  it("has rows for every endpoint, and names properties of the data model only", () => {
    expect(Object.keys(SCHEMA_MAPPING).sort()).toEqual(ENDPOINTS.map(({ name }) => name).sort());
    const rows = [...SHARED, ...Object.values(SCHEMA_MAPPING).flatMap(({ rows }) => rows)];
    for (const { from } of rows) {
      for (const step of from) expect([...PROPERTY_NAMES, "part*"]).toContain(step);
    }
  });
});

describe("schema.org of the sample", () => {
  it("is of types that it has what search engines want for", () => {
    for (const [path, document] of written) {
      const types = typesOf(document);
      expect(document.name, path).toBeDefined();
      expect(document.url, path).toBe(`${BASE}/${path}`);
      if (types.includes("Event")) {
        expect(document.startDate, path).toMatch(/^-?\d{4}/);
        for (const place of [document.location].flat() as JsonObject[]) {
          expect(place.name === undefined ? place["@id"] : place.address, path).toBeDefined();
        }
      }
      if (types.includes("Dataset")) expect(JSON.stringify(document.description).length, path).toBeGreaterThan(50);
      if (types.includes("CreativeWork")) expect(document.sdDatePublished, path).toBe("2026-01-02T03:04:05Z");
    }
  });

  it("says what the records say", () => {
    expect(written.get("object/night-watch")).toMatchObject({
      "@context": "https://schema.org",
      "@type": ["CreativeWork", "VisualArtwork"],
      identifier: "SK-C-5",
      sameAs: "http://www.wikidata.org/entity/Q219831",
      artMedium: "Oil on canvas",
      dateCreated: "1639",
      creator: { "@id": `${BASE}/person/rembrandt`, "@type": "Person" },
      height: { value: 379.5, unitText: "centimetre" },
    });
    expect(written.get("person/rembrandt")).toMatchObject({
      "@type": "Person",
      birthDate: "1606-07-15",
      birthPlace: { "@id": `${BASE}/place/leiden`, "@type": "Place" },
      deathDate: "1669-10-04",
    });
    expect(written.get("place/delft")).toMatchObject({
      "@type": "Place",
      geo: { "@type": "GeoCoordinates", latitude: 52.0116, longitude: 4.3571 },
    });
    expect(typesOf(written.get("set/rijksmuseum-collection")!)).toContain("Collection");
  });

  it("tags every name with one language once", () => {
    for (const [path, document] of written) {
      const names = [document.name].flat() as JsonObject[];
      const languages = names.map((name) => name["@language"]);
      expect(new Set(languages).size, path).toBe(languages.length);
    }
  });

  it.skipIf(!existsSync(SHAPES))("passes SCHEMA-AP-NDE (skipped where ../shared/nde is not there)", async () => {
    const shapes = new Quads(new Parser().parse(readFileSync(SHAPES, "utf8")));
    const validator = new SHACLValidator(shapes as never, { factory: lightFactory() } as never);
    const failures: string[] = [];
    let judged = 0;
    const all = [...written];
    const some = new Set([...shareOf(all), ...firstOfEach(all, 1, ([path]) => path.split("/")[0]!)]);
    for (const [path, document] of some) {
      const quads = (await jsonld.toRDF({ ...document, "@context": CONTEXT } as never, {
        format: "application/n-quads",
      })) as unknown as string;
      const report = await validator.validate(
        new RecordDataset(new Parser({ format: "N-Quads" }).parse(quads) as never) as never,
      );
      judged++;
      for (const { severity, path: property, message, value } of report.results) {
        if (severity?.value.endsWith("Violation"))
          failures.push(`${path} ${property?.value} ${value?.value} ${message.map(({ value: text }) => text).join()}`);
      }
    }
    expect(judged).toBe(some.size);
    expect(failures).toEqual([]);
  });
});
