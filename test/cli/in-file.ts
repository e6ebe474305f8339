/** Settings that stand in a file alone, for a command line. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let folder: string | undefined;
let files = 0;

/** The arguments that name a file with these settings; it stays until the process ends. */
export function inFile(settings: Readonly<Record<string, unknown>>): readonly string[] {
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), "vitrine-in-file-"));
    process.once("exit", () => rmSync(made, { recursive: true, force: true }));
    folder = made;
  }
  const path = join(folder, `${files++}.json`);
  writeFileSync(path, JSON.stringify(settings));
  return ["--config", path];
}
