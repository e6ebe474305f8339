/** The settings file, `vitrine.yaml` or `vitrine.json`: settings for all commands, and sections for single commands. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Node, Pair } from "yaml";
import { didYouMean } from "../../base/did-you-mean.js";
import { library } from "../../base/lazily.js";
import type { Command } from "../main/command.js";
import { COMMON_OPTIONS } from "./common.js";
import { checkSetting, type FileSettings, type Option, type Setting, UsageError, usable } from "./options.js";

const loadYaml = library<typeof import("yaml")>("yaml");

/** The names of settings files in the working directory. */
const SETTINGS_FILES = ["vitrine.yaml", "vitrine.yml", "vitrine.json"] as const;

/** The names that a settings file may have, at its top level and in the sections of commands. */
type SettingsTable = ReturnType<typeof settingsTable>;

/** The settings table of some commands, from which the checks, the schema and the documentation of settings files are made. */
export function settingsTable(commands: readonly Command[]) {
  const sections = commands.map(({ name, options }) => ({
    command: name,
    options: [...options, ...COMMON_OPTIONS].filter(({ kind }) => kind !== "argument"),
  }));
  const shared = new Map<string, Option | undefined>();
  for (const option of sections.flatMap(({ options }) => options)) {
    const known = shared.get(option.name);
    const isSame = !shared.has(option.name) || (known !== undefined && kindOf(known) === kindOf(option));
    shared.set(option.name, isSame ? (known ?? option) : undefined);
  }
  const all = commands.flatMap((command) => [...command.options, ...COMMON_OPTIONS]);
  return {
    /** The names of arguments, which are not settings. */
    arguments: new Set(all.filter(({ kind }) => kind === "argument").map(({ name }) => name)),
    /** The settings that mean the same in all commands that have them. */
    shared: [...shared.values()].filter((option) => option !== undefined),
    sections,
  };
}

/** The kind of an option's values. Two options with one name and different kinds are two settings. */
function kindOf({ value, many, choices, number, secret }: Option): string {
  return JSON.stringify([value === undefined, many, choices, number, secret]);
}

/** The path of the settings file: the one that is named, or the one in the working directory, if any. Throws `UsageError`. */
export function settingsFilePath(named: string | undefined, directory = "."): string | undefined {
  if (named !== undefined) return named;
  const found = SETTINGS_FILES.filter((name) => existsSync(join(directory, name)));
  if (found.length > 1) throw new UsageError(`${found.join(" and ")} both exist: keep one, or choose with --config`);
  return found[0] === undefined ? undefined : join(directory, found[0]);
}

type Entry = Pair<Node, Node | null>;

/** The settings in a file for a command. Every setting is checked, whichever command it is for. Throws `UsageError` with file, line, what is wrong and what would be right. */
export function readSettingsFile(path: string, table: SettingsTable, command: string): FileSettings {
  const { isMap, isScalar, LineCounter, parseDocument } = loadYaml();
  const lines = new LineCounter();
  const text = usable(`the settings file ${path} cannot be read: `, () => readFileSync(path, "utf8"), Error);
  const { contents, errors } = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const placeOf = (position = 0): string => `${path}:${lines.linePos(position).line}`;
  const [error] = errors;
  const isSecond = error?.code === "MULTIPLE_DOCS";
  const wrong = isSecond ? "a second YAML document begins: remove this line" : error?.message;
  if (error !== undefined) throw new UsageError(`${placeOf(error.pos[0])}: ${wrong}`);
  if (contents === null) return new Map();
  if (!isMap(contents)) throw new UsageError(`${path}: it has to be a list of settings, each "name: value"`);
  const add = (settings: Map<string, Setting>, { key, value }: Entry, options: readonly Option[], of: string): void => {
    const name = String(key);
    const place = placeOf(key.range?.[0]);
    const secret = options.find((option) => option.secret === true && `${option.name}-file` === name);
    const option = secret ?? options.find((each) => each.name === name);
    if (option === undefined) throw new UsageError(`${place}: ${unknownName(name, options, of, table)}`);
    const given = settingValue(option, value, `${place}: ${name}`);
    if (settings.has(option.name)) throw new UsageError(`${place}: ${option.name} is set twice`);
    if (given === undefined) return;
    const setting = { value: secret === undefined ? given : `@${given as string}`, origin: place };
    checkSetting(option, setting);
    settings.set(option.name, setting);
  };
  const [top, own] = [new Map<string, Setting>(), new Map<string, Setting>()];
  for (const entry of contents.items as Entry[]) {
    const { key, value } = entry;
    const name = String(key);
    const section = table.sections.find((each) => each.command === name);
    const isSetting = isScalar(value) && value.value !== null && table.shared.some((option) => option.name === name);
    if (section === undefined || isSetting) add(top, entry, table.shared, "");
    else if (isMap(value)) {
      const into = name === command ? own : new Map<string, Setting>();
      for (const inner of value.items as Entry[]) add(into, inner, section.options, ` of ${name}`);
    } else if (!isScalar(value) || value.value !== null) {
      throw new UsageError(`${placeOf(key.range?.[0])}: ${name} is a section: put its settings below it, indented`);
    }
  }
  return new Map([...top, ...own]);
}

function unknownName(name: string, options: readonly Option[], of: string, table: SettingsTable): string {
  if (table.arguments.has(name)) return `${name} is an argument, not a setting: give --${name} on the command line`;
  const having = table.sections.filter((section) => section.options.some((option) => option.name === name));
  if (having.length > 0 && of === "")
    return `${name} differs from command to command: put it into the section ${having.map(({ command }) => command).join(" or ")}`;
  const names = [
    ...options.map((option) => option.name),
    ...(of === "" ? table.sections.map(({ command }) => command) : []),
  ];
  return `there is no setting ${name}${of}${didYouMean(name, names)}; vitrine help COMMAND all lists them`;
}

/** The value of a setting in the form of the command line, or `undefined` when it is empty. Throws `UsageError`. */
function settingValue(option: Option, node: Node | null, place: string) {
  const { isScalar, isSeq } = loadYaml();
  if (node === null || (isScalar(node) && node.value === null)) return undefined;
  if (option.value === undefined) {
    if (isScalar(node) && typeof node.value === "boolean") return node.value;
    throw new UsageError(`${place}: write true or false`);
  }
  if (option.many === true && isSeq(node)) return node.items.map((item) => textOfScalar(item, place));
  const text = textOfScalar(node, place);
  return option.many === true ? [text] : text;
}

function textOfScalar(node: unknown, place: string): string {
  const { isScalar } = loadYaml();
  if (isScalar(node) && (typeof node.value === "string" || typeof node.value === "number")) {
    // Numbers as written, so that 007 and 1.50 stay unchanged.
    return typeof node.value === "number" ? (node.source ?? String(node.value)) : node.value;
  }
  throw new UsageError(`${place}: write one value, as on the command line`);
}
