/** Several processes that serve one store: started, replaced when they die, and ended together. */
import cluster, { type Address, type Worker } from "node:cluster";
import { once } from "node:events";

/** One that dies sooner than this after its start is not replaced at once, in milliseconds. */
const SOON = 1_000;

export interface WorkersOptions {
  readonly count: number;
  /** Where this process answers what workers pass on to it. */
  readonly firstPort: number;
  /** Aborted when they shall end. */
  readonly interrupted: AbortSignal;
  /** Told when all listen, with the port. */
  readonly onListening: (port: number) => void;
  /** Told of a worker that died. */
  readonly report: (message: string) => void;
}

/** Whether this process is one of the workers. */
export function isWorker(): boolean {
  return cluster.isWorker;
}

const FIRST_PORT = "VITRINE_FIRST_PORT";

/** In a worker: where the first process answers. */
export function firstPort(): number {
  return Number(process.env[FIRST_PORT]);
}

/** End this worker once nothing else holds it: its channel to the first process would. */
export function leave(): void {
  cluster.worker?.disconnect();
}

/**
 * Run this process's own command line in so many workers, which share what they listen on, until interrupted. A worker that
 * dies is replaced. Resolves when all have ended; rejects when one ends before it ever listened, which another would do too.
 */
export function superviseWorkers(options: WorkersOptions): Promise<void> {
  return new Supervisor(options).run();
}

class Supervisor {
  readonly #options: WorkersOptions;
  readonly #workers = new Set<Worker>();
  readonly #ended = new AbortController();
  /** Those that have yet to listen for the first time. */
  #missing: number;
  #failure: Error | undefined;

  constructor(options: WorkersOptions) {
    this.#options = options;
    this.#missing = options.count;
  }

  async run(): Promise<void> {
    const { count, interrupted } = this.#options;
    const ended = once(this.#ended.signal, "abort");
    interrupted.addEventListener("abort", () => this.#end(), { once: true });
    for (let number = 0; number < count; number++) this.#start();
    if (interrupted.aborted) this.#end();
    await ended;
    if (this.#failure !== undefined) throw this.#failure;
  }

  #start(): void {
    const worker = cluster.fork({ [FIRST_PORT]: String(this.#options.firstPort) });
    const started = performance.now();
    let listens = false;
    this.#workers.add(worker);
    worker.once("listening", (address) => {
      listens = true;
      this.#listening(address);
    });
    worker.once("exit", (code, signal) => {
      this.#workers.delete(worker);
      if (this.#isEnding) this.#endIfNone();
      else if (!listens && this.#missing > 0) this.#fail(`a worker ended with ${signal ?? code} before it listened`);
      else this.#replace(worker, signal ?? `status ${code}`, started);
    });
  }

  #listening({ port }: Address): void {
    if (--this.#missing === 0) this.#options.onListening(port);
  }

  #replace({ process: { pid } }: Worker, cause: string, started: number): void {
    this.#options.report(`worker ${pid} died (${cause}); another takes its place`);
    const pause = performance.now() - started < SOON ? SOON : 0;
    setTimeout(() => {
      if (this.#isEnding) this.#endIfNone();
      else this.#start();
    }, pause);
  }

  get #isEnding(): boolean {
    return this.#options.interrupted.aborted || this.#failure !== undefined;
  }

  #fail(message: string): void {
    this.#failure = new Error(message);
    this.#end();
  }

  /** Each finishes the answers that are under way. */
  #end(): void {
    for (const worker of this.#workers) worker.process.kill("SIGTERM");
    this.#endIfNone();
  }

  #endIfNone(): void {
    if (this.#workers.size === 0) this.#ended.abort();
  }
}
