/** The HTTP server: its time limits, its start and end, and the records that it answers from. */
import { once } from "node:events";
import * as http from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { jsonAnswer, send, type WholeAnswer } from "../message/answer.js";
import { problem } from "../message/problems/problems.js";
import { Connections, connectionsFor, descriptorLimit } from "./connections.js";
import { Handler, type HandlerOptions } from "./handler.js";
import { MAX_HEAD, refuseTunnel, refuseUnread } from "./request-guards.js";

/** The records that a server answers from, and how it publishes them. */
export type Published = Omit<HandlerOptions, "requestTimeout" | "idleTimeout" | "report">;

export interface ServerOptions extends Published, Partial<Settings> {}

interface Settings extends Pick<HandlerOptions, "requestTimeout" | "idleTimeout" | "report"> {
  /** How many connections may be open at once; a new one replaces the one idle longest. Default: by the descriptors of the process. */
  readonly connections: number;
  /** How long a client may take to send a request's head, in milliseconds. Default 10 s. */
  readonly headTimeout: number;
  /** How long `close` and `withdraw` wait for pending answers, in milliseconds. Default 10 s. */
  readonly closeTimeout: number;
}

export const DEFAULT_SETTINGS: Settings = {
  connections: connectionsFor(descriptorLimit()),
  headTimeout: 10_000,
  requestTimeout: 30_000,
  idleTimeout: 60_000,
  closeTimeout: 10_000,
  report: (error: unknown, { url = "" }: Pick<http.IncomingMessage, "url">): void => {
    process.stderr.write(`${url}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  },
};

/** How long an idle connection is kept, in milliseconds: longer than load balancers keep theirs, so that none sends a request into a closing connection. */
export const MAX_KEPT_TIME = 65_000;

export type Server = ReturnType<typeof createServer>;

/** Creates a server that does not listen yet. The caller must close it. */
export function createServer(options: ServerOptions) {
  const settings = { ...DEFAULT_SETTINGS, ...options };
  let handler = new Handler(settings);
  /** The answer to all requests while the records are withdrawn. */
  let withdrawn: WholeAnswer | undefined;
  let closed: Promise<void> | undefined;
  // One server for the life of the process: connections that arrive between two servers would be lost.
  const server = http.createServer({
    maxHeaderSize: MAX_HEAD,
    headersTimeout: settings.headTimeout,
    // The handler has its own timer for this, since a load may take any time to arrive.
    requestTimeout: 0,
    keepAliveTimeout: MAX_KEPT_TIME,
    connectionsCheckingInterval: Math.min(5_000, settings.headTimeout),
    // The handler checks `Host`, so that this refusal, too, is a problem with CORS headers.
    requireHostHeader: false,
  });
  server.timeout = settings.idleTimeout;
  const connections = new Connections(server, settings.connections);
  const answer: http.RequestListener = (request, response) => {
    connections.use(request.socket);
    if (withdrawn === undefined) handler.handle(request, response);
    else send(response, handler.exchangeOf(request, response).route.path === "/health" ? HEALTH : withdrawn);
  };
  server.on("request", answer);
  // Without a listener, an unknown expectation would be a 417 without CORS headers or a problem. It may be ignored (RFC 9110, 10.1.1).
  server.on("checkExpectation", answer);
  server.on("checkContinue", (request, response) => {
    // A client that is refused, such as one with a wrong token, need not send its body: what reads the body asks for it.
    request._read = (size) => {
      request._read = http.IncomingMessage.prototype._read;
      if (!response.headersSent) response.writeContinue();
      request._read(size);
    };
    answer(request, response);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => refuseUnread(error, socket, handler.base));
  // Without a listener the connection would be closed without an answer.
  server.on("connect", (_request, socket: Socket) => refuseTunnel(socket, handler.base));
  return {
    /** Starts listening. Rejects if the port is in use. Port 0 chooses a free one. */
    listen: async (port: number, host = "127.0.0.1"): Promise<AddressInfo> => {
      await once(server.listen(port, host), "listening");
      // Without a listener, an error while accepting a connection would end the process.
      server.on("error", (error) => settings.report(error, {} as http.IncomingMessage));
      return server.address() as AddressInfo;
    },
    /** Keeps listening, but answers 503 except for `/health`. Resolves when nothing reads the store any more, or after `closeTimeout`. */
    withdraw: async (): Promise<void> => {
      withdrawn = problem(handler.base, "unavailable", "The records are not available now.", { headers: CLOSE });
      await connections.answered(settings.closeTimeout);
      await handler.large?.close();
    },
    /** Answers from these records from now on; call it after `withdraw`. */
    publish: (published: Published): void => {
      const { requestTimeout, idleTimeout, report } = settings;
      handler = new Handler({ ...published, requestTimeout, idleTimeout, report });
      withdrawn = undefined;
    },
    /** Accepts no new connections, lets pending answers finish, and resolves when all connections are closed. Leaves the store open. */
    close: (): Promise<void> => {
      closed ??= closeGently(server, connections, settings.closeTimeout).then(() => handler.large?.close());
      handler.closing = true;
      return closed;
    },
  };
}

/** How often a closing server closes connections that have become idle, in milliseconds. */
const CLOSING_INTERVAL = 50;

async function closeGently(server: http.Server, connections: Connections, timeout: number): Promise<void> {
  const idle = setInterval(() => {
    server.closeIdleConnections();
    connections.closeUnused();
  }, CLOSING_INTERVAL);
  const deadline = setTimeout(() => server.closeAllConnections(), timeout);
  await new Promise((resolve) => server.close(resolve));
  clearInterval(idle);
  clearTimeout(deadline);
}

/** Closes the connection, since the rest of a request's body stays unread. */
const CLOSE = ["Connection", "close"] as const;

/** The answer of `/health` while the records are withdrawn; all other paths give 503. */
const HEALTH = jsonAnswer(200, { status: "ok" }, ["Cache-Control", "no-store", ...CLOSE]);
