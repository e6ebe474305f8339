/** The logs, metrics and rate limits of a process of the service, as its settings have them. */
import { randomBytes } from "node:crypto";
import { LIMITED_COSTS, type LimitedCost } from "../../http/routes/cost.js";
import { type RateLimitSettings, RateLimits } from "../../http/server/rate-limit.js";
import { AccessLog } from "../../http/telemetry/access-log.js";
import { createLog, type Log } from "../../http/telemetry/log.js";
import { Metrics } from "../../http/telemetry/metrics.js";
import type { LOG_LEVELS, LOGGED_REQUESTS } from "../../http/telemetry/names.js";
import type { TerminalWords } from "../main/terminal.js";
import { secretOf } from "../settings/common.js";
import { type Options, UsageError } from "../settings/options.js";

type Observing = Awaited<ReturnType<typeof observingOf>>;

/** The log of a process, as the options have it. */
export function logOf(options: Options, stderr: TerminalWords): Log {
  const asked = options.required("log-format");
  const format = asked === "auto" ? (stderr.isTTY ? "text" : "json") : (asked as "text" | "json");
  return createLog(stderr, { format, level: options.required("log-level") as (typeof LOG_LEVELS)[number] });
}

/** Throws `UsageError`. */
export async function observingOf(options: Options, log: Log) {
  const access = options.required("metrics-access");
  const token = await secretOf(options, "metrics-token");
  if (access === "token" && token === undefined) throw new UsageError("--metrics-access token needs --metrics-token");
  return {
    log,
    logRequests: options.required("log-requests") as (typeof LOGGED_REQUESTS)[number],
    logClients: options.isSet("log-clients"),
    /** `undefined` where nobody may read metrics. */
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
        `--rate-limit ${text} is no number of requests per minute from 1 to 1000000, such as 600 or search=60`,
      );
    }
    const costs = name === undefined ? LIMITED_COSTS : LIMITED_COSTS.filter((cost) => cost === name);
    if (costs.length === 0) throw new UsageError(`--rate-limit ${text}: the classes are ${LIMITED_COSTS.join(", ")}`);
    // A limit for one class goes before one for all.
    for (const cost of costs) if (name !== undefined || limits[cost] === undefined) limits[cost] = perMinute;
  }
  return limits;
}

/** The counters and limits of a process, for as long as it lives. */
export interface Observers {
  readonly watch: AccessLog;
  readonly metrics: Metrics;
  readonly rateLimits: RateLimits;
}

/** @param seed the same in all processes of a service */
export function observersOf(
  { rateLimits, metrics: access, ...logging }: Observing,
  trustProxy: boolean,
  seed: string = randomBytes(16).toString("hex"),
): Observers {
  const metrics = new Metrics();
  return {
    metrics,
    watch: new AccessLog({ ...logging, metrics: access === undefined ? undefined : metrics, trustProxy }),
    rateLimits: new RateLimits(rateLimits, seed),
  };
}
