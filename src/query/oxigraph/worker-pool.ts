/** Keeps index processes filled and up to date: replaces those that die, and those with too many dead triples or far behind. */
import { existsSync } from "node:fs";
import type { EngineState } from "../engine.js";
import type { IndexSettings, RefusedRecord } from "./index-messages.js";
import type { QueryIndexOptions } from "./query-index.js";
import { IndexWorker, type WorkerEvent } from "./worker.js";

/** Dead triples beyond these many, and beyond a share of the living ones, are a reason to fill a fresh process. */
export interface RebuildLimits {
  readonly triples: number;
  readonly share: number;
}

/** When an index image is written. */
export interface ImageLimits {
  /** Smaller indexes are filled as soon. */
  readonly triples: number;
  /** How many changes an image may be behind; `MAX_FOLLOWED` is where it would be of no use. */
  readonly changes: number;
  /** For how many milliseconds a process has to have had nothing to do. */
  readonly still: number;
  /** An image that is due for so many milliseconds is written even when queries have to wait for it. */
  readonly overdue: number;
}

interface PoolOptions
  extends Required<
    Pick<QueryIndexOptions, "image" | "processes" | "rebuild" | "restartAfter" | "patience" | "report">
  > {
  readonly settings: Omit<IndexSettings, "leftOut">;
  /** Called when a process may have something to do, since it became ready or is idle again, and when there is one less. */
  readonly changed: () => void;
}

export class WorkerPool {
  /** Those that answer. */
  readonly #ready = new Set<IndexWorker>();
  /** Those that are being filled, each with the one that it will stand in for, if that still answers. */
  readonly #filling = new Map<IndexWorker, IndexWorker | undefined>();
  /** Records at which a process ended, by IRI. */
  readonly #leftOut = new Map<string, RefusedRecord>();
  #tooLarge: string | undefined;
  #isClosed = false;
  #restart: NodeJS.Timeout | undefined;
  /** The sequence number of the image, where there is one. */
  #image: number | undefined;
  /** Since when an image is due. */
  #imageDue: number | undefined;
  /** Whether the image that there may be can be begun from: a process that did so did not end before it was ready. */
  #isImageGood = true;
  /** Whether images are written: until it goes wrong. */
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
    const total = Math.max(0, ...[...this.#filling.keys()].map(({ progress }) => progress.total));
    const [first] = this.workers;
    if (first !== undefined) {
      const { sequence } = first.standing!;
      const read = Math.max(total, first.progress.total);
      return { state: "ready", done: read, total: read, sequence };
    }
    if (this.#tooLarge !== undefined) return { state: "too large", done: 0, total, detail: this.#tooLarge };
    return {
      state: "filling",
      done: Math.max(0, ...[...this.#filling.keys()].map(({ progress }) => progress.done)),
      total,
    };
  }

  /** The processes that answer. */
  get workers(): readonly IndexWorker[] {
    return [...this.#ready].filter((worker) => worker.isAlive);
  }

  /** A process that has nothing to do. */
  idle(): IndexWorker | undefined {
    return [...this.#ready].find((worker) => worker.isIdle);
  }

  /** Let idle processes take over what changed, and rebuild those that cannot or have too many dead triples. */
  async follow(): Promise<void> {
    const idle = [...this.#ready].filter((worker) => worker.isIdle);
    await Promise.all(
      idle.map(async (worker) => {
        const isUpToDate = await worker.follow();
        if (!this.#ready.has(worker)) return;
        if (!isUpToDate || this.#isWorn(worker)) this.#rebuild(worker);
        else this.#considerImage(worker);
        this.options.changed();
      }),
    );
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#restart);
    for (const worker of [...this.#ready, ...this.#filling.keys()]) worker.close();
  }

  /** Let the image be written when it is due and the process has nothing to do. */
  #considerImage(worker: IndexWorker): void {
    const { sequence, live } = worker.standing!;
    const { triples, changes, still, overdue } = this.options.image;
    const isDue = this.#image === undefined || sequence - this.#image >= changes;
    if (!this.#writesImages || live < triples || !isDue) return;
    const now = performance.now();
    this.#imageDue ??= now;
    const isUrgent = now - this.#imageDue > overdue && worker.isIdle;
    if (!isUrgent && worker.stillFor < still) return;
    void worker.image(isUrgent).then(({ sequence: imaged, problem }) => {
      if (problem !== undefined) {
        this.#writesImages = false;
        this.options.report(`no image of the index for SPARQL is kept: ${problem}`);
      }
      if (imaged !== undefined) {
        this.#image = imaged;
        this.#imageDue = undefined;
        this.#isImageGood = true;
      }
      this.options.changed();
    });
  }

  #isWorn(worker: IndexWorker): boolean {
    const { live, dead } = worker.standing!;
    const { triples, share } = this.options.rebuild;
    return dead > triples && dead > live * share;
  }

  /** Fill a fresh process, one at a time; the old one answers meanwhile. */
  #rebuild(worker: IndexWorker): void {
    if (this.#filling.size === 0 && this.#tooLarge === undefined) this.#start(worker);
  }

  #start(replaces?: IndexWorker): void {
    if (this.#isClosed) return;
    const { image, ...given } = this.options.settings;
    // One that stands in for another does so because an image would not do: it is to have no dead triples, or all changes.
    const begins = image !== undefined && this.#isImageGood && replaces === undefined && existsSync(image);
    const settings = {
      ...given,
      leftOut: [...this.#leftOut.values()],
      ...(image === undefined ? {} : { image, fromImage: begins }),
    };
    let worker: IndexWorker;
    try {
      worker = new IndexWorker(settings, this.options.patience, (event) => this.#take(event, worker, replaces));
    } catch (error) {
      // Without descriptors or memory there is none at this moment; publication goes on.
      this.options.report(`an index process could not be started (${(error as Error).message}); it is tried again`);
      this.#startLater(replaces);
      return;
    }
    this.#filling.set(worker, replaces);
  }

  #take(event: WorkerEvent, worker: IndexWorker, replaces: IndexWorker | undefined): void {
    const { report, changed } = this.options;
    switch (event.type) {
      case "filled":
        this.#filling.delete(worker);
        this.#ready.add(worker);
        this.#image = worker.standing!.image;
        if (replaces !== undefined) this.#retire(replaces);
        changed();
        return;
      case "image refused":
        this.#isImageGood = false;
        report(`the image of the index for SPARQL is not used: ${event.message}`);
        return;
      case "unreadable":
        report(`the index for SPARQL cannot be filled: ${event.message}`);
        return;
      case "damaged":
        report(`left out of the index for SPARQL: ${event.message}`);
        return;
      case "cannot take":
        this.#leftOut.set(event.record.iri, event.record);
        report(`the record <${event.record.iri}> is left out of the index for SPARQL: ${event.record.message}`);
        this.#filling.delete(worker);
        worker.end();
        this.#start(replaces);
        return;
      case "does not fit":
        this.#tooLarge = event.message;
        // What answered until now would fall behind for good.
        for (const other of [...this.#ready, ...this.#filling.keys()]) other.end();
        report(`the index for SPARQL does not fit: ${event.message}`);
        changed();
        return;
      case "stalled":
        report(`an index process was silent for ${event.milliseconds / 1_000} s; another takes its place`);
        return;
      case "ended":
        this.#ended(worker);
    }
  }

  /** End a process that another stands in for; a query that it runs may finish first. */
  #retire(worker: IndexWorker): void {
    this.#ready.delete(worker);
    void worker.finished().then(() => worker.end());
  }

  #ended(worker: IndexWorker): void {
    const wasFilled = this.#ready.delete(worker);
    const wasFilling = this.#filling.has(worker);
    const replaced = this.#filling.get(worker);
    this.#filling.delete(worker);
    this.options.changed();
    if (this.#isClosed || this.#tooLarge !== undefined) return;
    if (wasFilled) this.#start();
    else if (wasFilling && worker.settings.fromImage === true) {
      const isKnown = !this.#isImageGood;
      this.#isImageGood = false;
      if (!isKnown) this.options.report("the image of the index for SPARQL is not used: a process ended with it");
      this.#start(replaced);
    } else if (wasFilling) {
      this.options.report("an index process ended before it was filled; another is started");
      this.#startLater(replaced);
    }
  }

  #startLater(replaces: IndexWorker | undefined): void {
    const alive = replaces !== undefined && this.#ready.has(replaces) ? replaces : undefined;
    this.#restart = setTimeout(() => this.#start(alive), this.options.restartAfter);
  }
}
