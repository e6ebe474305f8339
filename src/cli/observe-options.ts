/** The options of `serve` that say what is logged, counted and limited. */
import { randomBytes } from "node:crypto";
import { createLog, LOG_LEVELS, type Log } from "../http/log.js";
import { Metrics } from "../http/metrics.js";
import { LIMITED_COSTS, type LimitedCost, type RateLimitSettings, RateLimits } from "../http/rate-limit.js";
import { Usage } from "../http/usage.js";
import { LOGGED_REQUESTS, Watch } from "../http/watch.js";
import { secretOf } from "./common.js";
import { type Option, type Options, UsageError } from "./options.js";
import type { Words } from "./terminal.js";

const GROUP = "logs, metrics and limits";

export const OBSERVING_OPTIONS: readonly Option[] = [
  {
    name: "rate-limit",
    value: "[CLASS=]NUMBER",
    many: true,
    group: GROUP,
    help: `requests a minute that a client may send, of each class of cost or of one: ${LIMITED_COSTS.join(", ")}`,
  },
  {
    name: "log-format",
    value: "FORMAT",
    choices: ["auto", "text", "json"],
    default: "auto",
    group: GROUP,
    help: "auto is text on a terminal, JSON lines otherwise",
  },
  {
    name: "log-level",
    value: "LEVEL",
    choices: LOG_LEVELS,
    default: "info",
    group: GROUP,
    help: "the least that is logged",
  },
  {
    name: "log-requests",
    value: "WHICH",
    choices: LOGGED_REQUESTS,
    default: "slow",
    group: GROUP,
    help: "requests that get a line: those that failed or took more than a second, all, or none",
  },
  {
    name: "log-clients",
    group: GROUP,
    help: "these lines tell the client's network; without it, nobody's address is kept",
  },
  {
    name: "metrics-access",
    value: "WHO",
    choices: ["public", "token", "off"],
    default: "public",
    group: GROUP,
    help: "who may read /metrics",
  },
  {
    name: "metrics-token",
    value: "TOKEN",
    secret: true,
    group: GROUP,
    help: "what is shown with --metrics-access token",
  },
  {
    name: "count-usage",
    value: "WHETHER",
    choices: ["on", "off"],
    default: "on",
    group: GROUP,
    help: "count what is read, for vitrine usage; nothing of who reads it",
  },
];

/** How the service is observed, by the options. */
export interface Observing {
  readonly log: Log;
  readonly logRequests: (typeof LOGGED_REQUESTS)[number];
  readonly logClients: boolean;
  readonly countsUsage: boolean;
  /** `undefined` where nobody may read metrics. */
  readonly metrics: { readonly token?: string } | undefined;
  readonly rateLimits: RateLimitSettings;
}

/** The log of a process, as the options have it. */
export function logOf(options: Options, stderr: Words): Log {
  const asked = options.required("log-format");
  const format = asked === "auto" ? (stderr.isTTY ? "text" : "json") : (asked as "text" | "json");
  return createLog(stderr, { format, level: options.required("log-level") as (typeof LOG_LEVELS)[number] });
}

/** Throws `UsageError`. */
export async function observingOf(options: Options, log: Log): Promise<Observing> {
  const access = options.required("metrics-access");
  const token = await secretOf(options, "metrics-token");
  if (access === "token" && token === undefined) throw new UsageError("--metrics-access token needs --metrics-token");
  return {
    log,
    logRequests: options.required("log-requests") as Observing["logRequests"],
    logClients: options.isSet("log-clients"),
    countsUsage: options.required("count-usage") === "on",
    metrics: access === "off" ? undefined : access === "token" ? { token: token! } : {},
    rateLimits: rateLimitsOf(options.all("rate-limit")),
  };
}

function rateLimitsOf(given: readonly string[]): RateLimitSettings {
  const limits: Partial<Record<LimitedCost, number>> = {};
  for (const text of given) {
    const [, name, number] = /^(?:(\w+)=)?(\d{1,7})$/.exec(text) ?? [];
    const perMinute = Number(number);
    if (number === undefined || perMinute < 1 || perMinute > 1_000_000) {
      throw new UsageError(
        `--rate-limit ${text} is no number of requests a minute from 1 to 1000000, such as 600 or search=60`,
      );
    }
    const costs = name === undefined ? LIMITED_COSTS : LIMITED_COSTS.filter((cost) => cost === name);
    if (costs.length === 0) throw new UsageError(`--rate-limit ${text}: the classes are ${LIMITED_COSTS.join(", ")}`);
    // What is said of one class goes before what is said of all.
    for (const cost of costs) if (name !== undefined || limits[cost] === undefined) limits[cost] = perMinute;
  }
  return limits;
}

/** What a process counts and limits by, for as long as it lives. */
export interface Observers {
  readonly watch: Watch;
  readonly metrics: Metrics;
  readonly rateLimits: RateLimits | undefined;
  close(): void;
}

/** @param directory the store's folder @param seed the same in all processes of a service */
export function observersOf(
  { log, logRequests, logClients, countsUsage, rateLimits, metrics: access }: Observing,
  directory: string,
  trustProxy: boolean,
  seed: string = randomBytes(16).toString("hex"),
): Observers {
  const metrics = new Metrics();
  const usage = countsUsage
    ? new Usage(directory, (error) => log.warn({ error }, "usage cannot be written"))
    : undefined;
  const isLimited = Object.keys(rateLimits).length > 0;
  return {
    metrics,
    watch: new Watch({
      log,
      metrics: access === undefined ? undefined : metrics,
      usage,
      logRequests,
      logClients,
      trustProxy,
    }),
    rateLimits: isLimited ? new RateLimits(rateLimits, seed) : undefined,
    close: () => usage?.close(),
  };
}
