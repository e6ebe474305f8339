import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { IS_SHORT } from "./test/extent.js";

/** Begins with the files that start processes and wait for them, so that those in process fill what is left of the cores. */
class ProcessesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isUnit = ({ project }: TestSpecification): number => (project.name === "unit" ? 1 : 0);
    return (await super.sort(files)).sort((a, b) => isUnit(a) - isUnit(b));
  }
}

if (!existsSync("dist")) throw new Error("tests start threads and processes from the build: npm run build first");

const MINUTE = 60_000;
const { COVERAGE } = process.env;
/** How much longer a test may take while the lines that it runs are counted. */
const SLOWED = COVERAGE === undefined ? 1 : 3;

interface Kind {
  readonly name: string;
  readonly include: string;
  readonly exclude?: readonly string[];
  readonly setup?: readonly string[];
  readonly isInMemory: boolean;
  /** Milliseconds that a test may take; what prepares the tests of a file may take three times as long. */
  readonly limit: number;
}

/** A kind of test, by the suffix of its files. */
function kind({ name, include, exclude = [], setup = [], isInMemory, limit }: Kind): TestProjectInlineConfiguration {
  // How long what is waited for takes is the machine's matter: waiting ends a little before the test does, and so says what was missing.
  const patience = 0.9 * SLOWED * Math.min(limit, 5 * MINUTE);
  return {
    extends: true,
    test: {
      name,
      include: [include],
      exclude: [...configDefaults.exclude, ...exclude],
      setupFiles: ["test/seed.ts", ...setup],
      globalSetup: isInMemory ? ["test/in-memory.ts"] : [],
      testTimeout: SLOWED * limit,
      hookTimeout: 3 * SLOWED * limit,
      expect: { poll: { timeout: patience, interval: 20 } },
      // For `until` in test/cli/built.ts.
      env: { TEST_PATIENCE: String(patience) },
    },
  };
}

const KINDS: readonly Kind[] = [
  {
    name: "unit",
    include: "test/**/*.test.ts",
    exclude: ["**/*.process.test.ts"],
    setup: ["test/in-process.ts"],
    isInMemory: true,
    limit: MINUTE,
  },
  { name: "process", include: "test/**/*.process.test.ts", isInMemory: true, limit: 2 * MINUTE },
  { name: "campaign", include: "test/**/*.campaign.ts", isInMemory: false, limit: (IS_SHORT ? 5 : 120) * MINUTE },
];

export default defineConfig({
  test: {
    reporters: ["default", "./test/slowest.ts"],
    // One more than there are processors: some tests wait for processes.
    maxWorkers: availableParallelism() + 1,
    // A snapshot that is missing is a failure here, too, not only in continuous integration: `-u` writes it.
    update: "none",
    // Files share processes, which read most of the sources once: a file leaves nothing behind.
    isolate: false,
    // The next run reads what this one has compiled, where no lines are counted.
    experimental: { fsModuleCache: COVERAGE === undefined },
    execArgv: [
      // Most tests make much that is soon garbage: memory that is large from the start saves them a seventh of their time.
      ...["--min-semi-space-size=32", "--max-semi-space-size=64", "--initial-heap-size=2000"],
      // Most code runs a few times, in a test or two: optimizing only what runs long saves another seventh. Only Node 20 can be told so.
      ...(process.versions.node.startsWith("20.") ? ["--interrupt-budget=1056000"] : []),
      "--no-flush-bytecode",
    ],
    sequence: { sequencer: ProcessesFirst },
    // COVERAGE=tests or COVERAGE=campaigns: what `npm run coverage` compares.
    coverage: {
      enabled: COVERAGE !== undefined,
      provider: "v8",
      include: ["src/**/*.ts"],
      reporter: ["json"],
      reportsDirectory: `coverage/${COVERAGE}`,
      reportOnFailure: true,
    },
    projects: KINDS.map(kind),
  },
});
