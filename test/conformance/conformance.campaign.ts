/** Says how much of each W3C JSON-LD suite the compiled plans cover, and what the others are about. */
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runSuite, SUITES } from "./json-ld.js";

const FOLDER = "../shared/w3c";

describe.skipIf(!existsSync(FOLDER))("the W3C JSON-LD suites (skipped: ../shared/w3c is not there)", () => {
  it.each(SUITES)("%s: what the compiled plans cover, they get right", async (suite) => {
    const { tests, passed, left, failed } = await runSuite(suite, FOLDER);
    const rest = [...left].sort(([, most], [, least]) => least - most);
    const sum = rest.reduce((so, [, count]) => so + count, 0);
    console.log(
      [
        `conformance: ${suite}, ${tests} tests, ${passed} passed, ${sum} about what no record has, ${failed.length} failed`,
        ...rest.map(([feature, count]) => `  ${count} ${feature}`),
      ].join("\n"),
    );
    expect(failed).toEqual([]);
  });
});
