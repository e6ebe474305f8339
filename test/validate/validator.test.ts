/** Validation as loading uses it: with an institution's decisions, and the settings of its own. */
import { describe, expect, it } from "vitest";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import { classIri, propertyIri } from "../../src/model/vocabulary/vocabulary.js";
import { iri, literal, RDF, XSD } from "../../src/rdf/terms.js";
import { Validator } from "../../src/validate/validator.js";
import { add, graphOf, soundRecord } from "./nodes.js";

describe("the validator", () => {
  it("finds nothing in records that are fine", async () => {
    const validator = await Validator.make({ model: DEFAULT_MODEL });
    expect(validator.record(graphOf(soundRecord("object")), "object")).toEqual([]);
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

  it("of other settings looks for their classification", async () => {
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
