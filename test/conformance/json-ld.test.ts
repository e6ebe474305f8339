import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { refusals, runSuite, SUITES, type Suite } from "./json-ld.js";

const FOLDER = "../shared/w3c";

/** What the compiled plans cover of each suite today, so that coverage does not shrink unseen. */
const COVERED: { readonly [suite in Suite]: number } = { toRdf: 245, expand: 213, fromRdf: 34, compact: 88, frame: 6 };

describe.skipIf(!existsSync(FOLDER))("the W3C JSON-LD suites (skipped: ../shared/w3c is not there)", () => {
  it.each(SUITES)("%s: what the compiled plans cover, they get right", async (suite) => {
    const { failed, passed, tests, left } = await runSuite(suite, FOLDER);
    expect(failed).toEqual([]);
    expect(passed).toBeGreaterThanOrEqual(COVERED[suite]);
    expect(passed + [...left.values()].reduce((sum, count) => sum + count, 0)).toBe(tests);
  });

  it("what JSON-LD refuses, they refuse, but for what no triple depends on", () => {
    const read = refusals(FOLDER).filter(({ problem }) => problem === undefined);
    // A scoped context is read where it is used, and an index is lost whatever it is.
    expect(read.map(({ error }) => error)).toEqual([
      "invalid scoped context",
      "invalid value object",
      "invalid @index value",
    ]);
  });
});
