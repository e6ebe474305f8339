/** The encoded graph: the same as the decoded one, and the room that it keeps from one record to the next. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { EncodedGraph, RECORD_NAMES, TERM_KIND } from "../../src/rdf/encoded-graph.js";
import { nodesOf } from "../../src/rdf/record-graph.js";
import { XSD } from "../../src/rdf/terms.js";
import { decodeGraph, encodedGraph } from "../../src/store/embedded/format/decoding.js";
import { encodeRecord, publishInto } from "../../src/store/embedded/format/encoding.js";
import { runsOf } from "../extent.js";
import { recordGraph } from "./record-graphs.js";

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

it("has the terms, triples and index of the graph that is decoded", () => {
  fc.assert(
    fc.property(recordGraph, (graph) => {
      const value = encodeRecord({ graph, endpoint: null, label: "", valid: true });
      publishInto(value, { sequence: 1, modified: 0, number: 1, context: 0, source: 0 });
      const decoded = decodeGraph(value, () => undefined);
      const encoded = encodedGraph(value, () => undefined);
      const { triples, first, next } = nodesOf(decoded);
      const counts = [decoded.terms.length, triples.length];
      expect([encoded.termCount, encoded.tripleCount * 3]).toEqual(counts);
      expect([...encoded.triples.subarray(0, counts[1])]).toEqual([...Array.from(triples)]);
      expect([...encoded.next.subarray(0, encoded.tripleCount)]).toEqual([...Array.from(next)]);
      for (let at = 1; at < counts[1]!; at += 3) {
        const predicate = encoded.triples[at]!;
        const text = decoded.terms[predicate]!.value;
        // Asked for a second time, it is known.
        expect([encoded.name(predicate), encoded.name(predicate)]).toEqual([text, text]);
        expect(RECORD_NAMES.text(encoded.nameNumber(predicate))).toBe(text);
      }
      for (const [number, { termType, value: text, datatype, language }] of decoded.terms.entries()) {
        expect(encoded.first[number]).toBe(first[number]);
        expect(encoded.isIri(number)).toBe(termType === "NamedNode");
        expect(encoded.mentions[number]).toBe(
          Array.from(triples).filter((each, at) => at % 3 === 2 && each === number).length,
        );
        if (termType === "BlankNode") continue;
        expect(encoded.value(number)).toBe(text);
        const tag =
          encoded.kinds[number]! < TERM_KIND.typed
            ? undefined
            : encoded.name(encoded.termCount + encoded.tags[number]!);
        const expected =
          language === "" ? (datatype === XSD.string || datatype === "" ? undefined : datatype) : language;
        expect(tag).toBe(expected);
      }
    }),
    runsOf(1_000),
  );
});
