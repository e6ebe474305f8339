/** The writer of N-Triples and N-Quads: canonical escapes, blank node labels, and reading back. */
import { parse } from "oxigraph";
import { describe, expect, it } from "vitest";
import { LineReader } from "../../../src/rdf/ntriples/reader.js";
import { formatTerm, tripleLine, writeNQuads, writeNTriples } from "../../../src/rdf/ntriples/writer.js";
import type { RecordGraph } from "../../../src/rdf/record-graph.js";
import { blank, iri, literal, RDF, type Term, XSD } from "../../../src/rdf/terms.js";
import { forAll, runsOf } from "../../properties.js";
import { ENTITY, graphOf, recordGraph } from "../record-graphs.js";

describe("formatTerm", () => {
  it.each<[Term, string]>([
    [iri("https://example.org/é"), "<https://example.org/é>"],
    [blank("b0"), "_:b0"],
    [literal("plain"), '"plain"'],
    [literal('"\\\n\r'), '"\\"\\\\\\n\\r"'],
    [literal("\t\b\f\0\u007F é 名 😀 '"), '"\t\b\f\0\u007F é 名 😀 \'"'],
    [literal("Bild", RDF.langString, "de-AT"), '"Bild"@de-AT'],
    [literal("1", XSD.integer), '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'],
  ])("%j", (term, text) => {
    expect(formatTerm(term)).toBe(text);
  });
});

describe("the writer", () => {
  const p = iri("http://a/p");
  const graph = graphOf(ENTITY, [
    [iri(ENTITY), p, blank("zz")],
    [blank("other"), p, blank("zz")],
    [blank("zz"), p, literal("x")],
  ]);

  it("labels blank nodes in order of appearance", () => {
    expect(writeNTriples(graph)).toBe(
      `<${ENTITY}> <http://a/p> _:b0 .\n_:b1 <http://a/p> _:b0 .\n_:b0 <http://a/p> "x" .\n`,
    );
  });

  it("gives quads the record's IRI as graph", () => {
    expect(writeNQuads(graph).split("\n")[0]).toBe(`<${ENTITY}> <http://a/p> _:b0 <${ENTITY}> .`);
  });

  it("writes an empty text for an empty record", () => {
    expect(writeNQuads(graphOf(ENTITY, []))).toBe("");
  });

  it("writes text that is read back as the same record", () => {
    forAll([recordGraph], runsOf(1_000), (record) => {
      const text = writeNQuads(record);
      const again = new Map<string, string>();
      const label = (term: Term) => {
        if (term.termType !== "BlankNode") return term;
        if (!again.has(term.value)) again.set(term.value, `b${again.size}`);
        return blank(again.get(term.value)!);
      };
      const read: string[] = [];
      const reader = new LineReader({ source: "x", graphs: true }, (statement) => {
        expect(statement.graph()).toEqual(iri(ENTITY));
        read.push(tripleLine(statement.subject(), statement.predicate(), statement.object()));
      });
      reader.push(Buffer.from(text));
      reader.end();
      expect(read).toEqual(termsOf(record).map(([s, p, o]) => tripleLine(label(s), label(p), label(o))));
      expect(parse(text, { format: "application/n-quads", lenient: true })).toHaveLength(read.length);
    });
  });
});

function termsOf({ terms, triples }: RecordGraph): [Term, Term, Term][] {
  return Array.from({ length: triples.length / 3 }, (_, triple) => [
    terms[triples[triple * 3]!]!,
    terms[triples[triple * 3 + 1]!]!,
    terms[triples[triple * 3 + 2]!]!,
  ]);
}
