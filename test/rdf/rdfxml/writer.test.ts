/** The writer of RDF/XML: its form, what it cannot express, and reading back by two independent parsers. */
import { parse } from "oxigraph";
import { RdfXmlParser } from "rdfxml-streaming-parser";
import { describe, expect, it } from "vitest";
import { InexpressibleError } from "../../../src/rdf/inexpressible.js";
import { expressesInRdfXml, writeRdfXml } from "../../../src/rdf/rdfxml/writer.js";
import type { RecordGraph } from "../../../src/rdf/record-graph.js";
import { blank, iri, literal, RDF, RDFS_LABEL, XSD } from "../../../src/rdf/terms.js";
import { canonical, plainQuads } from "../../canonical.js";
import { forAllAsync, runsOf } from "../../properties.js";
import { ENTITY, graphOf, graphOfQuads, type RdfJsTerm, recordGraph } from "../record-graphs.js";

const PREFIXES = { crm: "http://www.cidoc-crm.org/cidoc-crm/", rdfs: "http://www.w3.org/2000/01/rdf-schema#" };

type Quad = Record<"subject" | "predicate" | "object", RdfJsTerm>;

function byOxigraph(xml: string): RecordGraph {
  return graphOfQuads(parse(xml, { format: "application/rdf+xml", lenient: true }));
}

function byStreamingParser(xml: string): Promise<RecordGraph> {
  return new Promise((resolve, reject) => {
    const quads: Quad[] = [];
    const parser = new RdfXmlParser({ validateUri: false });
    parser.on("data", (quad: Quad) => quads.push(quad));
    parser.on("error", reject);
    parser.on("end", () => resolve(graphOfQuads(quads)));
    parser.end(xml);
  });
}

const object = iri(ENTITY);
const label = iri(RDFS_LABEL);

describe("the text", () => {
  it("describes the entity first, declares the namespaces used, and keeps lexical forms", () => {
    const node = blank("x");
    const graph = graphOf(ENTITY, [
      [node, iri("https://example.org/ns#width"), literal("1.50", XSD.decimal)],
      [object, iri(RDF.type), iri(`${PREFIXES.crm}E22_Human-Made_Object`)],
      [object, label, literal('Jar & <"lid">\r\n', RDF.langString, "en-GB")],
      [object, label, literal("Jar")],
      [object, iri(`${PREFIXES.crm}P43_has_dimension`), node],
    ]);
    expect(writeRdfXml(graph, PREFIXES)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<rdf:RDF
    xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#"
    xmlns:crm="http://www.cidoc-crm.org/cidoc-crm/"
    xmlns:ns2="https://example.org/ns#">
  <rdf:Description rdf:about="${ENTITY}">
    <rdf:type rdf:resource="http://www.cidoc-crm.org/cidoc-crm/E22_Human-Made_Object"/>
    <rdfs:label xml:lang="en-GB">Jar &amp; &lt;&quot;lid&quot;&gt;&#xD;
</rdfs:label>
    <rdfs:label>Jar</rdfs:label>
    <crm:P43_has_dimension rdf:nodeID="b0"/>
  </rdf:Description>
  <rdf:Description rdf:nodeID="b0">
    <ns2:width rdf:datatype="http://www.w3.org/2001/XMLSchema#decimal">1.50</ns2:width>
  </rdf:Description>
</rdf:RDF>
`);
  });
});

describe("what RDF/XML cannot express", () => {
  const refused: [string, RecordGraph, RegExp][] = [
    ["a property that ends in #", graphOf(ENTITY, [[object, iri("https://example.org/ns#"), object]]), /ns#>/],
    ["a property that ends in a number", graphOf(ENTITY, [[object, iri("https://example.org/12"), object]]), /12>/],
    [
      "a property that the syntax uses itself",
      graphOf(ENTITY, [[object, iri(`${RDF.type.slice(0, -4)}li`), object]]),
      /#li>/,
    ],
    [
      "a property in the namespace of declarations",
      graphOf(ENTITY, [[object, iri("http://www.w3.org/2000/xmlns/lang"), object]]),
      /lang>/,
    ],
    ["a control character", graphOf(ENTITY, [[object, label, literal("a\u000Bb")]]), /U\+000B/],
    ["half a surrogate pair", graphOf(ENTITY, [[object, label, literal("a\uD83D")]]), /U\+D83D/],
    ["a noncharacter in an IRI", graphOf(ENTITY, [[object, label, iri("https://example.org/\uFFFE")]]), /U\+FFFE/],
  ];
  it.each(refused)("is %s", (_what, graph, message) => {
    expect(() => writeRdfXml(graph, PREFIXES)).toThrow(InexpressibleError);
    expect(() => writeRdfXml(graph, PREFIXES)).toThrow(message);
    expect(expressesInRdfXml(graph)).toBe(false);
  });
});

describe("reading back", () => {
  it("gives the same triples with two parsers, unless the record is refused", async () => {
    let written = 0;
    await forAllAsync([recordGraph], runsOf(500), async (graph) => {
      let xml: string;
      try {
        xml = writeRdfXml(graph, PREFIXES);
      } catch (error) {
        if (!(error instanceof InexpressibleError)) throw error;
        expect(expressesInRdfXml(graph)).toBe(false);
        return;
      }
      expect(expressesInRdfXml(graph)).toBe(true);
      written++;
      const expected = await canonical(plainQuads(graph));
      expect(await canonical(plainQuads(byOxigraph(xml))), xml).toBe(expected);
      expect(await canonical(plainQuads(await byStreamingParser(xml))), xml).toBe(expected);
    });
    expect(written).toBeGreaterThan(10);
  });
});

it("tells in linear time that a long property cannot be an element", () => {
  const property = iri(`https://example.org/${"a".repeat(500_000)}/`);
  const graph = graphOf(ENTITY, [[iri(ENTITY), property, literal("1")]]);
  expect(expressesInRdfXml(graph)).toBe(false);
});
