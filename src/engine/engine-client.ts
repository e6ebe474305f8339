/** Speaks HTTP with an engine: kept connections, a deadline for each request, few at once, and a breaker that spares an engine which does not answer. */
import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from "node:http";
import { Agent as TlsAgent, request as tlsRequest } from "node:https";
import { Readable } from "node:stream";
import { type Credentials, DigestSession } from "./authorization.js";
import { EngineTimeoutError, EngineUnreachableError } from "./errors.js";

/** How an engine is reached. */
export interface ClientSettings {
  readonly credentials?: Credentials;
  /** Certificates in PEM form that are trusted besides the system's. */
  readonly ca?: string;
  /** Requests that run at once. Default 8. */
  readonly concurrency?: number;
  /** For how long requests fail at once after several in a row failed, in milliseconds, doubled while they go on failing. Default 1 s, up to 30 s. */
  readonly pause?: number;
}

export interface EngineRequest {
  readonly url: string;
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Milliseconds until the whole answer has to be there, waiting for a turn included. */
  readonly timeout: number;
  readonly signal?: AbortSignal;
}

const CONCURRENCY = 8;
/** Failures in a row after which the engine is spared. */
const FAILURES = 3;
const FIRST_PAUSE = 1_000;
const MAX_PAUSE = 30_000;
/** Kept connections are closed by most engines after 10 seconds or more. */
const KEPT_FOR = 5_000;
/** What a gateway says of an engine that is not there. */
const GATEWAY = new Set([502, 504]);

export class EngineClient {
  readonly #settings: ClientSettings;
  readonly #digest: DigestSession | undefined;
  readonly #agents: { readonly plain: PlainAgent; readonly tls: TlsAgent };
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  #failures = 0;
  #pausedUntil = 0;

  constructor(settings: ClientSettings = {}) {
    this.#settings = settings;
    const { credentials, ca, concurrency = CONCURRENCY } = settings;
    this.#digest = credentials === undefined ? undefined : new DigestSession(credentials);
    const pool = { keepAlive: true, maxSockets: concurrency, timeout: KEPT_FOR, scheduling: "lifo" } as const;
    this.#agents = {
      plain: new PlainAgent(pool),
      tls: new TlsAgent({ ...pool, ...(ca === undefined ? {} : { ca }) }),
    };
  }

  /**
   * Ask the engine. The response's body has to be read or cancelled: until then it counts among those that run.
   * @throws EngineUnreachableError, EngineTimeoutError, and the reason of the request's signal
   */
  async send(request: EngineRequest): Promise<Response> {
    const paused = this.#pausedUntil - performance.now();
    if (paused > 0)
      throw new EngineUnreachableError("the engine did not answer just now, and is not asked again yet", paused);
    const { timeout, signal } = request;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new EngineTimeoutError(timeout)), Math.min(timeout, 2 ** 31 - 1));
    timer.unref();
    const stop = signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]);
    let release = (): void => {};
    try {
      release = await this.#turn(stop);
      let incoming = await this.#exchange(request, stop);
      if (incoming.statusCode === 401 && this.#digest?.challenge(incoming.headers["www-authenticate"]) === true) {
        incoming.resume();
        incoming = await this.#exchange(request, stop);
      }
      const over = (): void => {
        clearTimeout(timer);
        release();
      };
      const response = responseOf(incoming, over);
      this.#answered(!GATEWAY.has(response.status));
      return response;
    } catch (error) {
      clearTimeout(timer);
      release();
      throw this.#failure(error, request.url, stop);
    }
  }

  /** Close the connections that are kept. */
  close(): void {
    this.#agents.plain.destroy();
    this.#agents.tls.destroy();
  }

  #failure(error: unknown, url: string, stop: AbortSignal): unknown {
    if (stop.aborted) {
      if (stop.reason instanceof EngineTimeoutError) this.#answered(false);
      return stop.reason;
    }
    this.#answered(false);
    return new EngineUnreachableError(`${addressOf(url)}: ${messageOf(error)}`, undefined, { cause: error });
  }

  /** Count failures in a row; after some, nobody waits for an engine that is away. */
  #answered(isWell: boolean): void {
    if (isWell) {
      this.#failures = 0;
      return;
    }
    this.#failures++;
    if (this.#failures < FAILURES) return;
    const pause = (this.#settings.pause ?? FIRST_PAUSE) * 2 ** (this.#failures - FAILURES);
    this.#pausedUntil = performance.now() + Math.min(pause, MAX_PAUSE);
  }

  async #turn(stop: AbortSignal): Promise<() => void> {
    stop.throwIfAborted();
    if (this.#running >= (this.#settings.concurrency ?? CONCURRENCY)) {
      await new Promise<void>((resolve, reject) => {
        const given = (): void => {
          stop.removeEventListener("abort", abandoned);
          resolve();
        };
        const abandoned = (): void => {
          this.#waiting.splice(this.#waiting.indexOf(given), 1);
          reject(stop.reason);
        };
        this.#waiting.push(given);
        stop.addEventListener("abort", abandoned, { once: true });
      });
    } else this.#running++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      // The turn goes to the next that waits, or ends.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    };
  }

  #exchange(
    { url, method = "POST", headers = {}, body }: EngineRequest,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const target = new URL(url);
    const isTls = target.protocol === "https:";
    const authorization = this.#digest?.authorization(method, `${target.pathname}${target.search}`);
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const options = {
      method,
      headers: { ...headers, ...length, ...(authorization === undefined ? {} : { authorization }) },
      signal,
    };
    return new Promise((resolve, reject) => {
      const asked = isTls
        ? tlsRequest(target, { ...options, agent: this.#agents.tls })
        : plainRequest(target, { ...options, agent: this.#agents.plain });
      asked.once("response", resolve);
      asked.once("error", reject);
      asked.end(body);
    });
  }
}

/** What is told of an address: without a query string, which may hold a key. */
export function addressOf(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

/** An answer in the form of the web's interface. `over` is called once, when its body is read, given up or broken off. */
function responseOf(incoming: IncomingMessage, over: () => void): Response {
  incoming.once("close", over);
  incoming.once("end", over);
  // Whoever reads the body hears of it.
  incoming.once("error", over);
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  const status = incoming.statusCode ?? 502;
  if (status === 204 || status === 205 || status === 304) {
    incoming.resume();
    return new Response(null, { status, headers });
  }
  const body = Readable.toWeb(incoming) as unknown as ReadableStream<Uint8Array>;
  return new Response(body, { status: status < 200 ? 502 : status, headers });
}
