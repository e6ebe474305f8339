import jsonld from "jsonld";
import { describe, expect, it } from "vitest";
import { frameOf } from "../../../src/model/generate/frames.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import { ENDPOINTS, type EndpointName, endpointOf } from "../../../src/model/tables/endpoints.js";
import { contextDocument } from "../../../src/model/vocabulary/context.js";
import { type ClassName, classIri } from "../../../src/model/vocabulary/vocabulary.js";
import type { Json } from "../../../src/rdf/record-graph.js";
import { canonical, type PlainQuad } from "../../canonical.js";
import { firstOfEach } from "../../extent.js";
import { ABSENT, documents, isAbsent, type JsonObject, loaderOf, OFFICIAL } from "../corpus.js";

/** jsonld.js's published types know neither arbitrary JSON nor RDF/JS datasets. */
const { toRDF, fromRDF, frame } = jsonld as unknown as {
  toRDF(document: Json, options: object): Promise<PlainQuad[]>;
  fromRDF(quads: PlainQuad[], options: object): Promise<Json>;
  frame(document: Json, frame: JsonObject, options: object): Promise<JsonObject>;
};

const options = { documentLoader: loaderOf(contextDocument()) };

function endpointOfDocument({ type, classified_as = [] }: JsonObject): EndpointName {
  const classifications = (classified_as as { id: string }[]).map(({ id }) => id);
  return endpointOf([classIri(type as ClassName)], classifications, DEFAULT_MODEL.vocabBase)!;
}

describe("frames", () => {
  it("name the context, the endpoint's classes and then its properties in field table order", () => {
    for (const { name, classes, fields } of ENDPOINTS) {
      const made = frameOf(name, { ...DEFAULT_MODEL, contextUri: "https://example.org/context.json" });
      expect(made["@context"]).toBe("https://example.org/context.json");
      expect([made.type].flat()).toEqual(classes);
      expect(Object.keys(made)).toEqual([
        "@context",
        "type",
        "@embed",
        "@omitDefault",
        ...fields.map(({ property }) => property).filter((each) => !["@context", "id", "type"].includes(each)),
      ]);
    }
  });

  it.skipIf(isAbsent(OFFICIAL))(
    `give jsonld.js every official example back, with no triple lost ${ABSENT}`,
    async () => {
      const framedEndpoints = new Set<string>();
      for (const document of firstOfEach(documents(OFFICIAL), 2, endpointOfDocument)) {
        const quads = await toRDF(document, options);
        const endpoint = endpointOfDocument(document);
        const frameOfRecord = { ...frameOf(endpoint, DEFAULT_MODEL), id: document.id! };
        const framed = await frame(await fromRDF(quads, options), frameOfRecord, options);
        expect(framed.id).toBe(document.id);
        expect(Object.keys(framed).sort()).toEqual(Object.keys(document).sort());
        expect(await canonical(await toRDF(framed, options)), String(document.id)).toBe(await canonical(quads));
        framedEndpoints.add(endpoint);
      }
      expect(framedEndpoints.size).toBe(ENDPOINTS.length);
    },
  );
});
