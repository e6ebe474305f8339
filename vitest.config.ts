import { relative } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** A file that swaps what other test files share, and so needs a process of its own. */
const ALONE = "test/http/memory-store.test.ts";

/** What takes longest, in the order in which it is begun, so that nothing long runs by itself at the end. */
const LONGEST: readonly string[] = [
  "cli/processes",
  "http/sparql/robustness",
  "query/oxigraph/query-index",
  "values/values",
  "cli/query",
  "http/pages/browser",
  "readme",
  "query/oxigraph/index-image",
  "validate/engines",
  "kills/kills",
  "cli/sent",
  "cli/adversity",
  "attack/attack",
  "store/embedded/processes",
  "guides",
  "harvest/follow",
  "data/served",
  "faults/faults",
  "query/remote/kept-engine",
  "cli/held",
  "docs/commands",
  "model/own-properties",
  "http/sparql/editor",
  "jsonld/differential",
  "first-day",
  "restarts/restarts",
  "cli/check",
  "limit-sides",
  "packed/packed",
  "query/oxigraph/descriptors",
  "cli/backup",
  "cli/loading",
  "http/soak",
  "harvest/dumps",
  "store/remote/remote-store",
  "validate/differential",
  "query/contract",
  "cli/find",
  "jsonld/corpus",
  "model/generate/frames",
  "model/vocabulary/context",
];

/** Begins with the longest files; the others follow by size, as they do in a fresh clone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.indexOf(relative("test", moduleId).replace(/\.test\.ts$/, ""));
      return at === -1 ? LONGEST.length : at;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  test: {
    globalSetup: ["test/build.ts"],
    setupFiles: ["test/seed.ts"],
    maxWorkers: "100%",
    // Most tests make much that is soon garbage: a larger young generation saves them a tenth of their time.
    execArgv: ["--max-semi-space-size=64"],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    sequence: { sequencer: LongestFirst },
    projects: [
      // Files share processes, which read most of the sources once: a file leaves nothing behind.
      { extends: true, test: { name: "shared", include: ["test/**/*.test.ts"], exclude: [ALONE], isolate: false } },
      { extends: true, test: { name: "alone", include: [ALONE] } },
    ],
  },
});
