/** The handler of requests: it refuses a request, answers for the record that has the requested IRI, or passes the request to its route. */
import * as http from "node:http";
import { Socket } from "node:net";
import { LRUCache } from "lru-cache";
import { dumpsIn } from "../../harvest/dumps/manifest.js";
import { InexpressibleError } from "../../rdf/inexpressible.js";
import { hasScheme } from "../../rdf/terms.js";
import { SearchIndexError } from "../../search/search-index.js";
import { StoreError } from "../../store/errors.js";
import { MAX_TARGET, pathAndQuery } from "../entity/addresses.js";
import type { Dereferencer } from "../entity/dereference.js";
import { unwritable } from "../entity/entity-problems.js";
import { equivalents } from "../entity/iri-equivalents.js";
import { LargeRecordThread } from "../entity/large-records.js";
import type { LargeRecordSettings } from "../entity/large-records-thread.js";
import { lifeOfAny } from "../entity/mementos.js";
import { Publication, type PublicationSettings } from "../entity/publication.js";
import { withoutTracking } from "../entity/resolution.js";
import { type Answer, inChosenLanguage, preflight, send, varyingBy, type WholeAnswer } from "../message/answer.js";
import { hasBody } from "../message/body.js";
import { answerOf } from "../message/content.js";
import { clientOf } from "../message/headers/forwarded.js";
import { wantedLanguages } from "../message/headers/negotiate.js";
import { forReader } from "../message/problems/error-page.js";
import { ProblemError, type ProblemName, problem, StoreUnavailableError } from "../message/problems/problems.js";
import { navigation } from "../pages/site.js";
import type { RepresentationMaker } from "../representations/representation.js";
import type { LimitedCost } from "../routes/cost.js";
import { endpointLinks, type Route, type RouteContext, type RouteMaker, RouteRequest } from "../routes/route.js";
import { RouteTable } from "../routes/routes.js";
import { addressWith } from "../routes/search/collection-pages.js";
import { heldAnswers, PRIVATE } from "../routes/service/held.js";
import type { AccessLog } from "../telemetry/access-log.js";
import { boundedInTime } from "./connections.js";
import { Exchange } from "./exchange.js";
import type { RateLimits } from "./rate-limit.js";
import { headProblem, refuseUnread } from "./request-guards.js";

export interface HandlerOptions
  extends Omit<RouteContext, "model" | "addresses" | "base" | "site" | "representations" | "routes" | "otherwise"> {
  readonly publication: PublicationSettings;
  /** The makers of the representations, by name. Default: `REPRESENTATIONS`. */
  readonly representationMakers?: Readonly<Record<string, RepresentationMaker>>;
  /** The path of the search form that pages link to. Default: the search routes, if the store can be searched. */
  readonly searchPath?: string | undefined;
  /** The makers of the routes. Default: `ROUTES`. */
  readonly routeMakers?: readonly RouteMaker[];
  /** How long a client may take to send a whole request, in milliseconds; there is no limit for loads. Default 30 s. */
  readonly requestTimeout: number;
  /** How long a connection with a pending answer may carry no bytes, in milliseconds. Default 60 s. */
  readonly idleTimeout: number;
  /** The rate limits of clients; one object for the life of the process. Default: no limits. */
  readonly rateLimits?: RateLimits;
  readonly watch?: AccessLog;
  /** Whether a thread, which opens the store in `directory` for itself, writes large records. Default: the event loop writes them. */
  readonly hasLargeThread?: boolean;
  /** Called with every error that was answered with 500 or 503. */
  readonly report: (error: unknown, request: http.IncomingMessage) => void;
}

/** The status in metrics and the log of a 503 whose client had left, so that its search or query was not run, or its body did not come. nginx uses the same number. */
const CLIENT_LEFT = 499;

/** The headers that decide, behind a trusted proxy, which of several base URLs a request means. `Host` is in the key of every cache anyway. */
const PROXY_VARY = "Forwarded, X-Forwarded-Host, X-Forwarded-Proto";

export class Handler {
  closing = false;
  /** The thread that writes large records; close it last. */
  readonly large: LargeRecordThread | undefined;
  readonly base: string;
  readonly #publication: Publication;
  readonly #trustProxy: boolean;
  readonly #dereferencer: Dereferencer;
  readonly #held: ReturnType<typeof heldAnswers> | undefined;
  readonly #table: RouteTable;
  /** Whether a directory has a dump, remembered for ten seconds, since many requests may be refused. */
  readonly #hasDump = new LRUCache({
    max: 1,
    ttl: 10_000,
    fetchMethod: async (directory: string) => (await dumpsIn(directory)).length > 0,
  });
  #outgoing: Exchange[] = [];

  constructor(private readonly settings: HandlerOptions) {
    const published = { ...settings.publication, ...(settings.images !== undefined && { images: settings.images }) };
    const publication = new Publication(published, navigation(settings), settings.representationMakers);
    const { addresses, site, representations } = publication;
    const { model, trustProxy = false } = settings.publication;
    this.#trustProxy = trustProxy;
    this.#publication = publication;
    this.base = addresses.base;
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
      this.large = new LargeRecordThread(own satisfies LargeRecordSettings, trustProxy);
    }
    this.#dereferencer = publication.dereferencer(store, links, { large: this.large });
    const kept = { cacheBytes: 0, cacheControl: PRIVATE };
    if (loading !== undefined && store.held !== undefined)
      this.#held = heldAnswers(store, loading, (shown) => publication.dereferencer(shown, links, kept));
    settings.watch?.keeps(() => this.#dereferencer.answers.cache.state);
  }

  exchangeOf(request: http.IncomingMessage, response: http.ServerResponse): Exchange {
    return new Exchange(request, response, this.#dereferencer.addresses, this.#table);
  }

  /** Answers a request. Most answers are made synchronously, since promises for millions of requests add up. */
  handle(request: http.IncomingMessage, response: http.ServerResponse): void {
    const exchange = this.exchangeOf(request, response);
    try {
      if (hasBody(request) && (exchange.isRead || exchange.route.isUpload !== true)) this.#boundInTime(request);
      const found = this.#refusal(exchange) ?? this.#limited(exchange) ?? this.#existing(exchange);
      if (found === undefined || found instanceof Promise) void this.#later(found, exchange);
      else this.#send(found, exchange);
    } catch (error) {
      this.#fail(error, exchange);
    }
  }

  /** Sends the answer that `found` resolves to, or else the one that the route gives. */
  async #later(found: Promise<Answer | undefined> | undefined, exchange: Exchange): Promise<void> {
    try {
      const answer = (await found) ?? (await this.#answer(exchange));
      if (answer !== "sent") this.#send(answer, exchange);
      else this.settings.watch?.answered(exchange, exchange.response.statusCode);
    } catch (error) {
      this.#fail(error, exchange);
    }
  }

  #fail(error: unknown, exchange: Exchange): void {
    const { request, response } = exchange;
    if (!response.headersSent) this.#send(this.#failure(error, request), exchange);
    else if (!response.destroyed) {
      this.settings.report(error, request);
      response.destroy();
    }
  }

  /** Sends an answer together with all others of this turn of the event loop. Waking the client for each answer would cost more than making it. */
  #send(answer: Answer, exchange: Exchange): void {
    exchange.answer = answer;
    if (this.#outgoing.push(exchange) === 1) setImmediate(this.#sendAll);
  }

  readonly #sendAll = (): void => {
    const outgoing = this.#outgoing;
    this.#outgoing = [];
    for (const exchange of outgoing) {
      const { request, response } = exchange;
      const given = exchange.answer!;
      try {
        // A client whose token shows a held record must not get the public's 404 in its place from a cache.
        const isInPlace = this.#held !== undefined && IN_PLACE_OF_RECORDS.has(given.status);
        const varied = isInPlace && mayBeSpelled(exchange) ? varyingBy(given, "Authorization") : given;
        const answer = this.settings.watch?.named(varied, request) ?? varied;
        const read = forReader(answer, exchange, this.#publication);
        const site =
          exchange.hasLanguage && this.#publication.site.for(wantedLanguages(request.headers["accept-language"]));
        const chosen = site ? inChosenLanguage(read, (url) => site.link(url)) : read;
        // A response that waits behind another of its connection is not destroyed when the client leaves; a request whose body was abandoned has no socket.
        const isForNobody = answer.status === 503 && (response.destroyed || request.socket?.destroyed);
        const status = isForNobody ? CLIENT_LEFT : answer.status;
        const isByProxy = this.#trustProxy && this.#publication.addresses.areSeveral;
        send(response, isByProxy ? varyingBy(chosen, PROXY_VARY) : chosen, (error) =>
          this.settings.report(error, request),
        );
        this.settings.watch?.answered(exchange, status, answer.about);
      } catch (error) {
        this.#fail(error, exchange);
      }
    }
  };

  #refusal(exchange: Exchange): Answer | undefined {
    const { method, url = "" } = exchange.request;
    if (this.closing) return this.#problem("unavailable", "The service is closing.", ["Connection", "close"]);
    if (url.length > MAX_TARGET)
      return this.#problem("uri-too-long", `Path and query have at most ${MAX_TARGET} bytes: POST SPARQL queries.`);
    const wrong = headProblem(exchange.request);
    if (wrong !== undefined) return this.#problem(...wrong, ["Connection", "close"]);
    if (method !== "OPTIONS") return undefined;
    const { route, methods } = exchange.match;
    // The wildcard does not include `Authorization` (Fetch, 4.9).
    const takesToken = route.takesToken === true || this.settings.loading !== undefined;
    return preflight(methods, takesToken ? "*, Authorization" : "*");
  }

  /** Counts and answers a request of the class `entity`, if that class has a limit. If not, does not find the route, which takes longer than answering. `#answer` counts other classes. */
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
    const detail = `${whose} may send ${limits.perMinute[cost as LimitedCost]} requests of the class ${cost} per minute.`;
    const headers = ["Retry-After", String(seconds)];
    const { dumps } = this.settings;
    if (dumps === undefined || !(await this.#hasDump.fetch(dumps)))
      return this.#problem("too-many-requests", detail, headers);
    headers.push("Link", `<${this.base}/dumps/>; rel="alternate"`);
    return this.#problem("too-many-requests", `${detail} Take a dump if you want all records.`, headers);
  }

  #boundInTime(request: http.IncomingMessage): void {
    boundedInTime.add(request);
    const timer = setTimeout(() => {
      const error = Object.assign(new Error("late"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
      if (!request.complete) refuseUnread(error, request.socket, this.base);
    }, this.settings.requestTimeout);
    request.once("close", () => clearTimeout(timer));
  }

  /** Answers a GET request from within the process by its route, even if a record has the IRI. Rejects with the answer's error, and for files, which need a connection. */
  async ask(target: string, headers: http.IncomingHttpHeaders = {}): Promise<Answer> {
    const request = Object.assign(new http.IncomingMessage(new Socket()), { method: "GET", url: target, headers });
    const exchange = this.exchangeOf(request, new http.ServerResponse(request));
    const answer = await this.#answer(exchange, false);
    if (answer === "sent") throw new Error(`${target} can only be answered on a connection`);
    return answer;
  }

  /** The answer for a record whose IRI is exactly the one requested: it takes precedence over every route. */
  #existing(exchange: Exchange): Answer | Promise<Answer | undefined> | undefined {
    if (!exchange.isRead) return undefined;
    const { request } = exchange;
    // In `/entity?uri=...&lang=nl`, the language is not part of any IRI.
    if (request.url!.includes("/entity?") && exchange.target.startsWith("/entity?"))
      exchange.takeLanguage(this.#publication.site.languages);
    try {
      // A token may give access to a held record.
      const held = request.headers.authorization && this.#held?.(request, mayBeSpelled(exchange));
      const existing = (shown?: Answer) => shown ?? this.#dereferencer.existing(request);
      const answer = held ? held.then(existing) : existing();
      return answer instanceof Promise ? answer.catch((error) => this.#withoutStore(error, exchange)) : answer;
    } catch (error) {
      return this.#withoutStore(error, exchange);
    }
  }

  /** Ignores a failure of the store on the service's own paths: `/health` answers even when no record can be read. */
  #withoutStore(error: unknown, { route }: Exchange): undefined {
    if (!(error instanceof StoreUnavailableError) || route.cost === "entity") throw error;
  }

  async #answer(exchange: Exchange, looksForSpellings = true): Promise<Answer | "sent"> {
    // A record whose IRI itself contains the parameter has been answered already.
    if (exchange.isRead && exchange.takeLanguage(this.#publication.site.languages)) {
      const found = await this.#existing(exchange);
      if (found !== undefined) return found;
    }
    const { route, methods } = exchange.match;
    const refused = exchange.cost === "entity" ? undefined : await this.#overLimit(exchange);
    if (refused !== undefined) return refused;
    // Routes answer HEAD as GET.
    const method = exchange.isRead ? "get" : exchange.request.method!.toLowerCase();
    if (!Object.hasOwn(route.operations, method)) {
      // `Allow` is required (RFC 9110, 15.5.6).
      const detail = `This path does not support ${exchange.request.method}. Use one of ${methods}.`;
      const headers = ["Allow", methods];
      return problem(this.base, "method-not-allowed", detail, { instance: exchange.request.url, headers });
    }
    if (looksForSpellings && exchange.isRead && route.cost !== "entity" && mayBeSpelled(exchange)) {
      // The path matches the pattern of this route, but may name a record by another spelling or a suffix.
      const found = this.#dereferencer.spelled(exchange.request, false);
      const spelled = await found.catch((error) => this.#withoutStore(error, exchange));
      if (spelled !== undefined) return spelled;
    }
    return this.#routed(exchange);
  }

  /** The target, in which each parameter that spells the IRI of a record in another way has the record's spelling. `cite-as` and sitemaps give URIs. */
  async #respelled(target: string): Promise<string> {
    const { changes } = this.settings.store;
    const [path, query] = pathAndQuery(target);
    if (changes === undefined || query === undefined) return target;
    const given = [...new URLSearchParams(query)];
    const own: [name: string, value: string][] = [];
    for (const [name, value] of given) {
      const isSpelled = hasScheme(value) && equivalents(value).length > 0;
      own.push([name, (isSpelled && (await lifeOfAny(changes, [value]))[0]?.iri) || value]);
    }
    return own.every(([, value], at) => value === given[at]![1]) ? target : addressWith(path, own);
  }

  async #routed({ request, response, target, match, isRead }: Exchange): Promise<Answer | "sent"> {
    const { route, parameters } = match;
    const own = isRead && match.route.cost !== "status" ? await this.#respelled(withoutTracking(target)) : target;
    const routed = new RouteRequest(request, response, own, parameters, this.#trustProxy);
    // Read here, since a request whose body was abandoned has no socket later.
    const { socket } = request;
    if (route.hasDeadline === true) socket.setTimeout(0);
    const answer = await this.#outcome(route, routed);
    if (route.hasDeadline === true) socket.setTimeout(this.settings.idleTimeout);
    if (answer === "sent" || isRead || request.complete) return answer;
    // The connection ends, or the rest of the body would be the next request. If it ended at once, a client that still sends would miss the answer (RFC 9112, 9.6).
    const close = () => Socket.prototype.destroySoon.call(socket);
    socket.destroySoon = () => {
      if (request.complete) return close();
      socket.end();
      const timer = setTimeout(() => socket.destroy(), this.settings.requestTimeout);
      socket.once("close", () => clearTimeout(timer));
      request.resume().once("close", close);
    };
    return { ...answer, headers: [...answer.headers, "Connection", "close"] };
  }

  /** The answer of the route, or of the entity at its path if the route has nothing there. */
  async #outcome(route: Route, request: RouteRequest): Promise<Answer | "sent"> {
    try {
      const outcome = (await route.answer(request)) ?? (await this.#dereferencer.otherwise(request.message));
      return outcome === "sent" || "status" in outcome ? outcome : await answerOf(outcome, request.message, this.base);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const answer = error.answer(this.base);
      if (answer.status !== 404 || request.method !== "GET") return answer;
      const ofEntity = await this.#dereferencer.otherwise(request.message);
      return ofEntity.status === 404 ? answer : ofEntity;
    }
  }

  #failure(error: unknown, request: http.IncomingMessage): Answer {
    if (error instanceof InexpressibleError)
      return this.#problem("not-acceptable", `${unwritable(error)} Ask for another form.`);
    if (error instanceof ProblemError) return error.answer(this.base);
    if (error instanceof StoreUnavailableError && error.cause instanceof SearchIndexError) {
      const detail =
        "The search index is being built, another process has locked it, it cannot be opened, or it has too many other questions to answer. Records stay available.";
      return this.#problem("unavailable", detail);
    }
    if (error === request.errored) return this.#problem("unavailable", "The client left before all of the body came.");
    this.settings.report(error, request);
    return error instanceof StoreUnavailableError || error instanceof StoreError
      ? this.#problem("unavailable", "The records cannot be read now.")
      : this.#problem("internal", "The service failed to answer this request. Its log has the cause.");
  }

  #problem(name: ProblemName, detail: string, headers: readonly string[] = []): WholeAnswer {
    return problem(this.base, name, detail, { headers });
  }
}

/** The statuses of answers that the public gets in place of a held record. */
const IN_PLACE_OF_RECORDS = new Set([301, 302, 303, 404, 410]);

/** Whether a request may name a record by another spelling or a suffix: `/?id=5.ttl`. A route with one fixed path, such as `/health`, else never waits for the store. */
function mayBeSpelled({ route: { cost, path }, target }: Exchange): boolean {
  return cost === "entity" || path.includes("{") || /^[^?]*\?.*\.[a-z]+$/.test(target);
}
