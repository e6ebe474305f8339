/** The pool: threads that make batches of pieces of the input; the batches come in the order of the pieces. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { compiled } from "../../base/compiled.js";
import { type Position, SyntaxProblem } from "../../rdf/syntax-problem.js";
import { StoreError } from "../../store/errors.js";
import { InputError } from "../errors.js";
import { type Batch, type Piece, Work, type WorkSettings } from "./work.js";

/** An error, as it comes from a thread. */
export type Failure =
  | { readonly of: "syntax"; readonly source: string; readonly position: Position; readonly problem: string }
  | { readonly of: "input" | "store" | "program"; readonly name: string; readonly message: string };

/** What a thread says of the pieces that it was given, in their order. */
export type Answer =
  | { readonly kind: "batch"; readonly batch: Batch }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly failure: Failure };

/** With less than this no thread is started: starting one takes as long. */
const MIN_THREAD_BYTES = 4 * 2 ** 20;
/** Pieces that a thread has at a time, so that it need not wait for the next. */
const PIECES_A_THREAD = 3;
/** No more pieces are handed out while so many bytes wait for those before them. */
const MAX_WAITING_BYTES = 64 * 2 ** 20;

const THREAD = compiled(import.meta.url, "./thread.js");

/** A thread of the pool is gone, and with it what it was working on. */
export class ThreadLostError extends Error {
  override readonly name = "ThreadLostError";

  constructor(reason: string, options?: ErrorOptions) {
    super(
      `a thread that makes records ended in the middle of its work: ${reason}. Nothing was changed; try again`,
      options,
    );
  }
}

export interface PoolSettings {
  readonly work: WorkSettings;
  /** How many threads there may be. */
  readonly threads: number;
  readonly signal: AbortSignal;
  /** The module that a thread runs. */
  readonly module?: URL;
  /** Called for one batch at a time, in the order of the pieces. */
  onBatch(batch: Batch): Promise<void> | void;
}

/** A piece on its way. */
interface Job {
  piece: Piece | undefined;
  readonly batches: Batch[];
  isDone: boolean;
  failure?: Error;
}

interface Thread {
  readonly worker: Worker;
  /** What it was given and has not answered yet. */
  readonly jobs: Job[];
}

/** One at a time may wait for `take` or `end`. */
export class Pool {
  readonly #settings: PoolSettings;
  readonly #threads: Thread[] = [];
  /** All that is not delivered yet, oldest first; those that no thread has yet come last. */
  readonly #jobs: Job[] = [];
  #unassigned: Job[] = [];
  #unassignedBytes = 0;
  #waitingBytes = 0;
  #isDelivering = false;
  #isClosed = false;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;
  readonly #interrupt = (): void => this.#fail(this.#settings.signal.reason as Error);

  constructor(settings: PoolSettings) {
    this.#settings = settings;
    settings.signal.addEventListener("abort", this.#interrupt);
  }

  /**
   * Take a piece; resolves when the next may come. Throws what went wrong with an earlier one: `SyntaxProblem`,
   * `InputError`, `StoreError`, `ThreadLostError`, what `onBatch` throws.
   */
  async take(piece: Piece): Promise<void> {
    const job: Job = { piece, batches: [], isDone: false };
    this.#jobs.push(job);
    this.#unassigned.push(job);
    this.#unassignedBytes += piece.kind === "json" ? piece.bytes.length : piece.size;
    if (this.#threads.length === 0) {
      if (this.#unassignedBytes < MIN_THREAD_BYTES) return;
      while (this.#threads.length < this.#settings.threads) this.#threads.push(this.#start());
    }
    await this.#until(() => this.#assign());
  }

  /** Deliver a batch that is ready, after those of what was taken before. */
  put(batch: Batch): void {
    this.#jobs.push({ piece: undefined, batches: [batch], isDone: true });
    void this.#deliver();
  }

  /** Resolves when all that was taken is delivered. Throws as `take` does. */
  async end(): Promise<void> {
    if (this.#threads.length === 0) await this.#workHere();
    await this.#until(() => this.#jobs.length === 0 && !this.#isDelivering);
  }

  /** Stop, whatever is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#settings.signal.removeEventListener("abort", this.#interrupt);
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #start(): Thread {
    const { module = THREAD, work } = this.#settings;
    const thread: Thread = { worker: new Worker(module, { workerData: work }), jobs: [] };
    thread.worker.on("message", (answer: Answer) => this.#receive(thread, answer));
    thread.worker.on("error", (error) => this.#fail(new ThreadLostError(error.message, { cause: error })));
    thread.worker.on("exit", (status) => {
      if (!this.#isClosed) this.#fail(new ThreadLostError(`it exited with status ${status}`));
    });
    return thread;
  }

  /** Give pieces to threads; `true` when all are given. */
  #assign(): boolean {
    while (this.#unassigned.length > 0 && this.#waitingBytes < MAX_WAITING_BYTES) {
      const thread = this.#threads.reduce((least, other) => (other.jobs.length < least.jobs.length ? other : least));
      if (thread.jobs.length === PIECES_A_THREAD) return false;
      const job = this.#unassigned.shift()!;
      thread.jobs.push(job);
      thread.worker.postMessage(job.piece, bytesOf(job.piece!));
      job.piece = undefined;
    }
    return this.#unassigned.length === 0;
  }

  #receive(thread: Thread, answer: Answer): void {
    const job = thread.jobs[0]!;
    if (answer.kind === "batch") {
      job.batches.push(answer.batch);
      this.#waitingBytes += answer.batch.encoded?.bytes.length ?? 0;
    } else {
      thread.jobs.shift();
      job.isDone = true;
      if (answer.kind === "failed") job.failure = errorOf(answer.failure);
    }
    this.#wake?.();
    void this.#deliver();
  }

  /** Work on what was taken without threads. */
  async #workHere(): Promise<void> {
    const work = this.#unassigned.length === 0 ? undefined : await Work.make(this.#settings.work);
    for (const job of this.#unassigned.splice(0)) {
      for await (const batch of work!.batches(job.piece!)) {
        job.batches.push(batch);
        await this.#deliver();
        // Signals get their turn.
        await nextTurn();
        if (this.#failure !== undefined) throw this.#failure;
      }
      job.isDone = true;
      await this.#deliver();
    }
  }

  /** Deliver what is next. */
  async #deliver(): Promise<void> {
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    try {
      for (let job = this.#jobs[0]; job !== undefined && this.#failure === undefined; job = this.#jobs[0]) {
        const batch = job.batches.shift();
        if (batch !== undefined) {
          await this.#settings.onBatch(batch);
          this.#waitingBytes -= batch.encoded?.bytes.length ?? 0;
        } else if (job.failure !== undefined) throw job.failure;
        else if (job.isDone) this.#jobs.shift();
        else break;
      }
    } catch (error) {
      this.#fail(error as Error);
    } finally {
      this.#isDelivering = false;
      this.#wake?.();
    }
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#wake?.();
  }

  async #until(isReached: () => boolean): Promise<void> {
    while (this.#failure === undefined && !isReached()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#failure !== undefined) throw this.#failure;
  }
}

/** What of a piece changes threads without being copied. */
function bytesOf(piece: Piece): ArrayBuffer[] {
  const bytes = piece.kind === "json" ? piece.bytes : piece.frames;
  return typeof bytes === "string" ? [] : [bytes.buffer as ArrayBuffer];
}

function errorOf(failure: Failure): Error {
  if (failure.of === "syntax") return new SyntaxProblem(failure.source, failure.position, failure.problem);
  const { of, name, message } = failure;
  const error =
    of === "input" ? new InputError(message) : of === "store" ? new StoreError(message) : new Error(message);
  return Object.defineProperty(error, "name", { value: name });
}
