/** Decides who answers a request: entities at once, everything else by its route; and what is refused before. */
import type * as http from "node:http";
import type { Socket } from "node:net";
import { RdfXmlError } from "../rdf/rdf-xml.js";
import type { Store } from "../store/store.js";
import { type About, type Answer, preflight, send, varyingBy, type WholeAnswer } from "./answer.js";
import { answerOf } from "./content.js";
import { Addresses, pathOf } from "./entity/addresses.js";
import type { Dereferencer } from "./entity/dereference.js";
import { HeldAnswers, PRIVATE } from "./entity/held.js";
import type { Documents, RepresentationMaker } from "./entity/representation.js";
import { representations } from "./entity/representations.js";
import { clientOf, PROXY_VARY } from "./headers/forwarded.js";
import { type LargeRecordSettings, LargeRecordThread } from "./large-records.js";
import { DEFAULT_SITE, navigation, Site, type SiteSettings } from "./pages/site.js";
import { forReader } from "./problems/error-page.js";
import { ProblemError, type ProblemName, problem } from "./problems/problems.js";
import { StoreUnavailableError } from "./problems/store-unavailable.js";
import { dereferencerOf, type PublicationOptions } from "./publication.js";
import type { LimitedCost, RateLimits } from "./rate-limit.js";
import { headProblem, refuseUnread } from "./refusals.js";
import { endpointLinks } from "./routes/links.js";
import {
  type Cost,
  type Method,
  type Route,
  type RouteContext,
  type RouteMaker,
  RouteRequest,
} from "./routes/route.js";
import { type Match, RouteTable } from "./routes/routes.js";
import type { Watch } from "./watch.js";

export interface HandlerOptions
  extends Omit<PublicationOptions, "large">,
    Pick<
      RouteContext,
      "context" | "images" | "dumps" | "dataset" | "directory" | "robots" | "index" | "loading" | "metrics" | "sparql"
    > {
  /** Writes the documents. */
  readonly documents: Documents;
  /** What makes the representations, by their names. Default: `REPRESENTATIONS`. */
  readonly representationMakers?: Readonly<Record<string, RepresentationMaker>>;
  /** What makes the routes. Default: `ROUTES`. */
  readonly routeMakers?: readonly RouteMaker[];
  /** How long a connection may carry nothing while an answer is due, in milliseconds. */
  readonly idleTimeout: number;
  /** How many requests a client may send; an object for the life of the process. Default: there is no limit. */
  readonly rateLimits?: RateLimits;
  /** Told of every answer. Default: nobody is. */
  readonly watch?: Watch;
  /** Where a thread opens the store and what it writes by, for large records. Default: they are written in the event loop. */
  readonly largeRecords?: Pick<LargeRecordSettings, "directory" | "contexts">;
  /** What the collection is called, and how its pages look. Default: the name and look of the software. */
  readonly site?: SiteSettings;
  /** Told of every error that was answered with 500 or 503. */
  readonly report: (error: unknown, request: http.IncomingMessage) => void;
}

/** The longest path and query that is read, in bytes: the least that RFC 9110, 4.1 recommends. */
export const MAX_TARGET = 8_000;

/** An answer on its way. */
interface Outgoing extends Exchange {
  readonly answer: Answer;
}

/** A request with what is written to. */
interface Exchange {
  readonly request: http.IncomingMessage;
  readonly response: http.ServerResponse;
  /** When it came, in milliseconds. */
  readonly came: number;
}

/** Decides who answers a request. */
export class Handler {
  closing = false;
  /** The thread that writes large records, to be closed last. */
  readonly large: LargeRecordThread | undefined;
  readonly #settings: HandlerOptions;
  readonly #site: Site;
  readonly #dereferencer: Dereferencer;
  readonly #held: HeldAnswers | undefined;
  readonly #table: RouteTable;
  readonly #rateLimits: RateLimits | undefined;
  readonly #watch: Watch | undefined;
  readonly #isWatched: boolean;
  readonly #variesByProxy: boolean;
  #outgoing: Outgoing[] = [];

  constructor(settings: HandlerOptions) {
    const { model, documents, baseUrl, otherBaseUrls = [] } = settings;
    const addresses = new Addresses(baseUrl, ...otherBaseUrls);
    const site = new Site(addresses.base, settings.site ?? DEFAULT_SITE, navigation(settings));
    const offered = representations({ model, documents, site }, settings.representationMakers);
    this.#settings = settings;
    this.#site = site;
    this.#rateLimits = settings.rateLimits;
    this.#watch = settings.watch;
    this.#isWatched = settings.watch?.isNeeded === true;
    this.#variesByProxy = addresses.areSeveral && settings.trustProxy === true;
    const context = {
      ...settings,
      addresses,
      base: addresses.base,
      site,
      representations: offered,
      otherwise: (request: http.IncomingMessage) => this.#dereferencer.otherwise(request),
    };
    this.#table = new RouteTable(context, settings.routeMakers);
    const links = endpointLinks(this.#table.routes, addresses.base);
    this.large = largeRecordsOf(settings, site, links);
    this.#dereferencer = dereferencerOf({ ...settings, large: this.large }, offered, addresses, links);
    this.#held = heldAnswersOf(settings, (store) => {
      const kept = { cacheBytes: 0, cacheControl: PRIVATE, large: undefined };
      return dereferencerOf({ ...settings, ...kept, store }, offered, addresses, links);
    });
    this.#watch?.keeps(() => this.#dereferencer.kept);
  }

  /** Most answers are there at once, and to wait for each of a million adds up. */
  handle(request: http.IncomingMessage, response: http.ServerResponse): void {
    const exchange = { request, response, came: performance.now() };
    try {
      const found = this.#refusal(request) ?? this.#limited(request) ?? this.#existing(request);
      if (found === undefined || found instanceof Promise) void this.#later(found, exchange);
      else this.#send(found, exchange);
    } catch (error) {
      this.#fail(error, exchange);
    }
  }

  /** Answer with what is on its way, or by what takes a search. */
  async #later(found: Promise<Answer | undefined> | undefined, exchange: Exchange): Promise<void> {
    const { request, response } = exchange;
    try {
      const answer = (await found) ?? (await this.#answer(request, response));
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

  #answered({ request, came }: Exchange, status: number, about: About | undefined): void {
    if (!this.#isWatched) return;
    this.#watch?.answered(request, status, about, performance.now() - came, () => this.#match(request).route);
  }

  /**
   * Send an answer, together with all that are found in this turn of the event loop: the client that the first wakes
   * takes the others as they come, and to wake it for each would cost more than to make the answer.
   */
  #send(answer: Answer, { request, response, came }: Exchange): void {
    if (this.#outgoing.push({ answer, request, response, came }) === 1) setImmediate(this.#sendAll);
  }

  readonly #sendAll = (): void => {
    const outgoing = this.#outgoing;
    this.#outgoing = [];
    for (const { answer, ...exchange } of outgoing) {
      const { request, response } = exchange;
      try {
        const read =
          answer.problem === undefined ? answer : forReader(answer as WholeAnswer, request.headers.accept, this.#site);
        const named = this.#named(read, request);
        send(response, this.#variesByProxy ? varyingBy(named, PROXY_VARY) : named, (error) =>
          this.#settings.report(error, request),
        );
        this.#answered(exchange, answer.status, answer.about);
      } catch (error) {
        this.#fail(error, exchange);
      }
    }
  };

  /** A problem carries the id by which it is found in the log. */
  #named(answer: Answer, request: http.IncomingMessage): Answer {
    const watch = this.#watch;
    if (watch === undefined || (answer.problem === undefined && !watch.namesAll)) return answer;
    return { ...answer, headers: [...answer.headers, "X-Request-Id", watch.idOf(request)] };
  }

  /** What can be answered without looking anything up. */
  #refusal(request: http.IncomingMessage): Answer | undefined {
    const { method, url = "" } = request;
    if (this.closing) {
      return this.#problem("unavailable", "The service is closing.", ["Connection", "close"]);
    }
    if (url.length > MAX_TARGET) {
      return this.#problem("uri-too-long", `The service reads up to ${MAX_TARGET} bytes of path and query.`);
    }
    const wrong = headProblem(request);
    if (wrong !== undefined) return this.#problem("malformed", wrong, ["Connection", "close"]);
    if (method === "OPTIONS") return this.#preflight(request);
    return undefined;
  }

  #preflight(request: http.IncomingMessage): Answer {
    const { route, methods } = this.#match(request);
    // The wildcard does not cover the token's header (Fetch, 4.9).
    return preflight(methods, route.takesToken === true ? "*, Authorization" : "*");
  }

  /** The answer to a request of a class that is limited: 429, or what is at hand. */
  #limited(request: http.IncomingMessage): Promise<Answer | undefined> | undefined {
    const limits = this.#rateLimits;
    if (limits === undefined) return undefined;
    const { cost } = this.#match(request).route;
    return limits.has(cost) ? this.#withinLimit(limits, cost, request) : undefined;
  }

  async #withinLimit(limits: RateLimits, cost: Cost, request: http.IncomingMessage): Promise<Answer | undefined> {
    const seconds = await limits.secondsToWait(cost, clientOf(request, this.#settings.trustProxy ?? false));
    if (seconds === 0) return this.#existing(request);
    const { base } = this;
    const hasDumps = this.#table.routes.some(({ cost }) => cost === "dump");
    const advice = hasDumps ? " Whoever wants all records takes a dump." : "";
    const most = limits.perMinute[cost as LimitedCost];
    return this.#problem(
      "too-many-requests",
      `A client may send ${most} requests of the class ${cost} a minute.${advice}`,
      ["Retry-After", String(seconds), ...(hasDumps ? ["Link", `<${base}/dumps/>; rel="alternate"`] : [])],
    );
  }

  /** Whether the body of a request may take as long as it does to arrive. */
  isUpload(request: http.IncomingMessage): boolean {
    return this.#match(request).route.isUpload === true;
  }

  /** `{base_url}` without a final slash. */
  get base(): string {
    return this.#dereferencer.addresses.base;
  }

  /** Answer what `node:http` could not parse, or did not get in time. */
  refuse(error: NodeJS.ErrnoException, socket: Socket): void {
    refuseUnread(error, socket, this.base);
  }

  /** The answer when a record has the very IRI that is asked for: it goes before every route. */
  #existing(request: http.IncomingMessage): Answer | Promise<Answer | undefined> | undefined {
    if (!isRead(request.method)) return undefined;
    try {
      const answer = this.#mayBeHeld(request) ? this.#shown(request) : this.#dereferencer.existing(request);
      return answer instanceof Promise ? answer.catch((error) => this.#withoutStore(error, request)) : answer;
    } catch (error) {
      return this.#withoutStore(error, request);
    }
  }

  /** The service's own paths do without the store: `/health` answers when the records cannot. */
  #withoutStore(error: unknown, request: http.IncomingMessage): undefined {
    if (!(error instanceof StoreUnavailableError) || this.#match(request).route.cost === "entity") throw error;
  }

  async #shown(request: http.IncomingMessage): Promise<Answer | undefined> {
    const isEntity = this.#match(request).route.cost === "entity";
    return (await this.#held?.answer(request, isEntity)) ?? this.#dereferencer.existing(request);
  }

  /** Whether a request may be one for a held record. */
  #mayBeHeld({ headers }: http.IncomingMessage): boolean {
    return this.#held !== undefined && headers.authorization !== undefined;
  }

  /** The path and query that a request means here, without the base URL's own path. */
  #target({ url = "" }: http.IncomingMessage): string {
    return this.#dereferencer.addresses.servicePath(pathOf(url) ?? url);
  }

  #match(request: http.IncomingMessage): Match {
    return this.#table.match(this.#target(request));
  }

  /** What the path's route answers. */
  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<Answer | "sent"> {
    const match = this.#match(request);
    const { route, methods } = match;
    if (!Object.hasOwn(route.operations, methodOf(request))) return this.#methodNotAllowed(request, methods);
    if (this.#held === undefined || route.cost !== "entity") return await this.#routedWhole(match, request, response);
    // A cache between must not give to those who may see a held record what it has for all others.
    const answer = await this.#routedWhole(match, request, response);
    return answer !== "sent" && (answer.status === 404 || answer.status === 410)
      ? varyingBy(answer, "Authorization")
      : answer;
  }

  async #routedWhole(
    { route, parameters }: Match,
    request: http.IncomingMessage,
    response: http.ServerResponse,
  ): Promise<Answer | "sent"> {
    const { trustProxy = false, idleTimeout } = this.#settings;
    const asked = new RouteRequest(request, response, this.#target(request), parameters, trustProxy);
    // Kept here: a request whose body was left half-way has none.
    const { socket } = request;
    if (route.hasDeadline === true) socket.setTimeout(0);
    const answer = await this.#routed(route, asked);
    if (route.hasDeadline === true) socket.setTimeout(idleTimeout);
    if (answer === "sent") return answer;
    if (isRead(request.method) || request.complete) return answer;
    // What was not read of a body would be taken for the next request.
    return { ...answer, headers: [...answer.headers, "Connection", "close"] };
  }

  /** What the route gives as an answer, or what there is for its path where it gives nothing. */
  async #routed(route: Route, request: RouteRequest): Promise<Answer | "sent"> {
    const { base } = this;
    try {
      const outcome = (await route.answer(request)) ?? (await this.#dereferencer.otherwise(request.message));
      return outcome === "sent" || "status" in outcome ? outcome : await answerOf(outcome, request.message, base);
    } catch (error) {
      if (error instanceof ProblemError) return problem(base, error.problem, error.occurrence);
      throw error;
    }
  }

  /** 405 for a method that the path does not have (RFC 9110, 15.5.6). */
  #methodNotAllowed({ method, url = "/" }: http.IncomingMessage, methods: string): Answer {
    const detail = `${method} has no meaning here: ${methods} do.`;
    const { base } = this;
    return problem(base, "method-not-allowed", { detail, instance: url, headers: ["Allow", methods] });
  }

  /** The answer to an error; the cause is for the log alone. */
  #failure(error: unknown, request: http.IncomingMessage): Answer {
    if (error instanceof RdfXmlError) {
      return this.#problem(
        "not-acceptable",
        `RDF/XML cannot express this record: ${error.problem}. The other forms can.`,
      );
    }
    const { base } = this;
    if (error instanceof ProblemError) return problem(base, error.problem, error.occurrence);
    this.#settings.report(error, request);
    return error instanceof StoreUnavailableError
      ? this.#problem("unavailable", "The records cannot be read at this moment.")
      : this.#problem("internal", "The service failed at this request. Its log has the cause.");
  }

  #problem(name: ProblemName, detail: string, headers: readonly string[] = []): WholeAnswer {
    return problem(this.base, name, { detail, headers });
  }
}

/** What answers for held records, where somebody has a token. */
function heldAnswersOf(
  { store, loading }: HandlerOptions,
  dereferencer: (store: Store) => Dereferencer,
): HeldAnswers | undefined {
  if (loading === undefined || store.held === undefined) return undefined;
  return new HeldAnswers({ store, tokens: loading.tokens, dereferencer });
}

/** The thread for large records, by what the server has. */
function largeRecordsOf(
  { largeRecords, model, baseUrl, otherBaseUrls = [], edition = "", hal = false, cacheControl }: HandlerOptions,
  { settings: site, navigation }: Site,
  endpointLinks: LargeRecordSettings["endpointLinks"],
): LargeRecordThread | undefined {
  if (largeRecords === undefined) return undefined;
  const written = { model, baseUrl, otherBaseUrls, edition, hal, cacheControl };
  return new LargeRecordThread({ ...largeRecords, ...written, site, navigation, endpointLinks });
}

function isRead(method: string | undefined): boolean {
  return method === "GET" || method === "HEAD";
}

/** The method as routes have it: GET for HEAD. */
function methodOf({ method = "" }: http.IncomingMessage): Method {
  return (method === "HEAD" ? "get" : method.toLowerCase()) as Method;
}
