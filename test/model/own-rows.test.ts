/** Own properties: their row becomes a property of the vocabulary and a field of one table. */
import { expect, it, onTestFinished, vi } from "vitest";
import type { OwnProperty } from "../../src/model/own-properties.js";
import { ownFields } from "../../src/model/tables/fields.js";
import { ownRow } from "../../src/model/vocabulary/properties.js";

const common = { on: "object", term: "own", iri: "https://museum.example/ns#own", meaning: "Ours." } as const;
const row = (values: OwnProperty["values"]): OwnProperty => ({ ...common, values, requirement: "optional" });
const COMMON = { property: "own", requirement: "optional", meaning: "Ours.", specified: false, own: true };
const REFERENCE = { kind: "reference", classes: ["Place"] };

it.each([
  [row("text"), ["literal"], { datatype: "string", range: { kind: "literal", literal: "text" } }],
  [row("number"), ["literal"], { datatype: "number", range: { kind: "literal", literal: "number" } }],
  [row("timestamp"), ["dateTime"], { datatype: "string", range: { kind: "literal", literal: "timestamp" } }],
  [row({ reference: ["Place"], array: false }), ["reference"], { datatype: "object", range: REFERENCE }],
  [row({ reference: ["Place"], array: true }), ["reference", "set"], { datatype: "array", range: REFERENCE }],
] as const)("the row %j becomes a property and a field", (own, kind, field) => {
  expect(ownRow(own)).toEqual([common.term, common.iri, ...kind]);
  expect(ownFields("object", [own])).toEqual([{ ...COMMON, ...field }]);
  expect(ownFields("place", [own])).toEqual([]);
});

it("an own property that has numbers on one class and texts on another keeps its numbers", async () => {
  const on = (name: OwnProperty["on"], values: OwnProperty["values"]): OwnProperty => ({ ...row(values), on: name });
  onTestFinished(() => {
    vi.doUnmock("../../src/model/own-properties.js");
    vi.resetModules();
  });
  vi.resetModules();
  const rows = [on("person", "text"), on("object", "number"), on("TimeSpan", "text")];
  vi.doMock("../../src/model/own-properties.js", () => ({ OWN_PROPERTIES: rows }));
  const { fieldForm, isNumberProperty } = await import("../../src/model/layout.js");
  expect([fieldForm("own"), isNumberProperty("own")]).toEqual(["single", true]);
});
