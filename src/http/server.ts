/** The HTTP server: entities are answered on `node:http` at once, everything else by Express. */
import * as http from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type Answer, preflight, READ_METHODS, send } from "./answer.js";
import { Addresses, pathOf } from "./entity/addresses.js";
import { type DereferenceOptions, Dereferencer } from "./entity/dereference.js";
import { withHal } from "./entity/hal.js";
import { type Documents, representations } from "./entity/representations.js";
import { clientOf } from "./headers/forwarded.js";
import { forReader } from "./problems/error-page.js";
import { type ProblemName, problem } from "./problems/problems.js";
import { StoreUnavailableError } from "./problems/store-unavailable.js";
import { RateLimit } from "./rate-limit.js";
import { modelFiles, modelLinks } from "./routes/model-files.js";
import { isRead, isServicePath, type ServiceOptions, services } from "./routes/services.js";
import { SPARQL_METHODS } from "./sparql/endpoint.js";

export interface ServerOptions
  extends Omit<DereferenceOptions, "representations" | "endpointLinks">,
    Pick<ServiceOptions, "context" | "images" | "index" | "sparql"> {
  /** Writes the documents. */
  readonly documents: Documents;
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
  /** Whether documents have HAL's `_links`. Default: they have not. */
  readonly hal?: boolean;
  /** Told of every error that was answered with 500 or 503. Default: written to standard error. */
  readonly report?: (error: unknown, url: string) => void;
}

type Defaults = Required<
  Pick<
    ServerOptions,
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
  server.on("request", (request, response) => handler.handle(request, response));
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
    close: () => {
      handler.closing = true;
      return closeGently(server, settings.closeTimeout);
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

const PREFLIGHT = preflight(READ_METHODS, "*");
/** The wildcard does not cover the token's header (Fetch, 4.9). */
const SPARQL_PREFLIGHT = preflight(SPARQL_METHODS, "*, Authorization");
const SPARQL_PATH = /^\/sparql(?:\?|$)/;

/** An answer on its way. */
interface Outgoing {
  readonly answer: Answer;
  readonly request: http.IncomingMessage;
  readonly response: http.ServerResponse;
}

/** Decides who answers a request. */
class Handler {
  closing = false;
  readonly #settings: Settings;
  readonly #dereferencer: Dereferencer;
  readonly #services: ReturnType<typeof services>;
  readonly #rateLimit: RateLimit | undefined;
  #outgoing: Outgoing[] = [];

  constructor(settings: Settings) {
    const { model, documents, baseUrl, otherBaseUrls = [], edition = "", hal = false } = settings;
    const addresses = new Addresses(baseUrl, ...otherBaseUrls);
    const offered = representations(model, documents);
    this.#settings = settings;
    this.#rateLimit = settings.rateLimit === undefined ? undefined : new RateLimit(settings.rateLimit);
    const files = modelFiles(model);
    this.#dereferencer = new Dereferencer({
      ...settings,
      representations: hal ? withHal(offered, { addresses, contextUri: model.contextUri }) : offered,
      edition: hal ? `${edition} _links ${addresses.base}` : edition,
      endpointLinks: modelLinks(addresses.base, files),
    });
    this.#services = services({
      ...settings,
      base: this.#dereferencer.addresses.base,
      files,
      representations: offered,
      otherwise: (request) => this.#dereferencer.otherwise(request),
      failure: (error, request) => this.#failure(error, request),
    });
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
      const answer = await (found ?? this.#entity(request));
      if (answer !== undefined) this.#send(answer, request, response);
      else this.#services(request, response);
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
        send(response, answer.problem === undefined ? answer : forReader(answer, request.headers.accept));
      } catch (error) {
        this.#fail(error, request, response);
      }
    }
  };

  /** What can be answered without looking anything up. */
  #refusal(request: http.IncomingMessage): Answer | undefined {
    const { method, url = "", headers, httpVersionMinor } = request;
    if (this.closing) {
      return this.#problem("unavailable", "The service is closing.", ["Connection", "close"]);
    }
    if (url.length > this.#settings.longestTarget) {
      return this.#problem(
        "uri-too-long",
        `The service reads up to ${this.#settings.longestTarget} bytes of path and query.`,
      );
    }
    if (headers.host === undefined && httpVersionMinor > 0) {
      return this.#problem("malformed", "An HTTP/1.1 request needs a Host header (RFC 9112, 3.2).", [
        "Connection",
        "close",
      ]);
    }
    if (method === "OPTIONS") return this.#preflight(url);
    return this.#rateLimit === undefined ? undefined : this.#tooMany(this.#rateLimit, request);
  }

  #preflight(url: string): Answer {
    const path = this.#dereferencer.addresses.servicePath(pathOf(url) ?? url);
    return this.#settings.sparql !== undefined && SPARQL_PATH.test(path) ? SPARQL_PREFLIGHT : PREFLIGHT;
  }

  #tooMany(limit: RateLimit, request: http.IncomingMessage): Answer | undefined {
    const { url = "" } = request;
    // Whoever watches the service must not take a busy client for a dead service.
    if (url === "/health" || url === "/ready") return undefined;
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

  /** The answer for an entity, or `undefined` when it is for a service to give. A record goes before a service. */
  async #entity(request: http.IncomingMessage): Promise<Answer | undefined> {
    const { method, url = "" } = request;
    const path = this.#dereferencer.addresses.servicePath(pathOf(url) ?? url);
    if (!isRead(method)) {
      request.url = path;
      return undefined;
    }
    const isService = isServicePath(path);
    try {
      const answer = await this.#dereferencer.existing(request);
      if (answer !== undefined) return answer;
      if (!isService) return await this.#dereferencer.otherwise(request);
    } catch (error) {
      // The service's own paths do without the store: `/health` answers when the records cannot.
      if (!isService || !(error instanceof StoreUnavailableError)) throw error;
    }
    request.url = path;
    return undefined;
  }

  /** The answer to an error; the cause is for the log alone. */
  #failure(error: unknown, { url = "" }: http.IncomingMessage): Answer {
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

  #refusalOf({ code }: NodeJS.ErrnoException): Answer {
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

  #problem(name: ProblemName, detail: string, headers: readonly string[] = []): Answer {
    return problem(this.#dereferencer.addresses.base, name, { detail, headers });
  }
}

/** An answer as it goes over the wire, for a socket that has no response to write it. */
function rawResponse({ status, headers, body }: Answer): string {
  const lines = [`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`];
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  return [...lines, `Date: ${new Date().toUTCString()}`, "Connection: close", "", body].join("\r\n");
}
