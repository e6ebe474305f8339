/** Nodes as pages read them: values that are taken, and the order of the remaining ones. */
import { describe, expect, it } from "vitest";
import { descriptionOf, take, takeWhere } from "../../../src/http/pages/description.js";
import { propertyIri } from "../../../src/model/vocabulary/vocabulary.js";
import { RecordGraphBuilder } from "../../../src/rdf/record-graph.js";
import { RDFS_LABEL } from "../../../src/rdf/terms.js";

describe("a node", () => {
  const builder = new RecordGraphBuilder("urn:x");
  const root = builder.iri("urn:x");
  for (const label of ["one", "two", "three"]) builder.add(root, builder.iri(RDFS_LABEL), builder.literal(label));
  builder.add(root, builder.iri(propertyIri("content")!), builder.literal("text"));
  const description = descriptionOf(builder.build());
  const textsOf = (values: readonly number[]): string[] => values.map((value) => description.terms[value]!.value);

  it("keeps its other values in place when some are taken", () => {
    const node = description.node(description.root);
    const taken = takeWhere(node, "_label", (value) => description.terms[value]!.value !== "two");
    expect(textsOf(taken)).toEqual(["one", "three"]);
    expect([...node.values].map(([term, values]) => [term, ...textsOf(values)])).toEqual([
      ["_label", "two"],
      ["content", "text"],
    ]);
  });

  it("loses a property when all its values are taken", () => {
    const node = description.node(description.root);
    expect(textsOf(takeWhere(node, "_label", () => true))).toEqual(["one", "two", "three"]);
    expect(textsOf(take(node, "content"))).toEqual(["text"]);
    expect([takeWhere(node, "content", () => true), [...node.values.keys()]]).toEqual([[], []]);
  });
});
