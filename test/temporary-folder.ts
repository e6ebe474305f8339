/** Folders of tests, removed when the tests end. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, vi } from "vitest";

/** A new folder for all tests of a file or a `describe`, or with `onTestFinished` for one test. */
export function temporaryFolder(over: (remove: () => Promise<void>) => void = afterAll): string {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-test-"));
  // Writes of a killed process may still arrive, also between the removal of files and that of their folder.
  over(() => vi.waitFor(() => rmSync(folder, { recursive: true, force: true }), { timeout: 25_000 }));
  return folder;
}
