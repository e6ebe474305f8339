/** The scheduler of queries: clients take turns, however many queries each of them has waiting. */
import { BoundedMap } from "../../base/bounded-map.js";

/** What waits, and who for. */
export interface Turn {
  readonly client: string;
}

/** Clients whose last turn is remembered; whoever is forgotten counts as new. */
const MAX_REMEMBERED = 1_000;

export class Scheduler<T extends Turn> {
  /** In the order in which they came. */
  readonly #waiting = new Set<T>();
  /** The clients that have their turn. */
  readonly #running = new Set<string>();
  /** When each client had its last turn. */
  readonly #served = new BoundedMap<string, number>(MAX_REMEMBERED);
  #count = 0;

  get waiting(): ReadonlySet<T> {
    return this.#waiting;
  }

  /** How many wait for a client. */
  waitingOf(client: string): number {
    let count = 0;
    for (const turn of this.#waiting) if (turn.client === client) count++;
    return count;
  }

  add(turn: T): void {
    this.#waiting.add(turn);
  }

  /** Forget one that waits. Whether it did. */
  remove(turn: T): boolean {
    return this.#waiting.delete(turn);
  }

  /**
   * Take the next that can be run: of clients that have no turn now, the one whose last is longest ago, and of its queries
   * the first. Its client's turn lasts until `end`.
   */
  next(canRun: (turn: T) => boolean): T | undefined {
    let first: T | undefined;
    for (const turn of this.#waiting) {
      if (this.#running.has(turn.client) || (first !== undefined && this.#last(turn) >= this.#last(first))) continue;
      if (canRun(turn)) first = turn;
    }
    if (first === undefined) return undefined;
    const { client } = first;
    this.#waiting.delete(first);
    this.#running.add(client);
    this.#served.put(client, ++this.#count);
    return first;
  }

  /** A client's turn is over. */
  end(client: string): void {
    this.#running.delete(client);
  }

  #last({ client }: T): number {
    return this.#served.get(client) ?? 0;
  }
}
