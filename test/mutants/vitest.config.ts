/** The unit tests of one room (ROOM), as the search for mutants runs them: no report, no processes. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    setupFiles: ["test/seed.ts"],
    include: [`test/${process.env.ROOM}/**/*.test.ts`],
    exclude: ["**/*.process.test.ts", "**/node_modules/**"],
    testTimeout: 20_000,
  },
});
