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

  /** Counts and logs an answer that has begun. The route is looked up only if needed. 504 is no error, since any client may send a query that takes too long, and 503 of `/ready` no news, since balancers ask all the time. */
  answered(exchange: Pick<Exchange, "request" | "came" | "route">, status: number, about?: Answer["about"]): void {
    const { metrics, log, logRequests, logClients, trustProxy } = this.options;
    if (metrics === undefined && logRequests === "none") return;
    const { request, came } = exchange;
    const milliseconds = performance.now() - came;
    const of = about === undefined ? exchange.route : undefined;
    const endpoint = about?.endpoint ?? of?.path ?? "none";
    const representation = about?.format ?? "";
    const cost = of?.costOf?.(request) ?? of?.cost ?? "entity";
    metrics?.count(endpoint, representation, status, cost, milliseconds / 1_000);
    const isSlow = milliseconds > SLOW;
    const isNews = isSlow || (status >= 500 && cost !== "status");
    if (logRequests === "none" || (logRequests === "slow" && !isNews)) return;
    log[status >= 500 && status !== 504 ? "error" : isSlow ? "warn" : "info"](
      {
        ...{ request: this.idOf(request), method: request.method, path: shownPath(request), status },
        ...{ ms: Math.round(milliseconds * 10) / 10, endpoint },
        ...(representation !== "" && { representation }),
        ...(logClients && { client: clientOf(request, trustProxy).replace(/\.\d+$/, ".0/24") }),
      },
      isSlow ? "a slow answer" : "answered",
    );
  }
}

/** The path of a request without its query, which may contain personal data. */
function shownPath({ url = "" }: IncomingMessage): string {
  const [path = ""] = (pathOf(url) ?? url).split("?", 1);
  return path.slice(0, 500);
}
