/** The client of a followed service: makes few requests at once, only to the given host, and waits when it is busy (RFC 9110, 10.2.3). */
import { stat, writeFile } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import type { Agent } from "undici";
import type { HttpAnswer } from "../../base/http-client.js";
import { failureOf, headerOf, httpAgent, pauseAfter, request, retryAfter } from "../../base/http-client.js";
import { NamedError } from "../../base/named-error.js";

interface FetchSettings {
  /** The address of the service. Requests go only to its host. */
  readonly url: string;
  /** The maximum number of requests at once. */
  readonly connections: number;
  readonly signal: AbortSignal;
  onWait?(reason: string, seconds: number): void;
}

/** An answer with its whole body. */
export interface Fetched {
  /** The URL that answered, after redirects. */
  readonly url: string;
  readonly isRedirected: boolean;
  readonly status: number;
  readonly headers: HttpAnswer["headers"];
  readonly body: Buffer;
}

/** A request that may be repeated. */
interface Asked {
  headers(): Readonly<Record<string, string>>;
  read(answer: HttpAnswer): Promise<Buffer>;
}

/** A service cannot be followed, because it does not answer, or not as expected. */
export class FollowError extends NamedError {}

/** One resource cannot be had at the moment, while others can. */
export class ResourceError extends FollowError {}

/** The number of unavailable resources in a row after which the whole service counts as unavailable. */
const MAX_UNAVAILABLE = 5;

/** The number of attempts at a request that fails temporarily. */
const MAX_TRIES = 6;
/** The first pause when the service names none, in milliseconds; each further one is twice as long. */
const FIRST_PAUSE = 500;
/** The longest pause before an attempt, in milliseconds. */
const MAX_PAUSE = 300_000;
/** The milliseconds of silence after which a connection is given up. */
const MAX_SILENCE = 60_000;
/** The longest document, in bytes, several times what a record may have, and the milliseconds in which it must have arrived. */
const MAX_BODY = 32 * 2 ** 20;
const MAX_TIME = 300_000;
const MAX_REDIRECTS = 5;

const BUSY = [429, 502, 503, 504];
const USER_AGENT = "Vitrine (vitrine follow)";

export class Client {
  readonly #host: string;
  readonly #agent: Agent;
  #free: number;
  /** The number of unavailable resources in a row. */
  #unavailable = 0;
  readonly #waiting: (() => void)[] = [];
  /** The service's own base URL and the one by which it is reached. */
  #rewriting = { from: "", to: "" };

  constructor(readonly settings: FetchSettings) {
    this.#host = new URL(settings.url).host;
    this.#free = settings.connections;
    this.#agent = httpAgent({ connections: settings.connections, silence: MAX_SILENCE });
  }

  /** Request from below `to` whatever the service says is below `from`. Both end in a slash. */
  reach(from: string, to: string): void {
    this.#rewriting = { from, to };
  }

  /** Whether an address may be requested: it is on the given host, or reached through it. */
  mayAsk(url: string): boolean {
    const address = this.#address(url);
    return URL.canParse(address) && new URL(address).host === this.#host;
  }

  /** Request a resource, following redirects on the same host. Throws the signal's reason, and `FollowError` when no answer comes. */
  async get(url: string, headers: Readonly<Record<string, string>>): Promise<Fetched> {
    return this.#redirected(url, { headers: () => headers, read: (answer) => wholeBody(answer, url) });
  }

  /** Save a file. A download that was cut off is continued if both parts have the same strong tag (RFC 9110, 13.1.5 and 14.4). Throws as `get`. */
  async save(url: string, path: string): Promise<void> {
    let at = 0;
    let tag = "";
    const headers = (): Record<string, string> =>
      at > 0 && tag.startsWith('"') ? { range: `bytes=${at}-`, "if-range": tag } : {};
    const read = async (answer: HttpAnswer): Promise<Buffer> => {
      const { statusCode, headers: given, body } = answer;
      if (statusCode !== 200 && statusCode !== 206) return wholeBody(answer, url);
      const [known, from, range] = [tag, at, headerOf(given, "content-range")];
      const [, length] = range.split("/");
      tag = headerOf(given, "etag");
      if (statusCode === 200) at = 0;
      else if (tag !== known || range !== `bytes ${at}-${Number(length) - 1}/${length}`) {
        at = 0;
        await body.dump();
        throw new Error(`answers a request for the bytes from ${from} on with others`);
      }
      await writeFile(path, body, { flag: at === 0 ? "w" : "a" }).finally(async () => {
        at = (await stat(path).catch(() => undefined))?.size ?? 0;
      });
      return Buffer.alloc(0);
    };
    const { status } = await this.#redirected(url, { headers, read });
    if (status !== 200 && status !== 206) throw new FollowError(`${url} answers ${status}`);
  }

  [Symbol.dispose](): void {
    void this.#agent.destroy();
  }

  async #redirected(url: string, asked: Asked): Promise<Fetched> {
    let at = url;
    for (let redirects = 0; ; redirects++) {
      const answer = await this.#patiently(at, asked);
      const { status, headers } = answer;
      const location = headerOf(headers, "location");
      if (status < 300 || status >= 400 || status === 304 || location === "")
        return { ...answer, url: at, isRedirected: redirects > 0 };
      if (redirects === MAX_REDIRECTS) throw new ResourceError(`${url} redirects more than ${MAX_REDIRECTS} times`);
      if (!URL.canParse(location, this.#address(at))) throw new ResourceError(`${url} redirects to ${location}`);
      at = new URL(location, this.#address(at)).href;
      if (!this.mayAsk(at)) throw new ResourceError(`${url} redirects: ${this.#notAsked(at)}`);
    }
  }

  #address(url: string): string {
    const { from, to } = this.#rewriting;
    return url.startsWith(from) ? to + url.slice(from.length) : url;
  }

  /** Make a request, and repeat it after a pause when the service is busy or does not answer. */
  async #patiently(url: string, asked: Asked): Promise<Omit<Fetched, "url" | "isRedirected">> {
    if (!this.mayAsk(url)) throw new FollowError(this.#notAsked(url));
    const { signal } = this.settings;
    while (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#free--;
    try {
      for (let tries = 1; ; tries++) {
        signal.throwIfAborted();
        let problem: string;
        let pause = pauseAfter(tries, FIRST_PAUSE, MAX_PAUSE);
        try {
          const answer = await request(this.#address(url), {
            dispatcher: this.#agent,
            headers: { "user-agent": USER_AGENT, ...asked.headers() },
            signal,
          });
          const body = await asked.read(answer);
          const { statusCode: status, headers } = answer;
          if (!BUSY.includes(status)) {
            this.#unavailable = 0;
            return { status, headers, body };
          }
          problem = `answers ${status}`;
          pause = retryAfter(answer) ?? pause;
        } catch (error) {
          if (error instanceof FollowError || signal.aborted) throw error;
          problem = failureOf(error);
        }
        if (tries === MAX_TRIES || pause > MAX_PAUSE) {
          const isOnlyThis = ++this.#unavailable < MAX_UNAVAILABLE;
          throw new (isOnlyThis ? ResourceError : FollowError)(`${url} ${problem}`);
        }
        if (pause >= 1_000) this.settings.onWait?.(`${url} ${problem}`, Math.ceil(pause / 1_000));
        await sleep(pause, undefined, { signal });
      }
    } finally {
      this.#free++;
      this.#waiting.shift()?.();
    }
  }

  #notAsked(url: string): string {
    return `${url} is not on ${this.#host}; requests go to no other host`;
  }
}

/** The whole body of an answer. Hosts of files give some in gzip unasked. Throws `FollowError` when it is too long or too slow. */
async function wholeBody({ headers, body }: HttpAnswer, url: string): Promise<Buffer> {
  const late = performance.now() + MAX_TIME;
  let refusal: ResourceError | undefined;
  const collected = async (parts: AsyncIterable<Buffer>): Promise<Buffer> => {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of parts) {
      length += chunk.length;
      if (length > MAX_BODY) refusal = new ResourceError(`${url} is longer than ${MAX_BODY} bytes`);
      if (performance.now() > late) refusal = new ResourceError(`${url} takes longer than ${MAX_TIME / 1_000} seconds`);
      if (refusal !== undefined) throw refusal;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  };
  const isZipped = /^(?:x-)?gzip$/i.test(headerOf(headers, "content-encoding"));
  try {
    return isZipped ? await pipeline(body, createGunzip(), collected) : await collected(body);
  } catch (error) {
    // If more is on its way, the pipeline rejects because that was cut off.
    throw refusal ?? error;
  }
}
