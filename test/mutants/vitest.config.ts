/** The unit tests of one room (ROOM) and the W3C suites, as the search for mutants runs them: no report, no processes. */
import { defineConfig } from "vitest/config";

const { ROOM = "" } = process.env;

/** Tests of other rooms that hold files of one. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = { model: ["test/search/related.test.ts"] };

export default defineConfig({
  test: {
    setupFiles: ["test/seed.ts"],
    include: [`test/${ROOM}/**/*.test.ts`, "test/conformance/*.test.ts", ...(ELSEWHERE[ROOM] ?? [])],
    exclude: ["**/*.process.test.ts", "**/node_modules/**"],
    testTimeout: 20_000,
    // Each file in a thread of its own: what Stryker prepares is prepared once a thread.
    isolate: true,
  },
});
