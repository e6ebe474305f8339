/** The output of `npm run generate`: the reference of the command line, the schema of its settings and the page of EDM, made from the definitions. */
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { edmPage } from "../../http/representations/edm/edm-page.js";
import { settingsSchema, settingsTable } from "../settings/settings-file.js";
import { allCommands } from "./commands.js";
import { referencePage } from "./help.js";

/** The files with their content; paths are relative to the repository's root. */
export async function commandFiles(): Promise<readonly { readonly path: string; readonly content: string }[]> {
  const commands = await allCommands();
  const schema = settingsSchema(settingsTable(commands));
  return [
    { path: "docs/run/cli.md", content: referencePage(commands) },
    { path: "docs/use/edm.md", content: edmPage(readFileSync("docs/use/edm.md", "utf8")) },
    { path: "schemas/settings.json", content: `${JSON.stringify(schema, null, 2)}\n` },
  ];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  for (const { path, content } of await commandFiles()) writeFileSync(path, content);
}
