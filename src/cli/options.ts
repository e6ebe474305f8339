/** Command line options as data: each is a flag, an environment variable and a line of help at once. */
import { parseArgs } from "node:util";

export interface Option {
  /** Without the leading dashes: `base-url` is `--base-url` and `VITRINE_BASE_URL`. */
  readonly name: string;
  /** What stands for the value in the help; an option without one is a switch. */
  readonly value?: string;
  /** May be given several times; the environment variable then holds several separated by white space. */
  readonly many?: true;
  readonly default?: string;
  /** The values it may have. */
  readonly choices?: readonly string[];
  readonly help: string;
}

/** The options of a command line, by name. */
export class Options {
  constructor(
    readonly values: ReadonlyMap<string, string | boolean | readonly string[]>,
    readonly positionals: readonly string[],
  ) {}

  /** The value of an option, or its default, or `undefined`. */
  text(name: string): string | undefined {
    const value = this.values.get(name);
    return typeof value === "string" ? value : undefined;
  }

  /** The value of an option that has a default. */
  required(name: string): string {
    return this.text(name)!;
  }

  isSet(name: string): boolean {
    return this.values.get(name) === true;
  }

  all(name: string): readonly string[] {
    const value = this.values.get(name);
    return Array.isArray(value) ? value : [];
  }
}

/** The command line is wrong; nothing was done. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

/** The environment variable of an option. */
export function variableOf(name: string): string {
  return `VITRINE_${name.toUpperCase().replaceAll("-", "_")}`;
}

/** Read a command line; flags win over the environment, which wins over defaults. Throws `UsageError`. */
export function readOptions(
  specification: readonly Option[],
  args: readonly string[],
  environment: { readonly [name: string]: string | undefined },
): Options {
  const flags = readFlags(specification, args);
  const values = new Map<string, string | boolean | readonly string[]>();
  for (const option of specification) {
    const value =
      flags.values.get(option.name) ?? fromEnvironment(option, environment[variableOf(option.name)]) ?? option.default;
    if (value === undefined) continue;
    checkChoice(option, value);
    values.set(option.name, value);
  }
  return new Options(values, flags.positionals);
}

function readFlags(specification: readonly Option[], args: readonly string[]): Options {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: Object.fromEntries(
        specification.map(({ name, value, many }) => [
          name,
          { type: value === undefined ? "boolean" : "string", multiple: many === true } as const,
        ]),
      ),
    });
    return new Options(new Map(Object.entries(values) as [string, string | boolean | string[]][]), positionals);
  } catch (error) {
    throw unreadable(error, specification);
  }
}

/** What `parseArgs` says, with the option that was probably meant. */
function unreadable(error: unknown, specification: readonly Option[]): UsageError {
  const { code, message } = error as NodeJS.ErrnoException;
  const [, given] = /^Unknown option '(--?[^']+)'/.exec(message) ?? [];
  if (code !== "ERR_PARSE_ARGS_UNKNOWN_OPTION" || given === undefined) return new UsageError(message);
  const names = specification.map(({ name }) => `--${name}`);
  return new UsageError(`there is no option ${given}${didYouMean(given, names)}; --help lists all`);
}

/** `: did you mean X?` for the name that is nearest, or nothing when none is near. */
export function didYouMean(given: string, names: readonly string[]): string {
  const near = names
    .map((name) => ({ name, distance: name.startsWith(given) ? 1 : editDistance(given, name) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(name.replace(/^-+/, "").length / 3)))
    .sort((a, b) => a.distance - b.distance);
  return near.length === 0 ? "" : `: did you mean ${near[0]!.name}?`;
}

/** How many characters have to be added, removed, changed or swapped with their neighbour to make one of the other. */
function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const change = from[i - 1] === to[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swap = swapped ? rows[i - 2]![j - 2]! + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + change, swap));
    }
    rows.push(row);
  }
  return rows[from.length]![to.length]!;
}

function fromEnvironment(option: Option, text: string | undefined): string | boolean | readonly string[] | undefined {
  if (text === undefined || text === "") return undefined;
  if (option.value === undefined) {
    if (["1", "true", "yes"].includes(text)) return true;
    if (["0", "false", "no"].includes(text)) return false;
    throw new UsageError(`${variableOf(option.name)} is ${JSON.stringify(text)}: write true or false`);
  }
  return option.many ? text.split(/\s+/) : text;
}

function checkChoice(option: Option, value: string | boolean | readonly string[]): void {
  if (option.choices === undefined || typeof value !== "string" || option.choices.includes(value)) return;
  throw new UsageError(`--${option.name} is ${JSON.stringify(value)}: it may be ${option.choices.join(", ")}`);
}

/** The help lines of options, aligned. */
export function helpOf(specification: readonly Option[]): string {
  const heads = specification.map(({ name, value }) => `  --${name}${value === undefined ? "" : ` ${value}`}`);
  const width = Math.max(...heads.map((head) => head.length)) + 2;
  return specification
    .map(({ help, default: byDefault, many, choices }, index) => {
      const notes = [
        ...(choices === undefined ? [] : [choices.join(" | ")]),
        ...(byDefault === undefined ? [] : [`default ${byDefault}`]),
        ...(many ? ["repeatable"] : []),
      ];
      return `${heads[index]!.padEnd(width)}${help}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`;
    })
    .join("\n");
}
