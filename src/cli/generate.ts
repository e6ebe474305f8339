/** What `npm run generate` writes from the definitions of the command line: its reference and the schema of its settings. */
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { COMMANDS } from "./commands.js";
import { referencePage } from "./help.js";
import { settingsTable } from "./settings-file.js";
import { settingsSchema } from "./settings-schema.js";

/** The files with their content; paths are relative to the repository's root. */
export function generatedFiles(): readonly { readonly path: string; readonly content: string }[] {
  return [
    { path: "docs/cli.md", content: referencePage(COMMANDS) },
    { path: "schemas/settings.json", content: `${JSON.stringify(settingsSchema(settingsTable(COMMANDS)), null, 2)}\n` },
  ];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  for (const { path, content } of generatedFiles()) writeFileSync(path, content);
}
