/** The scheduler of queries: clients take turns, however many queries each of them has waiting, and share the time of the processes. */
import { BoundedMap } from "../base/bounded-map.js";

/** A waiting task, and the client that it is for. */
export interface Turn {
  readonly client: string;
}

/** Clients whose time is remembered; whoever is forgotten counts as new. */
const MAX_REMEMBERED = 1_000;

/**
 * Fair queueing: each client has a time of its own, which is as far on as it has held processes, and the client whose time is
 * the earliest is next. A client that has asked for nothing gains nothing by that: its time begins at that of the others.
 */
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

  /** How many have their turn. */
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

  /** Forget one that waits. Whether it did. */
  remove(turn: T): boolean {
    return this.#waiting.delete(turn);
  }

  /**
   * Take the next that can be run: of clients that have no turn now, the one that has held processes the least, and of its
   * queries the first. Its client's turn lasts until `end`.
   */
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
