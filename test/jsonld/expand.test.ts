import { describe, expect, it, vi } from "vitest";
import { MAX_DEPTH } from "../../src/jsonld/json-values.js";
import { KeyPlans } from "../../src/jsonld/key-plan.js";
import { DocumentError } from "../../src/jsonld/loss.js";
import { parseJson, writeJson } from "../../src/jsonld/native.js";
import { formatTerm } from "../../src/rdf/ntriples/writer.js";
import { type Json, tripleCount } from "../../src/rdf/record-graph.js";
import { XSD } from "../../src/rdf/terms.js";
import { canonical, plainQuads } from "../canonical.js";
import { CONTEXT_URI, graphOf, type JsonObject, reader, readingAt } from "./documents.js";

const ID = "https://example.org/object/1";

function record(rest: JsonObject): JsonObject {
  return { "@context": CONTEXT_URI, id: ID, type: "HumanMadeObject", ...rest };
}

async function lossesOf(rest: JsonObject): Promise<readonly { path: string; problem: string }[]> {
  try {
    await reader.read(record(rest));
  } catch (error) {
    if (error instanceof DocumentError) return error.losses;
    throw error;
  }
  return [];
}

describe("a document that would lose something", () => {
  it("is refused with all its problems, not only the first", async () => {
    const losses = await lossesOf({ label: "x", made_of: ["oak", "ash"], produced_by: { type: "Making" } });
    expect(losses.map(({ path }) => path)).toEqual(["label", "made_of[0]", "made_of[1]", "produced_by/type"]);
  });

  it("gets suggestions only for its first unknown keys and classes", async () => {
    const looks = [vi.spyOn(KeyPlans.prototype, "suggestedProperty"), vi.spyOn(KeyPlans.prototype, "suggestedClass")];
    const names = Array.from({ length: 1_000 }, (_, at) => `label${at}`);
    const keys = await lossesOf(Object.fromEntries(names.map((name) => [name, "x"])));
    const classes = await lossesOf({ type: names });
    expect([keys, classes].map(({ length }) => length)).toEqual([20, 20]);
    expect(looks.map(({ mock }) => mock.calls.length)).toEqual([20, 20]);
    for (const look of looks) look.mockRestore();
  });

  it.each<[string, Json, RegExp]>([
    ["not an object", [], /not a JSON object/],
    ["no @context", { id: ID }, /@context: is missing: write "@context": "https:/],
    ["no id", { "@context": CONTEXT_URI, type: "Set" }, /id: is missing/],
    ["a relative id", { "@context": CONTEXT_URI, id: "object/1" }, /is relative: give --base-url/],
    [
      "a blank node's id",
      { "@context": CONTEXT_URI, id: "_:b0", type: "Set" },
      /give it an IRI, or nest it in the record that/,
    ],
    ["nothing but an id", { "@context": CONTEXT_URI, id: ID }, /says nothing about its entity/],
    ["an unknown context", { "@context": "https://example.org/c.json", id: ID }, /give it with --context/],
  ])("is refused: %s", async (_name, document, message) => {
    await expect(async () => reader.read(document)).rejects.toThrow(message);
  });
});

describe("a value without meaning", () => {
  it("is no loss if it is null or an empty array, even under an unknown key", async () => {
    expect(await lossesOf({ label: null, depicts_what: [], about: [], _label: null, made_of: [null] })).toEqual([]);
  });

  it("is dropped and counted under an unknown key that begins with _", async () => {
    const { graph, droppedKeys } = await reader.read(
      record({ _links: { self: "x" }, _complete: true, produced_by: { type: "Production", _seq: 1 } }),
    );
    expect(droppedKeys).toBe(3);
    expect(tripleCount(graph)).toBe(3);
  });
});

describe("the reading of JSON-LD", () => {
  const P = "https://example.org/p";
  const literals = async (context: JsonObject, rest: JsonObject): Promise<string[]> => {
    const graph = graphOf({ ...record(rest), "@context": [context, CONTEXT_URI] });
    return graph.terms.filter(({ termType }) => termType === "Literal").map(formatTerm);
  };
  const NUMBERS = '[1e-7, 5e-324, 0.30000000000000004, 9007199254740993, {"@value": "en", "@language": "en-GB"}]';
  const AS_THEY_ARE = [
    '"1.0E-7"^^<http://www.w3.org/2001/XMLSchema#double>',
    '"4.940656458412465E-324"^^<http://www.w3.org/2001/XMLSchema#double>',
    '"3.0000000000000004E-1"^^<http://www.w3.org/2001/XMLSchema#double>',
    '"9007199254740993"^^<http://www.w3.org/2001/XMLSchema#integer>',
    '"en"@en-GB',
  ];

  it.each<[string, JsonObject, string]>([
    ["a property", {}, `{"${P}": ${NUMBERS}}`],
    ["a list", {}, `{"${P}": {"@list": ${NUMBERS}}}`],
    ["a term of lists", { p: { "@id": P, "@container": "@list" } }, `{"p": ${NUMBERS}}`],
    ["a set", {}, `{"${P}": {"@set": ${NUMBERS}}}`],
    ["a nested object", { n: "@nest" }, `{"n": {"${P}": ${NUMBERS}}}`],
    ["a reverse property", {}, `{"@reverse": {"${P}": {"id": "urn:x", "${P}/2": ${NUMBERS}}}}`],
    ["an id map", { p: { "@id": P, "@container": "@id" } }, `{"p": {"urn:x": {"${P}/2": ${NUMBERS}}}}`],
    ["a type map", { p: { "@id": P, "@container": "@type" } }, `{"p": {"Type": {"${P}/2": ${NUMBERS}}}}`],
    ["@included", {}, `{"@included": [{"id": "urn:x", "${P}/2": ${NUMBERS}}]}`],
  ])("keeps numbers and language tags in %s", async (_name, context, rest) => {
    expect(await literals(context, parseJson(rest) as JsonObject)).toEqual(AS_THEY_ARE);
  });

  it("puts the values of arrays and sets in a list into the list, as specified", async () => {
    const lists = [
      [1, [2, [3]], 4],
      [1, { "@set": [2, { "@set": 3 }] }, 4],
      [[1, 2], { "@set": [3, 4] }],
    ];
    const [flat, ...others] = await Promise.all(
      [[1, 2, 3, 4], ...lists].map(async (list) =>
        canonical(plainQuads(graphOf(record({ [P]: { "@list": list as Json } })))),
      ),
    );
    for (const other of others) expect(other).toBe(flat);
    const beside = await lossesOf({ [P]: { "@list": [1, { "@set": [{ label: "x" }], [P]: 2 }] } });
    expect(beside.map(({ path }) => path)).toEqual([`${P}/@list[1]/${P}`, `${P}/@list[1]/@set[0]/label`]);
  });

  it("allows null and empty arrays under unknown keys, beside a list, too", async () => {
    const lists = { [P]: { "@list": [1] }, label: null, depicts_what: [] };
    expect(await lossesOf(lists)).toEqual([]);
  });

  it("gives the type of a term precedence over its language", async () => {
    expect(await literals({ p: { "@id": P, "@type": "@none", "@language": "nl" } }, { p: "x" })).toEqual(['"x"']);
  });

  it("gives the type of a term precedence over a default language", async () => {
    const rest = { timespan: { type: "TimeSpan", begin_of_the_begin: "1889-01-01T00:00:00Z" } };
    expect(await literals({ "@language": "nl" }, rest)).toEqual([
      '"1889-01-01T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>',
    ]);
  });

  it("lets a property-scoped context redefine its own property, as specified", async () => {
    const scoped = { p: { "@id": P, "@context": { p: { "@id": P, "@type": `${XSD.string.slice(0, -6)}gYear` } } } };
    expect(await literals(scoped, { p: "1889" })).toEqual(['"1889"^^<http://www.w3.org/2001/XMLSchema#gYear>']);
  });

  it.each<[string, JsonObject, string, string]>([
    [
      "in a value object with a type",
      {},
      `{"${P}": {"@value": 12345678901234567890, "@type": "xsd:decimal"}}`,
      "decimal",
    ],
    ["under a term of decimals", { p: { "@id": P, "@type": XSD.decimal } }, '{"p": 12345678901234567890}', "decimal"],
    ["under a term of doubles", { p: { "@id": P, "@type": XSD.double } }, '{"p": 12345678901234567890}', "double"],
  ])("keeps the digits of a long integer %s", async (_name, context, rest, datatype) => {
    expect(await literals(context, parseJson(rest) as JsonObject)).toEqual([
      `"12345678901234567890"^^<http://www.w3.org/2001/XMLSchema#${datatype}>`,
    ]);
  });

  it("keeps the digits of a long integer in a JSON literal", async () => {
    const json = { p: { "@id": P, "@type": "@json" } };
    expect(await literals(json, parseJson('{"p": {"b": [12345678901234567890], "a": null}}') as JsonObject)).toEqual([
      '"{\\"a\\":null,\\"b\\":[12345678901234567890]}"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON>',
    ]);
  });

  it("keeps decimals, without an exponent", async () => {
    const context = { p: { "@id": P, "@type": XSD.decimal } };
    const decimals = ["2.15", "0.0000001", "-12.5"].map((number) => `"${number}"^^<${XSD.decimal}>`);
    expect(await literals(context, { p: [2.15, 1e-7, -12.5] })).toEqual(decimals);
  });

  it("needs no context for expanded documents", async () => {
    const { graph } = await reader.read({ "@id": ID, [P]: [{ "@value": "x" }], "@type": ["urn:class"] });
    expect([tripleCount(graph), graph.context]).toEqual([2, undefined]);
  });
});

describe("ids", () => {
  it("are resolved against the base URL if they are relative", () => {
    const graph = readingAt("https://museum.example/data/")({
      "@context": CONTEXT_URI,
      id: "object/1",
      type: "HumanMadeObject",
      made_of: [{ id: "../oak", type: "Material" }],
    });
    expect(graph.iri).toBe("https://museum.example/data/object/1");
    expect(graph.terms.map(({ value }) => value)).toContain("https://museum.example/oak");
  });

  it("with a prefix that no context has are IRIs with that scheme", () => {
    const graph = graphOf(record({ classified_as: [{ id: "aat:300033618", type: "Type" }] }));
    expect(graph.terms.map(({ value }) => value)).toContain("aat:300033618");
  });

  it("of blank nodes are kept apart from nodes without an id", () => {
    const graph = graphOf(
      record({ identified_by: [{ type: "Name" }, { id: "_:b0", type: "Name" }], referred_to_by: [{ id: "_:b0" }] }),
    );
    expect(graph.terms.filter(({ termType }) => termType === "BlankNode")).toHaveLength(2);
  });
});

describe("numbers", () => {
  const literalOf = async (value: Json): Promise<[string, string]> => {
    const graph = graphOf(record({ dimension: [{ type: "Dimension", value }] }));
    const literal = graph.terms.find(({ termType }) => termType === "Literal")!;
    return [literal.value, literal.datatype];
  };

  it.each<[number, string, string]>([
    [25, "25", XSD.integer],
    [-3, "-3", XSD.integer],
    [25.4, "2.54E1", XSD.double],
    [1e-7, "1.0E-7", XSD.double],
    [0.1 + 0.2, "3.0000000000000004E-1", XSD.double],
    [1e21, "1.0E21", XSD.double],
  ])("%d is %s", async (value, lexical, datatype) => {
    expect(await literalOf(value)).toEqual([lexical, datatype]);
  });

  it("keep every digit of an integer beyond 2^53", async () => {
    const parsed = parseJson(
      '{"value": 9007199254740993, "text": "9007199254740993 \\" 9007199254740993"}',
    ) as JsonObject;
    expect(parsed.text).toBe('9007199254740993 " 9007199254740993');
    expect(await literalOf(parsed.value!)).toEqual(["9007199254740993", XSD.integer]);
  });

  it.each([
    ["1e-400", Number.NaN],
    ["-0.1E-0400", Number.NaN],
    [`0.${"0".repeat(400)}1`, Number.NaN],
    ["0e-400", 0],
    ["-0.0E-999", -0],
    ["5e-324", 5e-324],
  ])("that are read as 0 are told from 0: %s", (written, value) => {
    expect(parseJson(`{"a": "1e-400", "@context": {"b": 1e-400}, "value": ${written}}`)).toEqual({
      a: "1e-400",
      "@context": { b: 0 },
      value,
    });
  });

  it("that no reader of JSON can read are written again as such, not as null", () => {
    const text = '{"a":[1e400,-1e400,1e-400,12345678901234567891,0.5]}';
    expect(writeJson(parseJson(text) as JsonObject)).toBe(text);
  });

  it.each([1, 1_050, 100_000])("keep every digit %d levels deep", (levels) => {
    let value = parseJson(`${"[".repeat(levels)}9007199254740993${"]".repeat(levels)}`);
    while (Array.isArray(value)) value = value[0];
    expect(value).toBe(9007199254740993n);
  });

  it("keep every digit beside a text of any length", () => {
    const long = `${"x".repeat(16_000_000)}\\"`;
    const { text, value } = parseJson(`{"text": ${JSON.stringify(long)}, "value": 9007199254740993}`) as JsonObject;
    expect(text === long).toBe(true);
    expect(value).toBe(9007199254740993n);
  });
});

it("a document whose terms are too long together, as a long prefix can make them, is refused", () => {
  const texts = [0, 1, 2].map((at) => "x".repeat(100_000_000 + at));
  expect(() => reader.read(record({ content: texts, _label: "x" }))).toThrow("has more than 256 MiB of IRIs and texts");
  expect(tripleCount(reader.read(record({ content: texts.slice(0, 2), _label: "x" })).graph)).toBe(4);
});

describe("depth", () => {
  const nested = (levels: number): string =>
    `{"@context":"${CONTEXT_URI}","id":"${ID}","type":"HumanMadeObject"${',"part":[{"type":"HumanMadeObject"'.repeat(levels)}${"}]".repeat(levels)}}`;

  it(`is at most ${MAX_DEPTH} levels`, () => {
    expect(tripleCount(graphOf(JSON.parse(nested(MAX_DEPTH - 1)) as Json))).toBe(2 * MAX_DEPTH - 1);
  });

  it("of 10,000 levels is refused, for nodes and for arrays", async () => {
    await expect(async () => reader.read(JSON.parse(nested(10_000)) as Json)).rejects.toThrow(/deeper than/);
    const arrays = JSON.parse(`${"[".repeat(10_000)}${"]".repeat(10_000)}`) as Json;
    await expect(async () => reader.read(record({ made_of: arrays }))).rejects.toThrow(/deeper than/);
    await expect(async () => reader.read(record({ unknown: [arrays] }))).rejects.toThrow(/no context defines/);
  });
});
