/** The access log, which counts each answer and, depending on the settings, logs it. */
import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { entryOf } from "../../base/entries.js";
import { pathOf } from "../entity/addresses.js";
import type { AnswerCache } from "../entity/answer-cache.js";
import type { Answer } from "../message/answer.js";
import { clientOf } from "../message/headers/forwarded.js";
import type { Exchange } from "../server/exchange.js";
import type { Log } from "./log.js";
import type { Metrics } from "./metrics.js";
import type { LOGGED_REQUESTS } from "./names.js";

const SLOW = 1_000;

interface WatchOptions {
  readonly log: Log;
  readonly metrics: Metrics | undefined;
  readonly logRequests: (typeof LOGGED_REQUESTS)[number];
  /** Whether lines include the client's network: /24 of an IPv4 address, /64 of an IPv6 address. No line has a full address. */
  readonly logClients: boolean;
  readonly trustProxy: boolean;
}

/** The form that a proxy's id of a request must have to be used here. */
const PLAIN_ID = /^[\w.:/+=@-]{1,100}$/;
const PROCESS_ID = randomBytes(4).toString("hex");

export class AccessLog {
  readonly #ids = new WeakMap<IncomingMessage, string>();
  #last = 0;

  constructor(private readonly options: WatchOptions) {}

  /** Tells the metrics how to read the state of the answer cache. */
  keeps(state: () => AnswerCache["state"]): void {
    if (this.options.metrics !== undefined) this.options.metrics.cache = state;
  }

  /** The id of a request, from the proxy or made here, for the log and `X-Request-Id`. */
  idOf(request: IncomingMessage): string {
    return entryOf(this.#ids, request, () => {
      const given = this.options.trustProxy ? request.headers["x-request-id"] : undefined;
      if (typeof given === "string" && PLAIN_ID.test(given)) return given;
      return `${PROCESS_ID}-${(++this.#last).toString(36)}`;
    });
  }

  /** Adds the request's id to a problem, so that the operator finds it in the log, and to every answer if all are logged. */
  named(answer: Answer, request: IncomingMessage): Answer {
    if (answer.problem === undefined && this.options.logRequests !== "all") return answer;
    return { ...answer, headers: [...answer.headers, "X-Request-Id", this.idOf(request)] };
  }

  /** Logs an error that was answered with 500 or 503. */
  failed(error: unknown, request: IncomingMessage): void {
    this.options.log.error({ request: this.idOf(request), path: shownPath(request), error }, "a request failed");
  }

  /** Counts and logs an answer that has begun. The route is looked up only if needed. */
  answered(exchange: Pick<Exchange, "request" | "came" | "route">, status: number, about?: Answer["about"]): void {
    const { metrics, logRequests } = this.options;
    if (metrics === undefined && logRequests === "none") return;
    const { request, came } = exchange;
    const milliseconds = performance.now() - came;
    const route = about === undefined ? exchange.route : undefined;
    const endpoint = about?.endpoint ?? route?.path ?? "none";
    const representation = about?.format ?? "";
    const cost = route?.costOf?.(request) ?? route?.cost ?? "entity";
    metrics?.count(endpoint, representation, status, cost, milliseconds / 1_000);
    if (logRequests === "none") return;
    const isSlow = milliseconds > SLOW;
    // 503 of `/ready` is no news, since balancers ask all the time.
    const isFailure = status >= 500 && cost !== "status";
    if (logRequests === "slow" && !isSlow && !isFailure) return;
    const told = { method: request.method, path: shownPath(request), status, ms: Math.round(milliseconds * 10) / 10 };
    const where = { endpoint, ...(representation !== "" && { representation }), ...this.#clientOf(request) };
    const line = { request: this.idOf(request), ...told, ...where };
    this.options.log[levelOf(status, isSlow)](line, isSlow ? "a slow answer" : "answered");
  }

  /** The network of the client, if the log names clients. */
  #clientOf(request: IncomingMessage): { readonly client?: string } {
    const { logClients, trustProxy } = this.options;
    return logClients ? { client: clientOf(request, trustProxy).replace(/\.\d+$/, ".0/24") } : {};
  }
}

/** The level of an answer in the log. 504 is no error, since any client may send a query that takes too long. */
function levelOf(status: number, isSlow: boolean): "error" | "warn" | "info" {
  if (status >= 500 && status !== 504) return "error";
  return isSlow ? "warn" : "info";
}

/** The path of a request without its query, which may contain personal data. */
function shownPath({ url = "" }: IncomingMessage): string {
  const [path = ""] = (pathOf(url) ?? url).split("?", 1);
  return path.slice(0, 500);
}
