/** The search text of records: their years, and what is read of records that refer very often. */
import { expect, it } from "vitest";
import { classIri, propertyIri } from "../../src/model/vocabulary/vocabulary.js";
import { RecordGraphBuilder, tripleCount } from "../../src/rdf/record-graph.js";
import { RDF, RDFS_LABEL } from "../../src/rdf/terms.js";
import { CLASS, FIRST_TERM, LICENCE, NAMED_FILE, termNumber } from "../../src/search/properties.js";
import { textOf } from "../../src/search/record-text.js";
import { CONTEXT_URI, readingAt } from "../jsonld/documents.js";
import { countingReads } from "../reads.js";

/** What no record adds to the texts of its referrers. */
const NOTHING = { names: "", licences: [], isFile: false };

it.each([
  ["an agent", "produced_by", "carried_out_by", RDFS_LABEL],
  ["a language", "identified_by", "language", propertyIri("notation")!],
])("the search text of a record reads %s once, however many parts of it refer to it", (_, term, refers, says) => {
  const builder = new RecordGraphBuilder("urn:x");
  const hub = builder.iri("urn:hub");
  for (let at = 0; at < 300; at++) {
    const part = builder.blank(`b${at}`);
    builder.add(builder.iri("urn:x"), builder.iri(propertyIri(term)!), part);
    builder.add(part, builder.iri(propertyIri(refers, term === "produced_by" ? "Production" : "Name")!), hub);
    builder.add(part, builder.iri(propertyIri("content")!), builder.literal(`name ${at}`));
    builder.add(hub, builder.iri(says), builder.literal(`label ${at}`));
  }
  const graph = builder.build();
  const { counted, reads } = countingReads(graph);
  const { targets } = textOf({ graph: counted, endpoint: "object" }, () => NOTHING);
  expect(targets.some(({ iri }) => iri === "urn:hub")).toBe(term === "produced_by");
  expect(reads()).toBeLessThan(40 * tripleCount(graph));
});

it("the search text of a record with very many references has its relations, and the class that its endpoint does not imply", () => {
  const builder = new RecordGraphBuilder("urn:x");
  const [object, group] = [classIri("HumanMadeObject")!, classIri("Group")!];
  for (const iri of [object, group]) builder.add(builder.iri("urn:x"), builder.iri(RDF.type), builder.iri(iri));
  for (let at = 0; at < 3_000; at++)
    builder.add(
      builder.iri("urn:x"),
      builder.iri(propertyIri("member_of", "HumanMadeObject")!),
      builder.iri(`urn:set:${at}`),
    );
  const { targets } = textOf({ graph: builder.build(), endpoint: "object" }, () => NOTHING);
  const count = (isCounted: (property: number) => boolean) => targets.filter((each) => isCounted(each.property)).length;
  expect(count((property) => property >= FIRST_TERM)).toBe(2_000);
  expect(targets.filter(({ property }) => property === CLASS)).toEqual([{ iri: group, property: CLASS }]);
  expect(count((property) => property < LICENCE)).toBe(1_999);
});

it("the search text of a record that names very many files has its class and its relations, too", () => {
  const builder = new RecordGraphBuilder("urn:x");
  const [object, group] = [classIri("HumanMadeObject")!, classIri("Group")!];
  for (const iri of [object, group]) builder.add(builder.iri("urn:x"), builder.iri(RDF.type), builder.iri(iri));
  const add = (term: string, iri: string) =>
    builder.add(builder.iri("urn:x"), builder.iri(propertyIri(term, "HumanMadeObject")!), builder.iri(iri));
  add("member_of", "urn:set");
  for (let at = 0; at < 5_000; at++) add("digitally_shown_by", `urn:file:${at}`);
  const { targets } = textOf({ graph: builder.build(), endpoint: "object" }, () => NOTHING);
  expect(targets).toContainEqual({ iri: group, property: CLASS });
  const ofSet = targets.filter(({ iri }) => iri === "urn:set");
  expect(ofSet.some(({ property }) => property < NAMED_FILE)).toBe(true);
});

it("the years of a thing are those of its production or creation, if it states any, else those of all its activities", () => {
  const span = (begin: string, end: string) => ({
    timespan: {
      type: "TimeSpan",
      begin_of_the_begin: `${begin}-01-01T00:00:00Z`,
      end_of_the_end: `${end}-12-31T23:59:59Z`,
    },
  });
  const read = readingAt("https://museum.example/");
  const yearsOf = (about: object) => {
    const document = { "@context": CONTEXT_URI, id: "object/1", type: "HumanMadeObject", _label: "a book", ...about };
    const { begins, ends } = textOf({ graph: read(document), endpoint: "object" }, () => NOTHING);
    return [begins, ends];
  };
  const rebound = { modified_by: [{ type: "Modification", ...span("1953", "1953") }] };
  const found = { encountered_by: [{ type: "Encounter", ...span("1922", "1922") }] };
  const parts = {
    part: [
      { type: "Production", ...span("0800", "0810") },
      { type: "Production", ...span("0825", "0826") },
    ],
  };
  expect(yearsOf({ produced_by: { type: "Production", ...parts }, ...rebound })).toEqual([800, 826]);
  expect(yearsOf({ produced_by: { type: "Production" }, ...rebound, ...found })).toEqual([1922, 1953]);
});

it("a record refers to what its rights, dimensions and amounts name, but not to who measured it as to its maker", () => {
  const reference = (type: string) => [{ id: `urn:${type}`, type }];
  const right = { type: "Right", possessed_by: reference("Group"), applies_to: reference("HumanMadeObject") };
  const measured = [{ type: "AttributeAssignment", carried_out_by: reference("Person") }];
  const amount = { type: "MonetaryAmount", value: 5, currency: { id: "urn:Currency", type: "Currency" } };
  const unit = { id: "urn:MeasurementUnit", type: "MeasurementUnit" };
  const document = {
    "@context": CONTEXT_URI,
    id: "provenance/1",
    type: "Activity",
    dimension: [{ type: "Dimension", value: 5, unit, assigned_by: measured }],
    part: [
      { type: "Payment", paid_amount: amount },
      { type: "RightAcquisition", establishes: [{ type: "Right", part: [right] }] },
    ],
  };
  const graph = readingAt("https://museum.example/")(document);
  const { targets } = textOf({ graph, endpoint: "provenance" }, () => NOTHING);
  const found = (term: string) => targets.flatMap(({ iri, property }) => (property === termNumber(term) ? iri : []));
  expect(["unit", "currency", "possessed_by", "applies_to", "carried_out_by"].map(found)).toEqual([
    ["urn:MeasurementUnit"],
    ["urn:Currency"],
    ["urn:Group"],
    ["urn:HumanMadeObject"],
    [],
  ]);
});
