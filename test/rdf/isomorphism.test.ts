import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isIsomorphic, isSameByProperty } from "../../src/rdf/isomorphism.js";
import type { RecordGraph } from "../../src/rdf/record-graph.js";
import { blank, iri, literal, type Term } from "../../src/rdf/terms.js";
import { canonical, plainQuads } from "../canonical.js";
import { forAll, forAllAsync, runsOf } from "../properties.js";
import { ENTITY, graphOf, recordGraph } from "./record-graphs.js";

type Triple = readonly [Term, Term, Term];

function triplesOf({ terms, triples }: RecordGraph): Triple[] {
  return Array.from({ length: triples.length / 3 }, (_, at) => {
    const [subject, predicate, object] = [0, 1, 2].map((place) => terms[triples[at * 3 + place]!]!);
    return [subject!, predicate!, object!] as const;
  });
}

/** The same triples in another order and under other labels. */
function disguised(graph: RecordGraph, order: readonly number[]): RecordGraph {
  const triples = triplesOf(graph).map((triple, at) => ({ triple, place: order[at % order.length]! }));
  const relabelled = (term: Term): Term =>
    term.termType === "BlankNode" ? blank(`z${[...term.value].reverse().join("")}`) : term;
  return graphOf(
    ENTITY,
    triples
      .sort((a, b) => a.place - b.place)
      .map(({ triple: [s, p, o] }) => [relabelled(s), p, relabelled(o)] as const),
  );
}

const order = fc.array(fc.double({ noNaN: true }), { minLength: 24, maxLength: 24 });
const p = iri("https://example.org/p");

/** A ring of blank nodes whose labels begin with `name`. */
function ring(name: string, length: number): Triple[] {
  return Array.from({ length }, (_, at) => [blank(`${name}${at}`), p, blank(`${name}${(at + 1) % length}`)] as const);
}

describe("isomorphic graphs", () => {
  it("have the same triples in another order, with other labels", () => {
    forAll([recordGraph, order], runsOf(2_000), (graph, places) => {
      expect(isIsomorphic(graph, disguised(graph, places))).toBe(true);
    });
  });

  it("have the same canonical form", async () => {
    // Few terms, so that graphs that differ in one triple are often isomorphic after all.
    const node = fc.constantFrom(...["a", "b", "c"].map((label) => blank(label)), iri("urn:a"), iri("urn:b"));
    const text = fc.constantFrom(literal("a"), literal("urn:a"), literal("a", "urn:a"), literal("a", undefined, "en"));
    const triple = fc.tuple(node, fc.constantFrom(p, iri("urn:a")), fc.oneof({ weight: 3, arbitrary: node }, text));
    const graph = fc.array(triple, { maxLength: 4 }).map((triples) => graphOf(ENTITY, triples));
    await forAllAsync([graph, graph], runsOf(1_000), async (a, b) => {
      const [one, other] = await Promise.all([a, b].map((each) => canonical(plainQuads(each))));
      expect(isIsomorphic(a, b)).toBe(one === other);
    });
  });

  it("are distinguished from graphs of other rings, in any order", () => {
    const lengths = fc.constantFrom([3, 4], [7], [3, 3], [6], [2, 5], [1, 2, 3]);
    const ringsOf = (all: readonly number[]) =>
      graphOf(
        ENTITY,
        all.flatMap((length, at) => ring(`r${at}x`, length)),
      );
    forAll([lengths, lengths, order], runsOf(1_000), (one, other, places) => {
      expect(isIsomorphic(ringsOf(one), disguised(ringsOf(other), places))).toBe(String(one) === String(other));
    });
  });

  it("are distinguished even if all nodes look the same", () => {
    const six = graphOf(ENTITY, ring("a", 6));
    expect(isIsomorphic(six, graphOf(ENTITY, [...ring("a", 3), ...ring("b", 3)]))).toBe(false);
    expect(isIsomorphic(six, disguised(six, [5, 1, 4, 2, 3, 0]))).toBe(true);
  });

  it("have the same number of identical nodes", () => {
    const name = (label: string): Triple[] => [
      [iri(ENTITY), p, blank(label)],
      [blank(label), p, literal("same")],
    ];
    const twins = graphOf(ENTITY, [...name("a"), ...name("b"), ...name("c")]);
    expect(isIsomorphic(twins, graphOf(ENTITY, [...name("c"), ...name("x"), ...name("a")]))).toBe(true);
    expect(isIsomorphic(twins, graphOf(ENTITY, [...name("a"), ...name("b")]))).toBe(false);
  });

  it("are recognized with thousands of copies of the same node", () => {
    const copy = (label: string): Triple[] => [
      [iri(ENTITY), p, blank(label)],
      [blank(label), p, blank(`${label}x`)],
      [blank(`${label}x`), p, literal("same")],
    ];
    const labels = Array.from({ length: 2000 }, (_, at) => `n${at}`);
    const graph = graphOf(ENTITY, labels.flatMap(copy));
    expect(isIsomorphic(graph, graphOf(ENTITY, labels.flatMap(copy).toReversed()))).toBe(true);
  });

  it("are recognized or given up in bounded time if every node has the same neighbourhood", () => {
    const cells = Array.from({ length: 16 }, (_, at) => [at >> 2, at & 3] as const);
    const graphBy = (isJoined: (row: number, column: number) => boolean): RecordGraph =>
      graphOf(
        ENTITY,
        cells.flatMap(([a, b], one) =>
          cells.flatMap(([c, d], other) =>
            one !== other && isJoined((c - a + 4) % 4, (d - b + 4) % 4)
              ? [[blank(`n${one}`), p, blank(`n${other}`)] as const]
              : [],
          ),
        ),
      );
    // The rook's graph and the Shrikhande graph: strongly regular with the same parameters, and not isomorphic.
    const rook = graphBy((row, column) => row === 0 || column === 0);
    const shrikhande = graphBy((row, column) => [1, 3, 4, 12, 5, 15].includes(row * 4 + column));
    expect(rook.triples.length).toBe(shrikhande.triples.length);
    expect(isIsomorphic(rook, shrikhande)).toBe(false);
    expect(isIsomorphic(rook, graphOf(ENTITY, triplesOf(rook).toReversed()))).toBe(true);
  });
});

describe("graphs that are the same by property", () => {
  const [q, r] = [iri("https://example.org/q"), iri(ENTITY)];
  const [a, b] = [blank("a"), blank("b")];
  const [one, two] = [literal("1"), literal("2")];

  it("may have the properties of each node in another order", () => {
    const first = graphOf(ENTITY, [
      [r, p, one],
      [r, q, a],
      [a, p, one],
      [a, q, two],
    ]);
    const second = graphOf(ENTITY, [
      [r, q, b],
      [b, q, two],
      [b, p, one],
      [r, p, one],
    ]);
    expect(isSameByProperty(first, second)).toBe(true);
  });

  it.each<[what: string, Triple[], Triple[]]>([
    [
      "values in another order",
      [
        [r, p, one],
        [r, p, two],
      ],
      [
        [r, p, two],
        [r, p, one],
      ],
    ],
    [
      "nodes in another order",
      [
        [r, p, a],
        [r, p, b],
        [a, q, one],
        [b, q, two],
      ],
      [
        [r, p, a],
        [r, p, b],
        [a, q, two],
        [b, q, one],
      ],
    ],
    [
      "one node in place of two",
      [
        [r, p, a],
        [r, q, a],
      ],
      [
        [r, p, a],
        [r, q, b],
      ],
    ],
    ["another subject", [[r, p, one]], [[q, p, one]]],
    ["another kind of term", [[r, p, iri("1")]], [[r, p, one]]],
    ["another property", [[r, p, one]], [[r, q, one]]],
    [
      "more subjects",
      [[r, p, one]],
      [
        [r, p, one],
        [q, p, one],
      ],
    ],
    ["an IRI in place of a blank node", [[r, p, a]], [[r, p, iri("urn:a")]]],
    [
      "other numbers of values",
      [
        [r, p, one],
        [r, q, one],
        [r, q, two],
      ],
      [
        [r, p, one],
        [r, p, two],
        [r, q, one],
      ],
    ],
  ])("may not have %s", (_what, first, second) => {
    expect(isSameByProperty(graphOf(ENTITY, first), graphOf(ENTITY, second))).toBe(false);
    expect(isSameByProperty(graphOf(ENTITY, first), graphOf(ENTITY, first))).toBe(true);
  });

  it("have the same IRI, and no unreachable nodes", () => {
    const graph = graphOf(ENTITY, [[r, p, one]]);
    expect(isSameByProperty(graph, { ...graph, iri: "urn:other" })).toBe(false);
    const stray = graphOf(ENTITY, [
      [r, p, one],
      [a, p, one],
    ]);
    expect(isSameByProperty(stray, stray)).toBe(false);
  });

  it("are isomorphic", () => {
    forAll([recordGraph, order], runsOf(2_000), (graph, places) => {
      const other = disguised(graph, places);
      if (isSameByProperty(graph, other)) expect(isIsomorphic(graph, other)).toBe(true);
    });
  });
});
