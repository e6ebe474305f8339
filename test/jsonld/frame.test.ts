import { describe, expect, it } from "vitest";
import { UnwritableError } from "../../src/jsonld/frame.js";
import { writeNTriples } from "../../src/rdf/ntriples/writer.js";
import { type Json, type RecordGraph, RecordGraphBuilder, tripleCount } from "../../src/rdf/record-graph.js";
import { RDF, RDFS_LABEL, XSD } from "../../src/rdf/terms.js";
import { canonical, plainQuads } from "../canonical.js";
import { countingReads } from "../reads.js";
import {
  CONTEXT_URI,
  documentOf,
  exactWriter,
  graphOf,
  type JsonObject,
  registry,
  roundTrip,
  writer,
} from "./documents.js";
import { documentLoader, reference } from "./reference.js";

const ID = "https://example.org/object/1";
const CRM = "http://www.cidoc-crm.org/cidoc-crm/";

function record(rest: JsonObject): JsonObject {
  return { "@context": CONTEXT_URI, id: ID, type: "HumanMadeObject", ...rest };
}

/** A graph of triples written as `subject predicate object`; blank nodes begin with `_:`, literals with `"`. */
function graph(...triples: [string, string, string][]): RecordGraph {
  const builder = new RecordGraphBuilder(ID);
  const number = (text: string): number =>
    text.startsWith('"')
      ? builder.literal(text.slice(1))
      : text.startsWith("_:")
        ? builder.blank(text.slice(2))
        : builder.iri(text);
  for (const [subject, predicate, object] of triples) builder.add(number(subject), number(predicate), number(object));
  return builder.build();
}

async function expectSameTriples(before: RecordGraph, document: JsonObject): Promise<void> {
  expect(await canonical(plainQuads(graphOf(document)))).toBe(await canonical(plainQuads(before)));
}

describe("a document", () => {
  it("has the array or object form of the field tables, even if the context says otherwise", () => {
    const document = record({
      current_permanent_custodian: [{ id: "https://example.org/group/1", type: "Group" }],
      held_or_supported_by: { id: "https://example.org/object/2", type: "HumanMadeObject" },
    });
    expect(roundTrip(document)).toEqual(document);
  });

  it("begins with @context, id, type and _label, then follows the field table", () => {
    const document = roundTrip({
      made_of: [{ type: "Material" }],
      produced_by: { timespan: { type: "TimeSpan" }, _label: "made", type: "Production" },
      identified_by: [{ content: "x", type: "Name" }],
      _label: "x",
      type: "HumanMadeObject",
      id: ID,
      "@context": CONTEXT_URI,
    });
    expect(Object.keys(document)).toEqual([
      "@context",
      "id",
      "type",
      "_label",
      "identified_by",
      "made_of",
      "produced_by",
    ]);
    expect(Object.keys(document.produced_by as JsonObject)).toEqual(["type", "_label", "timespan"]);
  });

  it("follows the common order in a node without a class", () => {
    const { produced_by } = roundTrip(record({ produced_by: { content: "x", _label: "y" } }));
    expect(Object.keys(produced_by as JsonObject)).toEqual(["_label", "content"]);
  });

  it("keeps the order of arrays and of several types", () => {
    const document = record({
      type: ["HumanMadeObject", "BiologicalObject"],
      identified_by: ["c", "a", "b"].map((content) => ({ type: "Name", content })),
    });
    expect(roundTrip(document)).toEqual(document);
  });

  it("has the @context that its table requires on a Digital Service with an id", () => {
    const service = { id: "https://example.org/service", type: "DigitalService", _label: "IIIF" };
    const document = (services: JsonObject[]): JsonObject => ({
      "@context": CONTEXT_URI,
      id: ID,
      type: "DigitalObject",
      digitally_available_via: services,
    });
    const standing = document([{ "@context": CONTEXT_URI, ...service }]);
    expect(roundTrip(standing)).toEqual(standing);
    expect(roundTrip(document([service]))).toEqual(standing);
    const nameless = document([{ type: "DigitalService", _label: "IIIF" }]);
    expect(roundTrip(nameless)).toEqual(nameless);
  });

  it("has the field table's term when two terms stand for one IRI", () => {
    const concept = {
      "@context": CONTEXT_URI,
      id: ID,
      type: "Type",
      broader: [{ id: "https://example.org/b", type: "Type" }],
    };
    expect(roundTrip(concept)).toEqual(concept);
    const work = {
      "@context": CONTEXT_URI,
      id: ID,
      type: "PropositionalObject",
      conceptually_part_of: [{ id: "https://example.org/b", type: "PropositionalObject" }],
    };
    expect(roundTrip(work)).toEqual(work);
  });
});

describe("values", () => {
  it.each<[string, JsonObject]>([
    ["integers, doubles and booleans", { value: [1, -2, 2.5, 1e300, true, false] }],
    [
      "language-tagged strings",
      {
        content: [
          { "@language": "en-GB", "@value": "Girl" },
          { "@language": "nl", "@value": "Meisje" },
        ],
      },
    ],
    ["other datatypes", { content: { type: "xsd:date", "@value": "1665-01-01" } }],
    ["numbers that JSON cannot express", { value: { type: "xsd:integer", "@value": "007" } }],
    ["dates with negative years", { begin_of_the_begin: "-0500-01-01T00:00:00Z" }],
    ["properties without a term, under a known prefix", { "crm:P999_invented": "x" }],
    [
      "properties without a term or prefix",
      { "https://example.org/property": [{ id: "https://example.org/x", type: "Type" }, "y"] },
    ],
    ["a text under a property of references", { "crm:P2_has_type": "painting" }],
    ["terms as values", { attributed_by: [{ type: "AttributeAssignment", assigned_property: "part_of" }] }],
  ])("%s come back as they were", (_name, rest) => {
    expect(roundTrip(record(rest))).toEqual(record(rest));
  });

  it("resolve part_of in assigned_property by the class of the described node", () => {
    const { terms } = graphOf(
      record({ attributed_by: [{ type: "AttributeAssignment", assigned_property: "part_of" }] }),
    );
    expect(terms.map(({ value }) => value)).toContain(`${CRM}P46i_forms_part_of`);
  });
});

describe("the framing of nodes", () => {
  const label = RDFS_LABEL;
  const part = `${CRM}P46_is_composed_of`;

  it("merges the same id described twice and writes it at each place", () => {
    const aat = "http://vocab.getty.edu/aat/300388277";
    const document = roundTrip(
      record({
        identified_by: [
          { type: "Name", language: [{ id: aat, type: "Language", _label: "English" }] },
          { type: "Name", language: [{ id: aat, type: "Language", notation: "en" }] },
        ],
      }),
    );
    const language = [{ id: aat, type: "Language", _label: "English", notation: "en" }];
    expect(document.identified_by).toEqual([
      { type: "Name", language },
      { type: "Name", language },
    ]);
  });

  it("only references a node inside itself, instead of describing it again", async () => {
    const cycle = graph([ID, part, "urn:a"], ["urn:a", label, '"A'], ["urn:a", part, ID]);
    const document = documentOf(cycle);
    expect(document["crm:P46_is_composed_of"]).toEqual({
      id: "urn:a",
      _label: "A",
      "crm:P46_is_composed_of": { id: ID },
    });
    await expectSameTriples(cycle, document);
  });

  it("labels a blank node with two parents, and one whose single parent is written twice", async () => {
    const twice = graph([ID, part, "urn:a"], [ID, part, "_:b"], ["urn:a", part, "_:b"], ["_:b", label, '"B']);
    await expectSameTriples(twice, documentOf(twice));
    const inherited = graph(
      [ID, part, "urn:a"],
      [ID, label, '"x'],
      [ID, `${CRM}P1_is_identified_by`, "urn:a"],
      ["urn:a", part, "_:b"],
      ["_:b", label, '"B'],
    );
    await expectSameTriples(inherited, documentOf(inherited));
  });

  it("keeps blank cycles that nothing leads to, under @included", async () => {
    const apart = graph([ID, label, '"x'], ["_:a", part, "_:b"], ["_:b", part, "_:a"], ["urn:c", label, '"C']);
    const document = documentOf(apart);
    expect(document["@included"]).toHaveLength(2);
    await expectSameTriples(apart, document);
  });

  it("stays small for a chain of 60 shared nodes", async () => {
    const triples: [string, string, string][] = [[ID, part, "urn:0"]];
    for (let at = 0; at < 60; at++) {
      for (const side of ["l", "r"]) {
        triples.push([`urn:${at}`, part, `urn:${at}${side}`], [`urn:${at}${side}`, part, `urn:${at + 1}`]);
      }
    }
    triples.push(["urn:60", label, '"end'], ["urn:0", part, "_:bare"], ["urn:1", part, "_:bare"]);
    const diamonds = graph(...triples);
    const document = documentOf(diamonds);
    expect(JSON.stringify(document).length).toBeLessThan(20_000);
    await expectSameTriples(diamonds, document);
  });

  /** A record of 300 nodes that all refer to one. */
  const hub = (...said: [string, string][]): RecordGraph =>
    graph(
      ...Array.from({ length: 300 }, (_, at): [string, string, string][] => [
        [ID, part, `_:${at}`],
        [`_:${at}`, part, "urn:hub"],
      ]).flat(),
      ...said.map(([predicate, object]): [string, string, string] => ["urn:hub", predicate, object]),
    );
  const times = (count: number, make: (at: number) => [string, string]): [string, string][] =>
    Array.from({ length: count }, (_, at) => make(at));

  it.each<[string, [string, string][]]>([
    ["labels", times(300, (at) => [label, `"label ${at}`])],
    ["classes", times(300, (at) => [RDF.type, `https://example.org/class/${at}`])],
    ["texts", times(300, (at) => [`${CRM}P3_has_note`, `"note ${at}`])],
    ["letters in a text", [[`${CRM}P3_has_note`, `"${"é".repeat(30_000)}`]]],
    ["letters in a label", [[label, `"${"é".repeat(30_000)}`]]],
  ])("stays small if many nodes refer to one with many %s", async (_, said) => {
    const large = hub(...said);
    const document = documentOf(large);
    expect(JSON.stringify(document).length).toBeLessThan(10 * writeNTriples(large).length);
    await expectSameTriples(large, document);
  });

  it("describes a node wherever it is referred to, if it is long itself", () => {
    const text = "x".repeat(5_000);
    const document = documentOf(graph([ID, part, "urn:a"], [ID, label, "urn:a"], ["urn:a", label, `"${text}`]));
    expect(JSON.stringify(document).split(text)).toHaveLength(3);
  });

  it("takes a walk or two over a record, however many circles nothing leads to", async () => {
    const circles = graph(
      ...Array.from({ length: 300 }, (_, at): [string, string, string][] => [
        [`_:a${at}`, part, `_:b${at}`],
        [`_:b${at}`, part, `_:a${at}`],
      ]).flat(),
    );
    const { counted, reads } = countingReads(circles);
    await expectSameTriples(circles, documentOf(counted));
    expect(reads()).toBeLessThan(30 * tripleCount(circles));
  });

  it("handles a record of 30,000 triples", () => {
    const triples: [string, string, string][] = [];
    for (let at = 0; at < 10_000; at++) {
      triples.push(
        [ID, part, `urn:${at}`],
        [`urn:${at}`, RDF.type, `${CRM}E22_Human-Made_Object`],
        [`urn:${at}`, label, `"${at}`],
      );
    }
    const large = graph(...triples);
    const document = documentOf(large);
    expect(tripleCount(large)).toBe(30_000);
    expect((document["crm:P46_is_composed_of"] as JsonObject[])[9_999]).toEqual({
      id: "urn:9999",
      type: "HumanMadeObject",
      _label: "9999",
    });
  });

  it("refuses a chain deeper than any document, with a specific error", async () => {
    const triples: [string, string, string][] = [[ID, part, "urn:0"]];
    for (let at = 0; at < 10_000; at++) triples.push([`urn:${at}`, part, `urn:${at + 1}`]);
    await expect(async () => documentOf(graph(...triples))).rejects.toThrow(UnwritableError);
  });

  it("puts nodes under @included when no triple mentions the record", () => {
    expect(documentOf(graph(["urn:a", label, '"A']))).toEqual({
      "@context": CONTEXT_URI,
      id: ID,
      "@included": [{ id: "urn:a", _label: "A" }],
    });
  });

  it.each([
    ["urn:p", RDF.rest],
    [RDF.first, RDF.first],
  ])("writes no list for a node with only %s and %s", async (one, other) => {
    const cell = graph(["_:1", one, '"x'], ["_:1", other, RDF.nil], [ID, part, "_:1"]);
    await expectSameTriples(cell, documentOf(cell));
  });

  it("writes lists", async () => {
    const list = graph(
      [ID, `${CRM}P67_refers_to`, "_:1"],
      ["_:1", RDF.first, '"a'],
      ["_:1", RDF.rest, "_:2"],
      ["_:2", RDF.first, '"b'],
      ["_:2", RDF.rest, RDF.nil],
    );
    const document = documentOf(list);
    expect(document.refers_to).toEqual([{ "@list": [{ "@value": "a" }, { "@value": "b" }] }]);
    await expectSameTriples(list, document);
  });

  it("writes no list for a long chain with something else at its end, which it follows once", async () => {
    const cells = Array.from({ length: 400 }, (_, at): [string, string, string][] => [
      [`_:${at}`, RDF.first, `"${at}`],
      [`_:${at}`, RDF.rest, at === 399 ? RDF.nil : `_:${at + 1}`],
    ]);
    const chain = graph([ID, part, "_:0"], ...cells.flat(), ["_:399", RDFS_LABEL, '"x']);
    const { counted, reads } = countingReads(chain);
    await expectSameTriples(chain, documentOf(counted));
    expect(reads()).toBeLessThan(30 * tripleCount(chain));
  });
});

describe("a document by the specification", () => {
  const dimension = (value: Json): JsonObject => record({ dimension: [{ type: "Dimension", value }] });

  it("has a reference to the record itself with its type and label (2.1)", () => {
    const self = { id: ID, type: "HumanMadeObject", _label: "x" };
    const document = record({ _label: "x", produced_by: { type: "Production", influenced_by: [self] } });
    expect(roundTrip(document)).toEqual(document);
  });

  it("has references that only name an entity as objects, for the properties of the tables (2.1)", () => {
    const id = "https://example.org/other";
    const knows = { "@id": "https://ext.example/knows", "@type": "@id", "@container": "@set" };
    const context = [{ knows }, CONTEXT_URI];
    const document = record({ "@context": context, about: [{ id }], current_location: { id }, knows: [id] });
    expect(roundTrip(document)).toEqual(document);
  });

  it.each<[string, string, number]>([
    ["2.15", XSD.decimal, 2.15],
    ["1.50", XSD.decimal, 1.5],
    ["2.15", XSD.double, 2.15],
    ["2.15e0", XSD.double, 2.15],
    ["2.15e0", XSD.float, 2.15],
    ["007", XSD.integer, 7],
    ["5", `${XSD.decimal.replace("decimal", "int")}`, 5],
  ])("has %s as a number, and its datatype survives the round trip (2.15)", (lexical, datatype, number) => {
    const before = graphOf(dimension({ "@value": lexical, "@type": datatype }));
    const document = writer.document(before);
    const [written] = document.dimension as JsonObject[];
    expect(written!.value).toBe(number);
    expect("@context" in written!).toBe(datatype !== XSD.double && lexical !== "007");
    const [literal] = graphOf(document).terms.filter(({ termType }) => termType === "Literal");
    expect([literal!.datatype, Number(literal!.value)]).toEqual([datatype, number]);
    expect(writeNTriples(graphOf(exactWriter.document(before)))).toBe(writeNTriples(before));
  });

  it.each([
    ["INF", "xsd:decimal"],
    ["9007199254740993", "xsd:decimal"],
    ["0.1234567890123456789", "xsd:decimal"],
    // In time linear in their lengths.
    [`1.${"0".repeat(100_000)}1`, "xsd:decimal"],
    [`${"1".repeat(100_000)}x`, "xsd:decimal"],
    ["0x10", "xsd:double"],
    ["1e999", "xsd:double"],
    ["-0", "xsd:double"],
    ["2020", "xsd:gYear"],
  ])("never has %.30s as another number", (lexical, type) => {
    const value = { type, "@value": lexical };
    expect(roundTrip(dimension(value))).toEqual(dimension(value));
  });

  it("has numbers whose datatypes do not become those of numbers and texts in nodes within theirs", async () => {
    const part = (value: Json): JsonObject => ({ type: "Dimension", value });
    const parts = [3, 2.5, "x", { "@value": "7", "@type": `${XSD.decimal.replace("decimal", "short")}` }].map(part);
    const within = { assigned_by: [{ type: "AttributeAssignment", assigned: parts }] };
    const value = { "@value": "2", "@type": XSD.decimal };
    const before = graphOf(record({ dimension: [{ ...part(value), ...within }] }));
    for (const document of [writer.document(before), exactWriter.document(before)]) {
      expect((document.dimension as JsonObject[])[0]!.value).toBe(2);
      await expectSameTriples(before, document);
      const quads = await reference.toRDF(document, { documentLoader: documentLoader(registry) });
      expect(await canonical(quads)).toBe(await canonical(plainQuads(before)));
    }
  });

  it("has the number of the record itself in one form, also where an included node refers to the record", () => {
    const value = { "@value": "1.50", "@type": XSD.decimal };
    const included = [{ type: "Set", classified_as: [{ id: ID }] }];
    const document = writer.document(graphOf(record({ type: "Dimension", value, "@included": included })));
    expect(JSON.stringify(document).match(/"value":/g)).toHaveLength(2);
    const literals = graphOf(document).terms.filter(({ termType }) => termType === "Literal");
    expect(literals.map(({ value: lexical }) => lexical)).toEqual(["1.50"]);
  });

  it("has exact numbers that are the same when read back", () => {
    const [written] = exactWriter.document(graphOf(dimension({ "@value": "2.15", "@type": XSD.decimal })))
      .dimension as JsonObject[];
    expect(written!.value).toBe(2.15);
  });
});

describe("a document under scoped contexts", () => {
  const M = "https://m.example/";
  it.each<[what: string, context: JsonObject, rest: JsonObject]>([
    [
      "a reference under a property without the alias of @id",
      { p: { "@id": `${M}p`, "@context": null }, q: { "@id": `${M}q`, "@type": "@id" } },
      { p: { "@id": "_:x" }, q: "_:x" },
    ],
    [
      "an included node in the context of the record's class",
      { Kind: { "@id": `${M}Kind`, "@context": { "@propagate": true, p: `${M}q` } }, p: `${M}p` },
      { type: "Kind", "@included": [{ id: `${M}x`, [`${M}p`]: "x" }] },
    ],
    [
      "a list under a term that has a context in its own context",
      {
        "@language": "en",
        p: { "@id": `${M}p`, "@context": { p: { "@id": `${M}p`, "@context": { "@language": null } } } },
      },
      { p: { "@list": [{ "@value": "x", "@language": "en" }, { "@value": "y" }] } },
    ],
    [
      "JSON under a term that is of JSON in its own context",
      { p: { "@id": `${M}p`, "@context": { p: { "@id": `${M}p`, "@type": "@json" } } } },
      { p: { "@type": "@json", "@value": { a: [1] } }, [`${M}l`]: { "@list": [1] } },
    ],
  ])("has %s, as it is read", async (_what, context, rest) => {
    const before = graphOf({ ...record(rest), "@context": [CONTEXT_URI, context] });
    await expectSameTriples(before, exactWriter.document(before));
  });
});

it.each([
  [90, "@json"],
  [91, "rdf:JSON"],
  [20_000, "rdf:JSON"],
])("JSON of %d levels has the type %s and can be read back", async (levels, type) => {
  const value = "[".repeat(levels) + "]".repeat(levels);
  const before = graphOf(record({ "urn:p": { "@type": RDF.JSON, "@value": value } }));
  const document = documentOf(before);
  expect(document["urn:p"]).toHaveProperty("type", type);
  await expectSameTriples(before, JSON.parse(JSON.stringify(document)) as JsonObject);
});

describe("a node that is written twice and has a list", () => {
  it("has list cells with labels, so that the list is not duplicated", async () => {
    const shared = graph(
      [ID, `${CRM}P67_refers_to`, "urn:a"],
      [ID, `${CRM}P129_is_about`, "urn:a"],
      ["urn:a", "urn:list", "_:1"],
      ["_:1", RDF.first, '"x'],
      ["_:1", RDF.rest, RDF.nil],
    );
    await expectSameTriples(shared, documentOf(shared));
  });
});

describe("expanded documents", () => {
  it("have native values, and language-tagged strings", async () => {
    const before = graphOf(record({ value: [1, 2.5, true], content: { "@language": "nl", "@value": "x" } }));
    const expanded = (await writer.expanded(before)) as JsonObject[];
    expect(expanded).toEqual([
      {
        "@id": ID,
        "@type": [`${CRM}E22_Human-Made_Object`],
        [`${CRM}P90_has_value`]: [{ "@value": 1 }, { "@value": 2.5 }, { "@value": true }],
        [`${CRM}P190_has_symbolic_content`]: [{ "@language": "nl", "@value": "x" }],
      },
    ]);
  });
});
