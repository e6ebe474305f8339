import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { modelFiles } from "../../../src/model/generate/files.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import { ENDPOINTS, endpointOf } from "../../../src/model/tables/endpoints.js";
import type { EndpointName } from "../../../src/model/tables/names.js";
import type { ClassName } from "../../../src/model/vocabulary/classes.js";
import { contextDocument } from "../../../src/model/vocabulary/context.js";
import { classIri } from "../../../src/model/vocabulary/vocabulary.js";
import { canonical } from "../../canonical.js";
import { shareOf } from "../../extent.js";
import { reference } from "../../jsonld/reference.js";
import { ABSENT, documents, isAbsent, type JsonObject, loaderOf, OFFICIAL } from "../corpus.js";

const { toRDF, fromRDF, frame } = reference;

const options = { documentLoader: loaderOf(contextDocument()) };

function endpointOfDocument({ type, classified_as = [] }: JsonObject): EndpointName {
  const classifications = (classified_as as { id: string }[]).map(({ id }) => id);
  return endpointOf([classIri(type as ClassName)], classifications, DEFAULT_MODEL.vocabBase)!;
}

describe("frames", () => {
  it("name the context, the endpoint's classes and then its properties in field table order", () => {
    const files = modelFiles({ ...DEFAULT_MODEL, contextUri: "https://example.org/context.json" });
    for (const { name, classes, fields } of ENDPOINTS) {
      const made = JSON.parse(files.find(({ path }) => path === `frames/${name}.json`)!.content);
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

  it.skipIf(isAbsent(OFFICIAL)).each(ENDPOINTS)(
    `give every official example of $name back with jsonld.js, with no triple lost ${ABSENT}`,
    async ({ name }) => {
      const examples = documents(OFFICIAL).filter((document) => endpointOfDocument(document) === name);
      expect(examples).not.toEqual([]);
      const shortestFirst = examples.sort((a, b) => JSON.stringify(a).length - JSON.stringify(b).length);
      for (const document of shareOf(shortestFirst, examples.length)) {
        const quads = await toRDF(document, options);
        const frameOfRecord = { ...JSON.parse(readFileSync(`frames/${name}.json`, "utf8")), id: document.id! };
        const framed = await frame(await fromRDF(quads, options), frameOfRecord, options);
        expect(framed.id).toBe(document.id);
        expect(Object.keys(framed).sort()).toEqual(Object.keys(document).sort());
        expect(await canonical(await toRDF(framed, options)), String(document.id)).toBe(await canonical(quads));
      }
    },
  );
});
