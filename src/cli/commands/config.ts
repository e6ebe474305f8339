/** `vitrine config`: the settings in force for a command, with their origins. */
import type { Command } from "../main/command.js";
import { columns } from "../main/text-table.js";
import { baseUrlsOf, COMMON_OPTIONS, givenContexts, modelOf } from "../settings/common.js";
import {
  checkedSettings,
  type Flags,
  type Option,
  type Options,
  placedWords,
  UsageError,
} from "../settings/options.js";
import { readSettingsFile, settingsFilePath, settingsTable } from "../settings/settings-file.js";

interface Shown {
  readonly name: string;
  readonly value: string | boolean | readonly string[] | null;
  readonly origin: string;
}

/** The command. @param commands imports all commands */
export function configCommand(commands: () => Promise<readonly Command[]>): Command {
  return {
    name: "config",
    operands: "[COMMAND]",
    summary: "shows the settings in force for a command (default serve), and where each comes from",
    notes: [
      "Flags override the environment (VITRINE_PORT), which overrides the file (vitrine.yaml, vitrine.yml or vitrine.json in the",
      "working directory, or --config FILE). Secrets are masked. If a setting is wrong, the status is 2.",
    ],
    examples: ["config", "config load --json"],
    options: [],
    async run(options, { stdout, environment }) {
      const [name = "serve"] = options.positionals;
      const all = await commands();
      const command = all.find((each) => each.name === name);
      if (command === undefined)
        throw new UsageError(`there is no command ${JSON.stringify(name)}; vitrine help lists all`);
      const specification = [...command.options, ...COMMON_OPTIONS];
      const file = settingsFilePath(options.text("config"));
      const fromFile = file === undefined ? undefined : readSettingsFile(file, settingsTable(all), name);
      const settled = checkedSettings(specification, commonFlags(options), environment, fromFile);
      const shown = specification.flatMap((option) => shownOf(option, settled));
      stdout.write(options.isSet("json") ? machine(shown, file) : table(shown, file));
      await check(name, settled).catch((error: unknown) => {
        throw error instanceof UsageError ? new UsageError(placedWords(error.message, settled)) : error;
      });
    },
  };
}

/** Check the values as the command does, but read no secrets: perhaps only the service may read them. Throws as the command does. */
async function check(command: string, options: Options): Promise<void> {
  const { checkLoading, harvestingOf, imagesOf, servingOf, siteOf } = await import("../settings/serve-options.js");
  const { rateLimitsOf } = await import("../serving/setup.js");
  modelOf(options);
  baseUrlsOf(options);
  await givenContexts(options);
  await checkLoading(options);
  rateLimitsOf(options.all("rate-limit"));
  if (command === "serve") servingOf(options);
  else if (command === "site") {
    siteOf(options);
    imagesOf(options);
  } else return;
  await harvestingOf(options);
}

/** The flags given to `config` that every command has. */
function commonFlags({ settings }: Options): Flags {
  const common = COMMON_OPTIONS.filter(({ kind }) => kind === "setting");
  const given = common.flatMap(({ name }) => {
    const setting = settings.get(name);
    return setting?.origin === `--${name}` ? [[name, setting.value] as const] : [];
  });
  return { values: new Map(given), positionals: [] };
}

function shownOf({ name, secret, kind }: Option, { settings }: Options): Shown[] {
  if (kind === "argument") return [];
  const setting = settings.get(name);
  if (setting === undefined) return [{ name, value: null, origin: "not set" }];
  const { value, origin } = setting;
  const isSecret = secret === true && typeof value === "string" && !value.startsWith("@");
  return [{ name, value: isSecret ? "********" : value, origin }];
}

function machine(shown: readonly Shown[], file: string | undefined): string {
  const settings = Object.fromEntries(shown.map(({ name, value, origin }) => [name, { value, origin }]));
  return `${JSON.stringify({ file: file ?? null, settings })}\n`;
}

/** The maximum width of the column of values, in characters; longer values extend beyond it. */
const MAX_WIDTH = 60;

function table(shown: readonly Shown[], file: string | undefined): string {
  const rows = shown
    .filter(({ value }) => value !== null)
    .map(({ name, value, origin }) => [name, Array.isArray(value) ? value.join(" ") : String(value), origin]);
  return `settings file: ${file ?? "none"}\n\n${columns(rows, { most: MAX_WIDTH }).join("\n")}\n`;
}
