/** Mending: each rule with its example, and all together with real records. */
import { describe, expect, it, vi } from "vitest";
import { InputError } from "../../../src/load/errors.js";
import { type MendedDocument, MendNode } from "../../../src/load/mend/mend-rule.js";
import { MEND_RULES } from "../../../src/load/mend/mend-rules.js";
import { mend, selectRules } from "../../../src/load/mend/mender.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import type { Json } from "../../../src/rdf/record-graph.js";
import { CORPORA, someOf } from "../../validate/corpora.js";

const CONTEXT = DEFAULT_MODEL.contextUri;
const BY_DEFAULT = selectRules({});

type JsonObject = { [key: string]: Json };

/** The whole document of an example, with the usual context unless it states one. */
function whole(example: JsonObject): JsonObject {
  return { "@context": CONTEXT, ...example };
}

function mended(document: JsonObject, also: readonly string[] = []): Json {
  return mend(whole(document), selectRules({ also }), CONTEXT).document;
}

describe("a rule of mending", () => {
  it.each(MEND_RULES.map((rule) => [rule.name, rule] as const))(
    "%s does what its example shows, and nothing more the second time",
    (name, rule) => {
      const rules = selectRules({ only: name === "swapped-days" ? [name, "timestamp"] : [name] });
      const { document, changes } = mend(whole(rule.example.before), rules, CONTEXT);
      expect(document).toEqual(whole(rule.example.after));
      expect(changes.length).toBeGreaterThan(0);
      expect(new Set(changes.map((change) => change.rule))).toEqual(new Set([name]));
      expect(mend(document, rules, CONTEXT).changes).toEqual([]);
    },
  );

  it("has a unique name, and does not change the given document", () => {
    expect(new Set(MEND_RULES.map(({ name }) => name)).size).toBe(MEND_RULES.length);
    const given = whole({ type: "ManMadeObject" });
    mend(given, BY_DEFAULT, CONTEXT);
    expect(given.type).toBe("ManMadeObject");
  });

  it("is chosen by name", () => {
    const names = (selection: Parameters<typeof selectRules>[0]): string[] =>
      selectRules(selection).map(({ name }) => name);
    expect(names({ only: ["class"] })).toEqual(["class"]);
    expect(names({ except: ["class"] })).not.toContain("class");
    expect(names({})).not.toContain("swapped-days");
    expect(names({ also: ["swapped-days"] })).toContain("swapped-days");
    expect(() => selectRules({ also: ["klass"] })).toThrow(InputError);
  });
});

describe("mending", () => {
  it("copies no more than the beginning of large values, however deep values that it changes are in others", () => {
    let document: JsonObject = { type: "HumanMadeObject", _label: "x".repeat(1_000) };
    for (let level = 0; level < 300; level++) document = { ...document, part: document };
    const { changes } = mend(whole(document), BY_DEFAULT, CONTEXT);
    expect(changes).toHaveLength(300);
    expect(Math.max(...changes.map((change) => JSON.stringify(change).length))).toBeLessThan(40_000);
    const [{ before } = {}] = mend(whole({ type: "Place", part_of: { id: "urn:a" } }), BY_DEFAULT, CONTEXT).changes;
    expect(before).toEqual({ id: "urn:a" });
  });

  it("reads a context once, not for each key", () => {
    const terms = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`term${at}`, `urn:${at}`]));
    const ownKeys = vi.fn(Reflect.ownKeys);
    const context = new Proxy<JsonObject>({ ...terms, value: "urn:v" }, { ownKeys });
    const node = new MendNode({ "@context": [CONTEXT, context] }, {} as MendedDocument, []);
    expect(["value", "content", "label"].map((term) => node.mayDefine(term))).toEqual([true, false, false]);
    expect(ownKeys).toHaveBeenCalledOnce();
  });

  it("records the path, the value before and after, and the rule of each change", () => {
    const name = { type: "crm:E41_Appellation", value: 12 };
    const { changes } = mend(whole({ type: "E22_Man-Made_Object", identified_by: name }), BY_DEFAULT, CONTEXT);
    expect(changes).toMatchObject([
      { path: "type", before: "E22_Man-Made_Object", after: "HumanMadeObject", rule: "class" },
      { path: "identified_by", before: name, after: [name], rule: "array" },
      { path: "identified_by/type", before: "crm:E41_Appellation", after: "Appellation", rule: "class" },
    ]);
  });

  it.each<[string, JsonObject]>([
    ["classes and prefixes with names that objects have by themselves", { id: "constructor:1", type: "constructor" }],
    ["two labels that differ", { type: "Person", label: "Ada", _label: "Ada Lovelace" }],
    [
      "pieces that disagree",
      {
        type: "Person",
        born: [
          { type: "Birth", _label: "a" },
          { type: "Birth", _label: "b" },
        ],
      },
    ],
    [
      "pieces of which only one has an id",
      {
        type: "HumanMadeObject",
        current_location: [
          { id: "https://museum.example/place/1", type: "Place" },
          { type: "Place", _label: "Room 3" },
        ],
      },
    ],
    [
      "values that an extension may define",
      { "@context": ["https://museum.example/ns", CONTEXT], weather: null, id: "aat:300033618" },
    ],
    ...[
      {
        label: "skos:prefLabel",
        current_keeper: "https://museum.example/ns#keeper",
        Image: "schema:Image",
        part_of: {},
      },
      { "@vocab": "https://museum.example/ns#" },
      { Image: { "@id": "schema:Image", "@context": [{ "@vocab": "https://museum.example/ns#" }] } },
      "https://museum.example/ns",
    ].map((context): [string, JsonObject] => [
      `terms that its own context may define: ${JSON.stringify(context)}`,
      { "@context": [CONTEXT, context], type: "Image", label: "Ada", current_keeper: ["Ada"], part_of: "Ada" },
    ]),
    [
      "addresses of pages and files",
      {
        type: "DigitalObject",
        access_point: [{ id: "https://www.wikidata.org/wiki/Q42", type: "DigitalObject" }],
        part_of: [{ id: "https://viaf.org/viaf/1/", type: "DigitalObject" }],
        subject_of: [{ id: "https://www.wikidata.org/wiki/Q42", type: "LinguisticObject" }],
      },
    ],
    [
      "addresses of pages without a class",
      {
        type: "Widget",
        access_point: ["https://www.wikidata.org/wiki/Q42"],
        see_also: [{ id: "https://viaf.org/viaf/1/" }],
      },
    ],
    ["a prefix before something else", { type: "Type", id: "aat:file" }],
    ["an Actor", { type: "Actor", _label: "Ada" }],
    ["an unknown class", { type: "Widget" }],
    [
      "a reference that may be of several classes",
      { type: "HumanMadeObject", current_owner: ["https://museum.example/1"] },
    ],
    ...[946684800, 89, "12-05-20"].map((date): [string, JsonObject] => [
      `${date}, which may be several dates`,
      { type: "TimeSpan", begin_of_the_begin: date },
    ]),
    ["day and month", { type: "TimeSpan", begin_of_the_begin: "1939-18-10" }],
    [
      "a date in a document that writes others the other way around",
      {
        type: "Activity",
        timespan: { type: "TimeSpan", begin_of_the_begin: "1939-18-10", end_of_the_end: "1939-11-10" },
      },
    ],
  ])("leaves alone %s", (_what, document) => {
    expect(mended(document)).toEqual(whole(document));
  });

  it("keeps a key that is probably misspelt, since its value is meant", () => {
    const meant = { type: "HumanMadeObject", identified_bu: [{ type: "Name", content: "Irises" }], _lable: "Irises" };
    expect(mended({ ...meant, image_count: 3 }, ["foreign-keys"])).toEqual(whole(meant));
  });

  it("records changes around a long integer in a form that reports can write, and keeps the integer", () => {
    const given = { type: "Place", identified_by: { type: "Identifier", content: 12345678901234567891n } };
    const { document, changes } = mend(whole(given as unknown as JsonObject), BY_DEFAULT, CONTEXT);
    const inReport = { type: "Identifier", content: "12345678901234567891" };
    expect(JSON.parse(JSON.stringify(changes))).toMatchObject([{ before: inReport, after: [inReport], rule: "array" }]);
    expect(document).toMatchObject({ identified_by: [{ content: 12345678901234567891n }] });
    const pieces = [7n, 7n].map((count) => ({ type: "Birth", count })) as unknown as Json[];
    expect(mended({ type: "Person", born: pieces })).toMatchObject({ born: { type: "Birth", count: 7n } });
    const unlike = [null, { type: "TimeSpan" }].map((timespan) => ({ type: "Birth", timespan }));
    expect(mended({ type: "Person", born: unlike })).toMatchObject({ born: unlike });
  });

  it("encodes the spaces in the address of a file, and in no other id", () => {
    const address = "https://museum.example/a b.jpg";
    const file = { id: `${address} `, type: "DigitalObject" };
    const { document } = mend({ access_point: [file], part: [{ ...file }] }, MEND_RULES, CONTEXT);
    const encoded = [{ id: address.replace(" ", "%20"), type: "DigitalObject" }];
    expect(document).toMatchObject({ access_point: encoded, part: [{ id: address }] });
    expect(mended({ type: "DigitalObject", access_point: [`${address} `] })).toMatchObject({ access_point: encoded });
  });

  it("gives what a file is classified as its IRI", () => {
    const [page, iri] = ["https://vocab.getty.edu/page/aat/300264578", "http://vocab.getty.edu/aat/300264578"];
    const file = (id: string): JsonObject => ({ type: "DigitalObject", classified_as: [{ id, type: "Type" }] });
    expect(mended({ type: "Widget", access_point: [file(page)] })).toMatchObject({ access_point: [file(iri)] });
  });

  it("keeps a key named __proto__ beside one that it renames, and in a structure of several pieces", () => {
    const born = JSON.parse('[{"type":"Birth"},{"__proto__":{"type":"Death"}}]') as Json;
    const given = JSON.parse('{"type":"Person","label":"Ada","__proto__":{"died":1}}') as JsonObject;
    const whole = '{"type":"Birth","__proto__":{"type":"Death"}}';
    expect(JSON.stringify(mended({ ...given, born }))).toContain(
      `"type":"Person","_label":"Ada","__proto__":{"died":1},"born":${whole}`,
    );
  });

  it("changes terms that no context around them defines", () => {
    const context = [CONTEXT, { "@version": 1.1, weather: "https://museum.example/ns#weather" }];
    const inner = { "@context": { label: "skos:prefLabel" }, type: "Place", label: "Delft" };
    expect(mended({ "@context": context, type: "Image", label: "Ada", part_of: inner })).toEqual({
      "@context": context,
      ...{ type: "VisualItem", _label: "Ada", part_of: [inner] },
    });
  });

  it("reads all dates of a document in the same way, if it may swap days and months", () => {
    const dates = (begin: string, end: string): JsonObject => ({
      type: "TimeSpan",
      begin_of_the_begin: begin,
      end_of_the_end: end,
    });
    expect(mended(dates("1939-18-10", "1939-11-12"), ["swapped-days"])).toMatchObject(
      dates("1939-10-18T00:00:00Z", "1939-12-11T23:59:59Z"),
    );
    expect(mended(dates("1939-10-18", "1939-11-12"), ["swapped-days"])).toMatchObject(
      dates("1939-10-18T00:00:00Z", "1939-11-12T23:59:59Z"),
    );
  });

  it.each<[string, JsonObject, string | undefined]>([
    ["classified as a corporation of the AAT", { classified_as: ["aat:300025969"] }, "Group"],
    ["that was formed", { formed_by: { type: "Formation" } }, "Group"],
    ["whose id says so", { id: "https://museum.example/corpname/7" }, "Group"],
    ["with the id of a person", { id: "https://museum.example/persname/7" }, "Person"],
    ["that was born", { born: { type: "Birth" } }, "Person"],
    ["that is listed", { id: "https://museum.example/agent/1" }, "Group"],
    ["of a listed kind", { classified_as: [{ id: "https://museum.example/kind/firm", type: "Type" }] }, "Group"],
    ["of a kind that is no text", { classified_as: [{ id: { toString: 1 } }] }, undefined],
    ["without any such sign", { id: "https://museum.example/agent/2", _label: "Ada" }, undefined],
    ["that was born and formed", { born: { type: "Birth" }, formed_by: { type: "Formation" } }, undefined],
  ])("finds out what an Actor %s is, before another rule makes it a Person", (_what, actor, kind) => {
    const groups = new Set(["https://museum.example/agent/1", "https://museum.example/kind/firm"]);
    const typeBy = (also: readonly string[]): Json => {
      const document = whole({
        type: "Set",
        created_by: { type: "Creation", carried_out_by: [{ type: "Actor", ...actor }] },
      });
      const mended = mend(document, selectRules({ also }), CONTEXT, groups).document as JsonObject;
      return (mended.created_by as { carried_out_by: JsonObject[] }).carried_out_by[0]!.type!;
    };
    expect([typeBy([]), typeBy(["actors-as-persons"])]).toEqual([kind ?? "Actor", kind ?? "Person"]);
  });

  it.each(CORPORA)("of $name changes nothing the second time", ({ isThere, records }) => {
    if (!isThere) return;
    const some = someOf(records());
    for (const also of [[], ["swapped-days", "actors-as-persons"]]) {
      const rules = selectRules({ also });
      const second = some.map((record) => mend(mend(record, rules, CONTEXT).document, rules, CONTEXT));
      expect(second.flatMap(({ changes }) => changes)).toEqual([]);
    }
  });
});
