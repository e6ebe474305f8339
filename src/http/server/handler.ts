/** The handler, which decides who answers a request: entities at once, everything else by its route. It refuses some before that. */
import * as http from "node:http";
import { Socket } from "node:net";
import { dumpsIn } from "../../harvest/dumps/manifest.js";
import { RdfXmlError } from "../../rdf/rdfxml/writer.js";
import { SearchIndexError } from "../../search/search-index.js";
import type { Store } from "../../store/store.js";
import type { Dereferencer } from "../entity/dereference.js";
import { LargeRecordThread } from "../entity/large-records.js";
import type { LargeRecordSettings } from "../entity/large-records-thread.js";
import { Publication, type PublicationSettings } from "../entity/publication.js";
import { type Answer, notVaryingBy, preflight, send, varyingBy, type WholeAnswer } from "../message/answer.js";
import { hasBody } from "../message/body.js";
import { answerOf } from "../message/content.js";
import { clientOf, PROXY_VARY } from "../message/headers/forwarded.js";
import { forReader } from "../message/problems/error-page.js";
import { ProblemError, type ProblemName, problem, StoreUnavailableError } from "../message/problems/problems.js";
import { navigation } from "../pages/site.js";
import type { RepresentationMaker } from "../representations/representation.js";
import type { LimitedCost } from "../routes/cost.js";
import { endpointLinks, type Route, type RouteContext, type RouteMaker, RouteRequest } from "../routes/route.js";
import { RouteTable } from "../routes/routes.js";
import { HeldAnswers, PRIVATE } from "../routes/service/held.js";
import type { AccessLog } from "../telemetry/access-log.js";
import { Exchange } from "./exchange.js";
import type { RateLimits } from "./rate-limit.js";
import { headProblem, refuseUnread } from "./request-guards.js";

export interface HandlerOptions
  extends Omit<RouteContext, "model" | "addresses" | "base" | "site" | "representations" | "routes" | "otherwise"> {
  /** How entities are answered. */
  readonly publication: PublicationSettings;
  /** The makers of the representations, by name. Default: `REPRESENTATIONS`. */
  readonly representationMakers?: Readonly<Record<string, RepresentationMaker>>;
  /** Where pages lead to search. Default: to the routes that search, where the store does. */
  readonly searchPath?: string | undefined;
  /** The makers of the routes. Default: `ROUTES`. */
  readonly routeMakers?: readonly RouteMaker[];
  /** How long a client may take to send a whole request, in milliseconds; a load may take as long as it does. Default 30 s. */
  readonly requestTimeout: number;
  /** How long a connection may carry nothing while an answer is due, in milliseconds. Default 60 s. */
  readonly idleTimeout: number;
  /** How many requests a client may send; an object for the life of the process. Default: there is no limit. */
  readonly rateLimits?: RateLimits;
  readonly watch?: AccessLog;
  /** Whether a thread that opens the store in `directory` writes large records. Default: they are written in the event loop. */
  readonly hasLargeThread?: boolean;
  /** Told of every error that was answered with 500 or 503. */
  readonly report: (error: unknown, request: http.IncomingMessage) => void;
}

/** The longest path and query that is read, in bytes: the least that RFC 9110, 4.1 recommends. */
export const MAX_TARGET = 8_000;

/** For how long it is believed that there is a dump, or none, in milliseconds. */
const DUMPS_SEEN_FOR = 10_000;

export class Handler {
  closing = false;
  /** The thread that writes large records, to be closed last. */
  readonly large: LargeRecordThread | undefined;
  readonly #publication: Publication;
  readonly #trustProxy: boolean;
  readonly #dereferencer: Dereferencer;
  readonly #held: HeldAnswers | undefined;
  readonly #table: RouteTable;
  readonly #isWatched: boolean;
  readonly #variesByProxy: boolean;
  #dumps = { seen: Number.NEGATIVE_INFINITY, areThere: Promise.resolve(false) };
  #outgoing: Exchange[] = [];

  constructor(private readonly settings: HandlerOptions) {
    const published = { ...settings.publication, ...(settings.images !== undefined && { images: settings.images }) };
    const publication = new Publication(published, navigation(settings), settings.representationMakers);
    const { addresses, site, representations } = publication;
    const { model, trustProxy = false } = settings.publication;
    this.#trustProxy = trustProxy;
    this.#publication = publication;
    this.#isWatched = settings.watch?.isNeeded === true;
    this.#variesByProxy = addresses.areSeveral && trustProxy;
    const context = {
      ...settings,
      model,
      addresses,
      base: addresses.base,
      site,
      representations,
      otherwise: (request: http.IncomingMessage) => this.#dereferencer.otherwise(request),
    };
    this.#table = new RouteTable(context, settings.routeMakers);
    const links = endpointLinks(this.#table.routes, addresses.base);
    const { directory, loading, store } = settings;
    if (settings.hasLargeThread === true && directory !== undefined) {
      const own = { directory, publication: published, navigation: site.navigation, endpointLinks: links };
      this.large = new LargeRecordThread(own satisfies LargeRecordSettings);
    }
    this.#dereferencer = publication.dereferencer(store, links, { large: this.large });
    const kept = { cacheBytes: 0, cacheControl: PRIVATE };
    if (loading !== undefined && store.held !== undefined) {
      const dereferencer = (shown: Store): Dereferencer => publication.dereferencer(shown, links, kept);
      this.#held = new HeldAnswers(store, loading.tokens, dereferencer);
    }
    settings.watch?.keeps(() => this.#dereferencer.answers.cache.state);
  }

  /** Most answers are there at once, and to wait for each of a million adds up. */
  handle(request: http.IncomingMessage, response: http.ServerResponse): void {
    const exchange = new Exchange(request, response, this.#dereferencer.addresses, this.#table);
    try {
      if (hasBody(request) && exchange.route.isUpload !== true) this.#boundInTime(request);
      const found = this.#refusal(exchange) ?? this.#limited(exchange) ?? this.#existing(exchange);
      if (found === undefined || found instanceof Promise) void this.#later(found, exchange);
      else this.#send(found, exchange);
    } catch (error) {
      this.#fail(error, exchange);
    }
  }

  /** Answer with what is on its way, or by what takes a search. */
  async #later(found: Promise<Answer | undefined> | undefined, exchange: Exchange): Promise<void> {
    const { response } = exchange;
    try {
      const answer = (await found) ?? (await this.#answer(exchange));
      if (answer !== "sent") this.#send(answer, exchange);
      else if (response.writableEnded) this.#answered(exchange, response.statusCode, undefined);
      else response.once("close", () => this.#answered(exchange, response.statusCode, undefined));
    } catch (error) {
      this.#fail(error, exchange);
    }
  }

  #fail(error: unknown, exchange: Exchange): void {
    if (exchange.response.headersSent) exchange.response.destroy();
    else this.#send(this.#failure(error, exchange.request), exchange);
  }

  #answered(exchange: Exchange, status: number, about: Answer["about"]): void {
    if (!this.#isWatched) return;
    const { request, came } = exchange;
    this.settings.watch?.answered(request, status, about, performance.now() - came, () => exchange.route);
  }

  /** Send an answer with all others of this turn of the event loop: to wake the client for each would cost more than an answer. */
  #send(answer: Answer, exchange: Exchange): void {
    exchange.answer = answer;
    if (this.#outgoing.push(exchange) === 1) setImmediate(this.#sendAll);
  }

  readonly #sendAll = (): void => {
    const outgoing = this.#outgoing;
    this.#outgoing = [];
    for (const exchange of outgoing) {
      const { request, response } = exchange;
      const answer = exchange.answer!;
      try {
        const read =
          answer.problem === undefined
            ? answer
            : forReader(answer as WholeAnswer, request, exchange.target, this.#publication.site);
        const named = this.#named(exchange.hasLanguage ? notVaryingBy(read, "Accept-Language") : read, request);
        send(response, this.#variesByProxy ? varyingBy(named, PROXY_VARY) : named, (error) =>
          this.settings.report(error, request),
        );
        this.#answered(exchange, answer.status, answer.about);
      } catch (error) {
        this.#fail(error, exchange);
      }
    }
  };

  /** A problem carries the id by which it is found in the log. */
  #named(answer: Answer, request: http.IncomingMessage): Answer {
    const watch = this.settings.watch;
    if (watch === undefined || (answer.problem === undefined && !watch.namesAll)) return answer;
    return { ...answer, headers: [...answer.headers, "X-Request-Id", watch.idOf(request)] };
  }

  #refusal(exchange: Exchange): Answer | undefined {
    const { method, url = "" } = exchange.request;
    if (this.closing) return this.#problem("unavailable", "The service is closing.", ["Connection", "close"]);
    if (url.length > MAX_TARGET) {
      return this.#problem("uri-too-long", `The service reads up to ${MAX_TARGET} bytes of path and query.`);
    }
    const wrong = headProblem(exchange.request);
    if (wrong !== undefined) return this.#problem(...wrong, ["Connection", "close"]);
    if (method !== "OPTIONS") return undefined;
    const { route, methods } = exchange.match;
    // The wildcard does not cover the token's header (Fetch, 4.9).
    return preflight(methods, route.takesToken === true ? "*, Authorization" : "*");
  }

  /** The answer for an entity where such are limited; others are counted by their routes, which for an entity take longer to find than its answer. */
  #limited(exchange: Exchange): Promise<Answer | undefined> | undefined {
    if (this.settings.rateLimits?.has("entity") !== true || exchange.cost !== "entity") return undefined;
    return this.#overLimit(exchange).then((refused) => refused ?? this.#existing(exchange));
  }

  async #overLimit({ cost, request }: Exchange): Promise<Answer | undefined> {
    const limits = this.settings.rateLimits;
    if (limits?.has(cost) !== true) return undefined;
    const isRobot = cost === "robot";
    const seconds = await limits.secondsToWait(cost, isRobot ? cost : clientOf(request, this.#trustProxy));
    if (seconds === 0) return undefined;
    const whose = isRobot ? "All robots together" : "A client";
    const detail = `${whose} may send ${limits.perMinute[cost as LimitedCost]} requests of the class ${cost} a minute.`;
    const headers = ["Retry-After", String(seconds)];
    if (!(await this.#hasDumps())) return this.#problem("too-many-requests", detail, headers);
    headers.push("Link", `<${this.base}/dumps/>; rel="alternate"`);
    return this.#problem("too-many-requests", `${detail} Take a dump if you want all records.`, headers);
  }

  /** Whether there is a dump: looked for now and then, since those who are refused may be many. */
  #hasDumps(): Promise<boolean> {
    const { dumps } = this.settings;
    const now = performance.now();
    if (dumps !== undefined && now - this.#dumps.seen > DUMPS_SEEN_FOR) {
      this.#dumps = { seen: now, areThere: dumpsIn(dumps).then(({ length }) => length > 0) };
    }
    return this.#dumps.areThere;
  }

  #boundInTime(request: http.IncomingMessage): void {
    const timer = setTimeout(() => {
      const error = Object.assign(new Error("late"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
      if (!request.complete) refuseUnread(error, request.socket, this.base);
    }, this.settings.requestTimeout);
    request.once("close", () => clearTimeout(timer));
  }

  get base(): string {
    return this.#dereferencer.addresses.base;
  }

  /** The answer to GET for whoever asks within the process; files, which write to a connection, have none. Rejects with what the answer fails by. */
  async ask(target: string, headers: http.IncomingHttpHeaders = {}): Promise<Answer> {
    const request = Object.assign(new http.IncomingMessage(new Socket()), { method: "GET", url: target, headers });
    const exchange = new Exchange(request, new http.ServerResponse(request), this.#dereferencer.addresses, this.#table);
    const answer = (await this.#existing(exchange)) ?? (await this.#answer(exchange));
    if (answer === "sent") throw new Error(`${target} is answered by a connection alone`);
    return answer;
  }

  /** The answer when a record has the very IRI that is asked for: it goes before every route. */
  #existing(exchange: Exchange): Answer | Promise<Answer | undefined> | undefined {
    if (!exchange.isRead) return undefined;
    const { request } = exchange;
    try {
      // It may be one for a held record.
      const mayBeHeld = this.#held !== undefined && request.headers.authorization !== undefined;
      const answer = mayBeHeld ? this.#shown(exchange) : this.#dereferencer.existing(request);
      return answer instanceof Promise ? answer.catch((error) => this.#withoutStore(error, exchange)) : answer;
    } catch (error) {
      return this.#withoutStore(error, exchange);
    }
  }

  /** The service's own paths do without the store: `/health` answers when the records cannot. */
  #withoutStore(error: unknown, { route }: Exchange): undefined {
    if (!(error instanceof StoreUnavailableError) || route.cost === "entity") throw error;
  }

  async #shown({ request, route }: Exchange): Promise<Answer | undefined> {
    return (await this.#held?.answer(request, route.cost === "entity")) ?? this.#dereferencer.existing(request);
  }

  async #answer(exchange: Exchange): Promise<Answer | "sent"> {
    // A record whose very IRI has the parameter went before.
    if (exchange.isRead && exchange.takeLanguage(this.#publication.site.languages)) {
      const found = await this.#existing(exchange);
      if (found !== undefined) return found;
    }
    const { route, methods } = exchange.match;
    const refused = exchange.cost === "entity" ? undefined : await this.#overLimit(exchange);
    if (refused !== undefined) return refused;
    // Routes have GET for HEAD.
    const method = exchange.isRead ? "get" : exchange.request.method!.toLowerCase();
    if (!Object.hasOwn(route.operations, method)) {
      // RFC 9110, 15.5.6.
      const detail = `This path does not support ${exchange.request.method}. Use one of ${methods}.`;
      const headers = ["Allow", methods];
      return problem(this.base, "method-not-allowed", detail, { instance: exchange.request.url, headers });
    }
    const answer = await this.#routed(exchange);
    const isAbsent = answer !== "sent" && (answer.status === 404 || answer.status === 410);
    // A cache between must not give to those who may see a held record what it has for all others.
    return isAbsent && this.#held !== undefined && route.cost === "entity"
      ? varyingBy(answer, "Authorization")
      : answer;
  }

  async #routed({ request, response, target, match, isRead }: Exchange): Promise<Answer | "sent"> {
    const { route, parameters } = match;
    const asked = new RouteRequest(request, response, target, parameters, this.#trustProxy);
    // Kept here: a request whose body was left half-way has none.
    const { socket } = request;
    if (route.hasDeadline === true) socket.setTimeout(0);
    const answer = await this.#outcome(route, asked);
    if (route.hasDeadline === true) socket.setTimeout(this.settings.idleTimeout);
    if (answer === "sent" || isRead || request.complete) return answer;
    // The unread rest of a body would be taken for the next request.
    return { ...answer, headers: [...answer.headers, "Connection", "close"] };
  }

  /** The answer of the route, or of the entity at its path where it gives none. */
  async #outcome(route: Route, request: RouteRequest): Promise<Answer | "sent"> {
    try {
      const outcome = (await route.answer(request)) ?? (await this.#dereferencer.otherwise(request.message));
      return outcome === "sent" || "status" in outcome ? outcome : await answerOf(outcome, request.message, this.base);
    } catch (error) {
      if (error instanceof ProblemError) return error.answer(this.base);
      throw error;
    }
  }

  #failure(error: unknown, request: http.IncomingMessage): Answer {
    if (error instanceof RdfXmlError) {
      const detail = `RDF/XML cannot express this record: ${error.problem}. Ask for another form.`;
      return this.#problem("not-acceptable", detail);
    }
    if (error instanceof ProblemError) return error.answer(this.base);
    if (error instanceof StoreUnavailableError && error.cause instanceof SearchIndexError) {
      const detail = "The search index is being built, or another process has locked it. Records answer meanwhile.";
      return this.#problem("unavailable", detail);
    }
    this.settings.report(error, request);
    return error instanceof StoreUnavailableError
      ? this.#problem("unavailable", "The records cannot be read at this moment.")
      : this.#problem("internal", "The service failed at this request. Its log has the cause.");
  }

  #problem(name: ProblemName, detail: string, headers: readonly string[] = []): WholeAnswer {
    return problem(this.base, name, detail, { headers });
  }
}
