/** Folders of tests, removed when the tests end. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** A new folder for all tests of a file or a `describe`, or with `onTestFinished` for one test. */
export function temporaryFolder(over: (remove: () => void) => void = afterAll): string {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-test-"));
  // Writes of a killed process may still arrive.
  over(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  return folder;
}
