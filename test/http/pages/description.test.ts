/** Nodes as pages read them: values that are taken, and the order of the remaining ones. */
import { describe, expect, it } from "vitest";
import { descriptionOf, take } from "../../../src/http/pages/description.js";
import { propertyIri } from "../../../src/model/vocabulary/vocabulary.js";
import { RecordGraphBuilder } from "../../../src/rdf/record-graph.js";
import { RDF, RDFS_LABEL } from "../../../src/rdf/terms.js";

describe("a node", () => {
  const builder = new RecordGraphBuilder("urn:x");
  const root = builder.iri("urn:x");
  for (const label of ["one", "two", "three"]) builder.add(root, builder.iri(RDFS_LABEL), builder.literal(label));
  builder.add(root, builder.iri(propertyIri("content")!), builder.literal("text"));
  const description = descriptionOf(builder.build());
  const textsOf = (values: readonly number[]): string[] => values.map((value) => description.terms[value]!.value);

  it("keeps its other values in place when some are taken", () => {
    const node = description.node(description.root);
    const taken = take(node, "_label", (value) => description.terms[value]!.value !== "two");
    expect(textsOf(taken)).toEqual(["one", "three"]);
    expect([...node.values].map(([term, values]) => [term, ...textsOf(values)])).toEqual([
      ["_label", "two"],
      ["content", "text"],
    ]);
  });

  it("loses a property when all its values are taken", () => {
    const node = description.node(description.root);
    expect(textsOf(take(node, "_label", () => true))).toEqual(["one", "two", "three"]);
    expect(textsOf(take(node, "content"))).toEqual(["text"]);
    expect([take(node, "content", () => true), [...node.values.keys()]]).toEqual([[], []]);
  });

  it("has the items of a list as values, unless the list has anything else or is a value twice", () => {
    const lists = new RecordGraphBuilder("urn:x");
    const [subject, first, rest, nil] = [
      lists.iri("urn:x"),
      ...[RDF.first, RDF.rest, RDF.nil].map((name) => lists.iri(name)),
    ];
    /** A list of `length` items, under the property `urn:NAME`. */
    const list = (name: string, length: number): readonly number[] => {
      const cells = Array.from({ length }, (_, at) => lists.blank(`${name}${at}`));
      for (const [at, cell] of cells.entries()) {
        lists.add(cell, first!, lists.literal(`item ${at}`));
        lists.add(cell, rest!, cells[at + 1] ?? nil!);
      }
      lists.add(subject!, lists.iri(`urn:${name}`), cells[0] ?? nil!);
      return cells;
    };
    list("long", 20_000);
    list("empty", 0);
    lists.add(list("labelled", 2)[1]!, lists.iri(RDFS_LABEL), lists.literal("x"));
    lists.add(lists.blank("round"), first!, lists.literal("y"));
    lists.add(lists.blank("round"), rest!, lists.blank("round"));
    lists.add(subject!, lists.iri("urn:round"), lists.blank("round"));
    const [inner] = list("inner", 2);
    // A list in a list, and a list to which two properties lead.
    for (const [cell, item, next] of [
      ["nested0", lists.blank("within0"), lists.blank("nested1")],
      ["nested1", inner!, nil!],
      ["within0", lists.literal("x"), lists.blank("within1")],
      ["within1", lists.literal("y"), nil!],
    ] as const) {
      lists.add(lists.blank(cell), first!, item);
      lists.add(lists.blank(cell), rest!, next);
    }
    lists.add(subject!, lists.iri("urn:nested"), lists.blank("nested0"));
    const described = descriptionOf(lists.build());
    const { values } = described.node(described.root);
    const shown = (name: string): string[] => values.get(`urn:${name}`)!.map((value) => described.terms[value]!.value);
    expect(shown("long")).toEqual(Array.from({ length: 20_000 }, (_, at) => `item ${at}`));
    expect([shown("empty"), shown("labelled"), shown("round")]).toEqual([[RDF.nil], ["labelled0"], ["round"]]);
    expect([shown("nested"), shown("inner")]).toEqual([["x", "y", "inner0"], ["inner0"]]);
  });
});
