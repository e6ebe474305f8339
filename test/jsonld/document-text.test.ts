/** The text written directly from a stored record is the JSON of the document that `frame` gives, byte for byte. */
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DocumentError } from "../../src/jsonld/loss.js";
import type { EncodedGraph } from "../../src/rdf/encoded-graph.js";
import { LineReader } from "../../src/rdf/ntriples/reader.js";
import { type Json, type RecordGraph, RecordGraphBuilder } from "../../src/rdf/record-graph.js";
import { RDF, XSD } from "../../src/rdf/terms.js";
import { decodeGraph, encodedGraph } from "../../src/store/embedded/format/decoding.js";
import { encodeRecord, publishInto } from "../../src/store/embedded/format/encoding.js";
import { SAMPLE } from "../data/sample.js";
import { IS_WHOLE, shareOf } from "../extent.js";
import { forAll, runsOf } from "../properties.js";
import { type JsonObject, readingAt, settings, writer } from "./documents.js";
import { CLASSES, documentsOf, texts } from "./generated.js";

const CORPUS = "../shared/corpus";
const VOLUME = "../shared/volume";
const read = readingAt("https://a.example/");
const CRM = "http://www.cidoc-crm.org/cidoc-crm/";

function stored(graph: RecordGraph): { encoded: () => EncodedGraph; decoded: RecordGraph } {
  const value = encodeRecord({ graph, endpoint: null, label: "", valid: true });
  publishInto(value, { sequence: 1, modified: 0, number: 1, context: graph.context === undefined ? 0 : 1, source: 0 });
  const contextOf = (): Json | undefined => graph.context;
  return { encoded: () => encodedGraph(value, contextOf), decoded: decodeGraph(value, contextOf) };
}

/** The text of the document that `frame` gives, or `undefined` if there is none. */
function framed(graph: RecordGraph): string | undefined {
  try {
    return `${JSON.stringify(writer.document(graph))}\n`;
  } catch {
    return undefined;
  }
}

/** Whether the record was written directly. Fails if its text differs from the framed document's. */
function isWrittenSame(graph: RecordGraph): boolean {
  const { encoded, decoded } = stored(graph);
  const text = writer.text(encoded());
  if (text !== undefined && text !== framed(decoded)) expect(text, graph.iri).toBe(framed(decoded));
  return text !== undefined;
}

/** The number of these documents, and how many of them are written directly. */
async function count(documents: Iterable<Json> | AsyncIterable<Json>): Promise<{ straight: number; all: number }> {
  const counts = { straight: 0, all: 0 };
  for await (const document of documents) {
    try {
      const graph = read(document);
      counts.all++;
      if (isWrittenSame(graph)) counts.straight++;
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
    }
  }
  return counts;
}

function lines(file: string): JsonObject[] {
  const all = readFileSync(`${CORPUS}/${file}`, "utf8").trimEnd().split("\n");
  return all.map((line) => JSON.parse(line) as JsonObject);
}

describe("the text of a document", () => {
  it("is written directly for nearly all of the sample", async () => {
    const documents = [...SAMPLE.values()].map(({ document }) => document as Json);
    expect(documents.length).toBeGreaterThan(500);
    const { straight, all } = await count(shareOf(documents, 3));
    expect(straight / all).toBeGreaterThan(0.95);
  });

  it("is the same for generated documents", () => {
    let straight = 0;
    forAll([documentsOf(CLASSES)], runsOf(4_000), (document) => {
      if (isWrittenSame(read(document))) straight++;
    });
    expect(straight).toBeGreaterThan(0);
  });

  it("is the same for generated graphs", () => {
    forAll([graphs], runsOf(20_000, 400), isNotDifferent);
  });

  it("keeps a number's datatype in the node's own context", () => {
    const builder = new RecordGraphBuilder("https://a.example/1");
    const [root, part] = [builder.iri("https://a.example/1"), builder.blank("p")];
    const type = builder.iri(RDF.type);
    builder.add(root, type, builder.iri(`${CRM}E22_Human-Made_Object`));
    builder.add(root, builder.iri(`${CRM}P43_has_dimension`), part);
    builder.add(part, type, builder.iri(`${CRM}E54_Dimension`));
    builder.add(part, builder.iri(`${CRM}P90_has_value`), builder.literal("1.50", XSD.decimal));
    const text = writer.text(stored(builder.build()).encoded())!;
    const { dimension } = JSON.parse(text) as { dimension: { value: number; "@context": object }[] };
    expect(dimension[0]).toMatchObject({ value: 1.5, "@context": { value: { "@type": "xsd:decimal" } } });
    expect(text).toBe(framed(stored(builder.build()).decoded));
  });

  it("is the same for a long text, and for every control character", () => {
    const builder = new RecordGraphBuilder("https://a.example/1");
    const controls = Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code)).join("");
    for (const text of [controls, `${controls}é眺𐍈`, "x".repeat(300_000)]) {
      builder.add(builder.iri("https://a.example/1"), builder.iri(`${CRM}P3_has_note`), builder.literal(text));
    }
    expect(isWrittenSame(builder.build())).toBe(true);
  });

  it("is the same for a record of very many triples, and for a small one after it", () => {
    const builder = new RecordGraphBuilder("https://a.example/1");
    const [root, note] = [builder.iri("https://a.example/1"), builder.iri(`${CRM}P3_has_note`)];
    for (let at = 0; at < 120_000; at++) builder.add(root, note, builder.literal(`the note that is the ${at}th é`));
    expect(isWrittenSame(builder.build())).toBe(true);
    const small = new RecordGraphBuilder("https://a.example/1");
    small.add(small.iri("https://a.example/1"), small.iri(`${CRM}P3_has_note`), small.literal("é"));
    expect(isWrittenSame(small.build())).toBe(true);
  });
});

describe("the text of a document with shared and repeated nodes", () => {
  const ROOT = "https://a.example/a";
  const [PART, NOTE, VALUE, LIMIT] = [
    "P46_is_composed_of",
    "P3_has_note",
    "P90_has_value",
    "P90a_has_lower_value_limit",
  ].map((name) => CRM + name);
  const TYPE = RDF.type;
  const DECIMAL = (text: string): string => `"${text}^^${XSD.decimal}`;

  /** Triples as `subject predicate object`: blank nodes begin with `_:`, literals with `"`. */
  function record(triples: readonly string[], context?: Json): RecordGraph {
    const builder = new RecordGraphBuilder(ROOT, context);
    const number = (text: string): number => {
      const [value = "", datatype] = text.slice(1).split("^^");
      if (text.startsWith('"')) return builder.literal(value, datatype);
      return text.startsWith("_:") ? builder.blank(text.slice(2)) : builder.iri(text);
    };
    for (const triple of triples) {
      const [subject, predicate, object] = triple.split(" ").map(number);
      builder.add(subject!, predicate!, object!);
    }
    return builder.build();
  }

  const chain = (levels: number): string[] =>
    Array.from({ length: levels }, (_, at) => `${at === 0 ? ROOT : `_:${at}`} ${PART} _:${at + 1}`);
  const diamonds = Array.from({ length: 8 }, (_, at) =>
    ["l", "r"].flatMap((side) => [`urn:${at} ${PART} urn:${at}${side}`, `urn:${at}${side} ${PART} urn:${at + 1}`]),
  ).flat();

  it.each<[what: string, triples: string[], context?: Json]>([
    ["a node within another", [`${ROOT} ${TYPE} ${CRM}E22_Human-Made_Object`, `${ROOT} ${PART} _:a`, `_:a ${NOTE} "x`]],
    [
      "nodes without a class and with several",
      [`${ROOT} ${PART} _:a`, `_:a ${TYPE} urn:C`, `_:a ${TYPE} urn:D`, `_:a ${NOTE} "x`],
    ],
    ["a class that is a property", [`${ROOT} ${TYPE} ${TYPE}`]],
    ["a class that is a text", [`${ROOT} ${TYPE} "x`]],
    ["an IRI that is described in two places", [`${ROOT} ${PART} urn:x`, `${ROOT} urn:p urn:x`, `urn:x ${NOTE} "x`]],
    [
      "IRIs that contexts may read as others",
      [`${ROOT} ${PART} tag:x`, `${ROOT} ${PART} https:x`, `${ROOT} ${PART} http:/`],
    ],
    ["a number of another datatype", [`${ROOT} ${PART} _:a`, `_:a ${VALUE} ${DECIMAL("1.50")}`]],
    [
      "a number and another value",
      [`${ROOT} ${PART} _:a`, `_:a ${VALUE} ${DECIMAL("1.50")}`, `_:a ${LIMIT} "1^^${XSD.integer}`],
    ],
    [
      "two numbers under one key",
      [`${ROOT} ${PART} _:a`, `_:a ${VALUE} ${DECIMAL("1.50")}`, `_:a ${VALUE} ${DECIMAL("2.5")}`],
    ],
    ["numbers of the record itself", [`${ROOT} ${VALUE} ${DECIMAL("1.50")}`, `${ROOT} ${LIMIT} ${DECIMAL("2.5")}`]],
    ["a JSON literal", [`${ROOT} ${NOTE} "[1]^^${RDF.JSON}`]],
    ["500 levels", chain(499)],
  ])("is written directly for %s", (_what, triples, context) => {
    expect(isWrittenSame(record(triples, context))).toBe(true);
  });

  it.each<[what: string, triples: string[], context?: Json]>([
    ["a blank node with two parents", [`${ROOT} ${PART} _:a`, `${ROOT} urn:p _:a`]],
    [
      "a blank node in a node that is written twice",
      [`${ROOT} ${PART} urn:x`, `${ROOT} urn:p urn:x`, `urn:x ${PART} _:a`],
    ],
    ["a node within itself", [`${ROOT} ${PART} urn:x`, `urn:x ${PART} urn:x`]],
    ["the record within itself", [`${ROOT} ${PART} ${ROOT}`]],
    ["a blank node within itself", [`${ROOT} ${NOTE} "x`, `_:a ${PART} _:a`]],
    ["an unreachable node", [`${ROOT} ${NOTE} "x`, `urn:x ${NOTE} "x`]],
    ["the empty list", [`${ROOT} ${PART} ${RDF.nil}`]],
    ["a list", [`${ROOT} ${PART} _:a`, `_:a ${RDF.first} "x`, `_:a ${RDF.rest} ${RDF.nil}`]],
    ["the first of a list", [`${ROOT} ${RDF.first} "x`]],
    ["the rest of a list", [`${ROOT} ${RDF.rest} "x`]],
    [
      "two numbers of other datatypes",
      [`${ROOT} ${PART} _:a`, `_:a ${VALUE} ${DECIMAL("1.50")}`, `_:a ${LIMIT} ${DECIMAL("2.5")}`],
    ],
    [
      "a number of another datatype around a node that has the key",
      [`${ROOT} ${PART} _:a`, `_:a ${VALUE} ${DECIMAL("1.50")}`, `_:a ${PART} _:b`, `_:b ${VALUE} "x`],
    ],
    [
      "a number of another datatype around JSON that has the key",
      [`${ROOT} ${PART} _:a`, `_:a ${VALUE} ${DECIMAL("1.50")}`, `_:a ${NOTE} "{"value":1}^^${RDF.JSON}`],
    ],
    ["501 levels", chain(500)],
    [
      "a long text of a node that many others refer to",
      [
        ...Array.from({ length: 40 }, (_, at) => [`${ROOT} ${PART} _:${at}`, `_:${at} ${PART} urn:hub`]).flat(),
        `urn:hub ${NOTE} "${"é".repeat(1_000)}`,
      ],
    ],
    ["more than ten values per triple", [`${ROOT} ${PART} urn:0`, ...diamonds, `urn:8 ${NOTE} "x`]],
    [
      "an IRI that a prefix would turn into another, before a text that completes it",
      [`${ROOT} urn:p urn:x`, `${ROOT} urn:p http:/`, `${ROOT} urn:p "/x`],
      { http: { "@id": "urn:h:", "@prefix": true } },
    ],
    ["a key that JavaScript puts first", [`${ROOT} urn:x:1 "x`], [settings.model.contextUri, { "@vocab": "urn:x:" }]],
    ["a language map", [`${ROOT} urn:p "x`], { p: { "@id": "urn:p", "@container": "@language" } }],
    ["nested keys", [`${ROOT} urn:p "x`], { p: { "@id": "urn:p", "@nest": "@nest" } }],
    ["a term for JSON", [`${ROOT} urn:p "[]^^${RDF.JSON}`], { p: { "@id": "urn:p", "@type": "@json" } }],
  ])("is left to `frame` for %s", (_what, triples, context) => {
    expect(isWrittenSame(record(triples, context))).toBe(false);
  });
});

const isNotDifferent = (graph: RecordGraph): void => void isWrittenSame(graph);

/** Terms that plans treat differently, in graphs of any shape. */
const iris = fc.constantFrom(
  ...["a", "b", "c"].map((name) => `https://a.example/${name}`),
  "http://vocab.getty.edu/aat/300404670",
  ...["urn:x", "crm:P1", "http:/", "https:x", RDF.nil, "tag:é", "crm:P1_is_identified_by", "https:/more-than-that"],
);
const predicates = fc.constantFrom(
  ...["P3_has_note", "P90_has_value", "P2_has_type", "P46_is_composed_of", "P108i_was_produced_by", "P999_x"].map(
    (name) => CRM + name,
  ),
  ...["http://www.w3.org/2000/01/rdf-schema#label", "http://a.example/1", "urn:p", "http://a.example/__proto__"],
  ...[RDF.first, RDF.rest, RDF.type],
);
const datatypes = fc.constantFrom(
  ...[XSD.string, XSD.boolean, XSD.integer, XSD.decimal, XSD.double, XSD.dateTime, RDF.JSON, "urn:d"],
);
const lexicals = fc.oneof(
  texts,
  fc.constantFrom("1", "007", "1.5", "1.50", "-0", "true", "[1]", "1E0", "9".repeat(20)),
);
const literals = fc.tuple(
  lexicals.filter((text) => text.isWellFormed()),
  datatypes,
  fc.constantFrom("", "", "en", "NL"),
);
const classes = ["E22_Human-Made_Object", "E54_Dimension", "E13_Attribute_Assignment", "E55_Type"].map(
  (name) => CRM + name,
);
const nodes = fc.oneof(iris, fc.constantFrom("_:a", "_:b", "_:c", "_:d"));
const triples = fc.tuple(
  fc.oneof({ weight: 3, arbitrary: fc.constant("https://a.example/a") }, nodes),
  predicates,
  fc.oneof(nodes, literals, fc.constantFrom(...classes)),
);
const graphs = fc.array(triples, { minLength: 1, maxLength: 12 }).map((all): RecordGraph => {
  const builder = new RecordGraphBuilder("https://a.example/a");
  const node = (name: string): number => (name.startsWith("_:") ? builder.blank(name.slice(2)) : builder.iri(name));
  for (const [subject, predicate, object] of all) {
    const number = typeof object === "string" ? node(object) : builder.literal(...object);
    builder.add(node(subject), builder.iri(predicate), number);
  }
  return builder.build();
});

describe.skipIf(!existsSync(CORPUS))("the text of a document (skipped: ../shared/corpus is not there)", () => {
  it.each(["official.jsonl", "museums.jsonl", "messy.jsonl"])("is the same for %s", async (file) => {
    const { straight, all } = await count(shareOf(lines(file), 4));
    expect(straight / all).toBeGreaterThan(0.9);
  });

  it("is the same for the quads of examples.nq", () => {
    const builders = new Map<string, RecordGraphBuilder>();
    const quads = new LineReader({ source: "examples.nq", graphs: true }, (statement) => {
      const { value } = statement.graph()!;
      const builder = builders.get(value) ?? new RecordGraphBuilder(value);
      builders.set(value, builder);
      const [subject, predicate, object] = [statement.subject(), statement.predicate(), statement.object()];
      builder.add(builder.term(subject), builder.term(predicate), builder.term(object));
    });
    quads.push(readFileSync(`${CORPUS}/examples.nq`));
    quads.end();
    const straight = [...builders.values()].filter((builder) => isWrittenSame(builder.build())).length;
    expect(straight / builders.size).toBeGreaterThan(0.9);
  });
});

/** The number of lines read of each museum's records. One in a hundred is used. */
const MOST_LINES = IS_WHOLE ? Number.POSITIVE_INFINITY : 3_000;

describe.skipIf(!existsSync(VOLUME))("the text of a document (skipped: ../shared/volume is not there)", () => {
  it.each(["cma", "moma-exhibitions", "nga"])("is the same for a share of %s", async (name) => {
    const stream = createReadStream(`${VOLUME}/${name}.jsonl.gz`).pipe(createGunzip());
    async function* share(): AsyncIterable<Json> {
      let at = 0;
      for await (const line of createInterface({ input: stream })) {
        if (at === MOST_LINES) break;
        if (at++ % 100 === 0) yield JSON.parse(line) as Json;
      }
    }
    const { straight, all } = await count(share());
    expect(straight / all).toBeGreaterThan(0.95);
  });
});
