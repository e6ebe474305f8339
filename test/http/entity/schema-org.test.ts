/** The schema.org representation: the demands of the Dutch heritage network's shapes and of search engines, over the whole sample. */
import { existsSync, readFileSync } from "node:fs";
import jsonld from "jsonld";
import { Parser, Store as Quads } from "n3";
import SHACLValidator from "rdf-validate-shacl";
import { beforeAll, describe, expect, it } from "vitest";
import { descriptionOf } from "../../../src/http/pages/description.js";
import { sizeInWords } from "../../../src/http/representations/mapped-values.js";
import { schemaOrgOf } from "../../../src/http/representations/schema-org.js";
import { SCHEMA_MAPPING, SHARED } from "../../../src/http/representations/schema-org-mapping.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import { ENDPOINTS } from "../../../src/model/tables/endpoints.js";
import type { EndpointName } from "../../../src/model/tables/names.js";
import { PROPERTY_NAMES } from "../../../src/model/vocabulary/vocabulary.js";
import type { Json } from "../../../src/rdf/record-graph.js";
import { XSD } from "../../../src/rdf/terms.js";
import { SAMPLE } from "../../data/sample.js";
import { firstOfEach, shareOf } from "../../extent.js";
import { graphOf, type JsonObject, readingAt } from "../../jsonld/documents.js";
import { dimension, fileAt, HEIGHT } from "../../jsonld/parts.js";

const SHAPES = "../shared/nde/schema-profile.shacl.ttl";
const BASE = "http://localhost";

/** The types that schema.org's own context, which is on the web, gives the properties used here. */
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

/** The written documents by the path of their record. */
const written = new Map<string, JsonObject>();

const described = {
  dataset: `${BASE}/#dataset`,
  vocabBase: DEFAULT_MODEL.vocabBase,
  license: "https://creativecommons.org/publicdomain/zero/1.0/",
};

beforeAll(() => {
  const read = readingAt(`${BASE}/`);
  for (const { path, endpoint, document } of SAMPLE.values()) {
    const graph = read(document);
    written.set(
      path,
      schemaOrgOf({ graph, meta: { endpoint, modified: Date.UTC(2026, 0, 2, 3, 4, 5) } }, described, graph.iri),
    );
  }
});

function typesOf(document: JsonObject): readonly string[] {
  return [document["@type"]].flat() as string[];
}

const CC_BY = "https://creativecommons.org/licenses/by/4.0/";
const PHOTOGRAPH = fileAt("https://images.example/1.jpg", {
  format: "image/jpeg",
  referred_to_by: [
    {
      type: "LinguisticObject",
      classified_as: [{ id: "http://vocab.getty.edu/aat/300026687", type: "Type", _label: "Credit" }],
      content: "Photograph: The Museum",
    },
  ],
});
const rights = (...kinds: JsonObject[]): JsonObject => ({
  subject_to: [{ type: "Right", classified_as: kinds.map((kind) => ({ type: "Type", ...kind })) }],
});

describe("a number", () => {
  const decimal = (value: string): JsonObject => ({ "@value": value, "@type": XSD.decimal });
  it.each<[words: string, value: Json, measured: number | string]>([
    ["44.5", 44.5, 44.5],
    ["12000", 1.2e4, 12_000],
    ["1.50", decimal("1.50"), 1.5],
    ["12345678901234567.89", decimal("12345678901234567.89"), "12345678901234567.89"],
    ["123456789012345678", 123456789012345678n as unknown as Json, "123456789012345678"],
    ["1234567890123456", 1_234_567_890_123_456, 1_234_567_890_123_456],
  ])("keeps its digits: %s", (words, value, measured) => {
    const graph = graphOf({
      id: `${BASE}/object/1`,
      type: "HumanMadeObject",
      dimension: [{ ...dimension(HEIGHT, 1), value }],
    });
    const meta = { endpoint: "object", modified: 0 } as const;
    expect(schemaOrgOf({ graph, meta }, described, graph.iri)).toMatchObject({ height: { value: measured } });
    const description = descriptionOf(graph);
    const [size = -1] = description.values(description.root, "dimension");
    expect(sizeInWords(description, size)).toMatch(new RegExp(`\\b${words}( |$)`));
  });
});

describe("files", () => {
  function written(
    type: string,
    endpoint: EndpointName,
    more: JsonObject,
    shown: { digital: JsonObject[]; visuals: JsonObject[] } = { digital: [], visuals: [] },
  ): JsonObject {
    const read = (id: string, document: JsonObject) => graphOf({ id: `${BASE}/${id}`, ...document });
    const graph = read("1", { type, _label: "It", ...more });
    return schemaOrgOf({ graph, meta: { endpoint, modified: 0 } }, described, graph.iri, {
      digital: shown.digital.map((each, at) => descriptionOf(read(`digital/${at}`, each))),
      visuals: shown.visuals.map((each, at) => descriptionOf(read(`visual/${at}`, each))),
      labels: new Map(),
    });
  }

  it("that show an entity are images with licence and credit, even when the VisualItem has the rights", () => {
    const image = {
      "@type": ["MediaObject", "ImageObject"],
      contentUrl: "https://images.example/1.jpg",
      encodingFormat: "image/jpeg",
      license: CC_BY,
      creditText: "Photograph: The Museum",
    };
    const kinds = [{ id: "http://vocab.getty.edu/aat/300435434" }, { id: CC_BY }];
    const picture = { type: "VisualItem", ...rights(...kinds), digitally_shown_by: [PHOTOGRAPH] };
    expect(written("HumanMadeObject", "object", { representation: [picture] }).image).toEqual(image);

    const shows = { digitally_shows: [{ id: `${BASE}/visual/0`, type: "VisualItem" }] };
    const own = { id: "http://localhost/concept/by", equivalent: [{ id: CC_BY, type: "Type" }] };
    const elsewhere = { digital: [{ ...PHOTOGRAPH, ...shows }], visuals: [{ type: "VisualItem", ...rights(own) }] };
    expect(written("HumanMadeObject", "object", {}, elsewhere).image).toEqual({
      "@id": `${BASE}/digital/0`,
      ...image,
    });
  });

  it("have the licence that their own record states, also where the record of a picture names their address", () => {
    const naming = { id: `${BASE}/digital/0`, ...fileAt("https://images.example/1.jpg") };
    const { image } = written(
      "HumanMadeObject",
      "object",
      {},
      {
        digital: [{ ...PHOTOGRAPH, ...rights({ id: CC_BY }) }],
        visuals: [{ type: "VisualItem", ...rights({ id: "https://rights.example/" }), digitally_shown_by: [naming] }],
      },
    );
    expect(image).toMatchObject({ contentUrl: "https://images.example/1.jpg", license: CC_BY });
  });

  it("name their maker once in a document, even when labels differ", () => {
    const maker = (label: string) => ({ carried_out_by: [{ id: `${BASE}/person/1`, type: "Person", _label: label }] });
    const production = { produced_by: { type: "Production", ...maker("Rembrandt") } };
    const file = { ...PHOTOGRAPH, created_by: { type: "Creation", ...maker("R. van Rijn") } };
    const document = written("HumanMadeObject", "object", production, { digital: [file], visuals: [] });
    expect(document).toMatchObject({ creator: { name: { "@value": "Rembrandt" } } });
    expect((document.image as JsonObject).creator).toEqual({ "@id": `${BASE}/person/1` });
  });

  it("have longitudes up to 180, however a point across the date line is written", () => {
    const document = written("Place", "place", { defined_by: "POINT(190.3 -10)" });
    expect(document).toMatchObject({ geo: { longitude: -169.7 } });
  });

  it("have each maker once, in the order of the parts, also when very many parts are parts of each other", () => {
    const ids = Array.from({ length: 30 }, (_, at) => ({
      id: `${BASE}/object/1/production/${at}`,
      type: "Production",
    }));
    const by = (at: number) => ({ carried_out_by: [{ id: `${BASE}/person/${at}`, type: "Person", _label: `P${at}` }] });
    const part = ids.map((each, at) => ({ ...each, ...by(at), part: ids }));
    const document = written("HumanMadeObject", "object", { produced_by: { type: "Production", part } });
    expect((document.creator as JsonObject[]).map((each) => each["@id"])).toEqual(
      ids.map((_, at) => `${BASE}/person/${at}`),
    );
  });

  it("are classified by their media type, and are datasets when they are described data", () => {
    const classesOf = (format: string, more: JsonObject = {}) =>
      typesOf(written("DigitalObject", "digital", { ...PHOTOGRAPH, format, ...more }));
    expect(classesOf("image/tiff")).toEqual(["CreativeWork", "MediaObject", "ImageObject"]);
    expect(classesOf("video/mp4")).toEqual(["CreativeWork", "MediaObject", "VideoObject"]);
    expect(classesOf("application/pdf")).toEqual(["CreativeWork", "MediaObject"]);
    expect(classesOf("text/csv")).toEqual(["CreativeWork", "DataDownload"]);
    const manifest = 'application/ld+json;profile="http://iiif.io/api/presentation/3/context.json"';
    expect(classesOf(manifest)).toEqual(["CreativeWork", "MediaObject"]);
    const description = {
      type: "LinguisticObject",
      classified_as: [{ id: "http://vocab.getty.edu/aat/300435416", type: "Type", _label: "Description" }],
      content: "All measurements of all paintings, one in each line, with units.",
    };
    const table = { ...PHOTOGRAPH, format: "text/csv", referred_to_by: [description] };
    expect(written("DigitalObject", "digital", table)).toMatchObject({
      "@type": ["CreativeWork", "Dataset"],
      distribution: { "@type": "DataDownload", contentUrl: "https://images.example/1.jpg", encodingFormat: "text/csv" },
    });
  });

  it("that show an entity and are not images are its subjectOf", () => {
    const film = { ...PHOTOGRAPH, format: "video/mp4" };
    const { image, subjectOf } = written("HumanMadeObject", "object", {
      representation: [{ type: "VisualItem", digitally_shown_by: [film] }],
    });
    expect([image, subjectOf]).toMatchObject([undefined, { "@type": ["MediaObject", "VideoObject"] }]);
  });
});

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
  it("has the properties that search engines require for its types", () => {
    for (const [path, document] of written) {
      const types = typesOf(document);
      expect(document.name, path).toBeDefined();
      expect(document.url, path).toBe(`${BASE}/${path}`);
      if (types.includes("Event")) {
        for (const place of [document.location ?? []].flat() as JsonObject[]) {
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
      "@type": ["CreativeWork", "VisualArtwork", "ArchiveComponent"],
      identifier: "SK-C-5",
      sameAs: "http://www.wikidata.org/entity/Q219831",
      artMedium: "Oil on canvas",
      dateCreated: "1639",
      creator: { "@id": `${BASE}/person/rembrandt`, "@type": "Person" },
      height: { value: 379.5, unitText: "centimetre" },
      holdingArchive: { "@id": `${BASE}/group/rijksmuseum`, "@type": ["Organization", "ArchiveOrganization"] },
      owner: { "@id": `${BASE}/group/city-of-amsterdam`, "@type": "Organization" },
    });
    expect(written.get("event/vermeer-2023")).toMatchObject({
      "@type": ["Event", "ExhibitionEvent"],
      startDate: "2023-02-10",
      endDate: "2023-06-04",
    });
    expect(written.get("digital/night-watch")).toMatchObject({
      "@type": ["CreativeWork", "MediaObject", "ImageObject"],
      contentUrl: `${BASE}/images/night-watch.svg`,
      encodingFormat: "image/svg+xml",
      width: { value: 760, unitText: "pixel" },
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

  it("keeps the type Event for an event without a date or a place", () => {
    const graph = graphOf({
      id: `${BASE}/event/1`,
      type: "Activity",
      _label: "A sale",
      carried_out_by: [{ id: `${BASE}/person/1`, type: "Person", _label: "A seller" }],
    });
    expect(schemaOrgOf({ graph, meta: { endpoint: "event", modified: 0 } }, described, graph.iri)).toMatchObject({
      "@type": "Event",
      organizer: { "@type": "Person" },
    });
  });

  it("has descriptions without markup where they are HTML", () => {
    const graph = graphOf({
      ...{ id: "http://localhost/o", type: "HumanMadeObject", _label: "O" },
      referred_to_by: [
        {
          ...{ type: "LinguisticObject", format: "text/html", content: "<p>It is <b>large</b>.</p>" },
          classified_as: [{ id: "http://vocab.getty.edu/aat/300435416", type: "Type" }],
        },
      ],
    });
    const { description } = schemaOrgOf({ graph, meta: { endpoint: "object", modified: 0 } }, described, graph.iri);
    expect(description).toMatchObject({ "@value": "It is large." });
  });

  it("is named by its IRI where label and names are blank", () => {
    const identified_by = [{ type: "Name", content: "" }];
    const unnamed = { id: `${BASE}/set/1`, type: "Set", _label: " ", identified_by };
    const graph = graphOf(unnamed);
    const { name } = schemaOrgOf({ graph, meta: { endpoint: "set", modified: 0 } }, described, graph.iri);
    expect(name).toMatchObject({ "@value": `${BASE}/set/1` });
  });

  it("names what a record refers to without a label as the record of that does", () => {
    const anna = { id: `${BASE}/person/anna`, type: "Person" };
    const cup = { id: `${BASE}/object/1`, type: "HumanMadeObject", _label: "Cup", current_owner: [anna] };
    const graph = graphOf(cup);
    const owner = (labels: ReadonlyMap<string, string>) => {
      const shown = { digital: [], visuals: [], labels };
      return schemaOrgOf({ graph, meta: { endpoint: "object", modified: 0 } }, described, graph.iri, shown).owner;
    };
    const name = { "@value": "Anna", "@language": "und" };
    expect(owner(new Map([[anna.id, "Anna"]]))).toEqual({ "@id": anna.id, "@type": "Person", name });
    expect(owner(new Map())).toBeUndefined();
  });

  it("has at most one name for each language", () => {
    for (const [path, document] of written) {
      const names = [document.name].flat() as JsonObject[];
      const languages = names.map((name) => name["@language"]);
      expect(new Set(languages).size, path).toBe(languages.length);
    }
  });

  it.skipIf(!existsSync(SHAPES))("passes SCHEMA-AP-NDE (skipped: ../shared/nde is not there)", async () => {
    const shapes = new Quads(new Parser().parse(readFileSync(SHAPES, "utf8")));
    const validator = new SHACLValidator(shapes as never);
    const failures: string[] = [];
    let judged = 0;
    const all = [...written];
    const some = new Set([...shareOf(all, 20), ...firstOfEach(all, 1, ([path]) => path.split("/")[0]!)]);
    for (const [path, document] of some) {
      const quads = (await jsonld.toRDF({ ...document, "@context": CONTEXT } as never, {
        format: "application/n-quads",
      })) as unknown as string;
      const report = await validator.validate(
        new Quads(new Parser({ format: "N-Quads" }).parse(quads) as never) as never,
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
