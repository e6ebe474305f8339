/** Queries over unix sockets: for the command line in the store's folder, and between the processes of one service. */
import { lstat, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { Dispatcher } from "undici";
import { headerOf, httpAgent, request } from "../../base/http-client.js";
import { listening, SocketFolder } from "../../base/unix-socket.js";
import type { EngineState } from "../../query/engine.js";
import { type Answer, send } from "../message/answer.js";
import { hasBody } from "../message/body.js";
import { problem } from "../message/problems/problems.js";
import type { RouteRequest, ServedFile, SparqlServices } from "../routes/route.js";
import { type EndpointOptions, SparqlEndpoint, TIMEOUT_HEADER } from "./endpoint.js";

const NAME = "query.sock";
/** A service that does not answer so soon, in milliseconds, is suspended or about to end. */
const PATIENCE = 1_000;
/** How often a service looks whether the socket is still its own, or another service has left it, in milliseconds. */
const INTERVAL = 2_000;

/** The socket by which `vitrine query` reaches the service of a store; only the service's owner may. */
export class LocalSocket {
  readonly #makeServer: () => Server;
  readonly #timer: NodeJS.Timeout;
  #server: Server | undefined;
  #folder: SocketFolder | undefined;
  #inode: number | undefined;
  /** The look that is under way; one at a time. */
  #looking: Promise<void> | undefined;
  #isClosed = false;
  #hasReported = false;

  /**
   * Listen in a store's folder, without limits, once no other service does.
   * @param report told once when that cannot be
   * @param patience gives a signal that ends the wait for a service which is silent
   */
  constructor(
    private readonly directory: string,
    options: Omit<EndpointOptions, "isLocal" | "rows" | "bytes" | "token" | "editor">,
    private readonly report: (message: string) => void,
    private readonly patience = patienceOf,
  ) {
    const endpoint = new SparqlEndpoint({ ...options, isLocal: true, rows: Infinity, bytes: Infinity });
    this.#makeServer = () => socketServer(endpoint, options.base);
    this.#timer = setInterval(() => this.#look(), INTERVAL);
    this.#timer.unref();
    this.#look();
  }

  /** Resolves when it was looked whether the socket can be had. */
  async looked(): Promise<void> {
    await this.#looking;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#looking;
    if (await this.#isOwn()) await rm(`${this.directory}/${NAME}`, { force: true });
    await this.#stop();
  }

  async #stop(): Promise<void> {
    if (this.#server !== undefined) await closed(this.#server);
    await this.#folder?.close();
    this.#server = undefined;
    this.#folder = undefined;
    this.#inode = undefined;
  }

  #look(): void {
    this.#looking ??= this.#take()
      .catch((error: Error) => {
        if (!this.#hasReported) this.report(`vitrine query cannot ask this service: ${error.message}`);
        this.#hasReported = true;
      })
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async #take(): Promise<void> {
    if (this.#isClosed || (await this.#isOwn())) return;
    // Where another service answers, it keeps its socket; a suspended one, or another user's, does not.
    if (await isAnswering(this.directory, this.patience())) return;
    // The socket is gone, with its folder perhaps.
    await this.#stop();
    this.#folder = await SocketFolder.open(this.directory);
    this.#server = this.#makeServer();
    const name = `.${NAME}-${process.pid}`;
    this.#inode = await this.#folder.bind(this.#server, NAME, 0o600, name);
  }

  async #isOwn(): Promise<boolean> {
    return this.#inode !== undefined && (await this.#folder!.has(NAME, this.#inode));
  }
}

/** Where a process tells others of the same service how far the index is. */
const INDEX_PATH = "/index";

/** Answer what other processes of the service pass on, at an address in a folder of its owner's. Resolves to what closes it. */
export async function listenWithin(
  address: string,
  endpoint: SparqlEndpoint,
  base: string,
  index: () => EngineState,
): Promise<() => Promise<void>> {
  const server = socketServer(endpoint, base, index);
  await rm(address, { force: true });
  await listening(server, address);
  return () => closed(server);
}

function socketServer(endpoint: SparqlEndpoint, base: string, index?: () => EngineState): Server {
  return createServer((message, response) => {
    if (index !== undefined && message.url === INDEX_PATH) {
      response.end(JSON.stringify(index()));
      return;
    }
    endpoint.handle(message, response).catch(() => {
      if (response.headersSent) response.destroy();
      else send(response, problem(base, "internal", "The service failed at this query."));
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function patienceOf(): AbortSignal {
  return AbortSignal.timeout(PATIENCE);
}

async function isAnswering(directory: string, signal: AbortSignal): Promise<boolean> {
  return (await exchange(directory, { method: "HEAD", signal })) !== undefined;
}

/** Ask the service of a store; `undefined` when there is none, or it ends meanwhile. @param timeout in seconds @param patience ends the wait for a silent one */
export async function askLocally(
  directory: string,
  query: string,
  accept: string,
  timeout: number | undefined,
  patience = patienceOf(),
) {
  if (!(await isAnswering(directory, patience))) return undefined;
  const headers = {
    accept,
    [TIMEOUT_HEADER]: String(timeout ?? "Infinity"),
    "content-type": "application/sparql-query",
  };
  return exchange(directory, { method: "POST", headers, body: query });
}

/** Any failure means that no service is there to be asked. */
async function exchange(
  directory: string,
  options: Pick<Dispatcher.RequestOptions, "body" | "headers" | "method" | "signal">,
) {
  const isThere = await lstat(`${directory}/${NAME}`).catch(() => undefined);
  const folder = isThere && (await SocketFolder.open(directory).catch(() => undefined));
  if (folder === undefined) return undefined;
  const dispatcher = httpAgent({ socketPath: folder.address(NAME) });
  try {
    const { statusCode, headers, body } = await request("http://service/sparql", { ...options, dispatcher });
    return { status: statusCode, contentType: headerOf(headers, "content-type"), body: await body.text() };
  } catch {
    return undefined;
  } finally {
    await dispatcher.destroy();
    await folder.close();
  }
}

/** Headers of a connection rather than of a message (RFC 9110, 7.6.1), and what both messages get anew. */
const OWN = new Set(["connection", "date", "expect", "keep-alive", "te", "transfer-encoding", "upgrade"]);

const NOT_NOW = "The index cannot be asked at this moment.";

/** The services of another process of this machine. */
export class PassedOn implements SparqlServices {
  readonly #agent: Dispatcher;

  /** @param files the query editor's, which need not be passed on */
  constructor(
    readonly address: string,
    readonly base: string,
    readonly files: readonly ServedFile[],
  ) {
    this.#agent = httpAgent({ socketPath: address });
  }

  /** Pass a request on and its answer back; resolves when that begins. One that its client gave up is given up there, too. */
  async answer({ message, client, signal }: RouteRequest): Promise<Answer> {
    const { method, url, headers } = message;
    const asked = Object.entries(headers).filter(([name]) => !OWN.has(name));
    try {
      const answer = await request(`http://service${url}`, {
        dispatcher: this.#agent,
        method: method as Dispatcher.HttpMethod,
        // Only the client's address: whatever it wrote into the header itself must not reach the other process.
        headers: { ...Object.fromEntries(asked), "x-forwarded-for": client },
        body: hasBody(message) ? message : null,
        responseHeaders: "raw",
        signal,
      });
      const raw = answer.headers as unknown as readonly string[];
      const isOwn = (at: number): boolean => OWN.has(raw[at - (at % 2)]!.toLowerCase());
      return { status: answer.statusCode, headers: raw.filter((_, at) => !isOwn(at)), body: answer.body };
    } catch {
      return problem(this.base, "unavailable", NOT_NOW);
    }
  }

  /** How far the index there is; `unreachable` where that process does not answer, which is no reason to serve no entity. */
  async index(): Promise<EngineState> {
    try {
      const { body } = await request(`http://service${INDEX_PATH}`, { dispatcher: this.#agent });
      return (await body.json()) as EngineState;
    } catch {
      return { state: "unreachable", done: 0, total: 0, detail: NOT_NOW };
    }
  }

  close(): void {
    void this.#agent.destroy();
  }
}
