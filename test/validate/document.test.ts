/** The validation of a document: the faults that its JSON shows and its triples do not. */
import { describe, expect, it } from "vitest";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import type { Json } from "../../src/rdf/record-graph.js";
import { lossResults, placedIn, validateDocument, withoutConsequences } from "../../src/validate/document.js";
import { type Result, resultWithoutShape } from "../../src/validate/results.js";
import { Severities } from "../../src/validate/severities.js";

const URI = DEFAULT_MODEL.contextUri;
const ID = "https://museum.example/object/1";

function found(document: Json, ...decisions: string[]): string[] {
  const results = validateDocument(document, DEFAULT_MODEL, new Severities(decisions));
  return results.map(({ rule, severity, path }) => `${severity} ${rule.split(":").at(-1)} ${path}`);
}

describe("a document", () => {
  it.each<[string, { [key: string]: Json }, string[]]>([
    ["without faults", { "@context": URI, id: ID, classified_as: [{ id: "x", type: "Type" }] }, []],
    ["with a context before the model's", { "@context": ["https://example.org/x", URI], id: ID }, []],
    ["without a context", { id: ID }, ["Violation document.context @context"]],
    ["with another context", { "@context": "https://example.org/x", id: ID }, ["Violation document.context @context"]],
    ["with the model's context not last", { "@context": [URI, {}], id: ID }, ["Violation document.context @context"]],
    ["without an id", { "@context": URI }, ["Violation document.id id"]],
    ["with @id for its id", { "@context": URI, "@id": ID }, []],
    [
      "with a single value for an array",
      { "@context": URI, id: ID, member_of: { id: "x" } },
      ["Warning document.array member_of"],
    ],
    ["with a text for an array", { "@context": URI, id: ID, member_of: "x" }, ["Warning document.array member_of"]],
    [
      "with an array for a single value",
      { "@context": URI, id: ID, produced_by: [{}] },
      ["Warning document.single produced_by"],
    ],
    [
      "with an array for its only class",
      { "@context": URI, id: ID, type: ["Place"], part_of: [{ id: "x", type: ["Place"] }] },
      ["Warning document.single type", "Warning document.single part_of[0]/type"],
    ],
    [
      "with a single value for an array in a structure",
      { "@context": URI, id: ID, identified_by: [{ type: "Name", language: { type: "Language" } }] },
      ["Warning document.array identified_by[0]/language"],
    ],
    [
      "with a service that has no context",
      { "@context": URI, id: ID, digitally_available_via: [{ type: "DigitalService", access_point: [] }] },
      ["Warning document.service_context digitally_available_via[0]/@context"],
    ],
    ...["object/undefined", "object/adlib-null", "https://a.example/object#NaN", "undefined"].map(
      (id): [string, { [key: string]: Json }, string[]] => [
        `with the id ${id}`,
        { "@context": URI, id },
        ["Warning document.id_placeholder id"],
      ],
    ),
    ["with an id that only looks similar", { "@context": URI, id: "https://a.example/place/semundefined" }, []],
    ["with terms of its own", { "@context": [{ member_of: { "@id": "urn:m" } }, URI], id: ID }, []],
    ["with a single value for one", { "@context": URI, id: ID, produced_by: { type: "Production" } }, []],
    ["with two values for one, which the triples show", { "@context": URI, id: ID, produced_by: [{}, {}] }, []],
    ["with other values in an array", { "@context": URI, id: ID, identified_by: [null, "x", ["y"]] }, []],
    [
      "with a service that is only a reference, and one that has its context",
      {
        "@context": URI,
        id: ID,
        digitally_available_via: [
          { id: "urn:x", type: "DigitalService", _label: "x" },
          { "@context": URI, type: "DigitalService", access_point: [] },
        ],
      },
      [],
    ],
    ["with a number for an id", { "@context": URI, id: 5 }, ["Violation document.id id"]],
    ["with null", { "@context": URI, id: ID, member_of: null }, []],
  ])("%s", (_name, document, expected) => {
    expect(found(document)).toEqual(expected);
  });

  it.each<[{ [key: string]: Json }, string[]]>([
    [
      { "@context": URI, id: ID, member_of: "x", produced_by: [{}] },
      ["member_of must be an array, even for one value", "produced_by must be a single value, not an array"],
    ],
    [{}, [`@context is missing: write "${URI}"`, "id is missing: give the HTTP(S) URI of the entity"]],
    [{ "@context": null, id: ID }, [`@context must be "${URI}", or an array that ends in it`]],
    [
      { "@context": URI, id: { a: "x".repeat(60) } },
      [`id is {"a":"${"x".repeat(34)}, not a text: give the HTTP(S) URI of the entity`],
    ],
    [
      { "@context": URI, id: "x/null" },
      ["id ends in null: the program that wrote it found no number, so all such documents become one record"],
    ],
    [
      { "@context": URI, id: ID, digitally_available_via: [{ type: "DigitalService", access_point: [] }] },
      ["@context is missing: a DigitalService can be dereferenced by itself"],
    ],
  ])("%j gets messages that say what would be right", (document, messages) => {
    const results = validateDocument(document, DEFAULT_MODEL, new Severities());
    expect(results.map(({ message }) => message)).toEqual(messages);
  });

  it("may be nested to any depth", () => {
    let part: Json = [];
    for (let level = 0; level < 20_000; level++) part = [{ part }];
    expect(found({ "@context": URI, id: ID, part })).toEqual([]);
  });

  it("gets one result for each place, and at most a hundred", () => {
    const many = Array.from({ length: 300 }, (_, at) => ({ type: "Name", [`x${at % 2}`]: "", language: { at } }));
    expect(found({ "@context": URI, id: ID, identified_by: many })).toHaveLength(1);
    const names = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`p${at}`, { language: {} }]));
    expect(found({ "@context": URI, id: ID, ...names })).toHaveLength(100);
  });

  it("is checked soon, however many items of an array have a problem", () => {
    const others = Array.from({ length: 90 }, (_, at) => [`key${at}`, [{ classified_as: {} }]] as const);
    const items = Array.from({ length: 220_000 }, () => ({ classified_as: {} }));
    const results = found({ "@context": URI, id: ID, ...Object.fromEntries(others), items });
    expect([results.length, results.at(-1)]).toEqual([91, "Warning document.array items[0]/classified_as"]);
  });

  it("gets results with the severity that the institution decided", () => {
    const document = { "@context": URI, id: ID, member_of: "x" };
    expect(found(document, "document.array=violation")).toEqual(["Violation document.array member_of"]);
    expect(found(document, "document.*=off")).toEqual([]);
  });

  it("that is not an object gets no results", () => {
    expect([found("x"), found(null), found([])]).toEqual([[], [], []]);
  });
});

describe("losses", () => {
  const result = (path: string, value: string | null = null): Result => ({
    ...resultWithoutShape("x", "Violation", path, "m"),
    value,
  });
  const paths = (results: readonly Result[]): string[] => results.map(({ path }) => path);

  it("are violations at their places, with the same message everywhere", () => {
    expect(lossResults([{ path: "a[1]/b[2]", problem: "is lost" }])).toMatchObject([
      { severity: "Violation", path: "a[1]/b[2]", message: "b is lost", rule: "urn:vitrine:shape:document.loss" },
    ]);
    const named = (path: string) => lossResults([{ path, problem: "is lost" }])[0]!.message;
    expect(["name", "a/name", "a[0]/name[3][12]"].map(named)).toEqual(Array(3).fill("name is lost"));
    expect(lossResults([{ path: "", problem: "is not a JSON object" }])).toMatchObject([
      { message: "is not a JSON object" },
    ]);
  });

  it("are named in time linear in the lengths of keys", () => {
    const path = `${"a".repeat(500_000)}/b`;
    expect(lossResults([{ path, problem: "is lost" }])[0]!.message).toBe("b is lost");
    const beside = [result(`${path.slice(0, -1)}_label`)];
    expect(withoutConsequences(beside, [{ path, problem: "", suggestion: "_label" }])).toEqual([]);
  });

  it("replace the results about values that are missing because they were lost", () => {
    const losses = [
      { path: "labell", problem: "", suggestion: "_label" },
      { path: "a[1]/type", problem: "" },
      { path: "b[0]", problem: "" },
      { path: "d[1]/labell", problem: "", suggestion: "_label" },
    ];
    const results = ["_label", "a[1]/type", "b", "d[1]/_label", "a[0]/type", "a[1]/_label", "c"].map((path) =>
      result(path),
    );
    expect(paths(withoutConsequences(results, losses))).toEqual(["a[0]/type", "a[1]/_label", "c"]);
    const nameless = { ...result("e[0]", "_:b1"), rule: "object.e.id" };
    expect(withoutConsequences([nameless], [{ path: "e[0]/id", problem: "" }])).toEqual([]);
    expect(withoutConsequences([nameless], [{ path: "e[0]/idd", problem: "", suggestion: "id" }])).toEqual([]);
    expect(withoutConsequences([nameless], [{ path: "e[1]/id", problem: "" }])).toHaveLength(1);
    const unusable = (path: string) => ({ ...result(path), rule: "part.moved.usable" });
    expect(paths(withoutConsequences([unusable("a[1]/moved"), unusable("b")], losses))).toEqual(["b"]);
    const misspelt = [{ path: "p[0]/typ", problem: "", suggestion: "type" }];
    expect(withoutConsequences([unusable("p[0]/moved")], misspelt)).toEqual([]);
    // A result about an existing value is not a consequence of the loss.
    expect(withoutConsequences([result("b", "<x>")], losses)).toHaveLength(1);
  });

  it("and nulls count in the positions of results", () => {
    const many = Array.from({ length: 14 }, (_, at) => (at === 0 ? null : at));
    const list = [{ g: [null, 1] }];
    const document = { a: [null, "lost", { b: { c: [1, 2] } }, { b: {} }], d: { e: [null, 1] }, list, many };
    const losses = [{ path: "a[1]", problem: "" }];
    const before = [
      "a[0]/b/c[1]",
      "a[1]/b",
      "a[2]/b",
      "d[0]/e[0]",
      "d",
      "x[0]",
      "a[0]/x[1]",
      "a[9]",
      "d/e[7]",
      "a[0]/b/c[9]",
      "list/g[0]",
      "many[12]",
    ];
    const after = [
      "a[2]/b/c[1]",
      "a[3]/b",
      "a[2]/b",
      "d/e[1]",
      "d",
      "x[0]",
      "a[2]/x[1]",
      "a[9]",
      "d/e[7]",
      "a[2]/b/c[9]",
      "list/g[1]",
      "many[13]",
    ];
    expect(
      paths(
        placedIn(
          document,
          losses,
          before.map((path) => result(path)),
        ),
      ),
    ).toEqual(after);
  });

  it("are found soon for an array with very many results", () => {
    const items = Array.from({ length: 40_000 }, (_, at) => (at % 2 === 0 ? null : { b: "x" }));
    const places = Array.from({ length: 20_000 }, (_, at) => result(`a[${at}]/b`));
    expect(paths(placedIn({ a: items }, [], places)).at(-1)).toBe("a[39999]/b");
  });
});
