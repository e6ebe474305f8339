/** The one list of all files that are generated from the program's tables, so that none is written by hand or forgotten. */
import { readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { allCommands } from "../src/cli/main/commands.js";
import { settingsTable } from "../src/cli/settings/settings-file.js";
import { modelFiles } from "../src/model/generate/files.js";
import { cliPage } from "./cli-page.js";
import { edmPage } from "./edm-page.js";
import { recordsPage } from "./records-page.js";
import { settingsSchema } from "./settings-schema.js";

/** The page of which only the tables are generated; the text around them is kept. */
const EDM_PAGE = "docs/use/edm.md";
const EDM_TEXT = new URL(`../${EDM_PAGE}`, import.meta.url);

/** All generated files with their content, by their paths from the repository's root. A new kind of file is one more entry. */
export async function generatedFiles() {
  const commands = await allCommands();
  const schema = settingsSchema(settingsTable(commands));
  return [
    ...modelFiles(),
    { path: "schemas/settings.json", content: `${JSON.stringify(schema, null, 2)}\n` },
    { path: "docs/publish/records.md", content: recordsPage() },
    { path: "docs/run/cli.md", content: cliPage(commands) },
    { path: EDM_PAGE, content: edmPage(readFileSync(EDM_TEXT, "utf8")) },
  ];
}

/** Write the files in a folder that differ from what the tables generate, or with `isCheck` only `say` which. @returns whether all were up to date */
export async function bringUpToDate(folder: string, isCheck: boolean, say: (text: string) => void): Promise<boolean> {
  const files = await generatedFiles();
  const before = await Promise.all(
    files.map(({ path }) => readFile(join(folder, path), "utf8").catch(() => undefined)),
  );
  const changed = files.filter(({ content }, at) => content !== before[at]);
  for (const { path, content } of changed) {
    if (!isCheck) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    say(`${path} ${isCheck ? "differs from what the tables generate: run npm run generate" : "written"}`);
  }
  return changed.length === 0;
}
