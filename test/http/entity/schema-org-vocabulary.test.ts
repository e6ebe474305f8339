/** Properties of the schema.org representation against schema.org's own domains and ranges (`../shared/outside/schema.org`). */
import { existsSync, readFileSync } from "node:fs";
import { Parser } from "n3";
import { expect, it } from "vitest";
import { groupBy } from "../../../src/base/entries.js";
import { schemaOrgOf } from "../../../src/http/representations/schema-org.js";
import { SCHEMA } from "../../../src/http/representations/schema-org-mapping.js";
import { describe as describeRecord } from "../../../src/load/pipeline/describe.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import type { Json } from "../../../src/rdf/record-graph.js";
import { SAMPLE } from "../../data/sample.js";
import { IS_WHOLE, shareOf } from "../../extent.js";
import { type JsonObject, readingAt } from "../../jsonld/documents.js";

const VOCABULARY = "../shared/outside/schema.org/schemaorg-all-https.ttl";
const CORPUS = ["../shared/corpus/official.jsonl", "../shared/corpus/museums.jsonl"].filter((file) => existsSync(file));
const BASE = "http://localhost";
const DATE = /^-?\d{4}(?:-\d\d(?:-\d\d)?)?$/;

/** The exception: SCHEMA-AP-NDE wants a time as well as a date (`xsd:dateTime`). */
const DECIDED = ["sdDatePublished on CreativeWork: DateTime"];

/** The vocabulary of schema.org. */
class Vocabulary {
  /** The values of each property of a subject. */
  readonly #values: ReadonlyMap<string, readonly string[]>;
  constructor(text: string) {
    const quads = groupBy(new Parser().parse(text), ({ subject, predicate }) => `${subject.value} ${predicate.value}`);
    this.#values = new Map(
      [...quads].map(([key, same]) => [key, same.map(({ object }) => object.value.replace(SCHEMA, ""))]),
    );
  }

  values(subject: string, property: string): readonly string[] {
    return this.#values.get(`${SCHEMA}${subject} ${property}`) ?? [];
  }

  /** A class and all its superclasses. */
  withAbove(name: string): readonly string[] {
    const above = this.values(name, "http://www.w3.org/2000/01/rdf-schema#subClassOf");
    return [name, ...above.flatMap((each) => this.withAbove(each))];
  }
}

/** What is wrong with the properties of a document, and of the nodes in it. */
function faultsOf(document: JsonObject, vocabulary: Vocabulary): string[] {
  const nodes = [...nodesOf(document)];
  const typesById = new Map<Json, string[]>();
  for (const { "@id": id, "@type": types } of nodes) {
    if (id !== undefined) typesById.set(id, [...(typesById.get(id) ?? []), ...([types].flat() as string[])]);
  }
  const typesOf = (node: JsonObject): string[] => {
    const own = [node["@type"] ?? []].flat() as string[];
    return node["@id"] === undefined ? own : (typesById.get(node["@id"]) ?? own).filter((type) => type !== undefined);
  };
  return nodes.flatMap((node) => {
    const classes = typesOf(node).flatMap((type) => vocabulary.withAbove(type));
    if (classes.length === 0) return [];
    return Object.entries(node).flatMap(([property, values]) => {
      if (property.startsWith("@")) return [];
      const on = `${property} on ${typesOf(node).join("+")}`;
      const domains = vocabulary.values(property, `${SCHEMA}domainIncludes`);
      const ranges = vocabulary.values(property, `${SCHEMA}rangeIncludes`);
      if (!domains.some((each) => classes.includes(each))) return [on];
      return [values].flat().flatMap((value) => {
        const kinds = kindsOf(value as Json, typesOf).flatMap((kind) => vocabulary.withAbove(kind));
        return kinds.length === 0 || kinds.some((kind) => ranges.includes(kind)) ? [] : [`${on}: ${kinds[0]}`];
      });
    });
  });
}

function* nodesOf(value: Json | undefined): Iterable<JsonObject> {
  for (const each of [value].flat() as Json[]) {
    if (typeof each !== "object" || each === null || "@value" in each) continue;
    yield each as JsonObject;
    for (const [key, inner] of Object.entries(each)) if (key !== "@context") yield* nodesOf(inner as Json);
  }
}

/** The classes or datatypes that a value can have; none when only an IRI is given. */
function kindsOf(value: Json, typesOf: (node: JsonObject) => string[]): string[] {
  if (typeof value === "number") return ["Number"];
  if (typeof value === "object") {
    const { "@value": literal, "@type": datatype } = value as JsonObject;
    if (literal === undefined) return typesOf(value as JsonObject);
    return [datatype === undefined ? "Text" : "Number"];
  }
  if (DATE.test(String(value))) return ["Date", "Text"];
  return /^-?\d{4}-\d\d-\d\dT/.test(String(value)) ? ["DateTime"] : ["Text", "URL"];
}

it.skipIf(!existsSync(VOCABULARY))(
  "schema.org properties are on types of their domain, with values of their range (needs ../shared)",
  () => {
    const vocabulary = new Vocabulary(readFileSync(VOCABULARY, "utf8"));
    const read = readingAt(`${BASE}/`);
    const described = {
      dataset: `${BASE}/#dataset`,
      vocabBase: DEFAULT_MODEL.vocabBase,
      license: "https://creativecommons.org/publicdomain/zero/1.0/",
    };
    const corpus = CORPUS.flatMap((file) => readFileSync(file, "utf8").trim().split("\n"));
    const all = [...[...SAMPLE.values()].map(({ document }) => document), ...corpus.map((line) => JSON.parse(line))];
    const documents = shareOf(all, 5);
    const faults = new Map<string, string>();
    let judged = 0;
    for (const document of documents) {
      const graph = read(document);
      const { endpoint } = describeRecord(graph, DEFAULT_MODEL.vocabBase);
      const written = schemaOrgOf({ graph, meta: { endpoint, modified: 0 } }, described, graph.iri) as JsonObject;
      judged++;
      for (const fault of faultsOf(written, vocabulary)) faults.set(fault, graph.iri);
    }
    expect(judged).toBeGreaterThan(IS_WHOLE ? 500 : 100);
    for (const decided of DECIDED)
      for (const fault of [...faults.keys()]) if (decidedBy(decided, fault)) faults.delete(fault);
    expect(Object.fromEntries(faults)).toEqual({});
  },
);

/** Whether an exception covers a fault. `sdDatePublished on CreativeWork: DateTime` covers every kind of work. */
function decidedBy(decided: string, fault: string): boolean {
  const [property, kind] = [decided.split(" on ")[0]!, decided.split(": ")[1]!];
  return fault.startsWith(`${property} on `) && fault.endsWith(`: ${kind}`);
}
