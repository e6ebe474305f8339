import { expect, it } from "vitest";
import { addRefusal, type Refusal } from "../../../src/load/history/history.js";
import { resultWithoutShape } from "../../../src/validate/results.js";

it("the history of loads keeps the beginnings of long labels and values, and no half of a character", () => {
  const long = `${"x".repeat(499)}😀 and more`;
  const refusals: Refusal[] = [];
  const result = { ...resultWithoutShape("record.value", "Violation", "", "is refused"), value: long };
  addRefusal(refusals, {
    ...{ iri: "urn:a", endpoint: null, label: long, identifiers: [] },
    ...{ source: "a.nq:1", results: [result] },
  });
  const [kept] = refusals;
  expect([kept?.label, kept?.results[0]?.value]).toEqual(["x".repeat(499), "x".repeat(499)]);
});
