/** Several processes that serve one store: started, replaced when they die, and ended together. */
import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { pauseAfter } from "../../base/http-client.js";
import { UsageError } from "../settings/options.js";

/** One that lives so long has not died of how it was started, in milliseconds. */
const SETTLED = 10_000;
/** The shortest and the longest pause before one that died at once is replaced, in milliseconds. */
const SHORTEST_PAUSE = 1_000;
const LONGEST_PAUSE = 60_000;
/** A worker that has not ended so long after it was asked to is killed, in milliseconds. */
const LAST_MOMENT = 7_500;

interface WorkersOptions {
  readonly count: number;
  /** The settings of workers: the socket where this process answers the requests that they pass on, and the port that they share. */
  readonly given: GivenToWorker;
  /** Aborted when they shall end. */
  readonly interrupted: AbortSignal;
  readonly onListening: (port: number) => void;
  /** Told of a worker that died. */
  readonly report: (message: string) => void;
}

/** The settings that the first process gives to each worker. */
export interface GivenToWorker {
  readonly inner: string;
  readonly port: number;
  /** The secret by which all of them tell clients apart. */
  readonly seed: string;
}

const GIVEN = "VITRINE_WORKER";

/** In a worker: what the first process gave. `undefined` in any other process. */
export function givenToWorker(): GivenToWorker | undefined {
  const given = process.env[GIVEN];
  return cluster.isWorker && given !== undefined ? (JSON.parse(given) as GivenToWorker) : undefined;
}

/** In a worker: say why it ends, for the first process to tell. */
export function reportFirst(message: string): void {
  process.send?.({ failed: message });
}

/** End this worker once nothing else holds it: its channel to the first process would. */
export function leave(): void {
  cluster.worker?.disconnect();
}

/**
 * Run this process's own command line in so many workers, which share what they listen on, until interrupted. A worker that
 * dies is replaced, at growing intervals where one after another dies at once. Resolves when all have ended; throws `UsageError`, in its words, when one ends before it ever listened, which another
 * would do too.
 */
export function superviseWorkers(options: WorkersOptions): Promise<void> {
  return new Supervisor(options).run();
}

/** How long to wait before another takes the place of one that died: longer each time that the one before it died at once, too. */
export function pauseBefore(deathsAtOnce: number): number {
  return deathsAtOnce === 0 ? 0 : pauseAfter(deathsAtOnce, SHORTEST_PAUSE, LONGEST_PAUSE);
}

class Supervisor {
  readonly #workers = new Set<Worker>();
  readonly #ended = new AbortController();
  /** Those that have yet to listen for the first time. */
  #missing: number;
  #failure: Error | undefined;

  constructor(private readonly options: WorkersOptions) {
    this.#missing = options.count;
  }

  async run(): Promise<void> {
    const { count, interrupted } = this.options;
    const ended = once(this.#ended.signal, "abort");
    interrupted.addEventListener("abort", () => this.#end(), { once: true });
    for (let number = 0; number < count; number++) this.#start(0);
    if (interrupted.aborted) this.#end();
    await ended;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** @param deathsAtOnce how many died at once before it, one in place of the other: what kills one kills the next */
  #start(deathsAtOnce: number): void {
    const worker = cluster.fork({ [GIVEN]: JSON.stringify(this.options.given) });
    const started = performance.now();
    let listens = false;
    let cause: string | undefined;
    this.#workers.add(worker);
    worker.once("listening", (address) => {
      // One that begins anew with another store listens anew.
      if (!listens && --this.#missing === 0) this.options.onListening(address.port);
      listens = true;
    });
    worker.on("message", (message: { failed?: string }) => {
      cause ??= message.failed;
    });
    worker.once("error", (error) => {
      cause ??= error.message;
    });
    worker.once("exit", (code, signal) => {
      this.#workers.delete(worker);
      cause ??= signal ?? `status ${code}`;
      if (this.#isEnding) this.#endIfNone();
      else if (!listens && this.#missing > 0) this.#fail(cause);
      else this.#replace(worker, cause, !listens || performance.now() - started < SETTLED ? deathsAtOnce + 1 : 0);
    });
  }

  #replace({ process: { pid } }: Worker, cause: string, deathsAtOnce: number): void {
    const pause = pauseBefore(deathsAtOnce);
    const when = pause === 0 ? "" : ` in ${pause / 1_000} s`;
    this.options.report(`worker ${pid} died (${cause}); a new one replaces it${when}`);
    setTimeout(() => {
      if (this.#isEnding) this.#endIfNone();
      else this.#start(deathsAtOnce);
    }, pause);
  }

  get #isEnding(): boolean {
    return this.options.interrupted.aborted || this.#failure !== undefined;
  }

  #fail(message: string): void {
    this.#failure = new UsageError(message);
    this.#end();
  }

  /** Each finishes the answers that are under way. */
  #end(): void {
    for (const worker of this.#workers) worker.process.kill("SIGTERM");
    setTimeout(() => {
      for (const worker of this.#workers) worker.process.kill("SIGKILL");
    }, LAST_MOMENT).unref();
    this.#endIfNone();
  }

  #endIfNone(): void {
    if (this.#workers.size === 0) this.#ended.abort();
  }
}
