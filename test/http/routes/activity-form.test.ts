/** The form of the change stream: the demands of the IIIF Change Discovery API 1.0 on each resource, and its meaning as JSON-LD. */
import { Ajv } from "ajv";
import jsonld from "jsonld";
import { beforeAll, describe, expect, it } from "vitest";
import { UNOPTIMIZED } from "../../json-schema.js";
import { BASE, publish, rawGet, serviceForAll } from "../service.js";

const AS = "https://www.w3.org/ns/activitystreams#";
const DCT = "http://purl.org/dc/terms/";
const iri = { type: "string", pattern: "^https?://" };
const reference = (type: string) => ({
  type: "object",
  required: ["id", "type"],
  properties: { id: iri, type: { const: type } },
});
const resource = {
  type: "object",
  required: ["id", "type"],
  properties: {
    id: { type: "string" },
    type: { type: "string" },
    seeAlso: { type: "array", minItems: 1, items: { ...reference("Dataset"), required: ["id", "type", "format"] } },
  },
};
const contexts = {
  type: "array",
  items: { type: "string" },
  // The last of several contexts has to be IIIF's (3.4.1).
  prefixItems: [
    { const: "https://linked.art/ns/v1/record-types.json" },
    { const: "http://iiif.io/api/discovery/1/context.json" },
  ],
  minItems: 2,
};
const endTime = { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$" };

/** The tables of section 3, as JSON Schemas. */
const COLLECTION = {
  type: "object",
  required: ["@context", "id", "type", "last"],
  properties: {
    "@context": contexts,
    id: iri,
    type: { const: "OrderedCollection" },
    first: reference("OrderedCollectionPage"),
    last: reference("OrderedCollectionPage"),
    totalItems: { type: "integer", minimum: 0 },
  },
};
const ACTIVITY = {
  type: "object",
  required: ["type"],
  properties: {
    id: iri,
    type: { enum: ["Create", "Update", "Delete", "Move", "Refresh"] },
    object: resource,
    target: resource,
  },
  allOf: [
    {
      if: { properties: { type: { const: "Refresh" } } },
      // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own word
      then: { required: ["startTime"], not: { required: ["object"] }, properties: { startTime: endTime } },
      else: { required: ["id", "object", "endTime"], properties: { endTime } },
    },
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own word
    { if: { properties: { type: { const: "Move" } } }, then: { required: ["target"] } },
  ],
};
const PAGE = {
  type: "object",
  required: ["@context", "id", "type", "orderedItems"],
  properties: {
    "@context": contexts,
    id: { type: "string", pattern: "[/=]\\d+$" },
    type: { const: "OrderedCollectionPage" },
    partOf: reference("OrderedCollection"),
    prev: reference("OrderedCollectionPage"),
    next: reference("OrderedCollectionPage"),
    startIndex: { type: "integer", minimum: 0 },
    orderedItems: { type: "array", items: ACTIVITY },
  },
};

/** The terms of both contexts that the stream uses, as specified. */
const TERMS = {
  id: "@id",
  type: "@type",
  ...Object.fromEntries(
    ["OrderedCollection", "OrderedCollectionPage", "Create", "Update", "Delete", "Move"].map((name) => [
      name,
      AS + name,
    ]),
  ),
  Refresh: "https://iiif.io/api/discovery/1#Refresh",
  Dataset: "http://purl.org/dc/dcmitype/Dataset",
  object: { "@id": `${AS}object`, "@type": "@id" },
  target: { "@id": `${AS}target`, "@type": "@id" },
  first: { "@id": `${AS}first`, "@type": "@id" },
  last: { "@id": `${AS}last`, "@type": "@id" },
  prev: { "@id": `${AS}prev`, "@type": "@id" },
  next: { "@id": `${AS}next`, "@type": "@id" },
  partOf: { "@id": `${AS}partOf`, "@type": "@id" },
  orderedItems: { "@id": `${AS}items`, "@type": "@id", "@container": "@list" },
  totalItems: { "@id": `${AS}totalItems`, "@type": "http://www.w3.org/2001/XMLSchema#nonNegativeInteger" },
  startIndex: { "@id": `${AS}startIndex`, "@type": "http://www.w3.org/2001/XMLSchema#nonNegativeInteger" },
  startTime: { "@id": `${AS}startTime`, "@type": "http://www.w3.org/2001/XMLSchema#dateTime" },
  endTime: { "@id": `${AS}endTime`, "@type": "http://www.w3.org/2001/XMLSchema#dateTime" },
  seeAlso: { "@id": "http://www.w3.org/2000/01/rdf-schema#seeAlso", "@type": "@id", "@container": "@set" },
  format: "http://purl.org/dc/elements/1.1/format",
  profile: { "@id": `${DCT}conformsTo`, "@type": "@vocab" },
};
const CRM = "http://www.cidoc-crm.org/cidoc-crm/";
const RECORD_TYPES = {
  HumanMadeObject: `${CRM}E22_Human-Made_Object`,
  Place: `${CRM}E53_Place`,
  Person: `${CRM}E21_Person`,
};

const service = serviceForAll();
beforeAll(async () => {
  const stage = await service.store.stage();
  await stage.delete(`${BASE}/object/2`, `${BASE}/object/1`);
  await stage.publish();
  await publish(service.store, [], [`${BASE}/health`]);
});

async function get(path: string): Promise<Record<string, unknown>> {
  return JSON.parse((await rawGet(service.port, path)).body.toString()) as Record<string, unknown>;
}

const STREAMS = ["", "/latest", "/refresh", "/object", `/record?uri=${BASE}/object/2`, `/set?uri=${BASE}/set/1`];

describe("the change stream", () => {
  it("has the form that the specification's tables require, in every collection", async () => {
    const ajv = new Ajv({ ...UNOPTIMIZED, strict: false });
    const [isCollection, isPage] = [ajv.compile(COLLECTION), ajv.compile(PAGE)];
    const kinds = new Set<string>();
    for (const stream of STREAMS) {
      const collection = await get(`/activity${stream}`);
      expect(isCollection(collection), JSON.stringify(isCollection.errors)).toBe(true);
      const page = await get((collection.last as { id: string }).id.slice(BASE.length));
      expect(isPage(page), `${stream} ${JSON.stringify(isPage.errors)}`).toBe(true);
      for (const { type } of page.orderedItems as { type: string }[]) kinds.add(type);
    }
    expect([...kinds].sort()).toEqual(["Create", "Delete", "Move", "Refresh"]);
  });

  it("loses nothing as JSON-LD with the terms of IIIF and Activity Streams", async () => {
    const documentLoader = async (url: string) => {
      const terms = url.startsWith("https://linked.art/") ? RECORD_TYPES : TERMS;
      return { contextUrl: undefined, documentUrl: url, document: { "@context": terms } };
    };
    for (const stream of STREAMS) {
      const collection = await get(`/activity${stream}`);
      const page = await get((collection.last as { id: string }).id.slice(BASE.length));
      for (const document of [collection, page]) {
        // Safe mode refuses what a processor would drop: keys without a term, relative IRIs, invalid types.
        const expanded = await jsonld.expand(document as never, { documentLoader, safe: true } as never);
        expect(expanded).toHaveLength(1);
      }
    }
  });

  it("has a collection of its own with a Refresh, then every record once", async () => {
    const page = await get("/activity/refresh/page/1");
    const [refresh, ...items] = page.orderedItems as {
      type: string;
      startTime: string;
      endTime: string;
      object: { id: string };
    }[];
    expect(refresh).toMatchObject({ type: "Refresh" });
    expect(refresh!.startTime <= items[0]!.endTime).toBe(true);
    const stored: string[] = [];
    for await (const { graph } of service.store.lists.records()) stored.push(graph.iri);
    expect(items.map(({ object }) => object.id).sort()).toEqual(stored.sort());
    expect(items.every(({ type }) => type === "Create" || type === "Update")).toBe(true);
    expect((await get("/activity/page/1")).orderedItems).not.toContainEqual(
      expect.objectContaining({ type: "Refresh" }),
    );
  });
});
