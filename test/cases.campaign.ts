/**
 * Every case of the unit tests, where `npm test` takes a share: all documents of the corpora, all W3C suites, properties a
 * thousand times and more. The short form has the W3C suites and the formats alone.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { stripVTControlCharacters } from "node:util";
import { expect, it } from "vitest";
import { IS_SHORT, unobserved } from "./extent.js";

const VITEST = "node_modules/vitest/vitest.mjs";
/** A test that compares thousands of records by libraries that take their time may take so long, in milliseconds. */
const LIMIT = 1_800_000;

/** The W3C suites and the formats. */
const SHORT = [
  "test/conformance",
  "test/validate/shapes",
  "test/rdf",
  "test/jsonld/contexts",
  "test/http/message/headers",
];

it("hold for all cases", async () => {
  const which = ["run", ...(IS_SHORT ? SHORT : [])];
  const limits = [`--testTimeout=${LIMIT}`, `--hookTimeout=${LIMIT}`];
  const child = spawn(process.execPath, [VITEST, ...which, "--project", "unit", ...limits], {
    env: { ...unobserved(process.env), TEST_WHOLE: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said, [status]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  const output = stripVTControlCharacters(said);
  console.log(`cases: ${output.slice(output.lastIndexOf("Test Files"))}`);
  expect(status, output).toBe(0);
});
