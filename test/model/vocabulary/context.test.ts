import { describe, expect, it } from "vitest";
import { OWN_PROPERTIES } from "../../../src/model/own-properties.js";
import { contextDocument, contextFile } from "../../../src/model/vocabulary/context.js";
import { ABSENT, isAbsent, type JsonObject, OFFICIAL_CONTEXT, readJson } from "../corpus.js";

function terms(document: JsonObject): JsonObject {
  return document["@context"] as JsonObject;
}

describe("the context", () => {
  const generated = contextDocument();

  it("is written with one term per line", () => {
    expect(JSON.parse(contextFile())).toEqual(generated);
    expect(contextFile().split("\n")).toHaveLength(Object.keys(terms(generated)).length + 5);
  });

  describe.skipIf(isAbsent(OFFICIAL_CONTEXT))(`compared with Linked Art's own ${ABSENT}`, () => {
    const official = isAbsent(OFFICIAL_CONTEXT) ? { "@context": {} } : readJson(OFFICIAL_CONTEXT);

    it("defines the same terms, and those of own properties", () => {
      const own = OWN_PROPERTIES.map(({ term }) => term);
      expect(Object.keys(terms(generated)).sort()).toEqual([...Object.keys(terms(official)), ...own].sort());
      expect(Object.keys(generated)).toEqual(Object.keys(official));
    });

    it("gives each term the same meaning: IRI, coercion, container and scoped context", () => {
      for (const [term, definition] of Object.entries(terms(official))) {
        expect(terms(generated)[term], term).toStrictEqual(definition);
      }
    });
  });
});
