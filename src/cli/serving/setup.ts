/** The set-up of a service: its checked settings, what they mean for a store, and its logs, metrics and rate limits. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import type { LoadConditions, StartedCommand } from "../../http/loads/loads.js";
import { LIMITED_COSTS, type LimitedCost } from "../../http/routes/cost.js";
import { RateLimits } from "../../http/server/rate-limit.js";
import { AccessLog } from "../../http/telemetry/access-log.js";
import { createLog, type Log } from "../../http/telemetry/log.js";
import { Metrics } from "../../http/telemetry/metrics.js";
import type { LOG_LEVELS, LOGGED_REQUESTS } from "../../http/telemetry/names.js";
import type { Store } from "../../store/store.js";
import { PROGRAM } from "../main/command.js";
import { SERVICE_CHANNEL, type TerminalWords } from "../main/terminal.js";
import { accessOf, baseUrlsOf, givenContexts, modelOf } from "../settings/common.js";
import { type Options, type Setting, UsageError } from "../settings/options.js";
import { parameterProblem } from "../settings/record-options.js";
import { harvestingOf, servingOf } from "../settings/serve-options.js";
import { engineOf, queryingOf } from "../settings/sparql-options.js";
import { COMMON_SETTINGS, LOADING_SETTINGS } from "../settings/table.js";
import type { GivenToWorker } from "./workers.js";

export type Setup = Awaited<ReturnType<typeof setupOf>>;

/** Check the settings of a service. Throws `UsageError`. @param given the settings of a worker @param start starts the process of a load over HTTP */
export async function setupOf(options: Options, log: Log, given?: GivenToWorker, start = startCommand) {
  const engine = await engineOf(options);
  const seed = given?.seed ?? randomBytes(16).toString("hex");
  const isPublished = options.isSet("read-only-engine");
  if (isPublished && engine === undefined) throw new UsageError("--read-only-engine needs --engine URL");
  return {
    directory: options.required("store"),
    serving: { ...servingOf(options), ...(given && { port: given.port }) },
    harvesting: await harvestingOf(options),
    querying: await queryingOf(options),
    /** The engine that has the records, instead of a store. */
    records: isPublished ? engine : undefined,
    model: modelOf(options),
    baseUrls: baseUrlsOf(options),
    contexts: await givenContexts(options),
    /** The arguments of loads over HTTP, besides their own, the rules by which they hold records, and the severities decided here. */
    loading: { args: loadArgumentsOf(options), hold: options.all("hold"), severity: options.all("severity") },
    problemOf: (name: string, value: string) => parameterProblem(options, name, value),
    /** Whether to wait for a store that is missing at the start. Workers wait: when the first process started them, there was one. */
    waits: given !== undefined,
    observing: await observingOf(options, log, seed),
    seed,
    /** What the service does is announced by its first process. */
    announce: (message: string, isError = false): void => {
      if (given === undefined) log[isError ? "error" : "info"](message);
    },
    start,
  };
}

/** The arguments of loads over HTTP: flags and variables of the service for model and loading. Loads read the settings file themselves. */
function loadArgumentsOf(options: Options): string[] {
  const decided = [...COMMON_SETTINGS, ...LOADING_SETTINGS].map(({ name }) => name);
  const sent = decided.filter((name) => name !== "store" && name !== "hold");
  return [...sent, "config"].flatMap((name) => flagsOf(name, options.settings.get(name)));
}

/** A setting as flags; none when it is a default or comes from the settings file. */
function flagsOf(name: string, setting: Setting | undefined): readonly string[] {
  if (setting === undefined || !/(?:^|, )(?:--|VITRINE_)/.test(setting.origin)) return [];
  const { value } = setting;
  if (typeof value === "boolean") return value ? [`--${name}`] : [];
  return [value].flat().map((each) => `--${name}=${each}`);
}

/** Run a command on somebody's behalf, without the settings of this environment, since only the service's decisions apply to a contributor's load. */
function startCommand(args: readonly string[], conditions: LoadConditions): StartedCommand {
  const environment = Object.entries(process.env).filter(([name]) => !name.startsWith("VITRINE_"));
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    stdio: ["pipe", "pipe", "pipe", "ipc"],
    env: { ...Object.fromEntries(environment), [SERVICE_CHANNEL]: "1" },
  });
  // A command that cannot be started reports that itself.
  child.send?.(conditions, () => {});
  return child;
}

export type AboutStore = Awaited<ReturnType<typeof aboutStore>>;

/** The settings that follow from the command line and the store. */
export async function aboutStore({ model, baseUrls, serving, contexts }: Setup, store: Store) {
  const [first = (await store.stats()).baseUrl ?? `http://localhost:${serving.port}/`, ...others] = baseUrls;
  return {
    model,
    baseUrls: [first, ...others] as const,
    /** The first base URL without its final slash. */
    base: first.replace(/\/$/, ""),
    contexts: [...(await store.contexts()), ...contexts],
  };
}

/** The log of a process, as the options say. */
export function logOf(options: Options, stderr: TerminalWords): Log {
  const given = options.required("log-format");
  const suited = stderr.isTTY ? "text" : "json";
  const format = given === "auto" ? suited : (given as "text" | "json");
  return createLog(stderr, { format, level: options.required("log-level") as (typeof LOG_LEVELS)[number] });
}

/** The counters and limits of a process, for its whole life. Throws `UsageError`. */
async function observingOf(options: Options, log: Log, seed: string) {
  /** The token for reading metrics, if they need one; `undefined` when nobody may read them. */
  const readers = await accessOf(options, "metrics");
  const metrics = new Metrics();
  const watch = new AccessLog({
    log,
    logRequests: options.required("log-requests") as (typeof LOGGED_REQUESTS)[number],
    logClients: options.isSet("log-clients"),
    metrics: readers && metrics,
    trustProxy: options.isSet("trust-proxy"),
  });
  const rateLimits = new RateLimits(rateLimitsOf(options.all("rate-limit")), seed);
  return { log, metrics, watch, readers, rateLimits };
}

function rateLimitsOf(given: readonly string[]) {
  const limits: Partial<Record<LimitedCost, number>> = {};
  for (const [number, name] of given.map((text) => text.split("=").reverse())) {
    // A limit for one class takes precedence over one for all.
    const all = LIMITED_COSTS.filter((cost) => limits[cost] === undefined);
    for (const cost of name === undefined ? all : [name as LimitedCost]) limits[cost] = Number(number);
  }
  return limits;
}
