/** Turns at an engine that takes several queries at once: clients take them one by one, and who has used it long gives way. */
import { lazily } from "../base/lazily.js";
import { MAX_TIMER, type QueryContext } from "./engine.js";
import { MAX_WAITING_OF_CLIENT, MAX_WAITING_QUERIES, MAX_WAITING_TIME } from "./limits.js";
import { Scheduler, type Turn } from "./scheduler.js";
import { abandoned, noTurn, type QueueLimits, queueRefusal } from "./waiting.js";

const LIMITS: QueueLimits = { queue: MAX_WAITING_QUERIES, queueOfClient: MAX_WAITING_OF_CLIENT };

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
