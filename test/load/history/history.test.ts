import { expect, it } from "vitest";
import { RefusalCollector } from "../../../src/load/history/history.js";
import { resultWithoutShape } from "../../../src/validate/results.js";

it("the history of loads keeps the beginnings of long labels and values, and no half of a character", () => {
  const long = `${"x".repeat(499)}😀 and more`;
  const collector = new RefusalCollector();
  const result = { ...resultWithoutShape("record.value", "Violation", "", "is refused"), value: long };
  collector.add({
    ...{ iri: "urn:a", endpoint: null, label: long, identifiers: [] },
    ...{ source: "a.nq:1", results: [result] },
  });
  const [kept] = collector.refusals;
  expect([kept?.label, kept?.results[0]?.value]).toEqual(["x".repeat(499), "x".repeat(499)]);
});
