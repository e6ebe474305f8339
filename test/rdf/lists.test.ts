/** Lists in record graphs: which chains of blank nodes are lists, and how long it takes to tell. */
import { describe, expect, it } from "vitest";
import { RdfLists } from "../../src/rdf/lists.js";
import { numberOfIri, type RecordGraph, tripleCount } from "../../src/rdf/record-graph.js";
import { blank, iri, literal, RDF, type Term } from "../../src/rdf/terms.js";
import { countingReads } from "../reads.js";
import { ENTITY, graphOf } from "./record-graphs.js";

type Triple = [Term, Term, Term];

const [FIRST, REST, NIL] = [iri(RDF.first), iri(RDF.rest), iri(RDF.nil)];

/** A list of `length` items to which a property of the entity leads. */
function listOf(length: number): Triple[] {
  const cells = Array.from({ length }, (_, at) => blank(`cell${at}`));
  return [
    [iri(ENTITY), iri("urn:list"), cells[0] ?? NIL],
    ...cells.flatMap((cell, at): Triple[] => [
      [cell, FIRST, literal(`item ${at}`)],
      [cell, REST, cells[at + 1] ?? NIL],
    ]),
  ];
}

function cell(graph: RecordGraph, at: number): number {
  return graph.terms.findIndex(({ value }) => value === `cell${at}`);
}

describe("a list", () => {
  it.each([1, 2, 1_000])("of %d items has these, in order", (length) => {
    const graph = graphOf(ENTITY, listOf(length));
    const { items, cells } = new RdfLists(graph).from(cell(graph, 0))!;
    expect(items.map((item) => graph.terms[item]!.value)).toEqual([...Array(length).keys()].map((at) => `item ${at}`));
    expect([...cells]).toEqual([...Array(length).keys()].map((at) => cell(graph, at)));
  });

  it("may be empty", () => {
    const graph = graphOf(ENTITY, listOf(0));
    expect(new RdfLists(graph).from(numberOfIri(graph, RDF.nil))?.items).toEqual([]);
  });

  it.each<[string, Triple]>([
    ["anything else", [blank("cell1"), iri("urn:p"), literal("x")]],
    ["a cell to which something else leads", [iri(ENTITY), iri("urn:p"), blank("cell1")]],
    ["two items in a cell", [blank("cell1"), FIRST, literal("x")]],
  ])("does not have %s", (_what, triple) => {
    const graph = graphOf(ENTITY, [...listOf(3), triple]);
    const lists = new RdfLists(graph);
    expect([0, 1, 2].map((at) => lists.from(cell(graph, at))?.items.length)).toEqual([undefined, undefined, 1]);
  });

  it("is no circle", () => {
    const circle: Triple[] = [0, 1].flatMap((at): Triple[] => [
      [blank(`cell${at}`), FIRST, NIL],
      [blank(`cell${at}`), REST, blank(`cell${1 - at}`)],
    ]);
    const graph = graphOf(ENTITY, circle);
    expect(new RdfLists(graph).from(cell(graph, 0))).toBeUndefined();
  });

  it("has no cells that the caller does not accept", () => {
    const graph = graphOf(ENTITY, listOf(3));
    const lists = new RdfLists(graph);
    expect(lists.from(cell(graph, 0), (each) => each !== cell(graph, 1))).toBeUndefined();
    expect(lists.from(cell(graph, 2))?.items).toHaveLength(1);
  });

  it("that is none is followed once, whatever its cells are asked for", () => {
    const graph = graphOf(ENTITY, [...listOf(1_000), [blank("cell999"), iri("urn:p"), literal("x")]]);
    const cells = Array.from({ length: 1_000 }, (_, at) => cell(graph, at));
    const { counted, reads } = countingReads(graph);
    const lists = new RdfLists(counted);
    const before = reads();
    for (const each of cells) expect(lists.from(each)).toBeUndefined();
    expect(reads() - before).toBeLessThan(3 * tripleCount(graph));
  });
});
