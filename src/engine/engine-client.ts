/** The HTTP client of an engine: kept connections, a deadline for each request, limited concurrency, and a circuit breaker that spares an engine which does not answer. */
import type { Agent } from "undici";
import { request as ask, failureOf, type HttpAnswer, headerOf, httpAgent, pauseAfter } from "../base/http-client.js";
import { RefusalError } from "../base/named-error.js";
import { MAX_TIMER } from "../base/timer.js";
import { type Credentials, DigestSession } from "./authorization.js";

/** An engine failed to carry out a request. Try again, unless the message says what else to do. */
export class EngineError extends RefusalError {}

/** The engine cannot be reached, or is not asked because it failed a moment ago. */
export class EngineUnreachableError extends EngineError {
  constructor(
    message: string,
    /** Milliseconds after which to ask again, if known. */
    readonly retryAfter?: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export class EngineTimeoutError extends EngineError {
  constructor(readonly timeout: number) {
    super(`the engine took longer than ${timeout / 1_000} seconds`);
  }
}

export interface EngineClientSettings {
  readonly credentials?: Credentials | undefined;
  /** Certificates in PEM form that are trusted in addition to the system's. */
  readonly ca?: string | undefined;
  /** The maximum number of concurrent requests. Default 8. */
  readonly concurrency?: number;
  /** Milliseconds for which requests are refused after `FAILURES` failures in a row. Each further failure doubles it, up to 30 s. Default: 1 s. */
  readonly pause?: number;
}

interface EngineRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds until the whole answer must have arrived, including the wait for a connection. */
  readonly timeout: number;
  /** Whether it may be the fault of the request that it takes too long, as of anybody's query: then that is no failure of the engine. */
  readonly mayBeSlow?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export const CONCURRENCY = 8;
/** After this many failures in a row, the engine is not asked for a while. */
const FAILURES = 3;
const FIRST_PAUSE = 1_000;
const MAX_PAUSE = 30_000;

export class EngineClient {
  readonly #digest: DigestSession | undefined;
  readonly #agent: Agent;
  #failures = 0;
  #pausedUntil = 0;

  constructor(private readonly settings: EngineClientSettings = {}) {
    const { credentials, ca, concurrency = CONCURRENCY } = settings;
    this.#digest = credentials === undefined ? undefined : new DigestSession(credentials);
    this.#agent = httpAgent({ connections: concurrency, ca });
  }

  /** Send a request by POST. It counts as running until the body of its answer is read or destroyed. Throws `EngineUnreachableError`, `EngineTimeoutError`, the signal's reason. */
  async send(request: EngineRequest): Promise<HttpAnswer> {
    const paused = this.#pausedUntil - performance.now();
    if (paused > 0)
      throw new EngineUnreachableError("the engine did not answer, and will be asked again later", paused);
    const { timeout, mayBeSlow = false, signal } = request;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new EngineTimeoutError(timeout)), Math.min(timeout, MAX_TIMER)).unref();
    const stop = signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]);
    const over = (): void => clearTimeout(timer);
    try {
      let answer = await this.#exchange(request, stop);
      if (answer.statusCode === 401 && this.#digest?.challenge(headerOf(answer.headers, "www-authenticate")) === true) {
        await answer.body.dump();
        answer = await this.#exchange(request, stop);
      }
      // Errors of the body are reported to its reader.
      answer.body.once("close", over).once("error", over);
      this.#answered(answer.statusCode !== 502 && (mayBeSlow || answer.statusCode !== 504));
      return answer;
    } catch (error) {
      over();
      if (!stop.aborted || (!mayBeSlow && stop.reason instanceof EngineTimeoutError)) this.#answered(false);
      if (stop.aborted) throw stop.reason;
      throw new EngineUnreachableError(`${addressOf(request.url)}: ${failureOf(error)}`, undefined, { cause: error });
    }
  }

  close(): void {
    void this.#agent.destroy();
  }

  /** Count failures in a row. After several, requests are refused for a while instead of waiting for the engine. */
  #answered(isWell: boolean): void {
    this.#failures = isWell ? 0 : this.#failures + 1;
    if (this.#failures < FAILURES) return;
    const { pause = FIRST_PAUSE } = this.settings;
    this.#pausedUntil = performance.now() + pauseAfter(this.#failures - FAILURES + 1, pause, MAX_PAUSE);
  }

  #exchange({ url, headers, body }: EngineRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const { pathname, search } = new URL(url);
    const authorization = this.#digest?.authorization("POST", `${pathname}${search}`);
    return ask(url, {
      dispatcher: this.#agent,
      method: "POST",
      headers: { ...headers, ...(authorization && { authorization }) },
      body,
      signal,
    });
  }
}

/** A URL for messages, without its query string, which may contain a key. */
export function addressOf(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
