/** Turns at an engine that takes several queries at once: clients take them one by one, and who has used it long gives way. */
import { lazily } from "../base/lazily.js";
import { MAX_TIMER, type QueryContext } from "./engine.js";
import { MAX_WAITING_OF_CLIENT, MAX_WAITING_QUERIES, MAX_WAITING_TIME } from "./limits.js";
import { QueryRefusedError } from "./query-request.js";
import { Scheduler, type Turn } from "./scheduler.js";

interface Waiting extends Turn {
  begin(end: () => void): void;
}

export class FairTurns {
  readonly #turns = new Scheduler<Waiting>();
  #free: number;

  /** @param places queries that run at once */
  constructor(places: number) {
    this.#free = places;
  }

  /** Wait for a turn. Resolves to what ends it. Rejects with `QueryRefusedError` where too many wait, and for too long. */
  take({ client, timeout, signal }: QueryContext): Promise<() => void> {
    const { size } = this.#turns.waiting;
    if (this.#turns.waitingOf(client) >= MAX_WAITING_OF_CLIENT) {
      const message = `${MAX_WAITING_OF_CLIENT} queries of yours are waiting already. Ask one after another.`;
      return Promise.reject(new QueryRefusedError("too-many-waiting", message));
    }
    if (size >= MAX_WAITING_QUERIES) {
      return Promise.reject(new QueryRefusedError("busy", `${size} queries are waiting already.`));
    }
    return new Promise((resolve, reject) => {
      const most = Math.min(Math.max(timeout, MAX_WAITING_TIME), MAX_TIMER);
      const leave = (message: string): void => {
        clearTimeout(timer);
        if (this.#turns.remove(waiting)) reject(new QueryRefusedError("busy", message));
      };
      const late = `In ${most / 1_000} seconds the query had no turn: others were before it. Ask again soon.`;
      const timer = setTimeout(() => leave(late), most);
      signal?.addEventListener("abort", () => leave("Nobody waits for the answer."), { once: true });
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
