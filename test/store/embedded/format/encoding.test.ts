import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../../../src/model/tables/endpoints.js";
import { writeNTriples } from "../../../../src/rdf/ntriples/writer.js";
import { type RecordGraph, RecordGraphBuilder } from "../../../../src/rdf/record-graph.js";
import { RDF } from "../../../../src/rdf/terms.js";
import { decodeGraph } from "../../../../src/store/embedded/format/decoding.js";
import { decodeMeta, encodeRecord, sameContent } from "../../../../src/store/embedded/format/encoding.js";
import { forAll, runsOf } from "../../../properties.js";

const text = fc.oneof(
  { weight: 20, arbitrary: fc.string({ unit: "grapheme" }) },
  { weight: 20, arbitrary: fc.string({ unit: "grapheme-ascii" }) },
  { weight: 1, arbitrary: fc.constant("x".repeat(70_000)) },
);
const iri = fc.string({ unit: "grapheme", minLength: 1 }).map((name) => `urn:${name}`);

/** Adds a term to a builder and returns its number. */
type AddTerm = (builder: RecordGraphBuilder) => number;
const resource: fc.Arbitrary<AddTerm> = fc.oneof(
  iri.map(
    (value): AddTerm =>
      (builder) =>
        builder.iri(value),
  ),
  fc.constantFrom("a", "b", "c").map(
    (label): AddTerm =>
      (builder) =>
        builder.blank(label),
  ),
);
const literal: fc.Arbitrary<AddTerm> = fc.oneof(
  text.map(
    (value): AddTerm =>
      (builder) =>
        builder.literal(value),
  ),
  fc.tuple(text, iri).map(
    ([value, datatype]): AddTerm =>
      (builder) =>
        builder.literal(value, datatype),
  ),
  fc.tuple(text, fc.constantFrom("en", "nl-BE")).map(
    ([value, tag]): AddTerm =>
      (builder) =>
        builder.literal(value, undefined, tag),
  ),
);
const property = fc.oneof({ weight: 3, arbitrary: iri }, { weight: 1, arbitrary: fc.constant<string>(RDF.type) });
const graphs: fc.Arbitrary<RecordGraph> = fc
  .tuple(iri, fc.array(fc.tuple(resource, property, fc.oneof(resource, literal)), { maxLength: 300 }))
  .map(([root, triples]) => {
    const builder = new RecordGraphBuilder(root);
    // A term that is in no triple must leave no trace.
    builder.literal("unused");
    for (const [subject, predicate, object] of triples)
      builder.add(subject(builder), builder.iri(predicate), object(builder));
    return builder.build();
  });

const staged = (graph: RecordGraph) => ({ graph, endpoint: null, label: "", valid: true });

describe("a stored record", () => {
  it("of 30,000 triples decodes to the same triples", () => {
    const builder = new RecordGraphBuilder("urn:a");
    for (let at = 0; at < 30_000; at++) {
      builder.add(builder.blank(`b${at % 7000}`), builder.iri(`urn:p${at % 50}`), builder.literal(`${at} é`, "urn:d"));
    }
    const graph = builder.build();
    const relabelled = writeNTriples(decodeGraph(encodeRecord(staged(graph)), () => undefined));
    expect(relabelled).toBe(writeNTriples(graph));
  });

  it("of another version is refused", () => {
    const value = encodeRecord(staged(new RecordGraphBuilder("urn:a").build()));
    value[0] = 99;
    expect(() => decodeGraph(value, () => undefined)).toThrow("a stored record has version 99, not 2");
  });

  it("decodes to the triples that were encoded, in their order", () => {
    forAll([graphs], runsOf(2_000), (graph) => {
      const back = decodeGraph(encodeRecord(staged(graph)), () => undefined);
      expect(back.iri).toBe(graph.iri);
      expect(writeNTriples(back)).toBe(writeNTriples(graph));
    });
  });

  it("has the same bytes for any numbers of terms and labels of blank nodes", () => {
    forAll([graphs], runsOf(2_000), (graph) => {
      const renamed = graph.terms.map((term) =>
        term.termType === "BlankNode" ? { ...term, value: `${term.value}x` } : term,
      );
      const last = renamed.length - 1;
      const reversed: RecordGraph = {
        ...graph,
        terms: [...renamed].reverse(),
        triples: Array.from(graph.triples, (number) => last - number),
      };
      expect(encodeRecord(staged(reversed)).equals(encodeRecord(staged(graph)))).toBe(true);
    });
  });

  it("has endpoint, label and validity, which distinguish it from other records", () => {
    const builder = new RecordGraphBuilder("urn:a");
    builder.add(builder.iri("urn:a"), builder.iri("urn:p"), builder.iri("urn:b"));
    const graph = builder.build();
    const plain = encodeRecord(staged(graph));
    for (const endpoint of [...ENDPOINTS.map(({ name }) => name), null]) {
      const value = encodeRecord({ graph, endpoint, label: "Gezicht op Delft – 眺望", valid: false });
      expect(decodeMeta(value)).toMatchObject({ endpoint, label: "Gezicht op Delft – 眺望", valid: false });
      expect(sameContent(value, plain)).toBe(false);
    }
    expect(sameContent(encodeRecord(staged(graph)), plain)).toBe(true);
    expect(sameContent(encodeRecord(staged({ ...graph, context: "urn:c" })), plain)).toBe(false);
  });
});
