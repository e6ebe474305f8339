/** The writer of Turtle: form, abbreviations, nesting, and reading back by two independent parsers. */
import { existsSync, readFileSync } from "node:fs";
import { Parser } from "n3";
import { parse } from "oxigraph";
import { describe, expect, it } from "vitest";
import { LineReader } from "../../../src/rdf/ntriples/reader.js";
import { type RecordGraph, RecordGraphBuilder, tripleCount } from "../../../src/rdf/record-graph.js";
import { blank, iri, literal, RDF, RDFS_LABEL, type Term, XSD } from "../../../src/rdf/terms.js";
import { writeTrig, writeTurtle } from "../../../src/rdf/turtle/writer.js";
import { canonical, plainQuads } from "../../canonical.js";
import { shareOf } from "../../extent.js";
import { forAll, forAllAsync, runsOf } from "../../properties.js";
import { ENTITY, graphOf, graphOfQuads, recordGraph } from "../record-graphs.js";

const PREFIXES = {
  ex: "https://example.org/",
  o: "https://example.org/object/",
  crm: "http://www.cidoc-crm.org/cidoc-crm/",
  rdf: "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
  rdfs: "http://www.w3.org/2000/01/rdf-schema#",
  xsd: "http://www.w3.org/2001/XMLSchema#",
  aat: "http://vocab.getty.edu/aat/",
};

function byOxigraph(turtle: string): RecordGraph {
  // Lenient, because records may have IRIs that Turtle's grammar allows and RFC 3987 does not.
  return graphOfQuads(parse(turtle, { format: "text/turtle", lenient: true }));
}

function byN3(turtle: string): RecordGraph {
  return graphOfQuads(new Parser({ format: "text/turtle" }).parse(turtle));
}

async function expectRoundTrip(graph: RecordGraph): Promise<void> {
  const turtle = writeTurtle(graph, PREFIXES);
  const expected = await canonical(plainQuads(graph));
  expect(await canonical(plainQuads(byOxigraph(turtle))), turtle).toBe(expected);
  expect(await canonical(plainQuads(byN3(turtle))), turtle).toBe(expected);
}

const object = iri(ENTITY);
const p = iri("https://example.org/p");
const q = iri("https://example.org/q");
const type = iri(RDF.type);
const label = iri(RDFS_LABEL);

/** The text after the prefixes. */
function body(triples: readonly (readonly [Term, Term, Term])[]): string {
  const graph = graphOf(ENTITY, triples);
  return writeTurtle(graph, PREFIXES).replace(/^(?:@prefix .*\n)*\n?/, "");
}

describe("the text", () => {
  it("has the entity and its class first, nests blank nodes, and then has other nodes in order of mention", () => {
    const name = blank("n");
    const set = iri("https://example.org/set/1");
    const aat = iri("http://vocab.getty.edu/aat/300404670");
    const identifiedBy = iri("http://www.cidoc-crm.org/cidoc-crm/P1_is_identified_by");
    const graph = graphOf(ENTITY, [
      [set, label, literal("A set")],
      [object, label, literal("A chair")],
      [object, identifiedBy, name],
      [object, type, iri("http://www.cidoc-crm.org/cidoc-crm/E22_Human-Made_Object")],
      [name, p, aat],
      [name, type, iri("http://www.cidoc-crm.org/cidoc-crm/E33_E41_Linguistic_Appellation")],
      [object, p, set],
      [object, p, literal("two")],
      [aat, type, iri("http://www.cidoc-crm.org/cidoc-crm/E55_Type")],
    ]);
    expect(writeTurtle(graph, PREFIXES)).toBe(`@prefix ex: <https://example.org/> .
@prefix o: <https://example.org/object/> .
@prefix crm: <http://www.cidoc-crm.org/cidoc-crm/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix aat: <http://vocab.getty.edu/aat/> .

o:1 a crm:E22_Human-Made_Object ;
    rdfs:label "A chair" ;
    crm:P1_is_identified_by [
        a crm:E33_E41_Linguistic_Appellation ;
        ex:p aat:300404670
    ] ;
    ex:p <https://example.org/set/1>, "two" .

aat:300404670 a crm:E55_Type .

<https://example.org/set/1> rdfs:label "A set" .
`);
  });

  it.each<[what: string, triples: (readonly [Term, Term, Term])[], text: string]>([
    ["nothing", [], ""],
    ["a blank node without triples", [[object, p, blank("a")]], "o:1 ex:p [] .\n"],
    [
      "a shared blank node without triples",
      [
        [object, p, blank("a")],
        [object, q, blank("a")],
      ],
      "o:1 ex:p _:b0 ;\n    ex:q _:b0 .\n",
    ],
    [
      "two parents",
      [
        [object, p, blank("a")],
        [object, q, blank("a")],
        [blank("a"), p, literal("x")],
      ],
      'o:1 ex:p _:b0 ;\n    ex:q _:b0 .\n\n_:b0 ex:p "x" .\n',
    ],
    ["no parent", [[blank("a"), p, literal("x")]], '[] ex:p "x" .\n'],
    ["a node that is its own parent", [[blank("a"), p, blank("a")]], "_:b0 ex:p _:b0 .\n"],
    [
      "a cycle",
      [
        [blank("a"), p, blank("b")],
        [blank("b"), p, blank("a")],
      ],
      "_:b0 ex:p [\n        ex:p _:b0\n    ] .\n",
    ],
    [
      "a cycle reachable from the entity",
      [
        [object, p, blank("a")],
        [blank("a"), p, blank("b")],
        [blank("b"), p, blank("a")],
      ],
      "o:1 ex:p _:b0 .\n\n_:b0 ex:p [\n        ex:p _:b0\n    ] .\n",
    ],
    [
      "the entity within",
      [
        [object, p, blank("a")],
        [blank("a"), p, object],
      ],
      "o:1 ex:p [\n        ex:p o:1\n    ] .\n",
    ],
    [
      "two nested objects",
      [
        [object, p, blank("a")],
        [object, p, blank("b")],
        [blank("a"), q, literal("1")],
        [blank("b"), q, literal("2")],
      ],
      'o:1 ex:p [\n        ex:q "1"\n    ], [\n        ex:q "2"\n    ] .\n',
    ],
    [
      "many objects",
      "abcd".split("").map((letter) => [object, p, literal(letter.repeat(30))] as const),
      `o:1 ex:p\n        ${"abcd"
        .split("")
        .map((letter) => `"${letter.repeat(30)}"`)
        .join(",\n        ")} .\n`,
    ],
  ])("has the right form for %s", (_, triples, text) => {
    expect(body(triples)).toBe(text);
  });

  it.each<[Term, string]>([
    [iri("https://example.org/a.b-c_1"), "ex:a.b-c_1"],
    [iri("https://example.org/object/1"), "o:1"],
    [iri("https://example.org/"), "<https://example.org/>"],
    [iri("https://example.org/a."), "<https://example.org/a.>"],
    [iri("https://example.org/-a"), "<https://example.org/-a>"],
    [iri("https://example.org/a%20b"), "<https://example.org/a%20b>"],
    [iri("https://example.org/a/b"), "<https://example.org/a/b>"],
    [iri("https://example.org/名"), "<https://example.org/名>"],
    [iri(RDF.type), "rdf:type"],
    [literal("x"), '"x"'],
    [literal("é 名 😀 '"), '"é 名 😀 \'"'],
    [literal('a"b\\c\td\re\u0000\u007F\uFEFF'), '"a\\"b\\\\c\\td\\re\\u0000\\u007F\\uFEFF"'],
    [literal('one\n\t"two" ""three"""\r'), '"""one\n\t"two" \\""three\\"\\""\\r"""'],
    [literal('\n"'), '"""\n\\""""'],
    [literal("x", RDF.langString, "de-AT"), '"x"@de-AT'],
    [literal("-12", XSD.integer), "-12"],
    [literal("007", XSD.integer), "007"],
    [literal("1.50", XSD.decimal), "1.50"],
    [literal("1.5E-3", XSD.double), "1.5E-3"],
    [literal("true", XSD.boolean), "true"],
    [literal("1.", XSD.decimal), '"1."^^xsd:decimal'],
    [literal("1", XSD.decimal), '"1"^^xsd:decimal'],
    [literal("1.5", XSD.double), '"1.5"^^xsd:double'],
    [literal("INF", XSD.double), '"INF"^^xsd:double'],
    [literal("1", XSD.boolean), '"1"^^xsd:boolean'],
    [literal("1\n", XSD.integer), '"""1\n"""^^xsd:integer'],
    [literal("2020-01-01T00:00:00Z", XSD.dateTime), '"2020-01-01T00:00:00Z"^^xsd:dateTime'],
    [literal("x", "urn:x"), '"x"^^<urn:x>'],
  ])("has %j in a form that is read back", async (term, text) => {
    expect(body([[object, p, term]])).toBe(`o:1 ex:p ${text} .\n`);
    await expectRoundTrip(graphOf(ENTITY, [[object, p, term]]));
  });

  it("declares no prefix that it does not use", () => {
    expect(writeTurtle(graphOf(ENTITY, [[object, iri("urn:p"), literal("x")]]), PREFIXES)).toBe(
      '@prefix o: <https://example.org/object/> .\n\no:1 <urn:p> "x" .\n',
    );
    expect(writeTurtle(graphOf(ENTITY, [[object, p, literal("x")]]), {})).toBe(
      `<${ENTITY}> <https://example.org/p> "x" .\n`,
    );
  });
});

describe("reading back", () => {
  it("gives the same graph, whatever its shape", async () => {
    await forAllAsync([recordGraph], runsOf(2_000), expectRoundTrip);
  });

  it("gives the same graph from TriG, all in the graph with the record's IRI", async () => {
    await forAllAsync([recordGraph], runsOf(1_000), async (graph) => {
      const quads = parse(writeTrig(graph, PREFIXES), { format: "application/trig", lenient: true });
      expect(new Set(quads.map((quad) => quad.graph.value))).toEqual(
        new Set(tripleCount(graph) === 0 ? [] : [graph.iri]),
      );
      expect(await canonical(plainQuads(graphOfQuads(quads)))).toBe(await canonical(plainQuads(graph)));
    });
  });

  it("starts from the same text for the same record", () => {
    forAll([recordGraph], runsOf(1_000), (graph) => {
      expect(writeTurtle(graph, PREFIXES)).toBe(writeTurtle(structuredClone(graph), PREFIXES));
    });
  });

  it("works for 10,000 levels", async () => {
    const triples = Array.from({ length: 10_000 }, (_, level) => {
      const subject = level === 0 ? object : blank(`x${level}`);
      return [subject, p, blank(`x${level + 1}`)] as const;
    });
    const turtle = writeTurtle(graphOf(ENTITY, triples), PREFIXES);
    expect(turtle.length).toBeLessThan(10_000 * 400);
    expect(tripleCount(byOxigraph(turtle))).toBe(10_000);
    expect(tripleCount(byN3(turtle))).toBe(10_000);
  });

  it("works for a record of 30,000 triples", () => {
    const triples = Array.from({ length: 30_000 }, (_, index) =>
      index % 2 === 0
        ? ([object, p, blank(`x${index}`)] as const)
        : ([blank(`x${index - 1}`), q, literal("x")] as const),
    );
    expect(tripleCount(byOxigraph(writeTurtle(graphOf(ENTITY, triples), PREFIXES)))).toBe(30_000);
  });

  const examples = new URL("../../../../shared/corpus/examples.nq", import.meta.url);
  it.skipIf(!existsSync(examples))(
    "gives the same graph for every example of the corpus (needs ../shared)",
    async () => {
      const builders = new Map<string, RecordGraphBuilder>();
      const reader = new LineReader({ source: "examples.nq", graphs: true }, (statement) => {
        const { value } = statement.graph()!;
        const builder = builders.get(value) ?? new RecordGraphBuilder(value);
        builders.set(value, builder);
        builder.add(
          builder.term(statement.subject()),
          builder.term(statement.predicate()),
          builder.term(statement.object()),
        );
      });
      reader.push(readFileSync(examples));
      reader.end();
      expect(builders.size).toBeGreaterThan(200);
      for (const builder of shareOf([...builders.values()])) await expectRoundTrip(builder.build());
    },
  );
});
