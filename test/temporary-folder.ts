/** Folders of tests that are removed when these are over. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** A new folder, for all tests of a file or a `describe`; for one test with `onTestFinished`. */
export function temporaryFolder(over: (remove: () => void) => void = afterAll): string {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-test-"));
  // What a killed process wrote may still come.
  over(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  return folder;
}
