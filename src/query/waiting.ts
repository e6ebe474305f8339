/** Queries that wait for a turn at an engine: what their clients are told, how a turn ends, and who is next at one that takes several at once. */
import { setTimeout as sleep } from "node:timers/promises";
import { BoundedMap } from "../base/bounded-map.js";
import { lazily } from "../base/lazily.js";
import {
  type EngineState,
  MAX_TIMER,
  type QueryContext,
  type QueryEngine,
  QueryRefusedError,
  type QueryResult,
} from "./engine.js";
import { MAX_WAITING_OF_CLIENT, MAX_WAITING_QUERIES, MAX_WAITING_TIME } from "./limits.js";

function noTurn(milliseconds: number): QueryRefusedError {
  const message = `In ${milliseconds / 1_000} seconds the query had no turn: others were before it. Ask again soon.`;
  return new QueryRefusedError("busy", message);
}

/** The refusal that nobody reads: the client has gone. */
export function abandoned(): QueryRefusedError {
  return new QueryRefusedError("busy", "Nobody waits for the answer.");
}

/** The refusal of queries while the service closes. */
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

/** Resolves once an engine answers queries. Rejects with the refusal, once there is one: when it is closed before, say. */
export async function untilReady(
  engine: Pick<QueryEngine, "state">,
  refusal: () => QueryRefusedError | undefined,
): Promise<void> {
  while (engine.state.state !== "ready") {
    const refused = refusal();
    if (refused !== undefined) throw refused;
    await sleep(50);
  }
}

interface InTurn<Result extends QueryResult | undefined> {
  /** Called at once when it is the query's turn. Without a result, the turn is over. */
  run(): Promise<Result>;
  /** Whether it can be run now. Default: it can. */
  canRun?(): boolean;
  /** Whether it had a turn before, and so is not refused for how many wait. */
  readonly isAgain?: boolean;
  /** The refusal of a query that has waited for too long. @param milliseconds for which it waited */
  late?(milliseconds: number): QueryRefusedError;
}

interface Waiting extends Turn {
  canRun(): boolean;
  begin(): void;
  leave(refused: Error): void;
}

/** How many queries wait, of all clients and of one, and for how many milliseconds at most, unless they may run for longer. */
const LIMITS = { queue: MAX_WAITING_QUERIES, queueOfClient: MAX_WAITING_OF_CLIENT, wait: MAX_WAITING_TIME };

export type WaitingLimits = Readonly<Partial<typeof LIMITS>>;

/** Turns of queries: clients take them one by one, and who has held places for long gives way. */
export class FairTurns {
  readonly #turns = new Scheduler<Waiting>();
  readonly #limits: typeof LIMITS;

  /** @param places queries that run at once */
  constructor(
    private readonly places = Number.POSITIVE_INFINITY,
    limits: WaitingLimits = {},
  ) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /** Run a query in its client's turn, until the result is released. Rejects as `run` does, and with `QueryRefusedError` where too many wait, or for too long. */
  async run<Result extends QueryResult | undefined>(asking: QueryContext, how: InTurn<Result>): Promise<Result> {
    const { client, timeout, signal } = asking;
    const refusal = this.#refusal(asking, how.isAgain === true);
    if (refusal !== undefined) throw refusal;
    return new Promise((resolve, reject) => {
      const most = Math.min(Math.max(timeout, this.#limits.wait), MAX_TIMER);
      const leave = (refused: Error): void => {
        if (!this.#turns.remove(waiting)) return;
        clearTimeout(timer);
        reject(refused);
      };
      const timer = setTimeout(() => leave((how.late ?? noTurn)(most)), most);
      // One that runs is ended by whoever runs it.
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

  /** Begin what can be run: to be called when that may be more than before. */
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
      // A result that is whole holds its client's turn, and no place any more.
      if (result.bytes !== undefined) answered = performance.now();
      this.dispatch();
      const release = lazily(() => {
        result.release();
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
      const message = `${queueOfClient} queries of yours are waiting already. Ask one after another.`;
      return new QueryRefusedError("too-many-waiting", message);
    }
    const { size } = this.#turns.waiting;
    return size < queue ? undefined : new QueryRefusedError("busy", `${size} queries are waiting already.`);
  }
}

/** A waiting task, and the client that it is for. */
interface Turn {
  readonly client: string;
}

/** Clients whose time is remembered; whoever is forgotten counts as new. */
const MAX_REMEMBERED = 1_000;

/** Fair queueing: a client's time is how long it has held processes, and the earliest is next. Who has asked for nothing gains nothing: it begins at the others' time. */
export class Scheduler<T extends Turn> {
  /** In the order in which they came. */
  readonly #waiting = new Set<T>();
  readonly #running = new Set<string>();
  readonly #times = new BoundedMap<string, number>(MAX_REMEMBERED);
  /** The time of the client that had the last turn, when that began. */
  #now = 0;

  get waiting(): ReadonlySet<T> {
    return this.#waiting;
  }

  get running(): number {
    return this.#running.size;
  }

  waitingOf(client: string): number {
    let count = 0;
    for (const turn of this.#waiting) if (turn.client === client) count++;
    return count;
  }

  add(turn: T): void {
    const { client } = turn;
    const isNew = !this.#running.has(client) && this.waitingOf(client) === 0;
    if (isNew) this.#times.put(client, Math.max(this.#timeOf(client), this.#now));
    this.#waiting.add(turn);
  }

  remove(turn: T): boolean {
    return this.#waiting.delete(turn);
  }

  /** Take the first query that can be run of the client, among those without a turn, that has held processes the least. Its turn lasts until `end`. */
  next(canRun: (turn: T) => boolean): T | undefined {
    let first: T | undefined;
    let earliest = Number.POSITIVE_INFINITY;
    for (const turn of this.#waiting) {
      const time = this.#timeOf(turn.client);
      if (this.#running.has(turn.client) || time >= earliest || !canRun(turn)) continue;
      first = turn;
      earliest = time;
    }
    if (first === undefined) return undefined;
    this.#waiting.delete(first);
    this.#running.add(first.client);
    this.#now = Math.max(this.#now, earliest);
    return first;
  }

  /** A client's turn is over. @param held for how many milliseconds it has held a process; the shortest counts as one */
  end(client: string, held = 0): void {
    this.#running.delete(client);
    this.#times.put(client, this.#timeOf(client) + Math.max(1, held));
  }

  #timeOf(client: string): number {
    return this.#times.get(client) ?? this.#now;
  }
}
