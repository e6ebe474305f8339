/** Queries that wait for a turn at an engine: what their clients are told, how a turn ends, and who is next at one that takes several at once. */
import { setTimeout as sleep } from "node:timers/promises";
import { lazily } from "../base/lazily.js";
import { type EngineState, MAX_TIMER, type QueryContext, type QueryEngine } from "./engine.js";
import { MAX_WAITING_OF_CLIENT, MAX_WAITING_QUERIES, MAX_WAITING_TIME } from "./limits.js";
import { QueryRefusedError, type QueryResult } from "./query-request.js";
import { Scheduler, type Turn } from "./scheduler.js";

/** How many queries may wait, of all clients and of one. */
interface QueueLimits {
  readonly queue: number;
  readonly queueOfClient: number;
}

/** Why a client's query may not wait; `undefined` where it may. */
export function queueRefusal(
  turns: Scheduler<Turn>,
  { client, signal }: QueryContext,
  { queue, queueOfClient }: QueueLimits,
): QueryRefusedError | undefined {
  if (signal?.aborted === true) return abandoned();
  if (turns.waitingOf(client) >= queueOfClient) {
    const message = `${queueOfClient} queries of yours are waiting already. Ask one after another.`;
    return new QueryRefusedError("too-many-waiting", message);
  }
  const { size } = turns.waiting;
  return size < queue ? undefined : new QueryRefusedError("busy", `${size} queries are waiting already.`);
}

/** @param milliseconds for which it waited */
export function noTurn(milliseconds: number): QueryRefusedError {
  const message = `In ${milliseconds / 1_000} seconds the query had no turn: others were before it. Ask again soon.`;
  return new QueryRefusedError("busy", message);
}

/** The refusal that nobody reads: the client has gone. */
export function abandoned(): QueryRefusedError {
  return new QueryRefusedError("busy", "Nobody waits for the answer.");
}

export function closing(): QueryRefusedError {
  return new QueryRefusedError("busy", "The service is closing.");
}

/** @param what is being filled, as a sentence begins with it */
export function beingFilled(what: string, { done, total }: EngineState): QueryRefusedError {
  const words =
    total === 0
      ? "is starting"
      : `is being filled: ${Math.floor((done / total) * 100)} % of ${total} triples are in it`;
  return new QueryRefusedError("busy", `${what} ${words}.`);
}

/** Between two looks whether an engine is ready, in milliseconds. */
const LOOK = 50;

/** Resolves once an engine answers queries. Rejects with `QueryRefusedError` when it is closed before. */
export async function untilReady(engine: Pick<QueryEngine, "state">, isClosed: () => boolean): Promise<void> {
  while (engine.state.state !== "ready") {
    if (isClosed()) throw closing();
    await sleep(LOOK);
  }
}

/** A result whose client's turn is over, once, when it is released. */
export function released(result: QueryResult, end: () => void): QueryResult {
  const release = lazily(() => {
    result.release();
    end();
  });
  return { ...result, release };
}

const LIMITS: QueueLimits = { queue: MAX_WAITING_QUERIES, queueOfClient: MAX_WAITING_OF_CLIENT };

interface Waiting extends Turn {
  begin(end: () => void): void;
}

/** Turns at an engine that takes several queries at once: clients take them one by one, and who has used it long gives way. */
export class FairTurns {
  readonly #turns = new Scheduler<Waiting>();
  #free: number;

  /** @param places queries that run at once */
  constructor(places: number) {
    this.#free = places;
  }

  /** Wait for a turn. Resolves to what ends it. Rejects with `QueryRefusedError` where too many wait, and for too long. */
  take(asking: QueryContext): Promise<() => void> {
    const { client, timeout, signal } = asking;
    const refusal = queueRefusal(this.#turns, asking, LIMITS);
    if (refusal !== undefined) return Promise.reject(refusal);
    return new Promise((resolve, reject) => {
      const most = Math.min(Math.max(timeout, MAX_WAITING_TIME), MAX_TIMER);
      const leave = (refused: Error): void => {
        clearTimeout(timer);
        if (this.#turns.remove(waiting)) reject(refused);
      };
      const timer = setTimeout(() => leave(noTurn(most)), most);
      signal?.addEventListener("abort", () => leave(abandoned()), { once: true });
      const begin = (end: () => void): void => {
        clearTimeout(timer);
        resolve(end);
      };
      const waiting = { client, begin };
      this.#turns.add(waiting);
      this.#dispatch();
    });
  }

  #dispatch(): void {
    while (this.#free > 0) {
      const turn = this.#turns.next(() => true);
      if (turn === undefined) return;
      this.#free--;
      const begun = performance.now();
      const end = (): void => {
        this.#free++;
        this.#turns.end(turn.client, performance.now() - begun);
        this.#dispatch();
      };
      turn.begin(lazily(end));
    }
  }
}
