/** Links to other sites, asked politely: one request a host at a time, HEAD first, with pauses, and what they answered. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Dispatcher } from "undici";
import { failureOf, headerOf, httpAgent, pauseAfter, request, retryAfter } from "../base/http-client.js";

/** How a link answered. */
export interface LinkState {
  readonly iri: string;
  /** `gone` is 404, 410 and a host that does not exist; `refused` 401 and 403; `failing` may answer another time. */
  readonly state: "fine" | "moved" | "gone" | "refused" | "failing";
  /** The status, or what went wrong in words. */
  readonly answer: number | string;
  /** Where it has moved for good. */
  readonly location?: string;
  /** When it was asked, in milliseconds since 1970. */
  readonly time: number;
}

export interface LinkCheckSettings {
  readonly signal: AbortSignal;
  /** Milliseconds between two requests to a host. Default half a second. */
  readonly pause?: number;
  /** The first pause where a host is busy and names none, in milliseconds. Default 2 s; each further one is twice as long. */
  readonly busyPause?: number;
}

/** Hosts that are asked at once. */
const HOSTS_AT_ONCE = 8;
const MAX_REDIRECTS = 5;
/** A host that does not answer so often in a row is left alone this time. */
const MAX_FAILURES = 5;
/** Nobody is waited for longer than this, in milliseconds. */
const MAX_PAUSE = 60_000;
const SILENCE = 20_000;
const HEADERS = { "user-agent": "Vitrine (vitrine check-links)", accept: "*/*" };

/** Ask links, in any order. Throws the signal's reason. */
export async function* checkLinks(iris: Iterable<string>, settings: LinkCheckSettings): AsyncGenerator<LinkState> {
  const hosts = new Map<string, string[]>();
  for (const iri of iris) {
    const { host } = new URL(iri);
    const queue = hosts.get(host);
    if (queue === undefined) hosts.set(host, [iri]);
    else queue.push(iri);
  }
  const agent = httpAgent({ connections: 1, silence: SILENCE });
  const waiting = [...hosts.values()].map((queue) => new HostCheck(queue, agent, settings).states());
  const next = new Map<AsyncGenerator<LinkState>, Promise<Come>>();
  const ask = (states: AsyncGenerator<LinkState> | undefined): void => {
    if (states !== undefined)
      next.set(
        states,
        states.next().then((result) => ({ states, result })),
      );
  };
  try {
    for (let started = 0; started < HOSTS_AT_ONCE; started++) ask(waiting.shift());
    while (next.size > 0) {
      const { states, result } = await Promise.race(next.values());
      next.delete(states);
      if (result.done !== true) yield result.value;
      ask(result.done === true ? waiting.shift() : states);
    }
  } finally {
    await agent.destroy();
  }
}

interface Come {
  readonly states: AsyncGenerator<LinkState>;
  readonly result: IteratorResult<LinkState>;
}

/** The links of one host, one after the other. */
class HostCheck {
  readonly #iris: readonly string[];
  readonly #agent: Dispatcher;
  readonly #settings: LinkCheckSettings;

  constructor(iris: readonly string[], agent: Dispatcher, settings: LinkCheckSettings) {
    this.#iris = iris;
    this.#agent = agent;
    this.#settings = settings;
  }

  async *states(): AsyncGenerator<LinkState> {
    const { signal, pause = 500, busyPause = 2_000 } = this.#settings;
    let failures = 0;
    for (const iri of this.#iris) {
      const { wait, ...state } = await this.#stateOf(iri);
      signal.throwIfAborted();
      failures = state.state === "failing" ? failures + 1 : 0;
      yield { iri, ...state, time: Date.now() };
      if (failures === MAX_FAILURES) return;
      const longer = failures === 0 ? 0 : (wait ?? pauseAfter(failures, busyPause, MAX_PAUSE));
      await sleep(Math.min(Math.max(pause, longer), MAX_PAUSE), undefined, { signal });
    }
  }

  /** How a link answers; `wait` is how long its host wants to be left alone, in milliseconds. */
  async #stateOf(iri: string): Promise<Omit<LinkState, "iri" | "time"> & { readonly wait?: number | undefined }> {
    let [at, isForGood] = [iri, true];
    try {
      for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
        const { statusCode, headers, wait } = await this.#ask(at);
        const location = headerOf(headers, "location");
        if (statusCode >= 300 && statusCode < 400 && location !== "") {
          isForGood &&= statusCode === 301 || statusCode === 308;
          at = new URL(location, at).href;
          continue;
        }
        if (statusCode >= 200 && statusCode < 300) {
          const isMoved = at !== iri && isForGood;
          return { state: isMoved ? "moved" : "fine", answer: statusCode, ...(isMoved && { location: at }) };
        }
        return { state: stateOf(statusCode), answer: statusCode, wait };
      }
      return { state: "failing", answer: `leads on more than ${MAX_REDIRECTS} times` };
    } catch (error) {
      const isNowhere = (error as NodeJS.ErrnoException).code === "ENOTFOUND";
      return {
        state: isNowhere ? "gone" : "failing",
        answer: isNowhere ? "the host does not exist" : failureOf(error),
      };
    }
  }

  /** HEAD; GET where HEAD is not answered as it should be. */
  async #ask(
    url: string,
  ): Promise<{ statusCode: number; headers: Dispatcher.ResponseData["headers"]; wait: number | undefined }> {
    const { signal } = this.#settings;
    for (const method of ["HEAD", "GET"] as const) {
      const answer = await request(url, { dispatcher: this.#agent, method, headers: HEADERS, signal });
      const { statusCode, headers, body } = answer;
      body.on("error", () => {}).destroy();
      if (method === "GET" || ![400, 403, 404, 405, 500, 501].includes(statusCode)) {
        return { statusCode, headers, wait: retryAfter(answer) };
      }
    }
    throw new Error("no request was made");
  }
}

function stateOf(status: number): LinkState["state"] {
  if (status === 404 || status === 410) return "gone";
  return status === 401 || status === 403 ? "refused" : "failing";
}
