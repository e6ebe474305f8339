/** Real documents: each gives the same triples as with jsonld.js and comes back as it was, or is refused with the reason. */
import { existsSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { entryOf } from "../../src/base/entries.js";
import { DocumentError } from "../../src/jsonld/loss.js";
import { fieldForm } from "../../src/model/layout.js";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import { ENDPOINTS, endpointOf } from "../../src/model/tables/endpoints.js";
import type { EndpointName } from "../../src/model/tables/names.js";
import { classIri } from "../../src/model/vocabulary/vocabulary.js";
import type { Json, RecordGraph } from "../../src/rdf/record-graph.js";
import { canonical, plainQuads } from "../canonical.js";
import { shareOf } from "../extent.js";
import { documentOf, graphOf, type JsonObject, registry, roundTrip } from "./documents.js";
import { documentLoader, reference } from "./reference.js";

const CORPUS = "../shared/corpus";
const OFFICIAL_CONTEXT = "../shared/linked-art/context.json";
const isThere = existsSync(CORPUS);

/** The official context, so that the project's own is compared with it as well. */
const official = isThere ? (JSON.parse(readFileSync(OFFICIAL_CONTEXT, "utf8")) as JsonObject) : {};
const options = { documentLoader: async (uri: string) => ({ documentUrl: uri, document: official }) };
const files = new Map<string, readonly JsonObject[]>();
function documents(file: string): readonly JsonObject[] {
  return entryOf(files, file, () => {
    const lines = readFileSync(`${CORPUS}/${file}`, "utf8").trimEnd().split("\n");
    return lines.map((line) => JSON.parse(line) as JsonObject);
  });
}

async function expectSameTriples(document: JsonObject, graph: RecordGraph): Promise<void> {
  const triples = await canonical(plainQuads(graph));
  expect(triples, String(document.id)).toBe(await canonical(await reference.toRDF(document, options)));
  const back = documentOf(graph);
  expect(await canonical(plainQuads(graphOf(back))), String(document.id)).toBe(triples);
}

function endpointOfDocument({ type, classified_as = [] }: JsonObject): EndpointName {
  const classes = [type].flat().map((name) => classIri(String(name)) ?? "");
  const classifications = (classified_as as JsonObject[]).map(({ id }) => String(id));
  return endpointOf(classes, classifications, DEFAULT_MODEL.vocabBase)!;
}

/** Whether each value is an array or not as the tables say, and no id has two different descriptions. */
function followsTables(document: JsonObject): boolean {
  const descriptions = new Map<string, string>();
  const follows = (value: Json, isRoot: boolean): boolean => {
    if (Array.isArray(value)) return value.every((item) => follows(item, false));
    if (typeof value !== "object" || value === null) return value !== null;
    const { id, ...rest } = value;
    if (typeof id === "string") {
      const description = JSON.stringify(rest);
      if ((descriptions.get(id) ?? description) !== description) return false;
      descriptions.set(id, description);
    }
    return Object.entries(value).every(([key, inner]) => {
      const form = fieldForm(key);
      if (isRoot && key === "@context") return true;
      if (Array.isArray(inner) && inner.length === 0) return false;
      if ((form === "array") !== Array.isArray(inner) && form !== undefined) return false;
      return follows(inner, false);
    });
  };
  return follows(document, true);
}

describe.skipIf(!isThere)("the corpus (skipped: ../shared/corpus is not there)", () => {
  it.each(["official.jsonl", "museums.jsonl"])("every document of %s keeps its triples", async (file) => {
    for (const document of shareOf(documents(file))) await expectSameTriples(document, graphOf(document));
  });

  it.each(["official.jsonl", "museums.jsonl"])(
    "every document of %s that follows the tables comes back equal",
    (file) => {
      const all = documents(file);
      const following = all.filter(followsTables);
      expect(following.length).toBeGreaterThan(0.97 * all.length);
      for (const document of following) expect(roundTrip(document)).toEqual(document);
    },
  );

  it("every document of messy.jsonl keeps its triples or is refused with the key or value named", async () => {
    let refused = 0;
    const converted: { document: JsonObject; graph: RecordGraph }[] = [];
    for (const document of documents("messy.jsonl")) {
      let graph: RecordGraph;
      try {
        graph = graphOf(document);
      } catch (error) {
        refused++;
        if (!(error instanceof DocumentError)) throw error;
        for (const { path } of error.losses)
          expect(
            path
              .replace(/\[\d+\]/g, "")
              .split("/")
              .at(-1),
          ).not.toBe("");
        continue;
      }
      converted.push({ document, graph });
    }
    for (const { document, graph } of shareOf(converted)) await expectSameTriples(document, graph);
    expect(refused).toBeLessThan(60);
  });

  it("the quads of examples.nq are those of the official documents", () => {
    const text = readFileSync(`${CORPUS}/examples.nq`, "utf8").trimEnd().split("\n");
    const byGraph = new Map<string, Set<string>>();
    for (const line of text) {
      const graph = / <([^>]*)> \.$/.exec(line)![1]!;
      if (!byGraph.has(graph)) byGraph.set(graph, new Set());
      byGraph.get(graph)!.add(line);
    }
    for (const document of documents("official.jsonl")) {
      const graph = graphOf(document);
      expect(byGraph.get(graph.iri)?.size, graph.iri).toBe(graph.triples.length / 3);
    }
  });

  it.each(ENDPOINTS.map(({ name }) => name))(
    "jsonld.js gives the same documents with frames/%s.json, except for the array form",
    async (endpoint) => {
      const all = [...documents("museums.jsonl"), ...documents("official.jsonl")];
      const records = all.filter((document) => endpointOfDocument(document) === endpoint);
      expect(records).not.toEqual([]);
      for (const document of shareOf(records, records.length)) {
        const graph = graphOf(document);
        const flat = await reference.fromRDF(plainQuads(graph), { useNativeTypes: false });
        const frame = { ...JSON.parse(readFileSync(`frames/${endpoint}.json`, "utf8")), id: graph.iri };
        const framed = await reference.frame(flat, frame, {
          documentLoader: documentLoader(registry),
          omitGraph: true,
        });
        expect(sameForm(framed), graph.iri).toEqual(sameForm(documentOf(graph)));
      }
    },
  );
});

/** A document without array form and order, and with numbers as the typed strings that `fromRDF` gives. */
function sameForm(value: Json): Json {
  if (Array.isArray(value)) {
    const items = value.map(sameForm);
    return items.length === 1 ? items[0]! : items.map((item) => JSON.stringify(item)).sort();
  }
  if (typeof value === "number") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if ("@value" in value && /:(integer|double)$/.test(String(value.type))) return String(Number(value["@value"]));
  const entries = Object.entries(value).map(([key, inner]): [string, Json] => [key, sameForm(inner)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

describe("the corpus test itself", () => {
  it("distinguishes a document that follows the tables from one that does not", () => {
    expect(followsTables({ made_of: [{ id: "urn:a" }] })).toBe(true);
    expect(followsTables({ made_of: { id: "urn:a" } })).toBe(false);
    expect(isDeepStrictEqual(sameForm(["b", "a"]), sameForm(["a", "b"]))).toBe(true);
  });
});
