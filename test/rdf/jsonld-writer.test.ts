/** The writer of flattened JSON-LD: its form, and reading back with jsonld.js. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { writeJsonLd } from "../../src/rdf/jsonld-writer.js";
import { blank, iri, literal, RDF, XSD } from "../../src/rdf/terms.js";
import { canonical, plainQuads } from "../canonical.js";
import { reference } from "../jsonld/reference.js";
import { forAllAsync, runsOf } from "../properties.js";
import { ENTITY, graphOf, recordGraph } from "./record-graphs.js";

/** Prefixes. `urn` is also a scheme of IRIs, and `crm` cannot be a prefix, since its IRI ends in a digit. */
const PREFIXES = {
  o: "https://example.org/object/",
  ex: "https://example.org/",
  urn: "urn:x:",
  crm: "http://www.cidoc-crm.org/cidoc-crm/P1",
  xsd: "http://www.w3.org/2001/XMLSchema#",
};

it("the text has a line for each subject, and the prefixes that it uses", () => {
  const [object, p] = [iri(ENTITY), iri("https://example.org/p")];
  const graph = graphOf(ENTITY, [
    [object, iri(RDF.type), iri("https://example.org/C")],
    [object, iri(RDF.type), blank("c")],
    [object, iri(RDF.type), literal("no class")],
    [object, p, literal("x")],
    [blank("b"), p, literal("x", undefined, "en-GB")],
    [object, p, literal("1.50", XSD.decimal)],
    [object, p, blank("b")],
    [object, iri("urn:x:p"), iri(`${ENTITY}/a b`)],
    [object, iri("https://example.org/a/b"), literal("1")],
    [object, iri("https://example.org/a."), literal("2")],
  ]);
  expect(writeJsonLd(graph, PREFIXES)).toBe(
    `{"@context":{"ex":"https://example.org/","xsd":"http://www.w3.org/2001/XMLSchema#"},"@graph":[
{"@id":"${ENTITY}","@type":["ex:C","_:c"],"${RDF.type}":["no class"],"ex:p":["x",{"@value":"1.50","@type":"xsd:decimal"},{"@id":"_:b"}],"urn:x:p":[{"@id":"${ENTITY}/a b"}],"https://example.org/a/b":["1"],"https://example.org/a.":["2"]},
{"@id":"_:b","ex:p":[{"@value":"x","@language":"en-GB"}]}
]}
`,
  );
});

it("the text declares no prefix that is the scheme of a datatype", () => {
  const [object, odd] = [iri(ENTITY), literal("", "urn:x:1")];
  expect(writeJsonLd(graphOf(ENTITY, [[object, object, odd]]), PREFIXES)).not.toContain('"urn":');
});

it("the text states the same triples to jsonld.js", async () => {
  await forAllAsync([recordGraph], runsOf(2_000), async (graph) => {
    // jsonld.js gives the canonical form of doubles.
    fc.pre(graph.terms.every(({ datatype }) => datatype !== XSD.double));
    const quads = await reference.toRDF(JSON.parse(writeJsonLd(graph, PREFIXES)), {});
    expect(await canonical(quads)).toBe(await canonical(plainQuads(graph)));
  });
});
