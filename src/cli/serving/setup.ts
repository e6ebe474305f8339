/** The set-up of a service: all that the command line says of it, checked, and what that means for a store. */
import { spawn } from "node:child_process";
import type { LoadConditions, StartedCommand } from "../../http/loads/loads.js";
import type { Log } from "../../http/telemetry/log.js";
import type { Store } from "../../store/store.js";
import { PROGRAM } from "../main/command.js";
import { SERVICE_CHANNEL } from "../main/terminal.js";
import { baseUrlsOf, givenContexts, modelOf } from "../settings/common.js";
import { harvestingOf } from "../settings/harvest-options.js";
import { type Options, type Setting, UsageError } from "../settings/options.js";
import { servingOf } from "../settings/serve-options.js";
import { engineOf, queryingOf } from "../settings/sparql-options.js";
import { COMMON_SETTINGS, LOADING_SETTINGS } from "../settings/table.js";
import { observingOf } from "./observers.js";

export type Setup = Awaited<ReturnType<typeof setupOf>>;

/** @param start starts the process of a load that comes over HTTP. Throws `UsageError` */
export async function setupOf(options: Options, log: Log, start = startCommand) {
  const engine = await engineOf(options);
  const isPublished = options.isSet("read-only-engine");
  if (isPublished && engine === undefined) throw new UsageError("--read-only-engine needs --engine URL");
  return {
    directory: options.required("store"),
    serving: servingOf(options),
    harvesting: await harvestingOf(options),
    querying: await queryingOf(options),
    /** The engine that has the records, where no store does. */
    records: isPublished ? engine : undefined,
    model: modelOf(options),
    /** Those given, the canonical one first. */
    baseUrls: baseUrlsOf(options),
    contexts: await givenContexts(options),
    /** The arguments of loads that come over HTTP, besides their own. */
    loading: loadArgumentsOf(options),
    /** Whether it waits for a store that is away when it starts: the first process knows that there was one. */
    waits: false,
    observing: await observingOf(options, log),
    announce: (message: string, isError = false): void => log[isError ? "error" : "info"](message),
    start,
  };
}

/**
 * The arguments of loads over HTTP: the flags and variables of the service about model and loading, and its rules for holding. The
 * settings file they read themselves.
 */
function loadArgumentsOf(options: Options): string[] {
  const config = options.text("config");
  const decided = [...COMMON_SETTINGS, ...LOADING_SETTINGS].filter(({ name }) => name !== "store");
  return [
    ...decided.flatMap(({ name }) => flagsOf(name, options.settings.get(name))),
    ...(config === undefined ? [] : [`--config=${config}`]),
  ];
}

/** A setting as flags; none where it stands in the settings file or is a default. */
function flagsOf(name: string, setting: Setting | undefined): readonly string[] {
  if (setting === undefined || (!/(?:^|, )(?:--|VITRINE_)/.test(setting.origin) && name !== "hold")) return [];
  const { value } = setting;
  if (typeof value === "boolean") return value ? [`--${name}`] : [];
  return [value].flat().map((each) => `--${name}=${each}`);
}

/**
 * Run a command of this program that works for somebody else. It gets this process's environment without its settings: a
 * load of a contributor goes by what the service decided, not by what happens to be set.
 */
function startCommand(args: readonly string[], conditions: LoadConditions): StartedCommand {
  const environment = Object.entries(process.env).filter(([name]) => !name.startsWith("VITRINE_"));
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    stdio: ["pipe", "pipe", "pipe", "ipc"],
    env: { ...Object.fromEntries(environment), [SERVICE_CHANNEL]: "1" },
  });
  // One that cannot be started says so itself.
  child.send(conditions, () => {});
  return child;
}

export type AboutStore = Awaited<ReturnType<typeof aboutStore>>;

/** The settings of a store that follow from the command line. */
export async function aboutStore({ model, baseUrls, serving, contexts }: Setup, store: Store) {
  const [first = (await store.stats()).baseUrl ?? `http://localhost:${serving.port}/`, ...others] = baseUrls;
  return {
    model,
    baseUrls: [first, ...others] as const,
    /** The first of them without its final slash. */
    base: first.replace(/\/$/, ""),
    contexts: [...(await store.contexts()), ...contexts],
  };
}
