import { expect, it, onTestFinished } from "vitest";
import {
  addRefusal,
  type LoadEntry,
  type Refusal,
  readLoads,
  rememberLoad,
} from "../../../src/load/history/history.js";
import { resultWithoutShape } from "../../../src/validate/results.js";
import { temporaryFolder } from "../../temporary-folder.js";

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

it("the history of loads keeps 100,000 inputs, the newest, and the first few of earlier loads", async () => {
  const folder = temporaryFolder(onTestFinished);
  const input = { name: "a.json", path: null, format: "json", size: null, modified: null };
  const load: LoadEntry = {
    ...{ time: 0, source: null, onInvalid: "refuse", decisions: [], shapes: [], mends: false, sync: false },
    ...{ baseUrl: null, after: 0, sequence: 0, unpublished: null, refused: 0 },
    inputs: [input],
  };
  for (const [at, length] of [10, 100_000, 1].entries())
    await rememberLoad(folder, { ...load, time: at, inputs: Array(length).fill(input) }, []);
  expect((await readLoads(folder)).map(({ inputs }) => inputs.length)).toEqual([4, 99_999, 1]);
});
