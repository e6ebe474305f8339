import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Begins with the files that start processes and wait for them, so that those in process fill what is left of the cores. */
class ProcessesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isUnit = ({ project }: TestSpecification): number => (project.name === "unit" ? 1 : 0);
    return (await super.sort(files)).sort((a, b) => isUnit(a) - isUnit(b));
  }
}

const SECOND = 1_000;

/** A kind of test, by the suffix of its files and the time that one test may take. */
function kind(
  name: string,
  include: string,
  limit: number,
  exclude: readonly string[] = [],
): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: {
      name,
      include: [include],
      exclude: [...configDefaults.exclude, ...exclude],
      testTimeout: limit,
      hookTimeout: limit,
    },
  };
}

export default defineConfig({
  test: {
    setupFiles: ["test/seed.ts"],
    reporters: ["default", "./test/slowest.ts"],
    maxWorkers: "100%",
    // Files share processes, which read most of the sources once: a file leaves nothing behind.
    isolate: false,
    // Most tests make much that is soon garbage: a larger young generation saves them a tenth of their time.
    execArgv: ["--max-semi-space-size=64"],
    sequence: { sequencer: ProcessesFirst },
    projects: [
      kind("unit", "test/**/*.test.ts", 10 * SECOND, ["**/*.process.test.ts"]),
      kind("process", "test/**/*.process.test.ts", 60 * SECOND),
      kind("campaign", "test/**/*.campaign.ts", 7_200 * SECOND),
    ],
  },
});
