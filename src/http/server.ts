/** The HTTP server: entities are answered at once, everything else by its route. */
import * as http from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { RdfXmlError } from "../rdf/rdf-xml.js";
import { type Answer, preflight, send, type WholeAnswer } from "./answer.js";
import { Connections, connectionsFor, descriptorLimit } from "./connections.js";
import { answerOf } from "./content.js";
import { Addresses, pathOf } from "./entity/addresses.js";
import type { Dereferencer } from "./entity/dereference.js";
import type { Documents } from "./entity/representations.js";
import { clientOf } from "./headers/forwarded.js";
import { type LargeRecordSettings, LargeRecordThread } from "./large-records.js";
import { DEFAULT_SITE, navigation, Site, type SiteSettings } from "./pages/site.js";
import { forReader } from "./problems/error-page.js";
import { ProblemError, type ProblemName, problem } from "./problems/problems.js";
import { StoreUnavailableError } from "./problems/store-unavailable.js";
import { dereferencerOf, offeredBy, type PublicationOptions } from "./publication.js";
import { RateLimit } from "./rate-limit.js";
import { endpointLinks } from "./routes/links.js";
import { type Method, type RouteContext, RouteRequest } from "./routes/route.js";
import { type Match, RouteTable } from "./routes/routes.js";
import { headProblem, rawResponse } from "./wire.js";

export interface ServerOptions
  extends Omit<PublicationOptions, "large">,
    Pick<RouteContext, "context" | "images" | "index" | "sparql"> {
  /** Writes the documents. */
  readonly documents: Documents;
  /** How many connections may be open at once; the longest idle gives way. Default: by the descriptors of the process. */
  readonly connections?: number;
  /** The longest path and query that is read, in bytes. Default 8,000, the least that RFC 9110, 4.1 recommends. */
  readonly longestTarget?: number;
  /** The largest head of a request, in bytes. Default 32 KiB. */
  readonly largestHead?: number;
  /** How long a client may take to send a request's head, in milliseconds. Default 10 s. */
  readonly headTimeout?: number;
  /** How long a client may take to send a whole request, in milliseconds. Default 30 s. */
  readonly requestTimeout?: number;
  /** How long a connection may carry nothing while an answer is due, in milliseconds. Default 60 s. */
  readonly idleTimeout?: number;
  /**
   * How long a connection is kept for the next request, in milliseconds. Default 65 s: longer than a load balancer
   * keeps it, which would otherwise send a request into a connection that is just closing.
   */
  readonly keepAliveTimeout?: number;
  /** How long `close` lets answers that are under way take, in milliseconds. Default 10 s. */
  readonly closeTimeout?: number;
  /**
   * How many requests a minute a client may send; one may send as many at once. Health and readiness are not counted.
   * Default: there is no limit.
   */
  readonly rateLimit?: number;
  /** Where a thread opens the store and what it writes by, for large records. Default: they are written in the event loop. */
  readonly largeRecords?: Pick<LargeRecordSettings, "directory" | "contexts">;
  /** What the collection is called, and how its pages look. Default: the name and look of the software. */
  readonly site?: SiteSettings;
  /** Told of every error that was answered with 500 or 503. Default: written to standard error. */
  readonly report?: (error: unknown, url: string) => void;
}

type Defaults = Required<
  Pick<
    ServerOptions,
    | "connections"
    | "longestTarget"
    | "largestHead"
    | "headTimeout"
    | "requestTimeout"
    | "idleTimeout"
    | "keepAliveTimeout"
    | "closeTimeout"
    | "report"
  >
>;

type Settings = ServerOptions & Defaults;

const DEFAULTS: Defaults = {
  connections: connectionsFor(descriptorLimit()),
  longestTarget: 8_000,
  largestHead: 32 * 1_024,
  headTimeout: 10_000,
  requestTimeout: 30_000,
  idleTimeout: 60_000,
  keepAliveTimeout: 65_000,
  closeTimeout: 10_000,
  report: (error: unknown, url: string): void => {
    process.stderr.write(`${url}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  },
};

export interface Server {
  /** Begin to listen. Rejects when the port is taken. Port 0 takes a free one. */
  listen(port: number, host?: string): Promise<AddressInfo>;
  /**
   * Accept nothing new, let the answers under way finish, and resolve when all connections are closed. Requests that
   * still come on open connections are answered 503. The store stays open.
   */
  close(): Promise<void>;
}

export function createServer(options: ServerOptions): Server {
  const settings: Settings = { ...DEFAULTS, ...options };
  const handler = new Handler(settings);
  const server = http.createServer({
    maxHeaderSize: settings.largestHead,
    headersTimeout: settings.headTimeout,
    requestTimeout: settings.requestTimeout,
    keepAliveTimeout: settings.keepAliveTimeout,
    connectionsCheckingInterval: Math.min(5_000, settings.headTimeout),
    // Looked after in `handle`, so that this refusal too is a problem with CORS headers.
    requireHostHeader: false,
  });
  server.timeout = settings.idleTimeout;
  const connections = new Connections(server, settings.connections);
  server.on("request", (request, response) => {
    connections.use(request.socket);
    handler.handle(request, response);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => handler.refuse(error, socket));
  return {
    listen: (port, host = "127.0.0.1") =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, host, () => {
          server.off("error", reject);
          // Without a listener, a connection that could not be accepted would end the process.
          server.on("error", (error) => settings.report(error, ""));
          resolve(server.address() as AddressInfo);
        });
      }),
    close: async () => {
      handler.closing = true;
      await closeGently(server, settings.closeTimeout);
      await handler.large?.close();
    },
  };
}

/** How often a closing server looks for connections whose last answer is out, in milliseconds. */
const CLOSING_INTERVAL = 50;

function closeGently(server: http.Server, timeout: number): Promise<void> {
  return new Promise((resolve) => {
    const idle = setInterval(() => server.closeIdleConnections(), CLOSING_INTERVAL);
    const deadline = setTimeout(() => server.closeAllConnections(), timeout);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(deadline);
      resolve();
    });
  });
}

/** An answer on its way. */
interface Outgoing {
  readonly answer: Answer;
  readonly request: http.IncomingMessage;
  readonly response: http.ServerResponse;
}

/** Decides who answers a request. */
class Handler {
  closing = false;
  readonly large: LargeRecordThread | undefined;
  readonly #settings: Settings;
  readonly #site: Site;
  readonly #dereferencer: Dereferencer;
  readonly #table: RouteTable;
  readonly #rateLimit: RateLimit | undefined;
  #outgoing: Outgoing[] = [];

  constructor(settings: Settings) {
    const { model, documents, baseUrl, otherBaseUrls = [] } = settings;
    const addresses = new Addresses(baseUrl, ...otherBaseUrls);
    const site = new Site(addresses.base, settings.site ?? DEFAULT_SITE, navigation(settings));
    const offered = offeredBy(model, documents, site);
    this.#settings = settings;
    this.#site = site;
    this.#rateLimit = settings.rateLimit === undefined ? undefined : new RateLimit(settings.rateLimit);
    this.#table = new RouteTable({
      ...settings,
      addresses,
      base: addresses.base,
      site,
      representations: offered,
      otherwise: (request) => this.#dereferencer.otherwise(request),
    });
    const links = endpointLinks(this.#table.routes, addresses.base);
    this.large = largeRecordsOf(settings, site, links);
    this.#dereferencer = dereferencerOf({ ...settings, large: this.large }, offered, addresses, links);
  }

  /** Most answers are there at once, and to wait for each of a million adds up. */
  handle(request: http.IncomingMessage, response: http.ServerResponse): void {
    try {
      const found = this.#refusal(request) ?? this.#ready(request);
      if (found === undefined || found instanceof Promise) void this.#later(found, request, response);
      else this.#send(found, request, response);
    } catch (error) {
      this.#fail(error, request, response);
    }
  }

  /** Answer with what is on its way, or by what takes a search. */
  async #later(
    found: Promise<Answer> | undefined,
    request: http.IncomingMessage,
    response: http.ServerResponse,
  ): Promise<void> {
    try {
      const answer = await (found ?? this.#answer(request, response));
      if (answer !== "sent") this.#send(answer, request, response);
    } catch (error) {
      this.#fail(error, request, response);
    }
  }

  #fail(error: unknown, request: http.IncomingMessage, response: http.ServerResponse): void {
    if (response.headersSent) response.destroy();
    else this.#send(this.#failure(error, request), request, response);
  }

  /**
   * Send an answer, together with all that are found in this turn of the event loop: the client that the first wakes
   * takes the others as they come, and to wake it for each would cost more than to make the answer.
   */
  #send(answer: Answer, request: http.IncomingMessage, response: http.ServerResponse): void {
    if (this.#outgoing.push({ answer, request, response }) === 1) setImmediate(this.#sendAll);
  }

  readonly #sendAll = (): void => {
    const outgoing = this.#outgoing;
    this.#outgoing = [];
    for (const { answer, request, response } of outgoing) {
      try {
        const read =
          answer.problem === undefined ? answer : forReader(answer as WholeAnswer, request.headers.accept, this.#site);
        send(response, read, (error) => this.#settings.report(error, request.url ?? ""));
      } catch (error) {
        this.#fail(error, request, response);
      }
    }
  };

  /** What can be answered without looking anything up. */
  #refusal(request: http.IncomingMessage): Answer | undefined {
    const { method, url = "" } = request;
    if (this.closing) {
      return this.#problem("unavailable", "The service is closing.", ["Connection", "close"]);
    }
    if (url.length > this.#settings.longestTarget) {
      return this.#problem(
        "uri-too-long",
        `The service reads up to ${this.#settings.longestTarget} bytes of path and query.`,
      );
    }
    const wrong = headProblem(request);
    if (wrong !== undefined) return this.#problem("malformed", wrong, ["Connection", "close"]);
    if (method === "OPTIONS") return this.#preflight(request);
    return this.#rateLimit === undefined ? undefined : this.#tooMany(this.#rateLimit, request);
  }

  #preflight(request: http.IncomingMessage): Answer {
    const { route, methods } = this.#match(request);
    // The wildcard does not cover the token's header (Fetch, 4.9).
    return preflight(methods, route.takesToken === true ? "*, Authorization" : "*");
  }

  #tooMany(limit: RateLimit, request: http.IncomingMessage): Answer | undefined {
    // Whoever watches the service must not take a busy client for a dead service.
    if (this.#match(request).route.cost === "status") return undefined;
    const seconds = limit.secondsToWait(clientOf(request, this.#settings.trustProxy ?? false));
    if (seconds === 0) return undefined;
    return this.#problem("too-many-requests", `A client may send ${limit.perMinute} requests a minute.`, [
      "Retry-After",
      String(seconds),
    ]);
  }

  /** The answer for an entity when it is at hand. */
  #ready(request: http.IncomingMessage): Answer | Promise<Answer> | undefined {
    return isRead(request.method) ? this.#dereferencer.ready(request) : undefined;
  }

  /** The path and query that a request means here, without the base URL's own path. */
  #target({ url = "" }: http.IncomingMessage): string {
    return this.#dereferencer.addresses.servicePath(pathOf(url) ?? url);
  }

  #match(request: http.IncomingMessage): Match {
    return this.#table.match(this.#target(request));
  }

  /** What the path's route answers; a record of the very IRI goes before it. */
  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<Answer | "sent"> {
    const match = this.#match(request);
    const { route, methods, parameters } = match;
    if (!Object.hasOwn(route.operations, methodOf(request))) return this.#methodNotAllowed(request, methods);
    const existing = isRead(request.method) ? await this.#existing(request, match) : undefined;
    if (existing !== undefined) return existing;
    const { trustProxy = false, idleTimeout } = this.#settings;
    const asked = new RouteRequest(request, response, this.#target(request), parameters, trustProxy);
    if (route.hasDeadline === true) request.socket.setTimeout(0);
    const outcome = (await route.answer(asked)) ?? (await this.#dereferencer.otherwise(request));
    if (route.hasDeadline === true) request.socket.setTimeout(idleTimeout);
    if (outcome === "sent") return outcome;
    const answer = "status" in outcome ? outcome : await answerOf(outcome, request, this.#dereferencer.addresses.base);
    if (isRead(request.method) || request.complete) return answer;
    // What was not read of a body would be taken for the next request.
    return { ...answer, headers: [...answer.headers, "Connection", "close"] };
  }

  async #existing(request: http.IncomingMessage, { route }: Match): Promise<Answer | undefined> {
    try {
      return await this.#dereferencer.existing(request);
    } catch (error) {
      // The service's own paths do without the store: `/health` answers when the records cannot.
      if (route.cost === "entity" || !(error instanceof StoreUnavailableError)) throw error;
      return undefined;
    }
  }

  /** 405 for a method that the path does not have (RFC 9110, 15.5.6). */
  #methodNotAllowed({ method, url = "/" }: http.IncomingMessage, methods: string): Answer {
    const detail = `${method} has no meaning here: ${methods} do.`;
    const { base } = this.#dereferencer.addresses;
    return problem(base, "method-not-allowed", { detail, instance: url, headers: ["Allow", methods] });
  }

  /** The answer to an error; the cause is for the log alone. */
  #failure(error: unknown, { url = "" }: http.IncomingMessage): Answer {
    if (error instanceof RdfXmlError) {
      return this.#problem(
        "not-acceptable",
        `RDF/XML cannot express this record: ${error.problem}. The other forms can.`,
      );
    }
    if (error instanceof ProblemError)
      return problem(this.#dereferencer.addresses.base, error.problem, error.occurrence);
    this.#settings.report(error, url);
    return error instanceof StoreUnavailableError
      ? this.#problem("unavailable", "The records cannot be read at this moment.")
      : this.#problem("internal", "The service failed at this request. Its log has the cause.");
  }

  /** Answer what `node:http` could not parse, or did not get in time. */
  refuse(error: NodeJS.ErrnoException, socket: Socket): void {
    const { _httpMessage: current } = socket as Socket & { _httpMessage?: http.ServerResponse };
    if (error.code === "ECONNRESET" || !socket.writable || current?.headersSent) {
      socket.destroy();
      return;
    }
    socket.end(rawResponse(this.#refusalOf(error)));
  }

  #refusalOf({ code }: NodeJS.ErrnoException): WholeAnswer {
    if (code === "HPE_HEADER_OVERFLOW") {
      return this.#problem(
        "headers-too-large",
        `The service reads up to ${this.#settings.largestHead} bytes of headers.`,
      );
    }
    if (code === "HPE_INVALID_URL")
      return this.#problem("malformed", "The path has characters that must be percent-encoded.");
    if (code === "ERR_HTTP_REQUEST_TIMEOUT") return this.#problem("timeout", "The request took too long to arrive.");
    return this.#problem("malformed", "This is no HTTP request.");
  }

  #problem(name: ProblemName, detail: string, headers: readonly string[] = []): WholeAnswer {
    return problem(this.#dereferencer.addresses.base, name, { detail, headers });
  }
}

/** The thread for large records, by what the server has. */
function largeRecordsOf(
  { largeRecords, model, baseUrl, otherBaseUrls = [], edition = "", hal = false, cacheControl }: Settings,
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
