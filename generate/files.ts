/** Every file that is made from the program's tables: one list, so that nothing is written by hand or forgotten. */
import { readFileSync } from "node:fs";
import { allCommands } from "../src/cli/main/commands.js";
import { settingsSchema, settingsTable } from "../src/cli/settings/settings-file.js";
import { modelFiles } from "../src/model/generate/files.js";
import { cliPage } from "./cli-page.js";
import { edmPage } from "./edm-page.js";
import { recordsPage } from "./records-page.js";

/** A file; its path is from the repository's root. */
export interface MadeFile {
  readonly path: string;
  readonly content: string;
}

/** The page whose tables alone are made; what stands around them is kept. */
const EDM_PAGE = "docs/use/edm.md";
const EDM_TEXT = new URL(`../${EDM_PAGE}`, import.meta.url);

/** All files with their content. A new kind of file is one more entry. */
export async function generatedFiles(): Promise<readonly MadeFile[]> {
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
