/** A request until it is answered, with its route, cost and language. */
import type * as http from "node:http";
import { type Addresses, pathOf } from "../entity/addresses.js";
import { withoutNeedlessEncoding } from "../entity/iri-equivalents.js";
import type { Answer } from "../message/answer.js";
import { chosenLanguage } from "../message/headers/negotiate.js";
import { LANGUAGE_PARAMETER } from "../pages/site.js";
import type { Cost } from "../routes/cost.js";
import type { Route } from "../routes/route.js";
import type { Match, RouteTable } from "../routes/routes.js";

/** The classes of cost that robots are asked not to request. All robots that do so share one rate limit. */
const LISTS: readonly Cost[] = ["search", "facet", "table"];
/** User agents of robots: `Googlebot`, `Bytespider`, `facebookexternalhit`; not CUBOT, a maker of telephones. */
const ROBOT = /(?<!\bcu)bot\b|crawl|spider|slurp|archiver|external(?:hit|agent)|scrapy/i;

/** The query parameter that chooses a language, with the separators around it. It is the last of its name, since an IRI may have one, too. */
const LANGUAGE = new RegExp(
  `(&|[?](?<=^[^?]*[?]))${LANGUAGE_PARAMETER}=([a-z]{2,3}(?:-[a-z0-9]{2,8})*)(&|$)(?!(?:.*&)?${LANGUAGE_PARAMETER}=)`,
  "i",
);

export class Exchange {
  answer: Answer | undefined;
  readonly came = performance.now();
  hasLanguage = false;
  #target: string | undefined;
  #match: Match | undefined;

  constructor(
    readonly request: http.IncomingMessage,
    readonly response: http.ServerResponse,
    readonly addresses: Addresses,
    readonly table: RouteTable,
  ) {}

  /** The path and query of the request, without the path of the base URL and without needless encoding. */
  get target(): string {
    const { url = "" } = this.request;
    this.#target ??= this.addresses.servicePath(withoutNeedlessEncoding(pathOf(url) ?? url));
    return this.#target;
  }

  /** Removes the language parameter (`?lang=nl`) from the URL and puts it into `Accept-Language`. @returns whether there was one */
  takeLanguage(known: readonly string[]): boolean {
    const { request } = this;
    const tag = LANGUAGE.exec(request.url ?? "")?.[2]?.toLowerCase();
    if (tag === undefined || !known.includes(tag)) return false;
    request.url = request.url!.replace(LANGUAGE, (_, before: string, __, after: string) => after && before);
    request.headers["accept-language"] = chosenLanguage(tag);
    this.#target = undefined;
    this.#match = undefined;
    this.hasLanguage = true;
    return true;
  }

  get match(): Match {
    this.#match ??= this.table.match(this.target, this.request.method);
    return this.#match;
  }

  get route(): Route {
    return this.match.route;
  }

  get cost(): Cost {
    const cost = this.route.costOf?.(this.request) ?? this.route.cost;
    return LISTS.includes(cost) && ROBOT.test(this.request.headers["user-agent"] ?? "") ? "robot" : cost;
  }

  get isRead(): boolean {
    const { method } = this.request;
    return method === "GET" || method === "HEAD";
  }
}
