/** The writer of docs/run/cli.md: every command with its options, as the program defines them. */
import type { Command } from "../src/cli/main/command.js";
import { chaptersOf, flagOf, groupsOf, notesOf, STATUSES } from "../src/cli/main/help.js";
import { COMMON_OPTIONS } from "../src/cli/settings/common.js";
import { type Option, variableOf } from "../src/cli/settings/options.js";

/** The text of docs/run/cli.md. */
export function cliPage(commands: readonly Command[]): string {
  const chapters = chaptersOf(commands).flatMap(({ title, commands: members }) => [
    `## ${title[0]!.toUpperCase()}${title.slice(1)}`,
    "",
    ...members.flatMap(commandSection),
  ]);
  return [
    "# The command line",
    "",
    "Every command and option. [settings.md](settings.md) explains settings. `npm run generate` writes this page from the definitions in the program.",
    "",
    ...chapters,
    "## Common options",
    "",
    ...optionTable(COMMON_OPTIONS),
    "",
    `${STATUSES[0]!.toUpperCase()}${STATUSES.slice(1)}.`,
    "",
  ].join("\n");
}

function commandSection({ name, operands, summary, options, notes = [], examples = [] }: Command): string[] {
  return [
    `### vitrine ${name} ${operands}`.trimEnd(),
    "",
    `${summary[0]!.toUpperCase()}${summary.slice(1)}.`,
    "",
    ...(notes.length === 0 ? [] : [...notes, ""]),
    ...(examples.length === 0 ? [] : [...examples.map((example) => `    vitrine ${example}`), ""]),
    ...[...groupsOf(options)].flatMap(([group, members]) => [
      ...(group === "" ? [] : [`${group[0]!.toUpperCase()}${group.slice(1)}:`, ""]),
      ...optionTable(members),
      "",
    ]),
  ];
}

function optionTable(options: readonly Option[]): string[] {
  const cell = (text: string): string => text.replaceAll("|", "\\|");
  return [
    "| flag | environment | |",
    "| --- | --- | --- |",
    ...options.map((option) => {
      const variable =
        option.kind !== "setting" ? "" : `\`${variableOf(option.name)}\`${option.secret ? ", `..._FILE`" : ""}`;
      const notes = notesOf(option)
        .map((note) => ` (${note})`)
        .join("");
      return `| \`${cell(flagOf(option))}\` | ${variable} | ${cell(option.help)}${cell(notes)} |`;
    }),
  ];
}
