/** The pool: threads that turn pieces of the input into batches. The batches arrive in the order of the pieces. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { builtModule } from "../../base/package-files.js";
import { WorkerClient, withMoved } from "../../base/worker-client.js";
import { SyntaxProblem } from "../../rdf/syntax-problem.js";
import { StoreError } from "../../store/errors.js";
import { InputError } from "../errors.js";
import { type Batch, type InputChunk, Work, type WorkSettings } from "./work.js";

export interface PoolTasks {
  batches(piece: InputChunk): AsyncIterable<Batch>;
}

/** With fewer bytes than this no thread is started, because starting one takes as long as the work. */
const MIN_THREAD_BYTES = 4 * 2 ** 20;
/** The number of pieces that a thread has at a time, so that it need not wait for the next. */
const PIECES_A_THREAD = 3;
/** No further piece is handed out while this many bytes wait for the batches before them. */
const MAX_WAITING_BYTES = 64 * 2 ** 20;

const THREAD = builtModule("load/pipeline/thread.js");

interface PoolSettings {
  readonly work: WorkSettings;
  readonly threads: number;
  readonly signal: AbortSignal;
  readonly module?: URL;
  /** Called for one batch at a time, in the order of the pieces. */
  onBatch(batch: Batch): Promise<void> | void;
}

interface Job {
  /** What no thread has yet. */
  piece?: InputChunk | undefined;
  readonly batches: Batch[];
  isDone: boolean;
  failure?: Error;
}

/** A pool of threads. Only one caller at a time may wait for `take` or `end`. */
export class Pool {
  readonly #threads: WorkerClient<PoolTasks>[] = [];
  /** All jobs that are not delivered yet, oldest first. */
  readonly #jobs: Job[] = [];
  #bytes = 0;
  #waitingBytes = 0;
  #isDelivering = false;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;
  readonly #interrupt = (): void => this.#fail(this.settings.signal.reason as Error);

  constructor(private readonly settings: PoolSettings) {
    settings.signal.addEventListener("abort", this.#interrupt);
  }

  /** Take a piece. Resolves when the next may follow. Throws the error of an earlier one: `SyntaxProblem`, `InputError`, `StoreError`, `ThreadLostError`, or what `onBatch` throws. */
  async take(piece: InputChunk): Promise<void> {
    this.#jobs.push({ piece, batches: [], isDone: false });
    this.#bytes += piece.kind === "json" ? piece.bytes.length : piece.size;
    if (this.#threads.length === 0) {
      if (this.#bytes < MIN_THREAD_BYTES) return;
      const { module = THREAD, work: data, threads } = this.settings;
      const errors = [SyntaxProblem, InputError, StoreError];
      const thread = { name: "a thread that makes records", module, data, errors };
      while (this.#threads.length < threads) this.#threads.push(new WorkerClient(thread));
    }
    await this.#until(() => this.#assign());
  }

  /** Deliver a batch that is ready, after the batches of all pieces taken before. */
  put(batch: Batch): void {
    this.#jobs.push({ batches: [batch], isDone: true });
    void this.#deliver();
  }

  /** Resolves when everything taken is delivered. Throws as `take` does. */
  async end(): Promise<void> {
    if (this.#threads.length === 0) await this.#workHere();
    await this.#until(() => this.#jobs.length === 0 && !this.#isDelivering);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.settings.signal.removeEventListener("abort", this.#interrupt);
    await Promise.all(this.#threads.map((thread) => thread.terminate()));
  }

  /** Give pieces to threads; `true` when every piece is given. */
  #assign(): boolean {
    for (const job of this.#jobs) {
      if (job.piece === undefined) continue;
      const thread = this.#threads.reduce((least, other) => (other.pending < least.pending ? other : least));
      if (thread.pending === PIECES_A_THREAD || this.#waitingBytes >= MAX_WAITING_BYTES) return false;
      void this.#give(job, job.piece, thread);
    }
    return true;
  }

  async #give(job: Job, piece: InputChunk, thread: WorkerClient<PoolTasks>): Promise<void> {
    job.piece = undefined;
    const bytes = piece.kind === "json" ? piece.bytes : piece.entries;
    try {
      await thread.askParts("batches", typeof bytes === "string" ? piece : withMoved(piece, bytes), (batch) => {
        job.batches.push(batch);
        this.#waitingBytes += batch.encoded?.bytes.length ?? 0;
        void this.#deliver();
      });
      job.isDone = true;
    } catch (error) {
      job.failure = error as Error;
    }
    this.#wake?.();
    void this.#deliver();
  }

  async #workHere(): Promise<void> {
    const jobs = this.#jobs.filter(({ piece }) => piece !== undefined);
    const work = jobs.length === 0 ? undefined : await Work.make(this.settings.work);
    for (const job of jobs) {
      for await (const batch of work!.batches(job.piece!)) {
        job.batches.push(batch);
        await this.#deliver();
        // Let signals be handled.
        await nextTurn();
        if (this.#failure !== undefined) throw this.#failure;
      }
      job.isDone = true;
      await this.#deliver();
    }
  }

  async #deliver(): Promise<void> {
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    try {
      for (let job = this.#jobs[0]; job !== undefined && this.#failure === undefined; job = this.#jobs[0]) {
        const batch = job.batches.shift();
        if (batch !== undefined) {
          await this.settings.onBatch(batch);
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
