/** The search text of records that refer very often: to one large node, or to very many entities. */
import { expect, it } from "vitest";
import { classIri, propertyIri } from "../../src/model/vocabulary/vocabulary.js";
import { RecordGraphBuilder, tripleCount } from "../../src/rdf/record-graph.js";
import { RDF, RDFS_LABEL } from "../../src/rdf/terms.js";
import { CLASS, FIRST_TERM, LICENCE } from "../../src/search/properties.js";
import { textOf } from "../../src/search/record-text.js";
import { countingReads } from "../reads.js";

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
  const { targets } = textOf({ graph: counted, endpoint: "object" }, () => ({ names: "", licences: [] }));
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
  const { targets } = textOf({ graph: builder.build(), endpoint: "object" }, () => ({ names: "", licences: [] }));
  const count = (isCounted: (property: number) => boolean) => targets.filter((each) => isCounted(each.property)).length;
  expect(count((property) => property >= FIRST_TERM)).toBe(2_000);
  expect(targets.filter(({ property }) => property === CLASS)).toEqual([{ iri: group, property: CLASS }]);
  expect(count((property) => property < LICENCE)).toBe(1_999);
});
