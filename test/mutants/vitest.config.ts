/** The unit tests of one room (ROOM) and the W3C suites, as the search for mutants runs them: no report, no processes. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    setupFiles: ["test/seed.ts"],
    include: [`test/${process.env.ROOM}/**/*.test.ts`, "test/conformance/*.test.ts"],
    exclude: ["**/*.process.test.ts", "**/node_modules/**"],
    testTimeout: 20_000,
    // Each file in a thread of its own: what Stryker prepares is prepared once a thread.
    isolate: true,
  },
});
