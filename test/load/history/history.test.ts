import { expect, it, onTestFinished } from "vitest";
import {
  addRefusal,
  type LoadEntry,
  type LoadInput,
  type Refusal,
  readLoads,
  readRefusals,
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

it("the history of loads keeps 10,000 refusals of a source and its parts, the newest first", async () => {
  const folder = temporaryFolder(onTestFinished);
  const load = (time: number): LoadEntry => ({
    ...{ time, source: "a", inputs: [], onInvalid: "refuse", decisions: [], shapes: [], mends: false, sync: false },
    ...{ baseUrl: null, after: 0, sequence: 0, unpublished: null, refused: 0 },
  });
  const refused = (first: number, count: number): Refusal[] =>
    Array.from({ length: count }, (_, at) => {
      return { iri: `urn:${first + at}`, endpoint: null, label: "", place: "", results: [] };
    });
  const known = async () => (await readRefusals(folder)).map(({ load, refusals }) => [load.time, refusals.length]);
  await rememberLoad(folder, load(1), refused(0, 4_000));
  await rememberLoad(folder, load(2), refused(3_000, 4_000), true);
  expect(await known()).toEqual([
    [2, 4_000],
    [1, 3_000],
  ]);
  await rememberLoad(folder, load(3), [], true);
  await rememberLoad(folder, load(4), refused(8_000, 4_000), true);
  expect(await known()).toEqual([
    [4, 4_000],
    [2, 4_000],
  ]);
  await rememberLoad(folder, load(5), []);
  expect(await known()).toEqual([]);
});

it("the history of loads keeps 100,000 inputs, the newest, and the first few of earlier loads", async () => {
  const folder = temporaryFolder(onTestFinished);
  const input = {} as LoadInput;
  const load: LoadEntry = {
    ...{ time: 0, source: null, onInvalid: "refuse", decisions: [], shapes: [], mends: false, sync: false },
    ...{ baseUrl: null, after: 0, sequence: 0, unpublished: null, refused: 0 },
    inputs: [input],
  };
  for (const [at, length] of [10, 100_000, 1].entries())
    await rememberLoad(folder, { ...load, time: at, inputs: Array(length).fill(input) }, []);
  expect((await readLoads(folder)).map(({ inputs }) => inputs.length)).toEqual([4, 99_999, 1]);
});
