/** The record graph: numbering of terms, order, repeated triples, the index by subject. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  classesOf,
  graphWith,
  indexBySubject,
  isJsonObject,
  labelIn,
  nodesOf,
  objectsOf,
  RecordGraphBuilder,
  rootOf,
  strayNodes,
  subjectsOf,
  tripleCount,
  valuesOf,
} from "../../src/rdf/record-graph.js";
import { blank, iri, literal, RDF, RDFS_LABEL, XSD } from "../../src/rdf/terms.js";
import { forAll, runsOf } from "../properties.js";
import { ENTITY, graphOf, IRIS, recordGraph } from "./record-graphs.js";

describe("RecordGraphBuilder", () => {
  it("numbers each term once, whichever way it is given", () => {
    const builder = new RecordGraphBuilder("http://a/1");
    const numbers = [
      builder.iri("http://a/1"),
      builder.term(iri("http://a/1")),
      builder.blank("http://a/1"),
      builder.term(blank("http://a/1")),
      builder.literal("x"),
      builder.term(literal("x", XSD.string)),
      builder.literal("x", XSD.integer),
      builder.literal("x", RDF.langString, "en"),
      builder.term(literal("x", RDF.langString, "en")),
      builder.literal("x", RDF.langString, "en-GB"),
      builder.literal("x", undefined, "en"),
      builder.literal("x", undefined, "en-GB"),
      builder.literal("x", XSD.decimal),
    ];
    expect(numbers).toEqual([0, 0, 1, 1, 2, 2, 3, 4, 4, 5, 4, 5, 6]);
    const { terms } = builder.build();
    expect(terms[4]).toEqual(literal("x", RDF.langString, "en"));
    for (const node of [iri("http://a/1"), blank("http://a/1")]) {
      expect(terms).toContainEqual(node);
      expect([node.datatype, node.language]).toEqual(["", ""]);
    }
  });

  it("keeps the order of triples and drops repeated ones", () => {
    const triple = fc.tuple(fc.nat(40), fc.nat(5), fc.nat(40));
    forAll([fc.array(triple, { maxLength: 3000, size: "max" })], runsOf(30), (triples) => {
      const builder = new RecordGraphBuilder("http://a/1");
      for (const [subject, predicate, object] of triples) builder.add(subject, predicate, object);
      const distinct = [...new Set(triples.map(String))];
      expect(builder.size).toBe(distinct.length);
      const { triples: built } = builder.build();
      expect(distinct).toEqual(
        Array.from({ length: built.length / 3 }, (_, at) =>
          String([built[at * 3], built[at * 3 + 1], built[at * 3 + 2]]),
        ),
      );
    });
  });
});

it("the index has the triples of each subject, in order", () => {
  const builder = new RecordGraphBuilder("http://a/1");
  const [p, a, b] = [builder.iri("http://p"), builder.iri("http://a/1"), builder.blank("b")];
  for (const [subject, object] of [
    [b, a],
    [a, b],
    [b, p],
    [a, a],
  ] as const)
    builder.add(subject, p, object);
  const graph = builder.build();
  const { first, next } = indexBySubject(graph);
  const triplesOf = (subject: number) => {
    const triples: number[] = [];
    for (let triple = first[subject]!; triple !== -1; triple = next[triple]!) triples.push(triple);
    return triples;
  };
  expect([p, a, b].map(triplesOf)).toEqual([[], [1, 3], [0, 2]]);
  expect(tripleCount(graph)).toBe(4);
  expect(rootOf(graph)).toBe(a);
  expect(rootOf({ ...graph, iri: "b" })).toBe(-1);
});

it("look-ups find the same as a plain walk over the triples", () => {
  forAll([recordGraph, fc.constantFrom(...IRIS)], runsOf(1_000), (graph, predicate) => {
    const { terms, triples } = graph;
    const all = Array.from({ length: triples.length / 3 }, (_, at) =>
      [0, 1, 2].map((place) => triples[at * 3 + place]!),
    );
    const root = terms.findIndex(({ termType, value }) => termType === "NamedNode" && value === ENTITY);
    const subjects = [...new Set(all.map(([subject]) => subject!))];
    expect([rootOf(graph), subjectsOf(graph)]).toEqual([root, subjects]);
    const numbers = [-1, ...terms.keys()];
    const objects = numbers.map((subject) =>
      all.flatMap(([s, p, o]) => (s === subject && terms[p!]!.value === predicate ? o! : [])),
    );
    expect(numbers.map((subject) => objectsOf(graph, subject, predicate))).toEqual(objects);
    expect(numbers.map((subject) => valuesOf(graph, subject, predicate))).toEqual(
      objects.map((each) => each.map((object) => terms[object]!.value)),
    );
    expect(classesOf(graph)).toEqual(valuesOf(graph, root, RDF.type));
    const reached = new Set([root]);
    for (const node of reached) for (const [s, , o] of all) if (s === node) reached.add(o!);
    expect(strayNodes(graph)).toEqual(subjects.filter((subject) => !reached.has(subject)));
    const nodes = nodesOf(graph);
    expect([nodes.root, nodes.triples]).toEqual([root, triples]);
    expect([...terms.keys()].map((number) => [nodes.isIri(number), nodes.value(number), nodes.name(number)])).toEqual(
      terms.map(({ termType, value }) => [termType === "NamedNode", value, value]),
    );
    expect([...Array.from(nodes.first)]).toEqual(terms.map((_, term) => all.findIndex(([s]) => s === term)));
    expect([...Array.from(nodes.next)]).toEqual(
      all.map(([subject], at) => all.findIndex(([s], later) => later > at && s === subject)),
    );
  });
});

it("nodes in a cycle with the record are not stray", () => {
  const graph = graphOf(ENTITY, [
    [iri(ENTITY), iri("urn:p"), blank("a")],
    [blank("a"), iri("urn:p"), iri(ENTITY)],
    [blank("b"), iri("urn:p"), blank("b")],
  ]);
  expect(strayNodes(graph).map((node) => graph.terms[node])).toEqual([blank("b")]);
});

it("a graph has labels, and can be copied under another IRI", () => {
  const [other, label] = [iri("urn:other"), iri(RDFS_LABEL)];
  const graph = graphOf(ENTITY, [
    [iri(ENTITY), iri("urn:p"), literal("before")],
    [iri(ENTITY), label, literal("Delft")],
    [iri(ENTITY), label, literal("Delf")],
    [other, iri("urn:p"), iri("urn:nameless")],
  ]);
  expect([ENTITY, "urn:other", "urn:nowhere"].map((each) => labelIn(graph, each))).toEqual([
    "Delft",
    undefined,
    undefined,
  ]);
  const renamed = graphWith(graph, { iri: "urn:other", context: "urn:c" });
  expect(renamed).toMatchObject({ iri: "urn:other", context: "urn:c", terms: graph.terms, triples: graph.triples });
  expect(renamed.subjects).toBe(indexBySubject(renamed));
  expect([{}, [], null, "x", undefined].map(isJsonObject)).toEqual([true, false, false, false, false]);
});
