/** The pool of index processes: it keeps them filled and up to date, and replaces those that die, fall behind or have too many dead triples. */
import { existsSync } from "node:fs";
import { pauseAfter } from "../../base/http-client.js";
import type { EngineState } from "../engine.js";
import { ENGINE_ADVICE } from "../managed/virtuoso.js";
import type { IndexSettings, RefusedRecord } from "./index-messages.js";
import { IndexWorker, type WorkerEvents } from "./worker.js";

export const POOL_DEFAULTS = {
  /** The number of processes that answer queries. Each has the whole index. */
  processes: 1,
  patience: { following: 30_000, filling: 120_000, imaging: 600_000 },
  /** Milliseconds until a process that ended before it was filled is replaced. */
  restartAfter: 5_000,
  /** A process is replaced by a fresh one when it has more dead triples than `triples`, and than `share` of the live ones. */
  rebuild: { triples: 100_000, share: 0.25 },
  image: {
    /** The least number of triples; smaller indexes are filled as fast as an image is read. */
    triples: 200_000,
    /** The number of changes after which an image is written again. It must be below `MAX_FOLLOWED`, beyond which an image is useless. */
    changes: 1_000,
    /** Milliseconds for which a process must have been idle. */
    still: 5_000,
    /** Milliseconds after which a due image is written even if queries must wait. */
    overdue: 300_000,
  },
  /** Called with messages for people about failures. */
  report: (_message: string, _isError?: boolean): void => {},
};

interface PoolOptions extends Readonly<typeof POOL_DEFAULTS> {
  readonly settings: Omit<IndexSettings, "leftOut" | "fromImage">;
  /** Called when a process became ready or idle, and when one ended. */
  readonly changed: () => void;
}

/** The longest pause before a process that could not be filled is replaced, in milliseconds. */
const MAX_PAUSE = 300_000;

export class WorkerPool {
  readonly #ready = new Set<IndexWorker>();
  /** The processes that are being filled, each with the process that it will replace, if any. */
  readonly #filling = new Map<IndexWorker, IndexWorker | undefined>();
  /** Records that crashed a process, by IRI. */
  readonly #leftOut = new Map<string, RefusedRecord>();
  #tooLarge: string | undefined;
  /** Whether the last process that was started could be filled. If it dies, another is soon ready. */
  wasFilled = false;
  #isClosed = false;
  #restart: NodeJS.Timeout | undefined;
  /** The number of processes in a row that could not be filled, and why the last could not. */
  #failures = 0;
  #problem: string | undefined;
  /** The sequence number of the image, if there is one. */
  #image: number | undefined;
  #imageDue: number | undefined;
  /** Whether processes may start from the image. False after one that did ended before it was ready. */
  #isImageGood = true;
  /** Whether images are written. False after a failure. */
  #writesImages: boolean;

  constructor(private readonly options: PoolOptions) {
    this.#writesImages = options.settings.image !== undefined;
    for (let count = 0; count < options.processes; count++) this.#start();
  }

  get state(): EngineState {
    const leftOut = this.workers[0]?.standing?.leftOut ?? [...this.#leftOut.keys()];
    return leftOut.length === 0 ? this.#progress : { ...this.#progress, leftOut: [...leftOut] };
  }

  get #progress(): EngineState {
    const [first] = this.workers;
    if (first !== undefined) {
      const { sequence, missing, triples } = first.standing!;
      return { state: "ready", done: triples - missing, total: triples, sequence };
    }
    const total = Math.max(0, ...[...this.#filling.keys()].map(({ progress }) => progress.total));
    if (this.#tooLarge !== undefined) return { state: "too large", done: 0, total, detail: this.#tooLarge };
    const done = Math.max(0, ...[...this.#filling.keys()].map(({ progress }) => progress.done));
    return { state: "filling", done, total, detail: done === 0 ? this.#problem : undefined };
  }

  get workers(): readonly IndexWorker[] {
    return [...this.#ready].filter((worker) => worker.isAlive);
  }

  idle(): IndexWorker | undefined {
    return [...this.#ready].find((worker) => worker.isIdle);
  }

  /** Let idle processes follow the store, and replace those that cannot or have too many dead triples. */
  async follow(): Promise<void> {
    const idle = [...this.#ready].filter((worker) => worker.isIdle);
    await Promise.all(
      idle.map(async (worker) => {
        const isUpToDate = await worker.follow();
        if (!this.#ready.has(worker)) return;
        const { live, dead } = worker.standing!;
        const { triples, share } = this.options.rebuild;
        const isWorn = dead > triples && dead > live * share;
        if (isUpToDate && !isWorn) this.#considerImage(worker);
        // Only one fresh process is filled at a time; the old one answers meanwhile.
        else if (this.#filling.size === 0 && this.#tooLarge === undefined) this.#start(worker);
        this.options.changed();
      }),
    );
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#restart);
    for (const worker of [...this.#ready, ...this.#filling.keys()]) worker.close();
  }

  /** Write the image if it is due and the process is idle, and writes none already. */
  #considerImage(worker: IndexWorker): void {
    const { standing, stillFor } = worker;
    const { sequence, live } = standing!;
    const { triples, changes, still, overdue } = this.options.image;
    const isDue = this.#image === undefined || sequence - this.#image >= changes;
    if (!this.#writesImages || live < triples || !isDue) return;
    this.#imageDue ??= performance.now();
    const isUrgent = performance.now() - this.#imageDue > overdue;
    if (stillFor === undefined || (!isUrgent && stillFor < still)) return;
    void worker.image(isUrgent).then(({ sequence: imaged, problem }) => {
      if (problem !== undefined) {
        this.#writesImages = false;
        this.options.report(`the image of the index for SPARQL cannot be written: ${problem}`);
      }
      if (imaged !== undefined) {
        this.#image = imaged;
        this.#imageDue = undefined;
        this.#isImageGood = true;
      }
      this.options.changed();
    });
  }

  #start(replaces?: IndexWorker): void {
    if (this.#isClosed) return;
    const { settings: given } = this.options;
    // A replacement must not start from the image, which may have dead triples or be too far behind.
    const mayBegin = given.image !== undefined && this.#isImageGood && replaces === undefined;
    const settings = { ...given, leftOut: [...this.#leftOut.values()], fromImage: mayBegin && existsSync(given.image) };
    let worker: IndexWorker;
    const events: WorkerEvents = {
      ready: () => {
        this.#filling.delete(worker);
        this.#ready.add(worker);
        this.wasFilled = true;
        this.#failures = 0;
        this.#problem = undefined;
        this.#image = worker.standing!.image;
        if (replaces !== undefined) {
          this.#ready.delete(replaces);
          void replaces.finished().then(() => replaces.end());
        }
        this.options.changed();
      },
      "image refused": ({ message }) => {
        this.#isImageGood = false;
        this.options.report(`the image of the index for SPARQL is not used: ${message}`);
      },
      damaged: ({ message }) => this.options.report(`left out of the index for SPARQL: ${message}`, true),
      "cannot take": ({ record }) => {
        this.#leftOut.set(record.iri, record);
        this.options.report(`the record <${record.iri}> is left out of the index for SPARQL: ${record.message}`, true);
        this.#filling.delete(worker);
        worker.end();
        this.#start(replaces);
      },
      "does not fit": ({ message }) => {
        this.#tooLarge = message;
        // A process that continued to answer would fall behind for good.
        for (const other of [...this.#ready, ...this.#filling.keys()]) other.end();
        this.options.report(`the index for SPARQL does not fit: ${message}. Use an engine: ${ENGINE_ADVICE}`, true);
        this.options.changed();
      },
      stalled: (message) => this.options.report(`${message}; another takes its place`),
      ended: (reason) => this.#ended(worker, reason),
    };
    try {
      worker = new IndexWorker(settings, this.options.patience, events);
      this.#filling.set(worker, replaces);
    } catch (error) {
      // Out of descriptors or memory: try again later; entity requests are not affected.
      this.#startLater((error as Error).message, replaces);
    }
  }

  #ended(worker: IndexWorker, reason: string): void {
    const wasFilled = this.#ready.delete(worker);
    const replaced = this.#filling.get(worker);
    const wasFilling = this.#filling.delete(worker);
    this.options.changed();
    if (this.#isClosed || this.#tooLarge !== undefined) return;
    this.wasFilled &&= !wasFilling;
    if (wasFilled) this.#start();
    else if (wasFilling && worker.settings.fromImage) {
      const isKnown = !this.#isImageGood;
      this.#isImageGood = false;
      if (!isKnown) this.options.report("the image of the index for SPARQL is not used: a process ended with it");
      this.#start(replaced);
    } else if (wasFilling) this.#startLater(reason, replaced);
  }

  /** Start a process after a pause, which grows with each failure. The same reason is reported only once. */
  #startLater(reason: string, replaces: IndexWorker | undefined): void {
    if (reason !== this.#problem)
      this.options.report(`the index for SPARQL cannot be filled: ${reason}; retrying with growing pauses`, true);
    this.#problem = reason;
    const alive = replaces !== undefined && this.#ready.has(replaces) ? replaces : undefined;
    const pause = pauseAfter(++this.#failures, this.options.restartAfter, MAX_PAUSE);
    this.#restart = setTimeout(() => this.#start(alive), pause);
  }
}
