import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SortedRuns } from "../../../../src/store/embedded/publish/sorted-runs.js";
import { forAllAsync, runsOf } from "../../../properties.js";
import { temporaryFolder } from "../../../temporary-folder.js";

const directory = temporaryFolder();

/** The entries that sorted runs give back, as `key=value`, after these were added in this order. */
async function sorted(entries: readonly (readonly [string, string])[], runBytes: number): Promise<string[]> {
  await using file: FileHandle = await open(join(directory, "runs"), "w+");
  const runs = new SortedRuns(file, runBytes);
  for (const [key, value] of entries) await runs.add(Buffer.from(key), [Buffer.from(value), Buffer.from("!")]);
  await runs.end();
  // Each entry is a view that the next one overwrites, so it is read at once.
  return Array.from(runs.merged(), ({ key, value }) => `${key}=${value}`);
}

describe("sorted runs", () => {
  it("give back every entry, sorted by the bytes of its key, the later of two equal keys first", async () => {
    const key = fc.oneof(
      fc.constantFrom("a", "b", "ab", "é", "\uffff", "😀"),
      fc.string({ minLength: 1, maxLength: 40 }),
    );
    const value = fc.oneof(fc.string(), fc.constant("x".repeat(40_000)));
    await forAllAsync(
      [fc.array(fc.tuple(key, value)), fc.constantFrom(1, 100, 100_000)],
      runsOf(1_000, 60),
      async (entries, runBytes) => {
        const latestFirst = entries.map(([key, value], at) => ({ key: Buffer.from(key), value, at })).reverse();
        const expected = latestFirst
          .sort((a, b) => Buffer.compare(a.key, b.key) || b.at - a.at)
          .map(({ key, value }) => `${key}=${value}!`);
        expect(await sorted(entries, runBytes)).toEqual(expected);
      },
    );
  });

  it("give back nothing if nothing was added", async () => {
    expect(await sorted([], 100)).toEqual([]);
  });
});
