/** The JSON Schemas: they accept the documents of valid records, and refuse documents that break the tables' form. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { DocumentWriter } from "../../../src/jsonld/documents.js";
import { DEFAULT_LIMITS } from "../../../src/load/limits.js";
import { Examiner } from "../../../src/load/pipeline/examine.js";
import { endpointSchema, structureSchemas } from "../../../src/model/generate/json-schemas.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import { ENDPOINTS } from "../../../src/model/tables/endpoints.js";
import type { EndpointName } from "../../../src/model/tables/names.js";
import { PROPERTY_NAMES, propertyIri } from "../../../src/model/vocabulary/vocabulary.js";
import { type Json, type RecordGraph, RecordGraphBuilder } from "../../../src/rdf/record-graph.js";
import { iri, type Term } from "../../../src/rdf/terms.js";
import { isValid } from "../../../src/validate/results.js";
import { Validator } from "../../../src/validate/validator.js";
import { SAMPLE } from "../../data/sample.js";
import { shareOf } from "../../extent.js";
import { UNOPTIMIZED } from "../../json-schema.js";
import { settings } from "../../jsonld/documents.js";
import { forAll, runsOf } from "../../properties.js";
import { allCases } from "../../validate/cases.js";
import { CORPORA, graphsOf, someOf } from "../../validate/corpora.js";
import { graphOf } from "../../validate/nodes.js";
import { literals } from "../../values/arbitraries.js";

type Document = { [key: string]: Json };

const validators = new Map<EndpointName, ValidateFunction>();
beforeAll(() => {
  // `strictTypes` would require each `anyOf` to repeat the type of its schema.
  const ajv = new Ajv2020({ ...UNOPTIMIZED, strict: true, strictTypes: false, strictRequired: false, allErrors: true });
  ajv.addSchema(structureSchemas(DEFAULT_MODEL), "structures.json");
  for (const { name } of ENDPOINTS) validators.set(name, ajv.compile(endpointSchema(name, DEFAULT_MODEL)));
});

function errorsOf(document: Json, endpoint: EndpointName): readonly string[] {
  const validate = validators.get(endpoint)!;
  validate(document);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const validator = await Validator.make({ model: DEFAULT_MODEL });
const writer = new DocumentWriter(settings);
const examiner = await Examiner.make({ model: DEFAULT_MODEL, contexts: [], decisions: [], shapes: [] }, DEFAULT_LIMITS);

/** The document that is published for a record, if the record is valid. */
function published(graph: RecordGraph, endpoint: EndpointName): Json | undefined {
  return isValid(validator.record(graph, endpoint)) ? writer.document(graph) : undefined;
}

/** The graph with a value in place of another, or beside it. The empty IRI stands for the record itself. */
function changed(
  { iri: record, terms, triples }: RecordGraph,
  { at, replaces, property, value }: { at: number; replaces: boolean; property: string; value: Term },
): RecordGraph {
  const builder = new RecordGraphBuilder(record);
  const term = value.value === "" && value.termType === "NamedNode" ? iri(record) : value;
  const chosen = at % (triples.length / 3);
  for (let triple = 0; triple < triples.length / 3; triple++) {
    const [subject, predicate, object] = [0, 1, 2].map((place) => builder.term(terms[triples[triple * 3 + place]!]!));
    if (triple !== chosen) builder.add(subject!, predicate!, object!);
    else if (replaces) builder.add(subject!, predicate!, builder.term(term));
    else {
      builder.add(subject!, predicate!, object!);
      builder.add(subject!, builder.iri(property), builder.term(term));
    }
  }
  return builder.build();
}

describe("the document of a valid record", () => {
  it.each(CORPORA)("of $name passes its schema", ({ isThere, records }) => {
    if (!isThere) return;
    for (const { graph, endpoint } of graphsOf(someOf(records()))) {
      const document = endpoint === null ? undefined : published(graph, endpoint);
      if (document !== undefined) expect([graph.iri, ...errorsOf(document, endpoint!)]).toEqual([graph.iri]);
    }
  });

  it("passes its schema with any odd values", () => {
    const samples = [...graphsOf(CORPORA[0]!.records())].filter(({ endpoint }) => endpoint !== null);
    const change = fc.record({
      at: fc.nat(),
      replaces: fc.boolean(),
      property: fc.constantFrom(...PROPERTY_NAMES.flatMap((name) => propertyIri(name) ?? [])),
      value: fc.oneof(literals, fc.constantFrom("", "urn:x", "https://x.example/a").map(iri)),
    });
    const runs = runsOf(2_000);
    let passed = 0;
    forAll([fc.constantFrom(...samples), fc.array(change, { minLength: 1, maxLength: 3 })], runs, (sample, changes) => {
      const graph = changes.reduce(changed, sample.graph);
      const { graph: loaded, results, endpoint } = examiner.examine({ source: "test", line: 1, graph });
      if (loaded === undefined || endpoint === null || !isValid(results)) return;
      const errors = errorsOf(writer.document(graph), endpoint);
      expect(errors.length === 0 ? [] : [...errors.slice(0, 3), JSON.stringify(changes)]).toEqual([]);
      passed++;
    });
    expect(passed).toBeGreaterThan(runs.numRuns / 20);
  });

  it("passes its schema with any rule broken as a warning only", () => {
    const cases = shareOf(allCases(), 5);
    let passed = 0;
    for (const { name, endpoint, record } of cases) {
      const document = endpoint === null ? undefined : published(graphOf(record), endpoint);
      if (document === undefined) continue;
      expect([name, ...errorsOf(document, endpoint!)]).toEqual([name]);
      passed++;
    }
    expect(passed).toBeGreaterThan(cases.length / 4);
  });
});

describe("the sample", () => {
  it("passes as it is, once its relative ids are resolved", () => {
    const resolved = (key: string, value: Json): Json =>
      key === "id" && typeof value === "string" ? new URL(value, "https://museum.example/").href : value;
    for (const { document, endpoint, path } of SAMPLE.values()) {
      const named = JSON.parse(JSON.stringify(document), resolved) as Document;
      expect([path, ...errorsOf(named, endpoint)]).toEqual([path]);
    }
  });
});

describe("a document", () => {
  const sound = (endpoint: EndpointName): Document => {
    const { document } = [...SAMPLE.values()].find((record) => record.endpoint === endpoint)!;
    return { ...(document as Document), id: "https://museum.example/1" };
  };

  it.each<[EndpointName, string, (document: Document) => void, RegExp]>([
    ["object", "without an id", (document) => delete document.id, /required property 'id'/],
    ["object", "without a type", (document) => delete document.type, /required property 'type'/],
    ["object", "without a context", (document) => delete document["@context"], /required property '@context'/],
    ["object", "with another context", (document) => (document["@context"] = "https://example.org/"), /^\/@context/],
    ["object", "of another class", (document) => (document.type = "Place"), /^\/type must be equal to constant/],
    ["object", "with a URN for an id", (document) => (document.id = "urn:isbn:1"), /^\/id must match pattern/],
    [
      "object",
      "with a node where an array belongs",
      (document) => (document.member_of = {}),
      /^\/member_of must be array/,
    ],
    [
      "object",
      "with a reference without an id",
      (document) => (document.member_of = [{ type: "Set" }]),
      /^\/member_of\/0 .*'id'/,
    ],
    [
      "object",
      "with a reference of another class",
      (document) => (document.member_of = [{ id: "x", type: "Group" }]),
      /^\/member_of\/0\/type/,
    ],
    [
      "object",
      "with a name without a type",
      (document) => (document.identified_by = [{ content: "x" }]),
      /^\/identified_by\/0 .*'type'/,
    ],
    [
      "object",
      "with a bare year",
      (document) =>
        (document.produced_by = { type: "Production", timespan: { type: "TimeSpan", begin_of_the_begin: "1889" } }),
      /begin_of_the_begin must match pattern/,
    ],
    [
      "object",
      "with a day that did not exist",
      (document) =>
        (document.produced_by = {
          type: "Production",
          timespan: { type: "TimeSpan", begin_of_the_begin: "1900-02-29T00:00:00Z" },
        }),
      /begin_of_the_begin must match pattern/,
    ],
    [
      "object",
      "with a transfer of title that is not an Acquisition",
      (document) => (document.produced_by = { type: "Production", transferred_title_to: [] }),
      /transferred_title_to boolean schema is false/,
    ],
    [
      "object",
      "with a decimal for a number",
      (document) => (document.dimension = [{ type: "Dimension", value: { type: "xsd:decimal", "@value": "2.15" } }]),
      /value\/?.* must be number/,
    ],
    [
      "digital",
      "with a service whose id is not an address",
      (document) => (document.digitally_available_via = [{ id: "urn:x", type: "DigitalService" }]),
      /digitally_available_via\/0\/id must match pattern/,
    ],
    ["object", "with a number for a text", (document) => (document._label = 12), /^\/_label must be string/],
    ["digital", "with an invalid format", (document) => (document.format = "JPEG"), /^\/format must match pattern/],
    [
      "visual",
      "with a representation",
      (document) => (document.representation = []),
      /^\/representation boolean schema is false/,
    ],
    ["set", "with members", (document) => (document.member = []), /^\/member boolean schema is false/],
    ["group", "with members", (document) => (document.member = []), /^\/member boolean schema is false/],
    ["place", "without a label", (document) => delete document._label, /required property '_label'/],
    [
      "place",
      "with a further property",
      (document) => (document.weather = "rain"),
      /must NOT have additional properties/,
    ],
    [
      "concept",
      "of a class that is not a concept's",
      (document) => (document.type = "Set"),
      /^\/type must be equal to one of/,
    ],
    [
      "provenance",
      "without its classification",
      (document) => (document.classified_as = [{ id: "x", type: "Type" }]),
      /^\/classified_as must contain/,
    ],
    ["provenance", "without a part", (document) => delete document.part, /required property 'part'/],
    ["provenance", "with no part", (document) => (document.part = []), /^\/part must NOT have fewer than 1/],
    [
      "event",
      "that is a Period and carried out",
      (document) => Object.assign(document, { type: "Period", carried_out_by: [] }),
      /^\/carried_out_by boolean schema is false/,
    ],
  ])("of %s %s is refused", (endpoint, _how, spoil, message) => {
    const document = sound(endpoint);
    expect(errorsOf(document, endpoint)).toEqual([]);
    spoil(document);
    expect(errorsOf(document, endpoint).filter((error) => message.test(error))).not.toEqual([]);
  });
});
