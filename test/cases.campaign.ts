/**
 * All cases of the unit tests, of which `npm test` runs a share: all documents of the corpora, all W3C suites, and a
 * thousand or more cases of each property. The short form runs only the W3C suites and the formats, and a thousand cases.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { stripVTControlCharacters } from "node:util";
import { expect, it } from "vitest";
import { IS_SHORT, unobserved } from "./extent.js";
import { seedOf } from "./random.js";

const VITEST = "node_modules/vitest/vitest.mjs";
/** Milliseconds that a test may take: some compare thousands of records with slow libraries. */
const LIMIT = 1_800_000;

/** The W3C suites and the formats. */
const SHORT = [
  "test/conformance",
  "test/validate/shapes",
  "test/rdf",
  "test/jsonld/contexts",
  "test/http/message/headers",
];

it("the unit tests pass with all cases", async () => {
  const which = ["run", ...(IS_SHORT ? SHORT : [])];
  const limits = [`--testTimeout=${LIMIT}`, `--hookTimeout=${LIMIT}`];
  const child = spawn(process.execPath, [VITEST, ...which, "--project", "unit", ...limits], {
    env: { ...unobserved(process.env), TEST_WHOLE: "1", FUZZ_SEED: String(seedOf("cases")) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [coloured, [status]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  const output = stripVTControlCharacters(coloured);
  console.log(`cases: ${output.slice(output.lastIndexOf("Test Files"))}`);
  expect(status, output).toBe(0);
});
