/** The validator that loading uses: with an institution's decisions and settings. */
import { describe, expect, it } from "vitest";
import { DocumentReader, documentSettings } from "../../src/jsonld/documents.js";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import { classIri, propertyIri } from "../../src/model/vocabulary/vocabulary.js";
import { RecordGraphBuilder, tripleCount } from "../../src/rdf/record-graph.js";
import { iri, literal, RDF, XSD } from "../../src/rdf/terms.js";
import { Validator } from "../../src/validate/validator.js";
import { countingReads } from "../reads.js";
import { add, graphOf, soundRecord, type Value } from "./nodes.js";

/** An object made in a time span with these bounds. */
function madeIn(bounds: readonly (readonly [term: string, timestamp: string])[]) {
  const record = soundRecord("object");
  const dated = bounds.map(([term, text]) => [propertyIri(term)!, literal(text, XSD.dateTime)] as const);
  const span = { statements: [[RDF.type, iri(classIri("TimeSpan")!)], ...dated] as [string, Value][] };
  const made = [
    [RDF.type, iri(classIri("Production")!)],
    [propertyIri("timespan")!, span],
  ] as [string, Value][];
  add(record, propertyIri("produced_by")!, { statements: made });
  return graphOf(record);
}

describe("the validator", () => {
  it("finds nothing in sound records", async () => {
    const validator = await Validator.make({ model: DEFAULT_MODEL });
    expect(validator.record(graphOf(soundRecord("object")), "object")).toEqual([]);
  });

  it("checks the code of an amount's currency, and of no other reference (2.13)", async () => {
    const validator = await Validator.make({ model: DEFAULT_MODEL });
    const code = literal("5", XSD.integer);
    const concept = (type: "Currency" | "Material") => ({
      iri: `https://a.example/${type}`,
      statements: [
        [RDF.type, iri(classIri(type))] as [string, Value],
        [propertyIri("notation")!, code] as [string, Value],
      ],
    });
    const record = soundRecord("object");
    const amount = [
      [RDF.type, iri(classIri("MonetaryAmount"))],
      [propertyIri("currency")!, concept("Currency")],
    ];
    add(record, propertyIri("dimension")!, { statements: amount as [string, Value][] });
    add(record, propertyIri("made_of")!, concept("Material"));
    expect(validator.record(graphOf(record), "object").map(({ path, rule }) => [path, rule])).toEqual([
      ["dimension[0]/currency/notation", "urn:vitrine:shape:currency.notation.value"],
    ]);
  });

  it.each([
    ["1889-12-31T24:00:00Z", "1890-01-01T00:00:00Z", []],
    ["1889-12-31T23:59:59Z", "1889-12-31T23:59:59Z", []],
    ["-0044-03-15T23:59:59Z", "-0044-03-15T00:00:00Z", []],
    ["1889", "1890-01-01T00:00:00Z", []],
    // A year of many digits would take long to read.
    [`-1${"0".repeat(100)}-01-01T00:00:00Z`, "1890-01-01T00:00:00Z", []],
    ["-0100-12-31T23:59:59Z", "-0099-01-01T00:00:00Z", ["-0100-12-31T23:59:59Z is before", "-0099-01-01T00:00:00Z"]],
  ])("warns of a time span that ends on %s and begins on %s, with both", async (end, begin, words) => {
    const validator = await Validator.make({ model: DEFAULT_MODEL, decisions: ["*.value=off"] });
    const record = madeIn([
      ["end_of_the_end", end],
      ["begin_of_the_begin", begin],
    ]);
    const [first, second] = words;
    const message = `end_of_the_end ${first} begin_of_the_begin ${second}`;
    expect(validator.record(record, "object").map((each) => [each.severity, each.path, each.message])).toEqual(
      first === undefined ? [] : [["Warning", "produced_by/timespan/end_of_the_end", message]],
    );
  });

  it("compares only the first of several ends, of which thousands would take minutes", async () => {
    const validator = await Validator.make({ model: DEFAULT_MODEL, decisions: ["*.count=off"] });
    const record = madeIn([
      ["end_of_the_end", "1800-01-01T00:00:00Z"],
      ["end_of_the_end", "1801-01-01T00:00:00Z"],
      ["begin_of_the_begin", "1890-01-01T00:00:00Z"],
    ]);
    const [result, ...others] = validator.record(record, "object");
    expect(result).toMatchObject({ path: "produced_by/timespan/end_of_the_end[0]", severity: "Warning" });
    expect(others).toEqual([]);
  });

  it("follows the institution's decisions", async () => {
    const record = soundRecord("object");
    add(record, propertyIri("part_of", "HumanMadeObject")!, literal("119", XSD.string));
    const severities = async (decision: string): Promise<unknown> =>
      (await Validator.make({ model: DEFAULT_MODEL, decisions: [decision] }))
        .record(graphOf(record), "object")
        .map(({ severity, value }) => [severity, value]);
    expect(await severities("place.*=off")).toEqual([["Violation", '"119"']]);
    expect(await severities("object.part_of.class=warning")).toEqual([["Warning", '"119"']]);
    expect(await severities("object.part_of.*=off")).toEqual([]);
  });

  it("reads the classes of a node once, however many nodes refer to it", async () => {
    const validator = await Validator.make({
      model: DEFAULT_MODEL,
      decisions: ["*=off", "activity.carried_out_by.class=violation"],
    });
    const hub = { iri: "https://a.example/hub", statements: [] as [string, ReturnType<typeof iri>][] };
    for (let at = 0; at < 200; at++) hub.statements.push([RDF.type, iri(`https://a.example/class/${at}`)]);
    const record = soundRecord("object");
    for (let at = 0; at < 200; at++)
      add(record, propertyIri("produced_by")!, { statements: [[propertyIri("carried_out_by", "Production")!, hub]] });
    const graph = graphOf(record);
    const { counted, reads } = countingReads(graph);
    expect(validator.record(counted, "object")).toHaveLength(200);
    expect(reads()).toBeLessThan(30 * tripleCount(graph));
  });

  it("reads each part once, however long a chain of parts is and in what order it comes", async () => {
    const validator = await Validator.make({ model: DEFAULT_MODEL });
    const builder = new RecordGraphBuilder("https://a.example/person/1");
    const part = builder.iri(propertyIri("part", "Name")!);
    const names = Array.from({ length: 500 }, (_, at) => builder.blank(`n${at}`));
    for (let at = names.length - 1; at > 0; at--) builder.add(names[at - 1]!, part, names[at]!);
    builder.add(builder.iri("https://a.example/person/1"), builder.iri(propertyIri("identified_by")!), names[0]!);
    let reads = 0;
    const { terms, context, iri: name, triples: all } = builder.build();
    const get = (target: ArrayLike<number>, key: string | symbol): unknown => {
      reads++;
      return Reflect.get(target, key) as unknown;
    };
    const triples = new Proxy(all, { get });
    expect(validator.record({ iri: name, terms, context, triples }, "person").map(({ rule }) => rule)).toEqual([
      "urn:vitrine:shape:record.nesting",
    ]);
    expect(reads).toBeLessThan(100 * names.length);
  });

  it.each([
    ["subject_of", "LinguisticObject", "digitally_carried_by", "digitally_shown_by"],
    ["representation", "VisualItem", "digitally_shown_by", "digitally_carried_by"],
  ])("accepts a %s without id only if it leads to a Digital Object", async (property, type, right, wrong) => {
    const reader = new DocumentReader(documentSettings(DEFAULT_MODEL, []));
    const validator = await Validator.make({ model: DEFAULT_MODEL });
    const found = (endpoint: "object" | "place", beside: string): readonly string[] => {
      const file = { type: "DigitalObject", access_point: [{ id: "https://a.example/file", type: "DigitalObject" }] };
      const id = `https://a.example/${endpoint}/1`;
      const of = endpoint === "object" ? "HumanMadeObject" : "Place";
      const document = { "@context": DEFAULT_MODEL.contextUri, id, type: of, [property]: [{ type, [beside]: [file] }] };
      const results = validator.record(reader.read(document).graph, endpoint);
      return results.filter(({ path }) => path.startsWith(property)).map(({ message }) => message);
    };
    expect([found("object", right), found("place", right)]).toEqual([[], []]);
    const asked = `${property} refers to an entity without naming it: give its id, or its Digital Object by ${right}`;
    expect(found("object", wrong)).toEqual([asked]);
  });

  it.each(["set", "group"] as const)("refuses a %s that lists its members (1, item 5)", async (endpoint) => {
    const reader = new DocumentReader(documentSettings(DEFAULT_MODEL, []));
    const validator = await Validator.make({ model: DEFAULT_MODEL });
    const [id, type] = ["https://a.example/1", endpoint === "set" ? "Set" : "Group"];
    const document = { "@context": DEFAULT_MODEL.contextUri, id, type, member: [{ id: `${id}2`, type: "Person" }] };
    const results = validator.record(reader.read(document).graph, endpoint);
    expect(results.filter(({ path }) => path === "member")).toMatchObject([
      { rule: `urn:vitrine:shape:${endpoint}.member.absence`, severity: "Violation" },
    ]);
  });

  it("with other settings looks for their classification", async () => {
    const model = { ...DEFAULT_MODEL, vocabBase: "https://vocab.museum.example" };
    const validator = await Validator.make({ model });
    const record = soundRecord("provenance");
    expect(validator.record(graphOf(record), "provenance")).toMatchObject([
      { rule: "urn:vitrine:shape:provenance.classified_as.includes" },
    ]);
    add(record, propertyIri("classified_as")!, {
      iri: "https://vocab.museum.example/300055863",
      statements: [[RDF.type, iri(classIri("Type")!)]],
    });
    expect(validator.record(graphOf(record), "provenance")).toEqual([]);
  });
});
