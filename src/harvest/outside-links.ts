/** The polite check of links to other sites: one request at a time for each host, HEAD first, with pauses. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Dispatcher } from "undici";
import { groupBy } from "../base/entries.js";
import { failureOf, headerOf, httpAgent, pauseAfter, request, retryAfter } from "../base/http-client.js";
import { NotPublicError } from "../base/public-addresses.js";

export interface LinkState {
  readonly iri: string;
  /** `gone` means 404, 410 or, once another host has answered, a host that does not exist; `refused` means 401, 403 or an address that is not public; `failing` links may answer another time. */
  readonly state: "fine" | "moved" | "gone" | "refused" | "failing";
  /** The status code, or a description of what went wrong. */
  readonly answer: number | string;
  readonly location?: string;
  /** The time of the request, in milliseconds since 1970. */
  readonly time: number;
}

interface LinkCheckSettings {
  readonly signal: AbortSignal;
  /** The milliseconds between two requests to a host. Default: half a second. */
  readonly pause?: number;
  /** The first pause when a host is busy and names no pause, in milliseconds; each further one is twice as long. Default: 2 s. */
  readonly busyPause?: number;
}

const MAX_REDIRECTS = 5;
/** The number of failures in a row after which a host is left alone for this run. */
const MAX_FAILURES = 5;
/** The longest pause for a host, in milliseconds. */
const MAX_PAUSE = 60_000;
const HEADERS = { "user-agent": "Vitrine (vitrine check-links)", accept: "*/*" };

/** Check links, in any order. Throws the signal's reason. */
export async function* checkLinks(iris: Iterable<string>, settings: LinkCheckSettings): AsyncGenerator<LinkState> {
  const hosts = groupBy(iris, (iri) => new URL(iri).host);
  await using agent = httpAgent({ connections: 1, silence: 20_000, isPublicOnly: true });
  const run: Run = { dispatcher: agent, signal: settings.signal, hasAnswered: false };
  const waiting = [...hosts.values()].map((queue) => statesOf(queue, run, settings));
  const advance = async (states: AsyncGenerator<LinkState>) => ({ states, result: await states.next() });
  const next = new Map<AsyncGenerator<LinkState>, ReturnType<typeof advance>>();
  const take = (states: AsyncGenerator<LinkState> | undefined): void => {
    if (states !== undefined) next.set(states, advance(states));
  };
  for (let started = 0; started < 8; started++) take(waiting.shift());
  while (next.size > 0) {
    const { states, result } = await Promise.race(next.values());
    next.delete(states);
    if (result.done !== true) yield result.value;
    take(result.done === true ? waiting.shift() : states);
  }
}

/** Check the links of one host, one after the other. */
async function* statesOf(
  iris: readonly string[],
  run: Run,
  { signal, pause = 500, busyPause = 2_000 }: LinkCheckSettings,
): AsyncGenerator<LinkState> {
  let failures = 0;
  for (const [at, iri] of iris.entries()) {
    const { wait, ...state } = await answerOf(iri, run);
    signal.throwIfAborted();
    failures = state.state === "failing" ? failures + 1 : 0;
    yield { iri, ...state, time: Date.now() };
    if (at === iris.length - 1 || failures === MAX_FAILURES) return;
    const longer = failures === 0 ? 0 : (wait ?? pauseAfter(failures, busyPause, MAX_PAUSE));
    await sleep(Math.min(Math.max(pause, longer), MAX_PAUSE), undefined, { signal });
  }
}

interface Run {
  readonly dispatcher: Dispatcher;
  readonly signal: AbortSignal;
  /** Whether any host has answered. Without a network, no host is found. */
  hasAnswered: boolean;
}

/** The answer of a link, and the pause that its host asks for, in milliseconds. */
type LinkAnswer = Omit<LinkState, "iri" | "time"> & { readonly wait?: number | undefined };

async function answerOf(iri: string, run: Run): Promise<LinkAnswer> {
  let [at, isForGood] = [iri, true];
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const answer = await ask(at, run);
      const { statusCode, headers } = answer;
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
      return { state: stateOf(statusCode), answer: statusCode, wait: retryAfter(answer) };
    }
    return { state: "failing", answer: `redirects more than ${MAX_REDIRECTS} times` };
  } catch (error) {
    if (error instanceof NotPublicError) return { state: "refused", answer: error.message };
    const isNowhere = (error as NodeJS.ErrnoException).code === "ENOTFOUND";
    if (isNowhere && run.hasAnswered) return { state: "gone", answer: "the host does not exist" };
    return { state: "failing", answer: failureOf(error) };
  }
}

/** Send HEAD, then GET if the answer to HEAD is an error. */
async function ask(url: string, run: Run, method: "HEAD" | "GET" = "HEAD"): Promise<Dispatcher.ResponseData> {
  const { dispatcher, signal } = run;
  const answer = await request(url, { dispatcher, signal, method, headers: HEADERS });
  run.hasAnswered = true;
  answer.body.on("error", () => {}).destroy();
  const isRefused = [400, 403, 404, 405, 500, 501].includes(answer.statusCode);
  return method === "HEAD" && isRefused ? ask(url, run, "GET") : answer;
}

function stateOf(status: number): LinkState["state"] {
  if (status === 404 || status === 410) return "gone";
  return status === 401 || status === 403 ? "refused" : "failing";
}
