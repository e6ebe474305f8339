/** Losses: keys and values that triples cannot express are refused, with their place and what to do about them. */
import { expect, it } from "vitest";
import { isExpanded } from "../../src/jsonld/documents.js";
import { NAMELESS } from "../../src/jsonld/expand.js";
import { DocumentError } from "../../src/jsonld/loss.js";
import { type Json, rootOf, valuesOf } from "../../src/rdf/record-graph.js";
import { RDFS_LABEL, XSD } from "../../src/rdf/terms.js";
import { CONTEXT_URI, type JsonObject, reader } from "./documents.js";

const P = "https://example.org/p";

function document(rest: JsonObject, context: JsonObject | undefined): JsonObject {
  const all = context === undefined ? CONTEXT_URI : [context, CONTEXT_URI];
  return { "@context": all, id: "https://example.org/object/1", type: "HumanMadeObject", ...rest };
}

it.each<[problem: string, rest: JsonObject, context?: JsonObject]>([
  ["crn: is a key that no context defines, and its value would be lost", { crn: "x" }],
  ["Plac: is a key that no context defines, and its value would be lost", { Plac: "x" }],
  ["Plat: is a key that no context defines, and its value would be lost", { Plat: "x" }, { plats: null }],
  ['type: "Plac" is a class that no context defines: did you mean Place?', { type: "Plac" }],
  ['made_of[0]/id: "Type" is relative: give --base-url to resolve it', { made_of: [{ id: "Type" }] }],
  ["label: is a key that no context defines, and its value would be lost: did you mean _label?", { label: "x" }],
  ["who: is a key that no context defines, and its value would be lost", { who: "x" }],
  ["_labl: is a key that no context defines, and its value would be lost: did you mean _label?", { _labl: "x" }],
  [
    "label: is a key that no context defines, and its value would be lost: did you mean _label?",
    { label: { a: 1 }, _x: [null, 1] },
  ],
  [
    "produced_by/who: is a key that no context defines, and its value would be lost",
    { produced_by: { type: "Production", who: "x" } },
  ],
  [
    'made_of[0]: is the text "oak" where a JSON object is expected: write {"type": ...}, and in a reference also its "id"; made_of[2]: is the text "ash" where a JSON object is expected: write {"type": ...}, and in a reference also its "id"',
    { made_of: ["oak", null, "ash"] },
  ],
  [
    'produced_by: is the text "1665" where a JSON object is expected: write {"type": ...}, and in a reference also its "id"',
    { produced_by: "1665" },
  ],
  [
    'made_of[0][0]: is the text "oak" where a JSON object is expected: write {"type": ...}, and in a reference also its "id"',
    { made_of: [["oak"]] },
  ],
  ['produced_by/type: "Making" is a class that no context defines', { produced_by: { type: "Making" } }],
  [
    'produced_by/type: "Producton" is a class that no context defines: did you mean Production?',
    { produced_by: { type: "Producton" } },
  ],
  ['produced_by/type: "painting" is a class that no context defines', { produced_by: { type: "painting" } }],
  [
    'attributed_by[0]/assigned_property: is "nothing", a name that no context defines',
    { attributed_by: [{ type: "AttributeAssignment", assigned_property: "nothing" }] },
  ],
  [
    'attributed_by[0]/assigned_property: is "@type", a name that no context defines',
    { attributed_by: [{ type: "AttributeAssignment", assigned_property: "@type" }] },
  ],
  ['made_of[0]/id: "oak" is relative: give --base-url to resolve it', { made_of: [{ id: "oak" }] }],
  [
    'made_of[0]/id: " http://x.org/a" has the character " ", which no IRI may contain: remove the white space around it',
    { made_of: [{ id: " http://x.org/a" }] },
  ],
  [
    'made_of[0]/id: "http://x.org/a b" has the character " ", which no IRI may contain: write %20 for a space',
    { made_of: [{ id: "http://x.org/a b" }] },
  ],
  ["made_of[0]/id: is empty: write the node's IRI, or leave it out in a structure", { made_of: [{ id: "" }] }],
  ["id: is empty: write the node's IRI, or leave it out in a structure", { id: "" }],
  ["id: is 5 where an IRI is expected", { id: 5 }],
  ["made_of[0]/id: is 5 where an IRI is expected", { made_of: [{ id: 5 }] }],
  ["made_of[0]/id: is an array where an IRI is expected", { made_of: [{ id: ["x"] }] }],
  ["made_of[0]/id: is null where an IRI is expected", { made_of: [{ id: null }] }],
  ["made_of[0]/id: is true where an IRI is expected", { made_of: [{ id: true }] }],
  ["made_of[0]/id: is an object where an IRI is expected", { made_of: [{ id: {} }] }],
  ['made_of[0]/id: is "@type", which looks like a keyword of JSON-LD', { made_of: [{ id: "@type" }] }],
  ['made_of[0]/id: is "@unknown", which looks like a keyword of JSON-LD', { made_of: [{ id: "@unknown" }] }],
  ['made_of[0]/@id: means the same as "id": use only one of them', { made_of: [{ id: "urn:x", "@id": "urn:y" }] }],
  ['@id: means the same as "id": use only one of them', { "@id": "urn:y" }],
  ["type: is an object where the name of a class is expected", { type: [{}] }],
  ["type: is null where the name of a class is expected", { type: [null] }],
  ["type: is an array where the name of a class is expected", { type: [["x"]] }],
  [
    'type: "http://x.org/a b" has the character " ", which no IRI may contain: write %20 for a space',
    { type: ["HumanMadeObject", "http://x.org/a b"] },
  ],
  ["_label: has half of a surrogate pair, which is not a character", { _label: "\ud83d" }],
  [
    '_label[1]: has the language "in English", which is not a language tag',
    { _label: ["x", { "@value": "x", "@language": "in English" }] },
  ],
  ['_label: has the language "en-", which is not a language tag', { _label: { "@value": "x", "@language": "en-" } }],
  ['_label: has the datatype "year", which no context defines', { _label: { "@value": "x", "@type": "year" } }],
  ['_label: has the datatype "_:b", which no context defines', { _label: { "@value": "x", "@type": "_:b" } }],
  ['_label: has the datatype "@id", which no context defines', { _label: { "@value": "x", "@type": "@id" } }],
  [
    '_label: has the datatype "http://x.org/a b", which no context defines',
    { _label: { "@value": "x", "@type": "http://x.org/a b" } },
  ],
  ["_label: is a @value that JSON-LD does not allow", { _label: { "@value": ["x"] } }],
  ["_label: is a @value that JSON-LD does not allow", { _label: { "@value": 5, "@language": "en" } }],
  [
    "_label: is a @value that JSON-LD does not allow",
    { _label: { "@value": "x", "@language": "en", "@type": XSD.date } },
  ],
  ["_label/@id: stands beside @value, where nothing else is allowed", { _label: { "@value": "x", "@id": "urn:x" } }],
  ["_label/other: stands beside @value, where nothing else is allowed", { _label: { "@value": "x", other: "y" } }],
  [
    "_label/@language: stands beside @value, where nothing else is allowed",
    { _label: { "@value": "x", "@language": 5 } },
  ],
  ["_label/@type: stands beside @value, where nothing else is allowed", { _label: { "@value": "x", "@type": 5 } }],
  [
    "_label/@index: is an @index, which has no place in triples: its value would be lost",
    { _label: { "@value": "x", "@index": "a" } },
  ],
  [
    "_label: has a base direction, which has no place in triples: it would be lost",
    { _label: { "@value": "x", "@direction": "rtl" } },
  ],
  ["_label: is a @value that JSON-LD does not allow", { _label: { "@value": { a: 1 } } }],
  [
    `@reverse/${P}: is a text or number under a reverse property, where only nodes are allowed`,
    { "@reverse": { [P]: "x" } },
  ],
  [
    `@reverse/${P}[0]: is a text or number under a reverse property, where only nodes are allowed; @reverse/${P}[2]: is a text or number under a reverse property, where only nodes are allowed`,
    { "@reverse": { [P]: ["x", { id: "urn:x" }, 5] } },
  ],
  [
    `@reverse/${P}/@list: is a list under a reverse property, where only nodes are allowed`,
    { "@reverse": { [P]: { "@list": [] } } },
  ],
  ["@reverse/id: is not a property, and only properties can be reversed", { "@reverse": { id: "x" } }],
  ["@reverse/unknown: is a key that no context defines, and its value would be lost", { "@reverse": { unknown: "x" } }],
  [
    "@reverse/member_of: is a key that no context defines, and its value would be lost",
    { "@reverse": { member_of: { id: "urn:x" } } },
  ],
  ["@reverse: holds no properties", { "@reverse": ["x"] }],
  [
    `${P}[1]: is a number too large or too small for any reader of JSON: correct it, or write it as a text where one is allowed`,
    { [P]: [1e300, Number.POSITIVE_INFINITY] },
  ],
  [
    `${P}: is a number too large or too small for any reader of JSON: correct it, or write it as a text where one is allowed`,
    { [P]: { "@value": Number.NEGATIVE_INFINITY } },
  ],
  [
    `${P}: is a number too large or too small for any reader of JSON: correct it, or write it as a text where one is allowed`,
    { [P]: Number.NaN },
  ],
  [
    `${P}: has a number too large or too small for any reader of JSON: write it as a text`,
    { [P]: { "@type": "@json", "@value": { a: [Number.NEGATIVE_INFINITY] } } },
  ],
  [
    `@reverse/${P}: is a text or number under a reverse property, where only nodes are allowed`,
    { "@reverse": { [P]: { "@value": "x" } } },
  ],
  [`${P}/${P}/2: stands beside @list, where nothing else is allowed`, { [P]: { "@list": ["x"], [`${P}/2`]: "y" } }],
  [
    `${P}/@index: is an @index, which has no place in triples: its value would be lost`,
    { [P]: { "@set": ["x"], "@index": "1" } },
  ],
  [
    `${P}/@list[0]/type: "Making" is a class that no context defines`,
    { [P]: { "@list": [{ type: "Making" }, "x", ["y"]] } },
  ],
  [
    `${P}/@set[0]/label: is a key that no context defines, and its value would be lost: did you mean _label?; ${P}/@set[1]/@set[0]/label: is a key that no context defines, and its value would be lost: did you mean _label?`,
    { [P]: { "@set": [{ label: "x" }, { "@set": [{ label: "y" }] }] } },
  ],
  ["@graph: holds a graph of its own: a record is one graph", { "@graph": [{ id: "urn:x" }] }],
  ["@graph: holds a graph of its own: a record is one graph", { produced_by: { "@graph": [] } }],
  [
    "@included: holds something other than nodes; label: is a key that no context defines, and its value would be lost: did you mean _label?",
    { "@included": ["x", { id: "urn:x", label: "y" }] },
  ],
  ["@included: holds something other than nodes", { "@included": { "@value": "x" } }],
  ["@nest: holds something other than properties", { "@nest": "x" }],
  ["@nest: holds something other than properties", { "@nest": { "@value": 1 } }],
  [
    "@nest: is @id, which is not allowed here; @nest/label: is a key that no context defines, and its value would be lost: did you mean _label?",
    { "@nest": [{ "@id": "urn:x" }, { label: "x" }] },
  ],
  ["@index: is an @index, which has no place in triples: its value would be lost", { "@index": "x" }],
  ["@list: is not allowed here", { "@list": [] }],
  ["@value: is not allowed here", { "@value": "x" }],
  ["v: is @value, which is not allowed here; @set: is not allowed here", { v: "x", "@set": 1 }, { v: "@value" }],
  ["@language: is not allowed here", { "@language": "en" }],
  [
    'https://example.org/a b: is a key whose IRI has the character " ", which no IRI may contain: write %20 for a space',
    { "https://example.org/a b": "x" },
  ],
  [
    "https://example.org/a#b#c: is a key whose IRI has two #, and an IRI may have only one; https://example.org/a#b#d: is a key whose IRI has two #, and an IRI may have only one",
    { "https://example.org/a#b#c": null, "https://example.org/a#b#d": "x" },
  ],
  ["p/urn:x: is y where a node is expected", { p: { "urn:x": "y" } }, { p: { "@id": P, "@container": "@id" } }],
  [
    "p/urn:x: is no node, and the key of its map would be lost",
    { p: { "urn:x": { "@value": "y" } } },
    { p: { "@id": P, "@container": "@id" } },
  ],
  ...["@set", "@list"].map((key): [string, JsonObject, JsonObject] => [
    "p/urn:x: is no node, and the key of its map would be lost",
    { p: { "urn:x": { [key]: [{ "@id": "urn:y" }] } } },
    { p: { "@id": P, "@container": "@type" } },
  ]),
  [
    'p/x/id: "x" is relative: give --base-url to resolve it',
    { p: { x: {} } },
    { p: { "@id": P, "@container": "@id" } },
  ],
  [
    "p/urn:x: is 5 where a node is expected; p/urn:x: is an array where a node is expected",
    { p: { "urn:x": [null, 5, ["z"]] } },
    { p: { "@id": P, "@container": "@id" } },
  ],
  ["p/Making: is a class that no context defines", { p: { Making: {} } }, { p: { "@id": P, "@container": "@type" } }],
  [
    'p/Type/id: "x" is relative: give --base-url to resolve it',
    { p: { Type: "x" } },
    { p: { "@id": P, "@container": "@type" } },
  ],
  [
    "p/a: is a key of an index map, which has no place in triples: it would be lost",
    { p: { a: "x", "@none": "y" } },
    { p: { "@id": P, "@container": "@index" } },
  ],
  [
    "p/a: is a key of an index map, which has no place in triples: it would be lost",
    { p: { a: { id: "urn:1", type: "Type" } } },
    { p: { "@id": P, "@container": "@index", "@index": "_:by" } },
  ],
  [
    "p/a: is a key of an index map, which has no place in triples: it would be lost",
    { p: { a: { id: "urn:1", type: "Type" } } },
    { p: { "@id": P, "@container": "@index", "@index": 'urn:a"b' } },
  ],
  [
    "p/a: is a key of an index map, which has no place in triples: it would be lost; p/a/label: is a key that no context defines, and its value would be lost: did you mean _label?",
    { p: { a: { label: "x" } } },
    { p: { "@id": P, "@container": "@index" } },
  ],
  [
    "p/a: is x where a node is expected",
    { p: { a: "x" } },
    { p: { "@id": P, "@container": "@index", "@index": "urn:i" } },
  ],
  [
    "p/\ud800: has half of a surrogate pair, which is not a character",
    { p: { "\ud800": { id: "urn:x" } } },
    { p: { "@id": P, "@container": "@index", "@index": "urn:i" } },
  ],
  ["p/en: is 5 where a text is expected", { p: { en: 5 } }, { p: { "@id": P, "@container": "@language" } }],
  [
    "p/en: is an object where a text is expected; p/en: is an array where a text is expected; p/en: is true where a text is expected",
    { p: { en: [null, {}, ["x"], true] } },
    { p: { "@id": P, "@container": "@language" } },
  ],
  [
    'p/en-: has the language "en-", which is not a language tag',
    { p: { "en-": "x" } },
    { p: { "@id": P, "@container": "@language" } },
  ],
  ["p: holds graphs of their own: a record is one graph", { p: "x" }, { p: { "@id": P, "@container": "@graph" } }],
  [
    "p: has a base direction, which has no place in triples: it would be lost",
    { p: "x" },
    { p: { "@id": P, "@direction": "rtl" } },
  ],
  [
    "p/en: has a base direction, which has no place in triples: it would be lost",
    { p: { en: "x" } },
    { "@direction": "rtl", p: { "@id": P, "@container": "@language" } },
  ],
  [
    "_label: has a base direction, which has no place in triples: it would be lost",
    { _label: "x" },
    { "@direction": "rtl" },
  ],
  [
    "part_of: is not a property of Person: its value would be lost",
    { type: "Person", part_of: [{ id: "urn:x", type: "Group" }] },
  ],
  [
    "produced_by/type: is missing; without it part and similar keys have no meaning",
    { produced_by: { part: [{ type: "Production" }] } },
  ],
  [
    "produced_by/part: is not a property of Person, Group: its value would be lost",
    { produced_by: { type: ["Person", "Group"], part: [{}] } },
  ],
  ['produced_by/type: "Making" is a class that no context defines', { produced_by: { type: "Making", part: [{}] } }],
  [
    '@context: the term "p" has a @container that JSON-LD does not allow',
    { _label: "x" },
    { p: { "@id": P, "@container": "@map" } },
  ],
  ["@context: a context must be an IRI, an object, an array of these, or null", { produced_by: { "@context": 5 } }],
  [
    "made_of[0]/id: is a key that no context defines, and its value would be lost",
    { made_of: [{ "@context": { id: null }, id: "x" }] },
  ],
  ["_label/en: is a key that no context defines, and its value would be lost", { _label: { en: "A" } }],
])("%s", (problem, rest, context) => {
  const refused = expect.objectContaining({ name: "DocumentError", message: problem });
  expect(() => reader.read(document(rest, context))).toThrow(refused);
});

it.each<[rest: JsonObject, context?: JsonObject]>([
  [{ p: { Type: "urn:x" } }, { p: { "@id": P, "@container": "@type", "@type": "@id" } }],
  [{ produced_by: { type: "Production", "@index": null, "@included": [], label: [null] } }],
  [{ label: null, depicts_what: [], about: [], _label: null, made_of: [null] }],
  [{ _label: { "@value": "x", "@language": null, "@type": null, "@index": null, "@direction": null } }],
  [{ [P]: { "@set": ["x"], "@context": {}, "@index": [] } }],
])("nothing is lost of %j", (rest, context) => {
  expect(reader.read(document(rest, context)).droppedKeys).toBe(0);
});

it.each<[dropped: number, rest: JsonObject]>([
  [1, { _content: "x" }],
  [1, { "_:p": "x" }],
  [2, { _links: { self: "x" }, produced_by: { type: "Production", _seq: 1 } }],
  [0, { _links: null }],
])("the reader drops %i keys of %j, which are not meant as properties", (dropped, rest) => {
  expect(reader.read(document(rest, undefined)).droppedKeys).toBe(dropped);
});

it("a loss has the suggested key, and a document without an id its other triples", () => {
  const lossesOf = (rest: JsonObject): DocumentError => {
    try {
      reader.read(document(rest, undefined));
    } catch (error) {
      if (error instanceof DocumentError) return error;
      throw error;
    }
    throw new Error("nothing is lost");
  };
  expect(lossesOf({ label: "x", who: "y" }).losses).toStrictEqual([
    { path: "label", problem: expect.stringContaining("did you mean _label?"), suggestion: "_label" },
    { path: "who", problem: expect.not.stringContaining("did you mean") },
  ]);
  for (const id of [null, "", "object/1", "_:b0", 5]) {
    const { losses, rest } = lossesOf({ id, _label: "x" });
    expect(losses.map(({ path }) => path)).toEqual(["id"]);
    expect(rest!.iri).toBe(NAMELESS);
    expect(valuesOf(rest!, rootOf(rest!), RDFS_LABEL)).toEqual(["x"]);
  }
});

it.each<[problem: string, document: Json]>([
  ["is not a JSON object: a document describes one entity", []],
  ["is not a JSON object: a document describes one entity", "x"],
  ["says nothing about its entity except its id", { "@context": CONTEXT_URI, id: "urn:x" }],
  [
    "@context: contexts refer to each other, are nested too deeply, or are too many",
    { "@context": nested(20_000, (inner) => [inner]), id: "urn:x" },
  ],
  ...["@included", "@nest", P].map((key): [string, Json] => [
    "nested deeper than 500 levels",
    document(nested(600, (inner) => ({ [key]: inner })) as JsonObject, undefined),
  ]),
])("%s", (problem, whole) => {
  expect(() => reader.read(whole)).toThrow(expect.objectContaining({ name: "DocumentError", message: problem }));
});

it.each<[isExpanded: boolean, document: Json]>([
  [true, { "@id": "urn:1" }],
  [true, { "@id": "urn:1", "@type": ["urn:c"], "urn:p": [{ "@value": "x" }] }],
  [false, { "@id": "urn:1", label: "x" }],
  [false, { "@id": "urn:1", "urn:p": "x", label: "x" }],
  [false, { "@id": "urn:1", "@context": {} }],
  [false, { "@id": 5 }],
  [false, { id: "urn:1" }],
  [false, []],
])("isExpanded gives %s for %j", (expected, whole) => {
  expect(isExpanded(whole)).toBe(expected);
});

/** A value wrapped a number of times. */
function nested(levels: number, around: (inner: Json) => Json): Json {
  let value: Json = {};
  for (let level = 0; level < levels; level++) value = around(value);
  return value;
}
