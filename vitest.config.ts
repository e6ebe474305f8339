import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/build.ts"],
    setupFiles: ["test/seed.ts"],
    // One more than cores: the longest tests wait for processes more than they compute.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
