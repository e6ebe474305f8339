/** The pool: it delivers batches in the order of the pieces, whichever thread makes them, and clear errors. */
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../../src/load/limits.js";
import { Pool } from "../../../src/load/pipeline/pool.js";
import type { Batch, WorkSettings } from "../../../src/load/pipeline/work.js";
import type { JsonTexts } from "../../../src/load/read/json-texts.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import { SyntaxProblem } from "../../../src/rdf/syntax-problem.js";

const work: WorkSettings = {
  examining: { model: DEFAULT_MODEL, contexts: [], decisions: [], shapes: [] },
  namesAll: true,
  limits: DEFAULT_LIMITS,
};

/** A piece with one document of this size, so that some take longer than others. */
function piece(number: number, kibibytes: number, text?: string): JsonTexts {
  const document = {
    "@context": DEFAULT_MODEL.contextUri,
    id: `http://museum.example/object/${number}`,
    type: "HumanMadeObject",
    _label: "x".repeat(kibibytes * 1024),
  };
  const bytes = new TextEncoder().encode(text ?? JSON.stringify(document));
  return { kind: "json", source: "x.jsonl", bytes, places: [0, bytes.length, number, 1], context: undefined };
}

const never = new AbortController().signal;

/** The lines of the documents of pieces, in the order in which their batches were delivered. */
async function delivered(
  pieces: readonly JsonTexts[],
  settings: Partial<ConstructorParameters<typeof Pool>[0]> = {},
): Promise<string[]> {
  const lines: string[] = [];
  const onBatch = async ({ found }: Batch): Promise<void> => {
    for (const { source } of found) lines.push(source);
    await new Promise((resolve) => setImmediate(resolve));
  };
  await using pool = new Pool({ work, threads: 2, signal: never, onBatch, ...settings });
  for (const each of pieces) await pool.take(each);
  await pool.end();
  return lines;
}

/** The numbers of more pieces than are worked on without threads. */
const MANY = Array.from({ length: 30 }, (_, at) => at + 1);
const sizeOf = (number: number): number => (number % 4 === 1 ? 700 : 1);
/** Just enough large pieces to start threads, which take over their bytes. */
const large = (): readonly JsonTexts[] => MANY.slice(0, 7).map((number) => piece(number, 700));
const LOST = new URL("data:text/javascript,process.exit(7)");
const THROWING = new URL("data:text/javascript,throw new Error('out of luck')");

describe("the pool", () => {
  it.each([
    ["many pieces", 1],
    ["few pieces", 0],
  ])("delivers %s in their order", async (_name, size) => {
    const lines = await delivered(MANY.map((number) => piece(number, size * sizeOf(number))));
    expect(lines).toEqual(MANY.map((number) => `x.jsonl:${number}`));
  });

  it.each([
    ["many pieces", 1],
    ["few pieces", 0],
  ])("throws the first error of %s, and delivers the batches before it", async (_name, size) => {
    const pieces = MANY.map((number) =>
      number === 9 || number === 25 ? piece(number, 0, '{"a": }') : piece(number, size * sizeOf(number)),
    );
    const lines: number[] = [];
    const error = await delivered(pieces, { onBatch: ({ counts }) => void lines.push(counts.records) }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(SyntaxProblem);
    expect((error as Error).message).toBe('x.jsonl:9:7: the JSON is malformed: expected a value, found "}"');
    expect(lines).toHaveLength(8);
  });

  it.each([
    ["exits", LOST, "it exited with status 7"],
    ["fails", THROWING, "out of luck"],
  ])("reports that a thread %s", async (_name, module, reason) => {
    await expect(delivered(large(), { module, threads: 1 })).rejects.toThrow(
      `a thread that makes records ended in the middle of its work: ${reason}. Nothing was changed; try again`,
    );
  });

  it("ends with the error of the receiver of a batch", async () => {
    const onBatch = (): never => {
      throw new Error("no room");
    };
    await expect(delivered(large(), { onBatch, threads: 1 })).rejects.toThrow("no room");
    await expect(delivered([piece(1, 1)], { onBatch })).rejects.toThrow("no room");
  });

  it("ends when it is interrupted", async () => {
    const interrupt = new AbortController();
    const reading = delivered(large(), { signal: interrupt.signal, onBatch: () => interrupt.abort(), threads: 1 });
    await expect(reading).rejects.toMatchObject({ name: "AbortError" });
  });
});
