/** Queries that wait for a turn at an engine: what their clients are told, how a turn ends, and who is next at one that takes several at once. */
import { setTimeout as sleep } from "node:timers/promises";
import { lazily } from "../base/lazily.js";
import { type EngineState, MAX_TIMER, type QueryContext, type QueryEngine } from "./engine.js";
import { MAX_WAITING_OF_CLIENT, MAX_WAITING_QUERIES, MAX_WAITING_TIME } from "./limits.js";
import { QueryRefusedError, type QueryResult } from "./query-request.js";
import { Scheduler, type Turn } from "./scheduler.js";

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

/** Between two looks whether an engine is ready, in milliseconds. */
const LOOK = 50;

/** Resolves once an engine answers queries. Rejects with the refusal, once there is one: when it is closed before, say. */
export async function untilReady(
  engine: Pick<QueryEngine, "state">,
  refusal: () => QueryRefusedError | undefined,
): Promise<void> {
  while (engine.state.state !== "ready") {
    const refused = refusal();
    if (refused !== undefined) throw refused;
    await sleep(LOOK);
  }
}

/** How a query is run in its turn. */
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

  /**
   * Run a query in its client's turn, which lasts until the result is released. Rejects as `run` does, and with `QueryRefusedError` where
   * too many wait, and for too long.
   */
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

  /** Refuse all that wait. */
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
