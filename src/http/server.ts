/** The HTTP server: how long it waits for whom, and how it begins and ends. */
import * as http from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Handler, type HandlerOptions } from "./handler.js";
import { MAX_HEAD } from "./refusals.js";

export interface ServerOptions extends Omit<HandlerOptions, "idleTimeout" | "report">, Partial<Settings> {}

interface Settings extends Pick<HandlerOptions, "report"> {
  /** How long a client may take to send a request's head, in milliseconds. Default 10 s. */
  readonly headTimeout: number;
  /** How long a connection may carry nothing while an answer is due, in milliseconds. Default 60 s. */
  readonly idleTimeout: number;
  /** How long `close` lets answers that are under way take, in milliseconds. Default 10 s. */
  readonly closeTimeout: number;
}

const DEFAULTS: Settings = {
  headTimeout: 10_000,
  idleTimeout: 60_000,
  closeTimeout: 10_000,
  report: (error: unknown, url: string): void => {
    process.stderr.write(`${url}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  },
};

/** How long a client may take to send a whole request, in milliseconds. */
const REQUEST_TIMEOUT = 30_000;

/**
 * How long a connection is kept for the next request, in milliseconds: longer than a load balancer keeps it, which would
 * otherwise send a request into a connection that is just closing.
 */
const KEEP_ALIVE_TIMEOUT = 65_000;

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
  const settings = { ...DEFAULTS, ...options };
  const handler = new Handler(settings);
  const server = http.createServer({
    maxHeaderSize: MAX_HEAD,
    headersTimeout: settings.headTimeout,
    requestTimeout: REQUEST_TIMEOUT,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
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
