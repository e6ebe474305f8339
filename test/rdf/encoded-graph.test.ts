/** The encoded graph: the same as the decoded one, and the memory that it keeps from one record to the next. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { EncodedGraph, NameTable, RECORD_NAMES, TERM_KIND } from "../../src/rdf/encoded-graph.js";
import { nodesOf } from "../../src/rdf/record-graph.js";
import { iri, literal, XSD } from "../../src/rdf/terms.js";
import { decodeGraph, encodedGraph } from "../../src/store/embedded/format/decoding.js";
import { encodeRecord, publishInto } from "../../src/store/embedded/format/encoding.js";
import { forAll, runsOf } from "../properties.js";
import { ENTITY, graphOf, recordGraph } from "./record-graphs.js";

/** The columns after a record with these numbers of terms and triples. */
function columnsAfter(graph: EncodedGraph, terms: number, triples: number) {
  graph.begin(terms, triples);
  expect([graph.termCount, graph.tripleCount]).toEqual([terms, triples]);
  // Datatypes and languages are numbered after the terms, and the last text ends where one more would begin.
  for (const column of [graph.kinds, graph.tags, graph.starts, graph.first, graph.mentions])
    expect(column.length).toBeGreaterThan(2 * terms);
  expect(graph.next.length).toBeGreaterThanOrEqual(triples);
  expect(graph.triples.length).toBeGreaterThanOrEqual(3 * triples);
  return { kinds: graph.kinds, next: graph.next };
}

it("the encoded graph keeps its columns for records that fit into them", () => {
  const graph = new EncodedGraph();
  const first = columnsAfter(graph, 10, 20);
  expect(columnsAfter(graph, 500, 40)).toEqual(first);
  expect(graph.kinds).toBe(first.kinds);
  expect(graph.next).toBe(first.next);
  // One more triple needs longer columns only for triples, and one more term only for terms.
  expect(columnsAfter(graph, 500, 41).next).not.toBe(first.next);
  expect(graph.kinds).toBe(first.kinds);
  const [{ next }, half] = [graph, graph.kinds.length / 2];
  expect(columnsAfter(graph, half - 1, 41).kinds).toBe(first.kinds);
  expect(columnsAfter(graph, half, 41).kinds).not.toBe(first.kinds);
  expect(graph.next).toBe(next);
});

it("the encoded graph frees the memory of a large record at the next small one", () => {
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

it("the encoded graph has the terms, triples and index of the decoded one", () => {
  forAll([recordGraph], runsOf(1_000, 25), (graph) => {
    const value = encodeRecord({ graph, endpoint: null, label: "", valid: true });
    publishInto(value, { sequence: 1, modified: 0, number: 1, context: 0, source: 0 });
    const decoded = decodeGraph(value, () => undefined);
    const encoded = encodedGraph(value, () => undefined);
    const { triples, first, next } = nodesOf(decoded);
    const { terms } = decoded;
    const list = Array.from(triples);
    const columns = (of: ArrayLike<number>, length: number): number[] => Array.from(of).slice(0, length);
    expect([encoded.termCount, encoded.tripleCount]).toEqual([terms.length, triples.length / 3]);
    expect(columns(encoded.triples, triples.length)).toEqual(list);
    expect(columns(encoded.next, triples.length / 3)).toEqual(Array.from(next));
    expect(columns(encoded.first, terms.length)).toEqual(Array.from(first));
    const mentions = terms.map(() => 0);
    for (let at = 2; at < list.length; at += 3) mentions[list[at]!]!++;
    expect(columns(encoded.mentions, terms.length)).toEqual(mentions);
    const predicates = list.filter((_, at) => at % 3 === 1);
    // The second request for a name finds it in the table.
    const names = [...predicates, ...predicates].map((each) => [
      encoded.name(each),
      RECORD_NAMES.text(encoded.nameNumber(each)),
    ]);
    expect(names).toEqual([...predicates, ...predicates].map((each) => [terms[each]!.value, terms[each]!.value]));
    const said = terms.map(({ termType }, number) => {
      const isTagged = encoded.kinds[number]! >= TERM_KIND.typed;
      return [
        encoded.isIri(number),
        termType === "BlankNode" ? "" : encoded.value(number),
        isTagged ? encoded.name(encoded.termCount + encoded.tags[number]!) : "",
      ];
    });
    expect(said).toEqual(
      terms.map(({ termType, value, datatype, language }) => [
        termType === "NamedNode",
        termType === "BlankNode" ? "" : value,
        language === "" && datatype !== XSD.string ? datatype : language,
      ]),
    );
  });
});

it("the encoded graph has names that are too long for the table", () => {
  const long = `urn:${"x".repeat(300)}`;
  const graph = graphOf(ENTITY, [[iri(ENTITY), iri(long), literal("x", long)]]);
  const value = encodeRecord({ graph, endpoint: null, label: "", valid: true });
  publishInto(value, { sequence: 1, modified: 0, number: 1, context: 0, source: 0 });
  const encoded = encodedGraph(value, () => undefined);
  expect([encoded.nameNumber(1), encoded.name(1), encoded.name(encoded.termCount)]).toEqual([-1, long, long]);
});

it("a table of names gives each name a number of its own, wherever its bytes are", () => {
  forAll([fc.array(fc.string({ unit: "grapheme", maxLength: 20 }), { maxLength: 200 })], runsOf(1_000), (texts) => {
    const table = new NameTable();
    const numbers = new Map<string, number>();
    for (const text of [...texts, ...texts]) {
      const bytes = Buffer.from(`<${text}>`);
      const number = table.numberOf(bytes, 1, bytes.length - 1);
      expect(numbers.get(text) ?? number).toBe(number);
      expect(table.text(number)).toBe(text);
      numbers.set(text, number);
    }
    expect(new Set(numbers.values()).size).toBe(numbers.size);
  });
});

it("a table of names has no number for names of more than 256 bytes, or after the first 4,096", () => {
  const near = new NameTable();
  const alike = ["a", "b", ""].map((first) => near.numberOf(Buffer.from(`${first}123456789`)));
  expect(alike).toEqual([0, 1, 2]);
  expect(near.numberOf(Buffer.from("x".repeat(356)), 100)).toBe(3);
  const table = new NameTable();
  expect(table.numberOf(Buffer.from("x".repeat(257)))).toBe(-1);
  const numbers = Array.from({ length: 5_000 }, (_, at) => table.numberOf(Buffer.from(`https://a.example/${at}`)));
  expect(numbers.slice(0, 4_096)).toEqual(Array.from({ length: 4_096 }, (_, at) => at));
  expect(new Set(numbers.slice(4_096))).toEqual(new Set([-1]));
  expect([17, 4_095].map((at) => table.numberOf(Buffer.from(`https://a.example/${at}`)))).toEqual([17, 4_095]);
  expect(table.text(4_095)).toBe("https://a.example/4095");
});
