/** The room that the encoded graph keeps from one record to the next. */
import { expect, it } from "vitest";
import { EncodedGraph } from "../../src/rdf/encoded-graph.js";

/** The columns after a record of so many terms and triples. */
function columnsAfter(graph: EncodedGraph, terms: number, triples: number) {
  graph.begin(terms, triples);
  expect([graph.termCount, graph.tripleCount]).toEqual([terms, triples]);
  // Datatypes and languages are numbered behind the terms, and the last text ends where one more would begin.
  for (const column of [graph.kinds, graph.tags, graph.starts, graph.first, graph.mentions])
    expect(column.length).toBeGreaterThan(2 * terms);
  expect(graph.next.length).toBeGreaterThanOrEqual(triples);
  expect(graph.triples.length).toBeGreaterThanOrEqual(3 * triples);
  return { kinds: graph.kinds, next: graph.next };
}

it("keeps its columns for records that they have room for", () => {
  const graph = new EncodedGraph();
  const first = columnsAfter(graph, 10, 20);
  expect(columnsAfter(graph, 500, 40)).toEqual(first);
  expect(graph.kinds).toBe(first.kinds);
  expect(graph.next).toBe(first.next);
  // One triple more asks for a longer column of triples alone, as one term more does for the others.
  expect(columnsAfter(graph, 500, 41).next).not.toBe(first.next);
  expect(graph.kinds).toBe(first.kinds);
  const [{ next }, half] = [graph, graph.kinds.length / 2];
  expect(columnsAfter(graph, half - 1, 41).kinds).toBe(first.kinds);
  expect(columnsAfter(graph, half, 41).kinds).not.toBe(first.kinds);
  expect(graph.next).toBe(next);
});

it("gives back with the next small record what a large one took", () => {
  const graph = new EncodedGraph();
  const large = columnsAfter(graph, 60_000, 50_001);
  expect(columnsAfter(graph, 10, 100_000).next).toBe(large.next);
  expect(graph.kinds).toBe(large.kinds);
  expect(columnsAfter(graph, 10, 99_999).next).not.toBe(large.next);
  expect(graph.kinds).not.toBe(large.kinds);
  const most = columnsAfter(new EncodedGraph(), 10, 50_000);
  expect(most.next).toHaveLength(100_000);
  const kept = new EncodedGraph();
  const { next } = columnsAfter(kept, 10, 50_000);
  expect(columnsAfter(kept, 10, 1).next).toBe(next);
});
