/** Options as data. Settings (flag, environment variable, key of the settings file) say how things are; arguments (flags only) say what to do now. */
import { parseArgs } from "node:util";
import { didYouMean } from "../../base/did-you-mean.js";
import { NamedError, RefusalError } from "../../base/named-error.js";
import type { UnmetCondition } from "../../http/loads/loads.js";
import { whyUnreadable } from "../main/exit-status.js";

interface NumberRange {
  /** The noun for error messages, such as `port number`. */
  readonly of: string;
  readonly least: number;
  readonly most?: number | undefined;
  /** Whether fractions are allowed. Default: only whole numbers are. */
  readonly hasFraction?: true;
}

export interface Option {
  /** The name without dashes: `base-url` is `--base-url`, `VITRINE_BASE_URL` and `base-url:` in the settings file. */
  readonly name: string;
  /** An `argument` acts, confirms, or names inputs and outputs. It must not come from an environment that somebody else set. */
  readonly kind: "setting" | "file setting" | "argument";
  /** The placeholder for the value in the help. An option without one is a switch. */
  readonly value?: string;
  /** Whether the option can be repeated; the environment variable then has values separated by white space. */
  readonly many?: true;
  /** Whether flags add to the values of the environment and the file, so that no flag can undo a policy. */
  readonly adds?: true;
  readonly default?: string | undefined;
  readonly choices?: readonly string[];
  /** The range of a number; checked wherever the value comes from. */
  readonly number?: NumberRange;
  /** The form of a value, with the words for it in error messages; checked wherever the value comes from. */
  readonly form?: { readonly of: string; readonly matches: RegExp };
  /** Whether the value is a secret, which is never shown. `@FILE`, or the variable with the suffix `_FILE`, reads it from a file. */
  readonly secret?: true;
  /** Whether the short help lists it, because most people need it. */
  readonly isMain?: true;
  /** The heading under which the help lists it. Default: the general one. */
  readonly group?: string;
  readonly help: string;
}

/** A row of the table of settings: an option without its kind. */
export type SettingRow = Omit<Option, "kind">;

/** A row. `head` is the name and, unless it is a switch, the placeholder for the value: `port NUMBER`, or `shapes FILE...` if it can be repeated. */
export function row(head: string, help: string, more: Partial<SettingRow> = {}): SettingRow {
  const [, name, value, repeated] = /^(\S+)(?: (.+?)(\.{3})?)?$/.exec(head)!;
  return { name: name!, ...(value && { value }), ...(repeated && { many: true }), ...more, help };
}

/** An argument, from the same parameters as a row. */
export function argument(...of: Parameters<typeof row>): Option {
  return { ...row(...of), kind: "argument" };
}

/** For a row: the range of a whole number of things, and its default. */
export function numberOf(things: string, least: number, byDefault?: string, most?: number) {
  return { number: { of: `number of ${things}`, least, most }, default: byDefault };
}

type SettingValue = string | boolean | readonly string[];

export interface Setting {
  readonly value: SettingValue;
  /** The origin as shown to people: `--port`, `VITRINE_PORT`, `vitrine.yaml:3` or `default`. */
  readonly origin: string;
}

export class Options {
  constructor(
    readonly settings: ReadonlyMap<string, Setting>,
    readonly positionals: readonly string[],
  ) {}

  /** The value of an option, or its default, or `undefined`. */
  text(name: string): string | undefined {
    const value = this.settings.get(name)?.value;
    return typeof value === "string" ? value : undefined;
  }

  /** The value of an option that has a default. */
  required(name: string): string {
    return this.text(name)!;
  }

  /** The value of a numeric option, which has been checked. */
  number(name: string): number | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : Number(text);
  }

  isSet(name: string): boolean {
    return this.settings.get(name)?.value === true;
  }

  all(name: string): readonly string[] {
    const value = this.settings.get(name)?.value;
    return Array.isArray(value) ? value : [];
  }
}

/** The command line is wrong, or what it asks for is not allowed, and nothing was done. */
export class UsageError extends RefusalError {
  /** @param unmet the condition that a service needs to know of when the command runs on somebody's behalf */
  constructor(
    message: string,
    readonly unmet?: UnmetCondition,
  ) {
    super(message);
  }
}

/** The result of `read`. Turns errors of a class, by default those with a message for people, into `UsageError`, and puts `what` before the message, or before why a file cannot be read. */
export function usable<T>(what: string, read: () => T, of: new (...given: never[]) => Error = NamedError): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof of ? new UsageError(what + whyUnreadable(error)) : error;
  }
}

/** Whether an option is allowed on the command line. */
export function isFlag({ kind }: Option): boolean {
  return kind !== "file setting";
}

/** The environment variable of an option. */
export function variableOf(name: string): string {
  return `VITRINE_${name.toUpperCase().replaceAll("-", "_")}`;
}

/** The settings in a file for one command, by option name. */
export type FileSettings = ReadonlyMap<string, Setting>;

export type EnvironmentVariables = Readonly<NodeJS.Dict<string>>;

/** A command line that was parsed, but not yet combined with the other sources of settings. */
export interface Flags {
  readonly values: ReadonlyMap<string, SettingValue>;
  readonly positionals: readonly string[];
}

/** The checked settings of a command. Flags win over the environment, the environment over the file, the file over defaults. Throws `UsageError` with the origin. */
export function checkedSettings(
  specification: readonly Option[],
  flags: Flags,
  environment: EnvironmentVariables,
  file: FileSettings = new Map(),
): Options {
  const settings = new Map<string, Setting>();
  for (const option of specification) {
    const flag = flags.values.get(option.name);
    const given = [
      flag === undefined ? undefined : { value: flag, origin: `--${option.name}` },
      fromEnvironment(option, environment),
      file.get(option.name),
    ].filter((each) => each !== undefined);
    const setting =
      (option.adds === true ? together(given) : given[0]) ??
      (option.default === undefined ? undefined : { value: option.default, origin: "default" });
    if (setting === undefined) continue;
    checkSetting(option, setting);
    settings.set(option.name, setting);
  }
  return new Options(settings, flags.positionals);
}

function together(given: readonly Setting[]): Setting | undefined {
  if (given.length < 2) return given[0];
  const value = given.flatMap((setting) => setting.value as readonly string[]);
  return { value, origin: given.map(({ origin }) => origin).join(", ") };
}

/** Parse the flags of a command line. Throws `UsageError`. */
export function readFlags(specification: readonly Option[], args: readonly string[]): Flags {
  try {
    const flags = specification.filter(isFlag).map(({ name, value, many = false }) => {
      return [name, { type: value === undefined ? "boolean" : "string", multiple: many }] as const;
    });
    const options = Object.fromEntries(flags);
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
    return { values: new Map(Object.entries(values) as [string, SettingValue][]), positionals };
  } catch (error) {
    throw unreadable(error, specification);
  }
}

/** An error of `parseArgs` as a `UsageError`, with a suggestion for an unknown option. */
function unreadable(error: unknown, specification: readonly Option[]): UsageError {
  const { code, message } = error as NodeJS.ErrnoException;
  const [, named] = /^Option '.*?(--[^' ]+)[^']*' argument (?:is ambiguous|missing)/.exec(message) ?? [];
  if (named !== undefined)
    return new UsageError(`${named} needs a value; write ${named}=VALUE if it begins with a dash`);
  const [, single] = /^Option '.*?(--[^' ]+)' does not take/.exec(message) ?? [];
  if (single !== undefined) return new UsageError(`${single} takes no value: write ${single}, or leave it out`);
  const [, given] = /^Unknown option '(--?[^']+)'/.exec(message) ?? [];
  if (code !== "ERR_PARSE_ARGS_UNKNOWN_OPTION" || given === undefined) return new UsageError(message);
  const name = given.replace(/^--?/, "");
  if (specification.some((option) => option.name === name))
    return new UsageError(`${given} can be set only in the settings file: write ${name}: ... into vitrine.yaml`);
  const names = specification.filter(isFlag).map((option) => `--${option.name}`);
  return new UsageError(`there is no option ${given}${didYouMean(given, names)}; vitrine help COMMAND all lists all`);
}

function fromEnvironment(option: Option, environment: EnvironmentVariables): Setting | undefined {
  if (option.kind !== "setting" && option.name !== "config") return undefined;
  const variable = variableOf(option.name);
  const text = environment[variable]?.trim();
  const file = option.secret === true ? environment[`${variable}_FILE`] : undefined;
  if (file !== undefined && file !== "") {
    if (text !== undefined && text !== "")
      throw new UsageError(`${variable} and ${variable}_FILE are both set: keep one`);
    return { value: `@${file}`, origin: `${variable}_FILE` };
  }
  if (text === undefined || text === "") return undefined;
  if (option.value !== undefined) return { value: option.many ? text.split(/\s+/) : text, origin: variable };
  if (["1", "true", "yes"].includes(text)) return { value: true, origin: variable };
  if (["0", "false", "no"].includes(text)) return { value: false, origin: variable };
  throw new UsageError(`${variable} is ${JSON.stringify(text)}: write true or false`);
}

/** Throws `UsageError` for a value that the option does not allow. */
export function checkSetting({ name, choices, number, form }: Option, { value, origin }: Setting): void {
  if (typeof value === "boolean") return;
  const given = origin.startsWith("--") || origin.startsWith("VITRINE_") ? origin : `${origin}: ${name}`;
  for (const each of [value].flat()) {
    // Such a value comes from an unset variable in a script, or in a template for the settings file.
    if (!origin.startsWith("VITRINE_") && each.trim() === "")
      throw new UsageError(`${given} is empty: give a value, or leave it out`);
    if (choices !== undefined && !choices.includes(each))
      throw new UsageError(`${given} is ${JSON.stringify(each)}: it may be ${choices.join(", ")}`);
    if (form?.matches.test(each) === false) throw new UsageError(`${given} ${each} is not ${form.of}`);
  }
  if (number === undefined || typeof value !== "string") return;
  const { of, least, most, hasFraction = false } = number;
  const digits = hasFraction ? /^\d{1,15}(?:\.\d+)?$/ : /^\d{1,15}$/;
  if (digits.test(value) && Number(value) >= least && Number(value) <= (most ?? Number.POSITIVE_INFINITY)) return;
  const range = most === undefined ? `${least} upwards` : `${least} to ${most}`;
  throw new UsageError(`${given} ${value} is not a ${of} from ${range}`);
}

/** An error message with the origin of the setting that it begins with in front, such as `vitrine.yaml:3: `, unless that is a flag or the default. */
export function placedWords(words: string, { settings }: Options): string {
  const [, name = ""] = /^(?:--)?([a-z-]+)[: ]/.exec(words) ?? [];
  const { origin = "default" } = settings.get(name) ?? {};
  return origin === "default" || origin.startsWith("--") ? words : `${origin}: ${words}`;
}

/** Warnings about variables that look like settings but are not, such as misspelt ones and arguments. Otherwise they would be ignored silently. */
export function unknownVariables(options: readonly Option[], environment: EnvironmentVariables): readonly string[] {
  const known = new Set(["VITRINE_WORKER", "VITRINE_SENT", "VITRINE_CONFIG"]);
  for (const { name, secret } of options.filter(({ kind }) => kind === "setting")) {
    known.add(variableOf(name));
    if (secret === true) known.add(`${variableOf(name)}_FILE`);
  }
  const unknown = Object.keys(environment).filter((name) => name.startsWith("VITRINE_") && !known.has(name));
  return unknown.map((variable) => {
    const option = options.find(({ name }) => variableOf(name) === variable);
    if (option?.kind === "argument")
      return `${variable} is not a setting and has no effect: give --${option.name} on the command line`;
    if (option !== undefined) return `${variable} is not a variable: write ${option.name}: ... into vitrine.yaml`;
    return `${variable} is not a setting of any command${didYouMean(variable, [...known])}`;
  });
}
