/** Options as data: settings (flag, environment variable, key of the settings file) say how things are; arguments (flags alone) say what to do now. */
import { parseArgs } from "node:util";
import { didYouMean } from "../../base/did-you-mean.js";
import { NamedError, RefusalError } from "../../base/named-error.js";

interface NumberRange {
  /** The noun for the message about a wrong one: `port number`. */
  readonly of: string;
  readonly least: number;
  readonly most?: number;
  /** Whether it may have a fraction. Default: it is whole. */
  readonly hasFraction?: true;
}

export interface Option {
  /** Without the leading dashes: `base-url` is `--base-url`, `VITRINE_BASE_URL` and `base-url:` in the settings file. */
  readonly name: string;
  /** An `argument` acts, confirms, or names inputs and outputs: it must not come from an environment that somebody else has set. */
  readonly kind: "setting" | "file setting" | "argument";
  /** The placeholder for the value in the help; an option without one is a switch. */
  readonly value?: string;
  /** May be given several times; the environment variable then holds several separated by white space. */
  readonly many?: true;
  /** Flags add to the value of the environment or the file: a policy that no flag takes back. */
  readonly adds?: true;
  readonly default?: string;
  readonly choices?: readonly string[];
  /** The range of a number; checked wherever the value comes from. */
  readonly number?: NumberRange;
  /** Never shown. `@FILE`, or the variable with `_FILE` behind its name, keeps it in a file. */
  readonly secret?: true;
  /** Whether most people need it, so that the short help has it. */
  readonly isMain?: true;
  /** The heading that it stands under in the help. Default: that of all options. */
  readonly group?: string;
  readonly help: string;
}

/** A row of the table of settings: what an option is besides its kind. */
export type SettingRow = Omit<Option, "kind">;

/** A row: of `port NUMBER`, the name, and what stands for the value in the help; a switch has no value. */
export function row(head: string, help: string, more: Omit<SettingRow, "name" | "value" | "help"> = {}): SettingRow {
  const [, name, value] = /^(\S+)(?: (.+))?$/.exec(head)!;
  return { name: name!, ...(value === undefined ? {} : { value }), ...more, help };
}

/** The same for an argument. */
export function argument(...of: Parameters<typeof row>): Option {
  return { ...row(...of), kind: "argument" };
}

/** A whole number of things, within a range. */
export function numberOf(things: string, least: number, most?: number): NumberRange {
  return { of: `number of ${things}`, least, ...(most === undefined ? {} : { most }) };
}

export type SettingValue = string | boolean | readonly string[];

export interface Setting {
  readonly value: SettingValue;
  /** As people are told: `--port`, `VITRINE_PORT`, `vitrine.yaml:3`, or `default`. */
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

  /** The value of an option that is a number, and was checked to be one. */
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

/** The command line is wrong; nothing was done. */
export class UsageError extends RefusalError {}

/** The result of `read`. Throws `UsageError`, which begins with `what`, for an error that this program says something by. */
export function usable<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof NamedError ? new UsageError(`${what}${error.message}`) : error;
  }
}

/** Whether an option may stand on the command line. */
export function isFlag({ kind }: Option): boolean {
  return kind !== "file setting";
}

/** The environment variable of an option. */
export function variableOf(name: string): string {
  return `VITRINE_${name.toUpperCase().replaceAll("-", "_")}`;
}

/** The settings of a file for one command, by the names of options. */
export type FileSettings = ReadonlyMap<string, Setting>;

export interface EnvironmentVariables {
  readonly [name: string]: string | undefined;
}

/** A command line, read but not yet completed by what else there is. */
export interface Flags {
  readonly values: ReadonlyMap<string, SettingValue>;
  readonly positionals: readonly string[];
}

/** The checked settings of a command: flags win over the environment, that over the file, that over defaults. Throws `UsageError`, with the setting's origin. */
export function settle(
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

/** Read the flags of a command line. Throws `UsageError`. */
export function readFlags(specification: readonly Option[], args: readonly string[]): Flags {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: Object.fromEntries(
        specification
          .filter(isFlag)
          .map(({ name, value, many }) => [
            name,
            { type: value === undefined ? "boolean" : "string", multiple: many === true } as const,
          ]),
      ),
    });
    return { values: new Map(Object.entries(values) as [string, SettingValue][]), positionals };
  } catch (error) {
    throw unreadable(error, specification);
  }
}

/** The error of `parseArgs`, with the option that was probably meant. */
function unreadable(error: unknown, specification: readonly Option[]): UsageError {
  const { code, message } = error as NodeJS.ErrnoException;
  const [, given] = /^Unknown option '(--?[^']+)'/.exec(message) ?? [];
  if (code !== "ERR_PARSE_ARGS_UNKNOWN_OPTION" || given === undefined) return new UsageError(message);
  const name = given.replace(/^--?/, "");
  if (specification.some((option) => option.name === name))
    return new UsageError(`${given} is a setting of the file alone: write ${name}: ... into vitrine.yaml`);
  const names = specification.filter(isFlag).map((option) => `--${option.name}`);
  return new UsageError(`there is no option ${given}${didYouMean(given, names)}; --help lists all`);
}

function fromEnvironment(option: Option, environment: EnvironmentVariables): Setting | undefined {
  if (option.kind !== "setting") return undefined;
  const variable = variableOf(option.name);
  const text = environment[variable];
  const file = option.secret === true ? environment[`${variable}_FILE`] : undefined;
  if (file !== undefined && file !== "") {
    if (text !== undefined && text !== "") {
      throw new UsageError(`${variable} and ${variable}_FILE are both set: keep one`);
    }
    return { value: `@${file}`, origin: `${variable}_FILE` };
  }
  if (text === undefined || text === "") return undefined;
  if (option.value !== undefined) return { value: option.many ? text.split(/\s+/) : text, origin: variable };
  if (["1", "true", "yes"].includes(text)) return { value: true, origin: variable };
  if (["0", "false", "no"].includes(text)) return { value: false, origin: variable };
  throw new UsageError(`${variable} is ${JSON.stringify(text)}: write true or false`);
}

/** Throws `UsageError` for a value that the option cannot have. */
export function checkSetting({ name, choices, number }: Option, { value, origin }: Setting): void {
  if (typeof value !== "string") return;
  const given = origin.startsWith("--") || origin.startsWith("VITRINE_") ? origin : `${origin}: ${name}`;
  if (choices !== undefined && !choices.includes(value)) {
    throw new UsageError(`${given} is ${JSON.stringify(value)}: it may be ${choices.join(", ")}`);
  }
  if (number === undefined) return;
  const { of, least, most, hasFraction = false } = number;
  const form = hasFraction ? /^\d{1,15}(?:\.\d+)?$/ : /^\d{1,15}$/;
  if (form.test(value) && Number(value) >= least && Number(value) <= (most ?? Number.POSITIVE_INFINITY)) return;
  throw new UsageError(`${given} ${value} is no ${of} from ${least}${most === undefined ? "" : ` to ${most}`}`);
}

/** The words of an error, behind the place of the setting that they begin with, where that is no flag. */
export function placedWords(words: string, { settings }: Options): string {
  const [, name = ""] = /^(?:--)?([a-z-]+)[: ]/.exec(words) ?? [];
  const { origin = "default" } = settings.get(name) ?? {};
  return origin === "default" || origin.startsWith("--") ? words : `${origin}: ${words}`;
}

/** Warnings about variables that look like settings and are none: misspelt ones, and arguments. They would be ignored in silence. */
export function unknownVariables(options: readonly Option[], environment: EnvironmentVariables): readonly string[] {
  const known = new Set(["VITRINE_WORKER", "VITRINE_SENT", "VITRINE_CONFIG"]);
  for (const { name, secret } of options.filter(({ kind }) => kind === "setting")) {
    known.add(variableOf(name));
    if (secret === true) known.add(`${variableOf(name)}_FILE`);
  }
  const unknown = Object.keys(environment).filter(
    (variable) => variable.startsWith("VITRINE_") && !known.has(variable),
  );
  return unknown.map((variable) => {
    const option = options.find(({ name }) => variableOf(name) === variable);
    if (option?.kind === "argument")
      return `${variable} is no setting and does nothing: give --${option.name} on the command line`;
    if (option !== undefined) return `${variable} is no variable: write ${option.name}: ... into vitrine.yaml`;
    return `${variable} is no setting of any command${didYouMean(variable, [...known])}`;
  });
}
