/** What JSON alone can show of a record. */
import { describe, expect, it } from "vitest";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import type { Json } from "../../src/rdf/record-graph.js";
import { lossResults, validateDocument } from "../../src/validate/document.js";
import { Severities } from "../../src/validate/severities.js";

const URI = DEFAULT_MODEL.contextUri;
const ID = "https://museum.example/object/1";

function found(document: Json, ...decisions: string[]): string[] {
  const results = validateDocument(document, DEFAULT_MODEL, new Severities(decisions));
  return results.map(({ rule, severity, path }) => `${severity} ${rule.split(":").at(-1)} ${path}`);
}

describe("a document", () => {
  it.each<[string, { [key: string]: Json }, string[]]>([
    ["as it should be", { "@context": URI, id: ID, classified_as: [{ id: "x", type: "Type" }] }, []],
    ["with a context before the model's", { "@context": ["https://example.org/x", URI], id: ID }, []],
    ["without a context", { id: ID }, ["Violation document.context @context"]],
    ["with another context", { "@context": "https://example.org/x", id: ID }, ["Violation document.context @context"]],
    ["with the model's not last", { "@context": [URI, {}], id: ID }, ["Violation document.context @context"]],
    ["without an id", { "@context": URI }, ["Violation document.id id"]],
    ["with a keyword for it", { "@context": URI, "@id": ID }, []],
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
      "with the same deep inside",
      { "@context": URI, id: ID, identified_by: [{ type: "Name", language: { type: "Language" } }] },
      ["Warning document.array identified_by/language"],
    ],
    [
      "with a service that has no context",
      { "@context": URI, id: ID, digitally_available_via: [{ type: "DigitalService", access_point: [] }] },
      ["Warning document.service_context digitally_available_via/@context"],
    ],
    ["with null", { "@context": URI, id: ID, member_of: null }, []],
  ])("%s", (_name, document, expected) => {
    expect(found(document)).toEqual(expected);
  });

  it("is told of each place once, and of no more than a hundred", () => {
    const many = Array.from({ length: 300 }, (_, at) => ({ type: "Name", [`x${at % 2}`]: "", language: { at } }));
    expect(found({ "@context": URI, id: ID, identified_by: many })).toHaveLength(1);
    const names = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`p${at}`, { language: {} }]));
    expect(found({ "@context": URI, id: ID, ...names })).toHaveLength(100);
  });

  it("is as severe as the institution decided", () => {
    const document = { "@context": URI, id: ID, member_of: "x" };
    expect(found(document, "document.array=violation")).toEqual(["Violation document.array member_of"]);
    expect(found(document, "document.*=off")).toEqual([]);
  });

  it("that is no object has nothing to be looked at", () => {
    expect([found("x"), found(null), found([])]).toEqual([[], [], []]);
  });
});

describe("losses", () => {
  it("are violations, with paths without positions", () => {
    expect(lossResults([{ path: "a[1]/b", problem: "is lost" }])).toMatchObject([
      { severity: "Violation", path: "a/b", message: "a[1]/b is lost", rule: "urn:vitrine:shape:document.loss" },
    ]);
  });
});
