/** Help texts: the list of commands, and the help of each command. */
import { groupBy } from "../../base/entries.js";
import { COMMON_OPTIONS } from "../settings/common.js";
import { isFlag, type Option } from "../settings/options.js";
import type { Command } from "./command.js";

export const STATUSES =
  "exit status: 0 done; 1 done, but some records were invalid (with --on-invalid abort, nothing was loaded), or damage was found; 2 refused, nothing changed; 3 failed";

/** The chapters of commands, in the order in which they are needed. */
const CHAPTERS = [
  { title: "bring records in", commands: "load, validate, mend, delete, release, rebase, move, follow" },
  { title: "publish them", commands: "serve, site, engine, dump, purge" },
  { title: "look at them", commands: "get, find, query, export, stats, explain, profile, diff" },
  { title: "keep it running", commands: "config, token, check, check-links, backup, restore, completion" },
];

/** The chapters with their commands. */
export function chaptersOf(all: readonly Command[]) {
  return CHAPTERS.map(({ title, commands }) => ({
    title,
    commands: commands.split(", ").flatMap((name) => all.filter((command) => command.name === name)),
  }));
}

const START = [
  "usage: vitrine COMMAND [OPTION...]",
  "",
  "start with:",
  "  vitrine load records.nq --base-url https://data.museum.example/",
  "  vitrine serve --base-url https://data.museum.example/",
  "",
];

/** `vitrine help`. */
export function usage(): string {
  const width = Math.max(...CHAPTERS.map(({ title }) => title.length)) + 4;
  return [
    ...START,
    ...CHAPTERS.map(({ title, commands }) => `${`${title}:`.padEnd(width)}${commands}`),
    "",
    "vitrine help all says what each does, vitrine help COMMAND shows its options.",
  ].join("\n");
}

/** `vitrine help all`. */
export function wholeUsage(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name, operands }) => name.length + operands.length)) + 3;
  const chapters = chaptersOf(commands).flatMap((chapter) => [
    `${chapter.title}:`,
    ...chapter.commands.map(({ name, operands, summary }) => `  ${`${name} ${operands}`.padEnd(width)}${summary}`),
    "",
  ]);
  return [
    ...START,
    ...chapters,
    "Settings can also be in the environment or in vitrine.yaml. vitrine config shows those in force.",
    "vitrine help COMMAND shows the options of a command, vitrine --version the version.",
  ].join("\n");
}

/** A command with at most this many options shows all of them in its short help. */
const FEW = 6;

/** `vitrine help COMMAND`: the short help, with what most people need. */
export function commandHelp(command: Command): string {
  const { name, operands, summary, options, examples = [] } = command;
  const flags = options.filter(isFlag);
  const main = flags.length <= FEW ? flags : flags.filter(({ isMain }) => isMain === true);
  const sections = [`usage: vitrine ${name} ${operands}`.trimEnd(), "", summary, ""];
  if (examples.length > 0) sections.push(...examples.slice(0, 3).map((example) => `  vitrine ${example}`), "");
  if (main.length > 0) sections.push(helpOf(main), "");
  sections.push(
    `vitrine help ${name} all shows the rest${options.length > main.length ? `: ${options.length - main.length} more options` : ""}, and notes.`,
  );
  return sections.join("\n");
}

/** `vitrine help COMMAND all`. */
export function wholeHelp({ name, operands, summary, options, notes = [], examples = [] }: Command): string {
  const sections = [`usage: vitrine ${name} ${operands}`.trimEnd(), "", summary, ""];
  if (notes.length > 0) sections.push(...notes, "");
  if (examples.length > 0) sections.push("examples:", ...examples.map((example) => `  vitrine ${example}`), "");
  for (const [group, members] of groupsOf(options)) sections.push(`${group}:`, helpOf(members), "");
  sections.push(
    "common settings; a setting is also an environment variable (--base-url is VITRINE_BASE_URL) and a line of",
    "vitrine.yaml (base-url: ...); flags override the environment, which overrides the file:",
    helpOf(COMMON_OPTIONS),
    "",
    STATUSES,
  );
  return sections.join("\n");
}

/** The options by the headings under which the help lists them. */
export function groupsOf(options: readonly Option[]): ReadonlyMap<string, readonly Option[]> {
  const nameOf = ({ kind }: Option) => (kind === "argument" ? "arguments, only on the command line" : "settings");
  return groupBy(options, (option) => option.group ?? nameOf(option));
}

/** The notes after an option's help text: choices, default, whether it can be repeated. */
export function notesOf({ choices, default: byDefault, many, secret }: Option): readonly string[] {
  return [
    ...(choices === undefined ? [] : [choices.join(" | ")]),
    ...(byDefault === undefined ? [] : [`default ${byDefault}`]),
    ...(many ? ["repeatable"] : []),
    ...(secret ? ["or @FILE"] : []),
  ];
}

/** The flag with the placeholder for its value: `--port NUMBER`. */
export function flagOf({ name, value, kind }: Option): string {
  if (kind === "file setting") return `${name}: ${value ?? "true"}`;
  return `--${name}${value === undefined ? "" : ` ${value}`}`;
}

function helpOf(specification: readonly Option[]): string {
  const heads = specification.map((option) => `  ${flagOf(option)}`);
  const width = Math.max(...heads.map((head) => head.length)) + 2;
  return specification
    .map((option, index) => {
      const notes = notesOf(option);
      return `${heads[index]!.padEnd(width)}${option.help}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`;
    })
    .join("\n");
}
