/**
 * Every case of the unit tests, where `npm test` takes a share: all documents of the corpora, all W3C suites, properties a
 * thousand times and more. The short form leaves out the files that have no more cases than usual.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { stripVTControlCharacters } from "node:util";
import { expect, it } from "vitest";
import { IS_SHORT } from "./extent.js";

const VITEST = "node_modules/vitest/vitest.mjs";
const LIMIT = "--testTimeout=1800000";

it("hold for all cases", async () => {
  // Whatever imports what says how many cases there are.
  const which = IS_SHORT ? ["related", "--run", "test/extent.ts"] : ["run"];
  const { COVERAGE: _coverage, NODE_V8_COVERAGE: _v8, VITEST: _vitest, ...env } = process.env;
  const child = spawn(process.execPath, [VITEST, ...which, "--project", "unit", LIMIT], {
    env: { ...env, TEST_WHOLE: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said, [status]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  const output = stripVTControlCharacters(said);
  console.log(`cases: ${output.slice(output.lastIndexOf("Test Files"))}`);
  expect(status, output).toBe(0);
});
