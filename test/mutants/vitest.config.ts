/** The unit tests of one room (ROOM) and the W3C suites, as the search for mutants runs them: no report, no processes. */
import { statSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const { ROOM = "" } = process.env;

/** Tests of other rooms that hold files of one. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = { model: ["test/search/related.test.ts"] };

/** What takes seconds: generated cases, the corpora, and other libraries beside which something is held. */
const IS_SLOW = /\/(?:conformance|corpus|differential|engines|fuzz|json-schemas|related)\b/;

/** The quick files first, small ones before large ones: a mutant that one of them notices is run by no other. */
class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const weight = ({ moduleId }: TestSpecification): number =>
      statSync(moduleId).size + (IS_SLOW.test(moduleId) ? 1e9 : 0);
    return [...files].sort((a, b) => weight(a) - weight(b));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: QuickFirst },
    setupFiles: ["test/seed.ts"],
    include: [`test/${ROOM}/**/*.test.ts`, "test/conformance/*.test.ts", ...(ELSEWHERE[ROOM] ?? [])],
    exclude: ["**/*.process.test.ts", "**/node_modules/**"],
    // Code with all of its mutants is slow, and a mutant that never ends is ended by Stryker.
    testTimeout: 60_000,
    // Each file in a thread of its own: what Stryker prepares is prepared once a thread.
    isolate: true,
  },
});
