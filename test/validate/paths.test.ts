/** Property paths of nodes and texts, compared with the places in documents. */
import { expect, it } from "vitest";
import { isJsonObject, type Json, RecordGraphBuilder } from "../../src/rdf/record-graph.js";
import { RDF } from "../../src/rdf/terms.js";
import { propertyTerm, RecordPaths } from "../../src/validate/paths.js";
import { SAMPLE } from "../data/sample.js";
import { shareOf } from "../extent.js";
import { readingAt } from "../jsonld/documents.js";
import { BASE } from "./corpora.js";

const read = readingAt(BASE);

/** The paths of all nodes and texts of a document. A node with an `id` is listed once. */
function pathsIn(document: Json): { nodes: string[]; texts: string[] } {
  const found = { nodes: [] as string[], texts: [] as string[] };
  const seen = new Set<string>();
  const waiting: [Json, string][] = [[document, ""]];
  for (const [node, path] of waiting) {
    if (!isJsonObject(node) || (typeof node.id === "string" && seen.has(node.id))) continue;
    if (typeof node.id === "string") seen.add(node.id);
    if (path !== "") found.nodes.push(path);
    for (const [key, value] of Object.entries(node)) {
      if (["@context", "id", "type"].includes(key)) continue;
      const place = path === "" ? key : `${path}/${key}`;
      const items: [Json, string][] = Array.isArray(value)
        ? value.map((item, at) => [item, `${place}[${at}]`])
        : [[value, place]];
      for (const [item, itemPath] of items) {
        if (isJsonObject(item)) waiting.push([item, itemPath]);
        // The value of this key is a term of the context, which stands for an IRI.
        else if (key === "assigned_property") found.nodes.push(itemPath);
        else found.texts.push(itemPath);
      }
    }
  }
  return found;
}

it("paths are the places in the sample's documents", () => {
  for (const { document } of shareOf([...SAMPLE.values()])) {
    const graph = read(document);
    const { terms, triples } = graph;
    const paths = new RecordPaths(graph);
    const expected = pathsIn(document as Json);
    const nodes = [...terms.keys()].map((term) => paths.to(term)).filter((path) => path !== "");
    expect(nodes.sort()).toEqual(expected.nodes.sort());
    const texts: string[] = [];
    for (let at = 0; at < triples.length; at += 3) {
      const [subject, predicate, object] = [triples[at]!, terms[triples[at + 1]!]!.value, triples[at + 2]!];
      if (terms[object]!.termType !== "Literal") continue;
      const term = paths.term(subject, predicate);
      texts.push(
        [paths.to(subject), term + paths.position(subject, predicate, object, term)]
          .filter((step) => step !== "")
          .join("/"),
      );
    }
    expect(texts.sort()).toEqual(expected.texts.sort());
  }
});

it("paths are the shortest to a node, and empty for unreachable nodes", () => {
  const builder = new RecordGraphBuilder("urn:0");
  const [p, note] = [builder.iri("urn:p"), builder.literal("x")];
  const [root, one, two, three, apart] = ["0", "1", "2", "3", "apart"].map((name) => builder.iri(`urn:${name}`));
  for (const [subject, object] of [
    [root, one],
    [one, two],
    [two, three],
    [root, two],
    [two, root],
    [apart, note],
  ])
    builder.add(subject!, p, object!);
  builder.add(root!, builder.iri(RDF.type), builder.iri("urn:Class"));
  const paths = new RecordPaths(builder.build());
  expect([root, one, two, three, apart].map((node) => paths.to(node!))).toEqual([
    "",
    "urn:p[0]",
    "urn:p[1]",
    "urn:p[1]/urn:p[0]",
    "",
  ]);
  expect([0, 1, 2].map((most) => paths.deeperThan(most))).toEqual([one, three, -1]);
  expect(paths.position(root!, "urn:q", one!, "q")).toBe("");
  expect(new RecordPaths({ ...builder.build(), iri: "urn:none" }).to(one!)).toBe("");
});

it("a list is one step, however long it is, with the position of its item", () => {
  const builder = new RecordGraphBuilder("urn:0");
  const [first, rest] = [builder.iri(RDF.first), builder.iri(RDF.rest)];
  const listOf = (name: string, items: readonly number[]): number => {
    const cells = items.map((_, at) => builder.blank(`${name}${at}`));
    for (const [at, cell] of cells.entries()) {
      builder.add(cell, first, items[at]!);
      builder.add(cell, rest, cells[at + 1] ?? builder.iri(RDF.nil));
    }
    return cells[0]!;
  };
  const items = Array.from({ length: 20_000 }, (_, at) => builder.blank(`item${at}`));
  const inner = [builder.blank("one"), builder.blank("two")];
  builder.add(builder.iri("urn:0"), builder.iri("urn:p"), listOf("cell", [...items, listOf("inner", inner)]));
  const part = builder.blank("part");
  builder.add(items.at(-1)!, builder.iri("urn:q"), part);
  const paths = new RecordPaths(builder.build());
  expect([2, 3].map((most) => paths.deeperThan(most) === -1)).toEqual([false, true]);
  expect(items.map((item) => paths.to(item))).toEqual(items.map((_, at) => `urn:p[${at}]`));
  expect([part, inner[1]!].map((node) => paths.to(node))).toEqual(["urn:p[19999]/urn:q", "urn:p[20000][1]"]);
});

it("list properties of a record's own node are steps of their own", () => {
  const builder = new RecordGraphBuilder("urn:0");
  const [root, rest, other] = [builder.iri("urn:0"), builder.iri(RDF.rest), builder.blank("other")];
  builder.add(root, rest, other);
  const paths = new RecordPaths(builder.build());
  expect([paths.to(other), paths.deeperThan(0)]).toEqual([RDF.rest, other]);
});

it("paths have the terms of a node's first known class", () => {
  const CRM = "http://www.cidoc-crm.org/cidoc-crm/";
  const builder = new RecordGraphBuilder("urn:0");
  const type = builder.iri(RDF.type);
  const root = builder.iri("urn:0");
  for (const object of [
    builder.literal("x"),
    builder.iri("urn:Class"),
    builder.iri(`${CRM}E53_Place`),
    builder.iri(`${CRM}E21_Person`),
  ])
    builder.add(root, type, object);
  const paths = new RecordPaths(builder.build());
  expect([paths.classOf(root).known, paths.classOf(type)]).toEqual(["Place", { first: "", known: "" }]);
  expect(paths.term(root, `${CRM}P89_falls_within`)).toBe("part_of");
  const asked: [string, string][] = [
    [RDF.type, "Place"],
    [`${CRM}P89_falls_within`, "Person"],
    [`${CRM}P1_is_identified_by`, ""],
    ["urn:p", ""],
  ];
  for (const _again of [1, 2]) {
    expect(asked.map(([property, onClass]) => propertyTerm(property, onClass))).toEqual([
      "type",
      `${CRM}P89_falls_within`,
      "identified_by",
      "urn:p",
    ]);
  }
});
