/** Counts over the whole collection, made where nobody waits for them: at once for a small one, in a thread for a large one. */
import { compiled } from "../base/compiled.js";
import { WorkerClient } from "../base/worker-client.js";
import { StoreError } from "../store/errors.js";
import type { StoreWith } from "../store/store.js";
import { type CollectionCounts, countHere } from "./partitions.js";

const MAX_AT_ONCE = 2_000;
/** While a collection changes, it is counted no oftener than this, in milliseconds. */
const INTERVAL = 60_000;

export interface CountingTasks {
  count(): CollectionCounts;
}

/** Counts a collection when that is asked for and it has changed. */
export class CollectionCounter {
  #known: CollectionCounts | undefined;
  #running: Promise<void> | undefined;
  #countedAt = 0;

  /** @param directory where a thread opens the store; without it, everything is counted here */
  constructor(
    private readonly store: StoreWith<"lists">,
    private readonly directory: string | undefined,
  ) {}

  /**
   * The counts of the present state, or of the last that was counted while another is being counted. Rejects as reading the store does.
   * @param isUrgent not to wait for a large collection that was never counted, of which there is `undefined` then
   */
  async counts(isUrgent = false): Promise<CollectionCounts | undefined> {
    const { sequence, records } = await this.store.stats();
    if (this.#known?.sequence === sequence) return this.#known;
    const isLarge = this.directory !== undefined && records > MAX_AT_ONCE;
    const isDue = Date.now() - this.#countedAt > INTERVAL;
    if (this.#running === undefined && (isDue || !isLarge)) {
      this.#running = this.#count(isLarge).finally(() => {
        this.#running = undefined;
      });
      this.#running.catch(() => {});
    }
    if ((this.#known === undefined && !isUrgent) || !isLarge) await this.#running;
    return this.#known;
  }

  async #count(isLarge: boolean): Promise<void> {
    this.#countedAt = Date.now();
    this.#known = isLarge ? await countApart(this.directory!) : await countHere(this.store);
  }
}

async function countApart(directory: string): Promise<CollectionCounts> {
  const thread = new WorkerClient<CountingTasks>({
    name: "the thread that counts the collection",
    module: compiled(import.meta.url, "./collection-counts-thread.js"),
    data: directory,
    errors: [StoreError],
    isBackground: true,
  });
  return await thread.ask("count").finally(() => thread.close());
}
