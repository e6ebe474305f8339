/** The HTTP server: how long it waits for whom, how it begins and ends, and what it answers from in between. */
import { once } from "node:events";
import * as http from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { jsonAnswer, send, type WholeAnswer } from "../message/answer.js";
import { problem } from "../message/problems/problems.js";
import { Connections, connectionsFor, descriptorLimit } from "./connections.js";
import { Handler, type HandlerOptions } from "./handler.js";
import { MAX_HEAD, refuseTunnel, refuseUnread } from "./request-guards.js";

/** The records that a server answers from, and how it tells of them. */
export type Published = Omit<HandlerOptions, "requestTimeout" | "idleTimeout" | "report">;

export interface ServerOptions extends Published, Partial<Settings> {}

interface Settings extends Pick<HandlerOptions, "requestTimeout" | "idleTimeout" | "report"> {
  /** How many connections may be open at once; the longest idle gives way. Default: by the descriptors of the process. */
  readonly connections: number;
  /** How long a client may take to send a request's head, in milliseconds. Default 10 s. */
  readonly headTimeout: number;
  /** How long `close` lets answers that are under way take, in milliseconds. Default 10 s. */
  readonly closeTimeout: number;
}

/** The defaults of `headTimeout`, `requestTimeout` and `idleTimeout`, in milliseconds. */
export const MAX_HEAD_TIME = 10_000;
export const MAX_REQUEST_TIME = 30_000;
export const MAX_IDLE_TIME = 60_000;

const DEFAULTS: Settings = {
  connections: connectionsFor(descriptorLimit()),
  headTimeout: MAX_HEAD_TIME,
  requestTimeout: MAX_REQUEST_TIME,
  idleTimeout: MAX_IDLE_TIME,
  closeTimeout: 10_000,
  report: (error: unknown, { url = "" }: Pick<http.IncomingMessage, "url">): void => {
    process.stderr.write(`${url}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  },
};

/** Milliseconds for the next request: longer than a load balancer waits, which would else send one into a closing connection. */
export const MAX_KEPT_TIME = 65_000;

export interface Server {
  /** Begin to listen. Rejects when the port is taken. Port 0 takes a free one. */
  listen(port: number, host?: string): Promise<AddressInfo>;
  /** Answer 503 but for `/health`, and go on listening. Resolves when nothing reads the store any more, at `closeTimeout` at the latest. */
  withdraw(): Promise<void>;
  /** Answer from these records from now on, after `withdraw`. */
  publish(published: Published): void;
  /** Accept nothing new, let answers finish, and resolve when all connections are closed. The store stays open. */
  close(): Promise<void>;
}

/** A server, which does not listen yet. Whoever started it has to close it. */
export function createServer(options: ServerOptions): Server {
  const settings = { ...DEFAULTS, ...options };
  let handler = new Handler(settings);
  /** The answer to all requests while there are no records. */
  let away: WholeAnswer | undefined;
  let closed: Promise<void> | undefined;
  // One server for the whole life of a process: between two, connections that arrive would be lost.
  const server = http.createServer({
    maxHeaderSize: MAX_HEAD,
    headersTimeout: settings.headTimeout,
    // Its own clock, since a load may take as long as it does to arrive.
    requestTimeout: 0,
    keepAliveTimeout: MAX_KEPT_TIME,
    connectionsCheckingInterval: Math.min(5_000, settings.headTimeout),
    // Looked after in `handle`, so that this refusal too is a problem with CORS headers.
    requireHostHeader: false,
  });
  server.timeout = settings.idleTimeout;
  const connections = new Connections(server, settings.connections);
  server.on("request", (request, response) => {
    connections.use(request.socket);
    if (away === undefined) handler.handle(request, response);
    else send(response, request.url === "/health" ? HEALTH : away);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => refuseUnread(error, socket, handler.base));
  // Without a listener the connection would be closed without a word.
  server.on("connect", (_request, socket: Socket) => refuseTunnel(socket, handler.base));
  return {
    listen: async (port, host = "127.0.0.1") => {
      await once(server.listen(port, host), "listening");
      // Without a listener, a connection that could not be accepted would end the process.
      server.on("error", (error) => settings.report(error, {} as http.IncomingMessage));
      return server.address() as AddressInfo;
    },
    withdraw: async () => {
      away = problem(handler.base, "unavailable", "The records are away at this moment.", { headers: CLOSE });
      await connections.answered(settings.closeTimeout);
      await handler.large?.close();
    },
    publish: (published) => {
      const { requestTimeout, idleTimeout, report } = settings;
      handler = new Handler({ ...published, requestTimeout, idleTimeout, report });
      away = undefined;
    },
    close: () => {
      closed ??= closeGently(server, settings.closeTimeout).then(() => handler.large?.close());
      handler.closing = true;
      return closed;
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

/** The rest of a body stays unread, so that the next request needs another connection. */
const CLOSE = ["Connection", "close"] as const;

/** While the store is away the service lives: `/health` is 200, all else 503. */
const HEALTH = jsonAnswer(200, { status: "ok" }, ["Cache-Control", "no-store", ...CLOSE]);
