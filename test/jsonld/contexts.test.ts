/** Contexts in documents: prefixes, inline terms, constructs that are refused, and contexts that are never fetched. */
import { describe, expect, it } from "vitest";
import { ActiveContext, MAX_ACTIVE_CONTEXTS } from "../../src/jsonld/active-context.js";
import { ContextRegistry } from "../../src/jsonld/contexts.js";
import type { Json } from "../../src/rdf/record-graph.js";
import { XSD } from "../../src/rdf/terms.js";
import { canonical, plainQuads } from "../canonical.js";
import { CONTEXT_URI, graphOf, type JsonObject, reader, registry, roundTrip } from "./documents.js";

const ID = "https://example.org/object/1";
const AAT = { aat: "http://vocab.getty.edu/aat/" };

function record(context: Json, rest: JsonObject): JsonObject {
  return { "@context": context, id: ID, type: "HumanMadeObject", ...rest };
}

/** A context nested in a number of arrays. */
function within(arrays: number): Json {
  return arrays === 0 ? {} : [within(arrays - 1)];
}

describe("documents with a context of their own", () => {
  it.each<[string, Json, JsonObject]>([
    ["prefixes of keys", [{ mus: "https://example.org/" }, CONTEXT_URI], { "mus:weather": "rain" }],
    [
      "inline terms",
      [
        { weather: "https://example.org/weather", seen: { "@id": "https://example.org/seen", "@type": "@id" } },
        CONTEXT_URI,
      ],
      { weather: ["rain", 3], seen: "https://example.org/hill" },
    ],
    [
      "typed and language terms",
      [
        {
          day: { "@id": "https://example.org/day", "@type": "http://www.w3.org/2001/XMLSchema#date" },
          nl: { "@id": "https://example.org/name", "@language": "nl" },
        },
        CONTEXT_URI,
      ],
      { day: "1665-01-01", nl: "Meisje" },
    ],
    ["a default language", [{ "@language": "en" }, CONTEXT_URI], { _label: "Girl" }],
    ["a vocabulary", [CONTEXT_URI, { "@vocab": "https://example.org/" }], { weather: "rain" }],
    [
      "protected terms",
      [{ "@protected": true, weather: "https://example.org/weather" }, CONTEXT_URI],
      { weather: "rain" },
    ],
    [
      "language maps",
      [{ names: { "@id": "https://example.org/name", "@container": "@language" } }, CONTEXT_URI],
      { names: { en: "Girl", nl: "Meisje" } },
    ],
    [
      "lists",
      [{ steps: { "@id": "https://example.org/steps", "@container": "@list" } }, CONTEXT_URI],
      { steps: ["b", "a", "b"] },
    ],
    [
      "nested values",
      [{ inside: "@nest", weather: { "@id": "urn:weather", "@nest": "inside" } }, CONTEXT_URI],
      { inside: { weather: "rain" } },
    ],
    [
      "values of a term whose @nest is not an alias of @nest",
      [{ weather: { "@id": "urn:weather", "@nest": "inside" } }, CONTEXT_URI],
      { "urn:weather": "rain" },
    ],
    [
      "values of a term that JavaScript objects treat specially",
      [JSON.parse('{ "__proto__": "urn:p" }') as Json, CONTEXT_URI],
      { "urn:p": "x" },
    ],
    [
      "properties under the shortest prefix",
      [{ longer: "urn:", later: "urn:" }, CONTEXT_URI],
      { "later:weather": "rain" },
    ],
    [
      "a class whose compact IRI is a term for dates",
      [{ ns: "urn:x:", "ns:C": { "@id": "urn:x:C", "@type": XSD.date } }, CONTEXT_URI],
      { type: "ns:C" },
    ],
    [
      "a class with a term of the type @vocab",
      [CONTEXT_URI, { C: { "@id": "urn:C", "@type": "@vocab" } }],
      { type: "urn:C" },
    ],
    [
      "a class with a term for dates in a vocabulary",
      [CONTEXT_URI, { "@vocab": "urn:x:", C: { "@type": XSD.date } }],
      { type: "urn:x:C" },
    ],
    [
      "texts of a property whose compact IRI is a term for dates",
      [{ ns: "urn:x:", "ns:p": { "@id": "urn:x:p", "@type": XSD.date } }, CONTEXT_URI],
      { "urn:x:p": "rain" },
    ],
    ["ids that are null as terms", [CONTEXT_URI, { "urn:x": null }], { "urn:p": { id: "urn:x" } }],
    ["properties that are not terms in a vocabulary", [CONTEXT_URI, { "@vocab": "urn:" }], { "urn:__proto__": "x" }],
    [
      "strings beside a language map under a base direction",
      [{ "@direction": "rtl", names: { "@id": "urn:n", "@container": "@language" } }, CONTEXT_URI],
      { "urn:n": [{ "@language": "en", "@value": "Girl" }, { "@value": "1665" }] },
    ],
    [
      "reverse terms",
      [{ shown_in: { "@reverse": "https://example.org/shows" } }, CONTEXT_URI],
      { shown_in: { id: "https://example.org/room", type: "Place" } },
    ],
  ])("%s come back as they were", async (name, context, rest) => {
    const document = record(context, rest);
    const back = roundTrip(document);
    // A node that points at the record cannot be framed from the record, so it is written beside it.
    if (name === "reverse terms") {
      const triples = async (of: JsonObject) => canonical(plainQuads(graphOf(of)));
      expect(await triples(back)).toBe(await triples(document));
    } else expect(back).toEqual(document);
  });

  it("have no empty type for a node without a class, even when types are sets", () => {
    const kind = { "@id": "@type", "@container": "@set" };
    const document = { "@context": { kind }, "@id": ID, kind: ["urn:C"], "urn:p": { "urn:q": "x" } };
    expect(roundTrip(document)).toEqual(document);
  });

  const P = { "@id": "urn:p" };
  const ITSELF = { "@protected": true, p: "urn:p" };
  it.each<[context: Json, problem: string]>([
    [within(33), "nested too deep"],
    [Array<Json>(100).fill(CONTEXT_URI), "too many"],
    [Array<Json>(50).fill([{}, {}]), "too many"],
    [5, "a context must be an IRI, an object, an array of these, or null"],
    [{ "@version": 1 }, "@version must be 1.1"],
    [{ "@base": 5 }, "@base must be an IRI or null"],
    [{ "@vocab": 5 }, "@vocab must be an IRI or null"],
    [{ "@vocab": "x" }, "@vocab is relative"],
    [{ "@language": 5 }, "@language must be a tag or null"],
    [{ "@direction": "up" }, "@direction must be ltr, rtl or null"],
    [{ "@propagate": 1 }, "@propagate must be true or false"],
    [{ "@protected": 1 }, "@protected must be true or false"],
    [{ "@import": 5 }, "@import must be the IRI of a context"],
    [[ITSELF, null], "null would remove protected terms"],
    [[ITSELF, { p: "urn:q" }], '"p" is protected and cannot be redefined'],
    [[ITSELF, { p: null }], '"p" is protected and cannot be redefined'],
    [{ p: "q:1", q: "p:1" }, '"p" is defined by itself'],
    [{ "": "urn:p" }, "a term is empty"],
    [{ "@id": "urn:p" }, "@id cannot be redefined"],
    [{ "@type": {} }, '"@type" cannot be defined this way'],
    [{ "@type": { "@container": "@list" } }, '"@type" cannot be defined this way'],
    [{ "@type": { "@id": "urn:p" } }, '"@type" cannot be defined this way'],
    [{ "urn:q": "urn:p" }, '"urn:q" looks like a different IRI than the one it stands for'],
    [{ "a/b": { ...P, "@prefix": true } }, '"a/b" looks like a different IRI than the one it stands for'],
    [{ "@base": "http://b.example/", p: { ...P, "@type": "day" } }, '"p" has the @type "day", which is not a datatype'],
    ...Object.entries<Json[]>({
      "is defined by neither a string nor an object": [5, []],
      "has the unknown key @foo": [{ "@foo": 1 }],
      "has an @id that is not a string": [{ "@id": 5 }],
      "has no IRI": [{}, "q", { "@reverse": "q" }],
      "is an alias of @context": ["@context"],
      "has an @type that is not a string": [{ ...P, "@type": 5 }],
      'has the @type "_:day", which is not a datatype': [{ ...P, "@type": "_:day" }],
      'has the @type "@unknown", which is not a datatype': [{ ...P, "@type": "@unknown" }],
      "is a type map whose values are not nodes": [{ ...P, "@container": "@type", "@type": "urn:d" }],
      "has a @language that is not a language tag": [{ ...P, "@language": 5 }],
      "has both @reverse and @id or @nest": [
        { ...P, "@reverse": "urn:p" },
        { "@reverse": "urn:p", "@nest": "@nest" },
      ],
      "has a @reverse that is not a string": [{ "@reverse": 5 }],
      "is a reverse property, which cannot have a list or map as its container": [
        { "@reverse": "urn:p", "@container": "@id" },
      ],
      "has an @index that is not a string, or no @index container": [5, "urn:i"].map((index) => ({
        ...P,
        "@index": index,
      })),
      "has an @index that is not a property": [{ ...P, "@container": "@index", "@index": "@id" }],
      "has a @nest that is not a key": [5, "@id"].map((nest) => ({ ...P, "@nest": nest })),
      "has a @container that JSON-LD does not allow": [
        ...[["@list", "@set"], ["@id", "@index"], ["@graph", "@type"], ["@graph", "@id", "@index"], "@none", 5],
      ].map((container) => ({ ...P, "@container": container })),
      "cannot be a prefix": [
        { ...P, "@prefix": 5 },
        { "@id": "@type", "@prefix": true },
      ],
    }).flatMap(([problem, definitions]) => definitions.map((p): [Json, string] => [{ p }, `the term "p" ${problem}`])),
  ])("are refused with the reason: %j", async (context, problem) => {
    await expect(async () => reader.read(record([context, CONTEXT_URI], {}))).rejects.toThrow(problem);
  });

  it("may have contexts nested in 32 arrays", () => {
    const document = record([within(32), CONTEXT_URI], { "urn:p": "x" });
    expect(roundTrip(document)).toEqual(document);
  });

  it("get their ids written in full, whatever prefixes there are (specification, 2.2)", () => {
    const concept = (id: string): JsonObject => record([AAT, CONTEXT_URI], { classified_as: [{ id, type: "Type" }] });
    const inFull = concept("http://vocab.getty.edu/aat/300033618");
    expect(roundTrip(concept("aat:300033618"))).toEqual(inFull);
  });

  it("keep the specification's names of classes, id and type beside shorter names for the same (2.2)", () => {
    const others = { MMO: "http://www.cidoc-crm.org/cidoc-crm/E22_Human-Made_Object", a: "@type", I: "@id" };
    const whole = { id: "https://example.org/object/2", type: "HumanMadeObject", _label: "Altarpiece" };
    const document = record([others, CONTEXT_URI], { _label: "Panel", part_of: [whole] });
    expect(roundTrip(document)).toEqual(document);
    expect(roundTrip(record([others, CONTEXT_URI], { type: "MMO" })).type).toBe("HumanMadeObject");
  });

  it("keep the specification's names of properties beside names for the same with a set", () => {
    const made = "http://www.cidoc-crm.org/cidoc-crm/P108i_was_produced_by";
    for (const type of [{}, { "@type": "@id" }]) {
      const context = [{ made: { "@id": made, ...type, "@container": "@set" } }, CONTEXT_URI];
      const document = record(context, { produced_by: { type: "Production", _label: "Painting" } });
      expect(roundTrip(document)).toEqual(document);
    }
  });

  it("keep their context as it was written", () => {
    const context = [AAT, { weather: { "@id": "https://example.org/weather" } }, CONTEXT_URI];
    expect(graphOf(record(context, { weather: "rain" })).context).toEqual(context);
  });

  it("are refused when something beside a language map would be lost", async () => {
    const context = [{ names: { "@id": "https://example.org/name", "@container": "@language" } }, CONTEXT_URI];
    await expect(async () => reader.read(record(context, { names: { en: "Girl" }, label: "x" }))).rejects.toThrow(
      /label/,
    );
    const { droppedKeys } = await reader.read(record(context, { names: { en: "Girl" }, _links: {} }));
    expect(droppedKeys).toBe(1);
  });

  it("may have a context in an embedded node", () => {
    const document = record(CONTEXT_URI, {
      produced_by: { "@context": { made: "https://example.org/made" }, type: "Production", made: "by hand" },
    });
    const back = roundTrip(document);
    expect(back.produced_by).toEqual({ type: "Production", "https://example.org/made": "by hand" });
  });

  it("may have a term with the name of an object's method", async () => {
    const document = record([{ constructor: "https://example.org/constructor" }, CONTEXT_URI], { constructor: "x" });
    expect(roundTrip(document)).toEqual(document);
    await expect(async () => reader.read(record(CONTEXT_URI, { toString: "x" }))).rejects.toThrow(/toString/);
  });
});

it("a known context is compiled once, whatever follows it", () => {
  const environment = { registry, base: undefined };
  const known = ActiveContext.of([CONTEXT_URI, null, CONTEXT_URI], environment);
  const following = ActiveContext.of([CONTEXT_URI, { a: "urn:a" }], environment);
  expect(following.terms.get("Place")).toBe(known.terms.get("Place"));
});

it("the JSON text of an inline context is not its name", () => {
  const document = { "@context": { a: "urn:a" }, "@id": "urn:x", a: "y" };
  expect(roundTrip(document)).toEqual(document);
  expect(() => roundTrip({ ...document, "@context": JSON.stringify(document["@context"]) })).toThrow("is not known");
});

it("as many contexts are kept as are said, even if each leads to another", () => {
  const start = ActiveContext.of({}, { registry: new ContextRegistry(), base: undefined });
  const first = start.step({ a: "urn:a" }, true);
  expect(start.step({ a: "urn:a" }, true)).toBe(first);
  let last = first;
  for (let at = 0; at < MAX_ACTIVE_CONTEXTS; at++) last = last.step({ a: `urn:${at}` }, true);
  const again = start.step({ a: "urn:a" }, true);
  expect(again).not.toBe(first);
  expect([...again.terms]).toEqual([...first.terms]);
});
