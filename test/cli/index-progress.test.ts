/** How far the index is, told on a terminal and in a log. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { reportIndex } from "../../src/cli/serving/index-progress.js";
import type { EngineState } from "../../src/query/engine.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What is told while an index of 1,000 triples is filled in 25 seconds, goes away and comes back. */
function told(isTerminal: boolean): { lines: string[]; rewritten: string[] } {
  const [lines, rewritten]: [string[], string[]] = [[], []];
  const filling = (done: number): EngineState =>
    ({ state: "filling", done, total: 1_000, sequence: undefined }) as never;
  const ready = { state: "ready", done: 1_000, total: 1_000, sequence: 1 } as never as EngineState;
  let state = filling(0);
  const stderr = { isTTY: isTerminal, rewrite: (text: string) => rewritten.push(text) > 0 };
  const stop = reportIndex(
    () => state,
    (text) => void lines.push(text),
    undefined,
    stderr,
  );
  for (let second = 1; second <= 25; second++) {
    state = filling(40 * second);
    vi.advanceTimersByTime(1_000);
  }
  for (const next of [ready, filling(10), ready]) {
    state = next;
    vi.advanceTimersByTime(1_000);
  }
  stop();
  return { lines, rewritten };
}

const END = [
  expect.stringMatching(/^the index for SPARQL is ready: 1,000 triples in 25\.\d s$/),
  "the index for SPARQL is not available: it is being filled, and queries wait or get 503 meanwhile",
  expect.stringMatching(/^the index for SPARQL is ready: 1,000 triples in [01]\.\d s$/),
];

it("is one line of a terminal that is written again, and goes when it is ready", () => {
  const { lines, rewritten } = told(true);
  expect(lines).toEqual(END);
  expect(rewritten).toEqual(expect.arrayContaining(["filling the index for SPARQL: 48 % of 1,000 triples", ""]));
  expect(rewritten.at(-1)).toBe("");
});

it("says how many records are left out as an error, with the triples that are there, and nothing of what cannot be filled", () => {
  const lines: [string, boolean | undefined][] = [];
  let state: EngineState = { state: "filling", done: 0, total: 0, detail: "no memory" };
  const stop = reportIndex(
    () => state,
    (text, isError) => void lines.push([text, isError]),
  );
  vi.advanceTimersByTime(60_000);
  expect(lines).toEqual([]);
  state = { state: "ready", done: 990, total: 1_000, leftOut: ["urn:damaged"] };
  vi.advanceTimersByTime(1_000);
  stop();
  expect(lines).toEqual([
    [expect.stringContaining("is ready, without 1 record that it cannot read: 990 triples in"), true],
  ]);
});

it("says that an engine starts, as long as nobody knows how many triples it will hold", () => {
  const lines: string[] = [];
  const state: EngineState = { state: "filling", done: 0, total: 0 };
  const stop = reportIndex(
    () => state,
    (text) => void lines.push(text),
    "the query engine",
  );
  vi.advanceTimersByTime(12_000);
  stop();
  expect(lines).toEqual(["starting the query engine"]);
});

it("is a line of a log now and then", () => {
  const filling = expect.stringMatching(/^filling the index for SPARQL: \d\d % of 1,000 triples$/);
  expect(told(false).lines).toEqual([filling, filling, ...END]);
});
