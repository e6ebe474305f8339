/** Queries that wait for a turn at an engine: fair scheduling, limits, and the refusals that clients get. */
import { setTimeout as sleep } from "node:timers/promises";
import { BoundedMap } from "../base/bounded-map.js";
import { lazily } from "../base/lazily.js";
import { MAX_TIMER } from "../base/timer.js";
import type { EngineState, QueryContext, QueryEngine, QueryResult } from "./engine.js";
import { QueryRefusedError } from "./engine.js";

/** The refusal of a query whose client has gone; nobody reads it. */
export function abandoned(): QueryRefusedError {
  return new QueryRefusedError("busy", "Nobody waits for the answer.");
}

/** The refusal of a query while the service closes. */
export function closing(): QueryRefusedError {
  return new QueryRefusedError("busy", "The service is closing.");
}

/** The refusal of a query while an engine starts or is filled. @param what the engine, as the beginning of a sentence */
export function beingFilled(what: string, { done, total }: EngineState): QueryRefusedError {
  const part = `${Math.floor((done / total) * 100)} % of ${total} triples are in it`;
  return new QueryRefusedError("busy", `${what} is ${total === 0 ? "starting" : `being filled: ${part}`}.`);
}

/** Resolves when an engine is ready, or its collection does not fit. Rejects when the signal aborts. @param isTriedOnce whether to resolve also when it could not be filled, and would try again */
export async function untilReady(engine: Pick<QueryEngine, "state">, signal?: AbortSignal, isTriedOnce = false) {
  const isOver = ({ state, detail }: EngineState): boolean =>
    ["ready", "too large"].includes(state) || (isTriedOnce && detail !== undefined);
  while (!isOver(engine.state)) await sleep(50, undefined, { signal });
}

interface InTurn<Result extends QueryResult | undefined> {
  /** Called when it is the query's turn. If it resolves to `undefined`, the turn ends. */
  run(): Promise<Result>;
  /** Whether the query can run now. Default: yes. */
  canRun?(): boolean;
  /** Whether the query had a turn before; then it is not refused because too many wait. */
  readonly isAgain?: boolean;
  /** What the client is told after too long a wait. */
  readonly late?: string;
}

interface Waiting {
  readonly client: string;
  canRun(): boolean;
  begin(): void;
  leave(refused: Error): void;
}

export const WAITING_LIMITS = {
  /** The maximum number of queries that wait. */
  queue: 64,
  /** The maximum number of one client. It may have several, since browsers and notebooks ask several at once. */
  queueOfClient: 8,
  /** The longest wait in milliseconds, unless a query's own time limit is longer. */
  wait: 60_000,
};

export type WaitingLimits = Readonly<Partial<typeof WAITING_LIMITS>>;

/** Gives queries their turns. Each client has one turn at a time, and clients that have used the most time come last. */
export class FairTurns {
  readonly #turns = new Scheduler<Waiting>();
  readonly #limits: typeof WAITING_LIMITS;

  /** @param places the number of queries that run at once */
  constructor(
    private readonly places = Number.POSITIVE_INFINITY,
    limits: WaitingLimits = {},
  ) {
    this.#limits = { ...WAITING_LIMITS, ...limits };
  }

  /** Run a query in its client's turn, which lasts until the result is released. Rejects as `run` does, and with `QueryRefusedError` if too many queries wait, or this one for too long. */
  async run<Result extends QueryResult | undefined>(asking: QueryContext, how: InTurn<Result>): Promise<Result> {
    const { client, timeout, signal } = asking;
    const refusal = this.#refusal(asking, how.isAgain === true);
    if (refusal !== undefined) throw refusal;
    return new Promise((resolve, reject) => {
      const most = Math.min(Math.max(timeout, this.#limits.wait), MAX_TIMER);
      const leave = (refused: Error): void => {
        if (!this.#turns.waiting.delete(waiting)) return;
        clearTimeout(timer);
        reject(refused);
      };
      const { late = `The query waited ${most / 1_000} seconds for its turn. Ask again soon.` } = how;
      const timer = setTimeout(() => leave(new QueryRefusedError("busy", late)), most);
      // Only a waiting query is removed here; a running one is ended by `run`.
      signal?.addEventListener("abort", () => leave(abandoned()), { once: true });
      const begin = (): void => {
        clearTimeout(timer);
        this.#begun(client, how).then(resolve, reject);
      };
      const waiting = { client, canRun: () => how.canRun?.() !== false, begin, leave };
      this.#turns.add(waiting);
      this.dispatch();
    });
  }

  /** Start every query that can run. Must be called when more queries may be able to run than before. */
  dispatch(): void {
    while (this.#turns.running < this.places) {
      const turn = this.#turns.next((each) => each.canRun());
      if (turn === undefined) return;
      turn.begin();
    }
  }

  close(): void {
    for (const waiting of [...this.#turns.waiting]) waiting.leave(closing());
  }

  async #begun<Result extends QueryResult | undefined>(client: string, { run }: InTurn<Result>): Promise<Result> {
    const begun = performance.now();
    let answered: number | undefined;
    const end = lazily(() => {
      this.#turns.end(client, (answered ?? performance.now()) - begun);
      this.dispatch();
    });
    try {
      const result = await run();
      if (result === undefined) {
        end();
        return result;
      }
      // A complete result holds its client's turn until it is released, but its running time ends here.
      if (result.bytes !== undefined) answered = performance.now();
      this.dispatch();
      const release = lazily(async () => {
        await result.release();
        end();
      });
      return { ...result, release };
    } catch (error) {
      end();
      throw error;
    }
  }

  #refusal({ client, signal }: QueryContext, isAgain: boolean): QueryRefusedError | undefined {
    if (signal?.aborted === true) return abandoned();
    if (isAgain) return undefined;
    const { queue, queueOfClient } = this.#limits;
    if (this.#turns.waitingOf(client) >= queueOfClient) {
      const message = `You already have ${queueOfClient} queries waiting. Ask one after another.`;
      return new QueryRefusedError("too-many-waiting", message);
    }
    const { size } = this.#turns.waiting;
    return size < queue ? undefined : new QueryRefusedError("busy", `${size} queries are waiting already.`);
  }
}

/** The number of clients whose time is remembered; a forgotten client counts as new. */
const MAX_REMEMBERED = 1_000;

/** Fair queueing: the next turn goes to the client that has held processes for the least time. An idle client gains no credit: it starts at the current time of the others. */
export class Scheduler<T extends { readonly client: string }> {
  /** In order of arrival. */
  readonly waiting = new Set<T>();
  readonly #running = new Set<string>();
  readonly #times = new BoundedMap<string, number>(MAX_REMEMBERED);
  /** The highest time that a client had when its turn began. */
  #now = 0;

  get running(): number {
    return this.#running.size;
  }

  waitingOf(client: string): number {
    let count = 0;
    for (const turn of this.waiting) if (turn.client === client) count++;
    return count;
  }

  add(turn: T): void {
    const { client } = turn;
    const isNew = !this.#running.has(client) && this.waitingOf(client) === 0;
    if (isNew) this.#times.put(client, Math.max(this.#timeOf(client), this.#now));
    this.waiting.add(turn);
  }

  /** Take the next query: the first that can run of the client that has held processes the least, among clients without a turn. The turn lasts until `end`. */
  next(canRun: (turn: T) => boolean): T | undefined {
    let first: T | undefined;
    let earliest = Number.POSITIVE_INFINITY;
    for (const turn of this.waiting) {
      const time = this.#timeOf(turn.client);
      if (this.#running.has(turn.client) || time >= earliest || !canRun(turn)) continue;
      first = turn;
      earliest = time;
    }
    if (first === undefined) return undefined;
    this.waiting.delete(first);
    this.#running.add(first.client);
    this.#now = Math.max(this.#now, earliest);
    return first;
  }

  /** End a client's turn. @param held for how many milliseconds it held a process; at least 1 is counted */
  end(client: string, held = 0): void {
    this.#running.delete(client);
    this.#times.put(client, this.#timeOf(client) + Math.max(1, held));
  }

  #timeOf(client: string): number {
    return this.#times.get(client) ?? this.#now;
  }
}
