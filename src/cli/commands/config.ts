/** `vitrine config`: the settings in force for a command, with their origins. */
import type { CommandDefinition } from "../main/command.js";
import { commandNamed } from "../main/commands.js";
import type { TerminalWords } from "../main/terminal.js";
import { columns } from "../main/text-table.js";
import { baseUrlsOf, COMMON_OPTIONS, givenContexts, modelOf } from "../settings/common.js";
import type { Flags, Option, Setting } from "../settings/options.js";
import { checkedSettings, Options, placedWords, UsageError } from "../settings/options.js";
import { readSettingsFile, settingsFilePath, settingsTable } from "../settings/settings-file.js";

export const configCommand: CommandDefinition = {
  operands: "[COMMAND]",
  summary: "shows the settings in force for a command (default serve), and where each comes from",
  notes: [
    "Flags override the environment (VITRINE_PORT), which overrides the file (vitrine.yaml, vitrine.yml or vitrine.json in the",
    "working directory, or --config FILE). Secrets are masked. If a setting is wrong, the status is 2.",
  ],
  examples: ["config", "config load --json"],
  async run(options, { stdout, stderr, environment, commands }) {
    const [name = "serve"] = options.positionals;
    const all = await commands();
    const command = await commandNamed(name);
    const specification = [...command.options, ...COMMON_OPTIONS];
    const file = settingsFilePath(options.text("config"));
    const fromFile = file === undefined ? undefined : readSettingsFile(file, settingsTable(all), name);
    const settled = checkedSettings(specification, flagsOf(options), environment, fromFile);
    const shown = shownOf(specification, settled);
    if (options.isSet("json")) stdout.json({ file: file ?? null, settings: shown });
    else stdout.write(table(shown, file));
    await check(name, withoutSecrets(specification, settled), stderr).catch((error: unknown) => {
      throw error instanceof UsageError ? new UsageError(placedWords(error.message, settled)) : error;
    });
  },
};

/** Check the values as the command does. Throws as the command does. */
async function check(command: string, options: Options, stderr: TerminalWords): Promise<void> {
  const { checkLoading, harvestingOf, imagesOf, siteOf } = await import("../settings/serve-options.js");
  await checkLoading(options);
  if (command === "serve") {
    const { logOf, setupOf } = await import("../serving/setup.js");
    await setupOf(options, logOf(options, stderr));
    return;
  }
  modelOf(options);
  baseUrlsOf(options);
  await givenContexts(options);
  if (command !== "site") return;
  siteOf(options);
  imagesOf(options);
  await harvestingOf(options);
}

/** The settings without secrets, which perhaps only the service may read. */
function withoutSecrets(specification: readonly Option[], { settings, positionals }: Options): Options {
  const secrets = new Set(specification.flatMap(({ name, secret }) => (secret ? [name] : [])));
  const kept = [...settings].map(([name, setting]) => [name, secrets.has(name) ? MASKED : setting] as const);
  return new Options(new Map(kept), positionals);
}

const MASKED: Setting = { value: "********", origin: "default" };

/** The flags given to `config`, which every command has. */
function flagsOf({ settings }: Options): Flags {
  const given = [...settings].filter(([name, { origin }]) => origin === `--${name}`);
  return { values: new Map(given.map(([name, { value }]) => [name, value])), positionals: [] };
}

/** The settings with their origins, by name; secrets are masked. */
function shownOf(specification: readonly Option[], { settings }: Options) {
  const shown = specification.filter(({ kind }) => kind !== "argument");
  return Object.fromEntries(
    shown.map(({ name, secret }) => {
      const { value = null, origin = "not set" } = settings.get(name) ?? {};
      const isSecret = secret === true && typeof value === "string" && !value.startsWith("@");
      return [name, { value: isSecret ? MASKED.value : value, origin }];
    }),
  );
}

/** The maximum width of the column of values, in characters; longer values extend beyond it. */
const MAX_WIDTH = 60;

function table(shown: ReturnType<typeof shownOf>, file: string | undefined): string {
  const rows = Object.entries(shown).flatMap(([name, { value, origin }]) =>
    value === null ? [] : [[name, [value].flat().join(" ").replaceAll("\n", "\\n"), origin]],
  );
  return `settings file: ${file ?? "none"}\n\n${columns(rows, [], MAX_WIDTH).join("\n")}\n`;
}
