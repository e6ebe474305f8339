/** Queries over Unix sockets: from the command line, by a socket in the store's folder, and between the processes of a service. */
import { lstat, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { Dispatcher } from "undici";
import { headerOf, httpAgent, request } from "../../base/http-client.js";
import { listening, SocketFolder } from "../../base/unix-socket.js";
import type { EngineState } from "../../query/engine.js";
import { type Answer, headersWithout, type ProblemDetails } from "../message/answer.js";
import { hasBody } from "../message/body.js";
import { problem } from "../message/problems/problems.js";
import type { RouteRequest, ServedFile, SparqlServices } from "../routes/route.js";
import { DIRECT, type EndpointOptions, SparqlEndpoint, TIMEOUT_HEADER } from "./endpoint.js";

const NAME = "query.sock";
/** How long to wait for an answer of a service, in milliseconds. A service that takes longer is suspended or about to end. */
const PATIENCE = 1_000;
/** How often a service checks whether it still owns the socket, or can take it, in milliseconds. */
const INTERVAL = 2_000;

/** The socket by which `vitrine query` reaches the service of a store; only the service's owner may use it. */
export class LocalSocket {
  readonly #makeServer: () => Server;
  readonly #timer: NodeJS.Timeout;
  #server: Server | undefined;
  #folder: SocketFolder | undefined;
  #inode: number | undefined;
  /** The check in progress; there is one at a time. */
  #checking: Promise<void> | undefined;
  #hasReported = false;

  /** Listens in a store's folder, without limits on queries, as soon as no other service does. @param report called once if that is not possible @param patience makes a signal that ends the wait for a service that does not answer */
  constructor(
    private readonly directory: string,
    options: Omit<EndpointOptions, "isLocal" | "rows" | "bytes" | "token" | "editor">,
    private readonly report: (message: string) => void,
    private readonly patience = () => AbortSignal.timeout(PATIENCE),
  ) {
    const endpoint = new SparqlEndpoint({ ...options, isLocal: true, rows: Infinity, bytes: Infinity });
    this.#makeServer = () => socketServer(endpoint);
    this.#timer = setInterval(() => this.#check(), INTERVAL);
    this.#timer.unref();
    this.#check();
  }

  /** Resolves when the check in progress is done. */
  async checked(): Promise<void> {
    await this.#checking;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#checking;
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

  #check(): void {
    this.#checking ??= this.#take()
      .catch((error: Error) => {
        if (!this.#hasReported) this.report(`vitrine query cannot reach this service: ${error.message}`);
        this.#hasReported = true;
      })
      .finally(() => {
        this.#checking = undefined;
      });
  }

  async #take(): Promise<void> {
    if (await this.#isOwn()) return;
    // Leave the socket to another service that answers; take it from a suspended one or from another user's.
    if ((await exchange(this.directory, { method: "HEAD", signal: this.patience() })) !== undefined) return;
    // The socket is gone, perhaps with its folder.
    await this.#stop();
    this.#folder = await SocketFolder.open(this.directory);
    this.#server = this.#makeServer();
    this.#inode = await this.#folder.bind(this.#server, NAME, 0o600, `.${NAME}-${process.pid}`);
  }

  async #isOwn(): Promise<boolean> {
    return this.#inode !== undefined && (await this.#folder!.has(NAME, this.#inode));
  }
}

/** The path at which the process with the index reports its state to the other processes of the service. */
const INDEX_PATH = "/index";

/** Answers requests that other processes of the service forward to a socket, which is in a folder of the service's owner. Resolves to a function that closes the socket. */
export async function listenWithin(address: string, endpoint: SparqlEndpoint, index: () => EngineState) {
  const server = socketServer(endpoint, index);
  await rm(address, { force: true });
  await listening(server, address);
  return () => closed(server);
}

function socketServer(endpoint: SparqlEndpoint, index?: () => EngineState): Server {
  return createServer((message, response) => {
    if (index !== undefined && message.url === INDEX_PATH) response.end(JSON.stringify(index()));
    else endpoint.handle(message, response).catch(() => response.destroy());
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Sends a query to the service of a store; `undefined` if none answers, or it ends meanwhile. @param timeout in seconds @param patience ends the wait for a silent service */
export async function askLocally(
  directory: string,
  query: string,
  accept: string,
  timeout: number | undefined,
  patience = AbortSignal.timeout(PATIENCE),
) {
  if ((await exchange(directory, { method: "HEAD", signal: patience })) === undefined) return undefined;
  const headers = { accept, [TIMEOUT_HEADER]: String(timeout ?? "Infinity"), "content-type": DIRECT };
  return exchange(directory, { method: "POST", headers, body: query });
}

/** Sends a request to the socket; `undefined` for any failure, which means that no service can answer. */
async function exchange(
  directory: string,
  options: Pick<Dispatcher.RequestOptions, "body" | "headers" | "method" | "signal">,
) {
  const isThere = await lstat(`${directory}/${NAME}`).catch(() => undefined);
  const folder = isThere && (await SocketFolder.open(directory).catch(() => undefined));
  if (folder === undefined) return undefined;
  await using _ = { [Symbol.asyncDispose]: () => folder.close() };
  await using dispatcher = httpAgent({ socketPath: folder.address(NAME) });
  try {
    const { statusCode, headers, body } = await request("http://service/sparql", { ...options, dispatcher });
    return { status: statusCode, contentType: headerOf(headers, "content-type"), body: await body.text() };
  } catch {
    return undefined;
  }
}

/** Headers that are not forwarded: those of a connection (RFC 9110, 7.6.1), and those that each message sets itself. */
const OWN = ["connection", "date", "expect", "keep-alive", "te", "transfer-encoding", "upgrade"];

const NOT_NOW = "The index cannot be reached now.";

/** Forwards SPARQL requests to another process on this machine. */
export class ForwardedQueries implements SparqlServices {
  readonly #agent: Dispatcher;

  /** @param files the files of the query editor, which this process serves itself */
  constructor(
    readonly address: string,
    readonly base: string,
    readonly files: readonly ServedFile[],
  ) {
    this.#agent = httpAgent({ socketPath: address });
  }

  /** Forwards a request, and resolves when its answer begins. If the client disconnects, the other process gets an abort, too. */
  async answer({ message, client, signal }: RouteRequest): Promise<Answer> {
    const { method, url, headers } = message;
    const forwarded = Object.entries(headers).filter(([name]) => !OWN.includes(name));
    try {
      const answer = await request(`http://service${url}`, {
        dispatcher: this.#agent,
        method: method as Dispatcher.HttpMethod,
        // Overwrite the header with the client's address: what the client itself wrote there must not reach the other process.
        headers: { ...Object.fromEntries(forwarded), "x-forwarded-for": client },
        body: hasBody(message) ? message : null,
        responseHeaders: "raw",
        signal,
      });
      const headers = headersWithout(answer.headers as unknown as readonly string[], ...OWN);
      if (answer.statusCode < 400 || method === "HEAD")
        return { status: answer.statusCode, headers, body: answer.body };
      // Every error is a problem, which becomes a page for a browser.
      const text = await answer.body.text();
      const { type, title, status, detail, instance, ...members } = JSON.parse(text) as Omit<ProblemDetails, "members">;
      return { status, headers, body: text, problem: { type, title, status, detail, instance, members } };
    } catch {
      return problem(this.base, "unavailable", NOT_NOW);
    }
  }

  /** The state of the index in the other process; `unreachable` if that process does not answer. Entities are served all the same. */
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
