/** The writer of docs/run/cli.md: every command with its options, as the program defines them. */
import type { Command } from "../src/cli/main/command.js";
import { chaptersOf, flagOf, groupsOf, notesOf, STATUSES } from "../src/cli/main/help.js";
import { COMMON_OPTIONS } from "../src/cli/settings/common.js";
import { isFlag, type Option, variableOf } from "../src/cli/settings/options.js";

const SHARED = "Settings of several commands";

/** The text of docs/run/cli.md. Settings of several commands are described once. */
export function cliPage(commands: readonly Command[]): string {
  const settings = commands.flatMap(({ options }) => options.filter(({ kind }) => kind !== "argument"));
  const shared = new Map(settings.map((setting) => [rowOf(setting), setting]));
  for (const row of shared.keys()) if (settings.filter((each) => rowOf(each) === row).length < 2) shared.delete(row);
  const chapters = chaptersOf(commands).flatMap(({ title, commands: members }) => [
    `## ${title[0]!.toUpperCase()}${title.slice(1)}`,
    "",
    ...members.flatMap((each) => commandSection(each, shared)),
  ]);
  return [
    "# The command line",
    "",
    "Every command and option. [settings.md](settings.md) explains settings. `npm run generate` writes this page from the definitions in the program.",
    "",
    ...chapters,
    `## ${SHARED}`,
    "",
    ...tables([...shared.values()]),
    "## Common options",
    "",
    ...optionTable(COMMON_OPTIONS),
    "",
    `${STATUSES[0]!.toUpperCase()}${STATUSES.slice(1)}.`,
    "",
  ].join("\n");
}

function commandSection(command: Command, shared: ReadonlyMap<string, Option>): string[] {
  const { name, operands, summary, options, notes = [], examples = [] } = command;
  const [elsewhere, here] = [true, false].map((isShared) =>
    options.filter((each) => shared.has(rowOf(each)) === isShared),
  );
  return [
    `### vitrine ${name} ${operands}`.trimEnd(),
    "",
    `${summary[0]!.toUpperCase()}${summary.slice(1)}.`,
    "",
    ...(notes.length === 0 ? [] : [...notes, ""]),
    ...(examples.length === 0 ? [] : [...examples.map((example) => `    vitrine ${example}`), ""]),
    ...tables(here!),
    ...(elsewhere!.length === 0
      ? []
      : [
          `[${SHARED}](#settings-of-several-commands): ${elsewhere!.map((each) => `\`${isFlag(each) ? "--" : ""}${each.name}\``).join(", ")}.`,
          "",
        ]),
  ];
}

function tables(options: readonly Option[]): string[] {
  return [...groupsOf(options)].flatMap(([group, members]) => [
    ...(group === "" ? [] : [`${group[0]!.toUpperCase()}${group.slice(1)}:`, ""]),
    ...optionTable(members),
    "",
  ]);
}

function optionTable(options: readonly Option[]): string[] {
  return ["| flag | environment | |", "| --- | --- | --- |", ...options.map(rowOf)];
}

function rowOf(option: Option): string {
  const cell = (text: string): string => text.replaceAll("|", "\\|");
  const variable =
    option.kind !== "setting" ? "" : `\`${variableOf(option.name)}\`${option.secret ? ", `..._FILE`" : ""}`;
  const notes = notesOf(option)
    .map((note) => ` (${note})`)
    .join("");
  return `| \`${cell(flagOf(option))}\` | ${variable} | ${cell(option.help)}${cell(notes)} |`;
}
