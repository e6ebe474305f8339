import { describe, expect, it } from "vitest";
import { propertyIri } from "../../../../src/model/vocabulary/vocabulary.js";
import { type RecordGraph, RecordGraphBuilder } from "../../../../src/rdf/record-graph.js";
import { RDF, RDFS_LABEL } from "../../../../src/rdf/terms.js";
import { backlinksOf } from "../../../../src/store/embedded/format/backlinks.js";

/** The graph of `urn:a` with triples of IRIs; an object in quotation marks is a literal. */
function graphOf(...triples: readonly (readonly [string, string, string])[]) {
  const builder = new RecordGraphBuilder("urn:a");
  for (const [subject, predicate, object] of triples) {
    const number = object.startsWith('"') ? builder.literal(object.slice(1, -1)) : builder.iri(object);
    builder.add(
      subject.startsWith("_:") ? builder.blank(subject) : builder.iri(subject),
      builder.iri(predicate),
      number,
    );
  }
  return builder.build();
}

/** The IRIs of the nodes that a record describes. */
function describedIn(graph: RecordGraph): string[] {
  return backlinksOf(graph).flatMap(({ iri, property }) => (property === null ? [iri] : []));
}

describe("the backlinks of a record", () => {
  it("name each IRI once per property, except classes", () => {
    const graph = graphOf(
      ["urn:a", RDF.type, "urn:Class"],
      ["urn:a", "urn:p", "urn:b"],
      ["_:x", "urn:p", "urn:b"],
      ["_:x", "urn:q", "urn:b"],
      ["_:x", "urn:q", "urn:a"],
      ["urn:a", "urn:p", '"urn:c"'],
    );
    expect(backlinksOf(graph)).toEqual([
      { iri: "urn:b", property: "urn:p" },
      { iri: "urn:b", property: "urn:q" },
      { iri: "urn:a", property: "urn:q" },
    ]);
  });

  it("say that a node is described if the record states more about it than a reference does", () => {
    const reference = ["equivalent", "notation", "classified_as"].map((term) => propertyIri(term)!);
    for (const property of [RDF.type, RDFS_LABEL, ...reference]) {
      expect(describedIn(graphOf(["urn:a", "urn:p", "urn:b"], ["urn:b", property, "urn:x"]))).toEqual([]);
    }
    const described = graphOf(["urn:a", "urn:p", "urn:b"], ["urn:b", RDFS_LABEL, '"B"'], ["urn:b", "urn:q", '"more"']);
    expect(describedIn(described)).toEqual(["urn:b"]);
    expect(backlinksOf(described)).toContainEqual({ iri: "urn:b", property: null });
  });

  it("do not name the record itself or blank nodes as described", () => {
    expect(describedIn(graphOf(["urn:a", "urn:q", '"x"'], ["_:b", "urn:q", '"x"']))).toEqual([]);
  });
});
