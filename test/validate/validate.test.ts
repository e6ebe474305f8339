/** Validation as loading uses it: few records judged here, many in worker threads, with the same results. */
import { afterEach, describe, expect, it } from "vitest";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import { classIri, propertyIri } from "../../src/model/vocabulary/vocabulary.js";
import { iri, literal, RDF, XSD } from "../../src/rdf/terms.js";
import { RuleBooks } from "../../src/validate/rule-books.js";
import { Severities } from "../../src/validate/severities.js";
import { Validation } from "../../src/validate/validate.js";
import { add, graphOf, soundRecord } from "./nodes.js";

let validation: Validation;
afterEach(() => validation.close());

/** An object that is part of a text. */
function invalid(number: number) {
  const record = soundRecord("object");
  record.iri = `https://museum.example/object/${number}`;
  add(record, propertyIri("part_of", "HumanMadeObject")!, literal(String(number), XSD.string));
  return graphOf(record);
}

describe("validation", () => {
  it("tells at once of records that are fine", () => {
    validation = new Validation({ model: DEFAULT_MODEL });
    expect(validation.record(graphOf(soundRecord("object")), "object")).toEqual([]);
  });

  it("finds the same in worker threads, with the institution's decisions", async () => {
    const decisions = ["object.part_of.class=warning"];
    validation = new Validation({ model: DEFAULT_MODEL, decisions });
    const books = new RuleBooks(DEFAULT_MODEL, new Severities(decisions));
    const graphs = Array.from({ length: 120 }, (_, number) => invalid(number));
    const found = graphs.map((graph) => validation.record(graph, "object"));
    expect(found.filter((each) => each instanceof Promise)).toHaveLength(70);
    const results = await Promise.all(found);
    expect(results).toEqual(graphs.map((graph) => books.judge(graph, "object")));
    expect(results.at(-1)).toMatchObject([{ severity: "Warning", value: '"119"' }]);
  });

  it("of other settings looks for their classification", () => {
    const model = { ...DEFAULT_MODEL, vocabBase: "https://vocab.museum.example" };
    validation = new Validation({ model });
    const record = soundRecord("provenance");
    expect(validation.record(graphOf(record), "provenance")).toMatchObject([
      { rule: "urn:vitrine:shape:provenance.classified_as.includes" },
    ]);
    add(record, propertyIri("classified_as")!, {
      iri: "https://vocab.museum.example/300055863",
      statements: [[RDF.type, iri(classIri("Type")!)]],
    });
    expect(validation.record(graphOf(record), "provenance")).toEqual([]);
  });
});
