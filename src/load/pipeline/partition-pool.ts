/** Worker threads for the partitions of a large input: each takes one after another, and what it makes of them comes back in batches. */
import { Worker } from "node:worker_threads";
import { compiled } from "../../compiled.js";
import { StoreError } from "../../store/errors.js";
import type { EncodedRecords } from "../../store/store.js";
import { InputError } from "../errors.js";
import type { Examined, ExaminerSettings, StagingSettings } from "./examine.js";

/** What each worker starts with. */
export interface PartitionWorkerData extends StagingSettings {
  readonly examining: ExaminerSettings;
  /** The largest record, in bytes of N-Triples. */
  readonly maxRecordBytes: number;
}

/** A file of frames, and the names of the inputs by the numbers in it. */
export interface PartitionTask {
  readonly path: string;
  readonly inputs: readonly string[];
}

/** Records of a partition. */
export interface PartitionBatch {
  readonly encoded: EncodedRecords;
  /** How many triples all these records have. */
  readonly triples: number;
  /** How many are encoded of which there is nothing more to say. */
  readonly clean: number;
  /** The others that are encoded, and those that are refused, all without their graphs. */
  readonly staged: readonly Examined[];
  readonly refused: readonly Examined[];
}

export type PartitionAnswer =
  | ({ readonly kind: "batch" } & PartitionBatch)
  | { readonly kind: "done" }
  | {
      readonly kind: "failed";
      readonly of: "input" | "store" | "program";
      readonly name: string;
      readonly message: string;
    };

const WORKER = compiled(import.meta.url, "./partition-worker.js");

export class PartitionPool {
  readonly #workers: Worker[] = [];
  readonly #idle: Worker[] = [];
  readonly #size: number;
  readonly #data: PartitionWorkerData;
  readonly #onBatch: (batch: PartitionBatch) => Promise<void>;
  /** What is done with batches, one after another. */
  #batches: Promise<void> = Promise.resolve();
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  /** At most `size` workers, started when there is work for them. `onBatch` is called for one batch at a time. */
  constructor(size: number, data: PartitionWorkerData, onBatch: (batch: PartitionBatch) => Promise<void>) {
    this.#size = size;
    this.#data = data;
    this.#onBatch = onBatch;
  }

  /**
   * Hand a partition over as soon as a worker is idle; its file is removed. Throws what went wrong with an earlier one:
   * `InputError`, `StoreError`.
   */
  async take(task: PartitionTask): Promise<void> {
    if (this.#idle.length === 0 && this.#workers.length < this.#size) this.#idle.push(this.#start());
    await this.#until(() => this.#idle.length > 0);
    this.#idle.pop()!.postMessage(task);
  }

  /** Resolves when all that was handed over is done. Throws as `take` does. */
  async end(): Promise<void> {
    await this.#until(() => this.#idle.length === this.#workers.length);
    await this.#batches;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Stop, whatever is under way. */
  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #start(): Worker {
    const worker = new Worker(WORKER, { workerData: this.#data });
    worker.on("message", (answer: PartitionAnswer) => {
      if (answer.kind === "batch") this.#receive(answer);
      else if (answer.kind === "failed") this.#fail(errorOf(answer));
      else {
        // It is idle once its batches are dealt with: so no more of them wait than the workers make of one partition.
        this.#batches = this.#batches.then(() => {
          this.#idle.push(worker);
          this.#wake?.();
        });
      }
    });
    worker.on("error", (error: Error) => this.#fail(error));
    this.#workers.push(worker);
    return worker;
  }

  #receive(batch: PartitionBatch): void {
    this.#batches = this.#batches
      .then(() => (this.#failure === undefined ? this.#onBatch(batch) : undefined))
      .catch((error: Error) => this.#fail(error));
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

function errorOf({ of, name, message }: PartitionAnswer & { kind: "failed" }): Error {
  const error =
    of === "input" ? new InputError(message) : of === "store" ? new StoreError(message) : new Error(message);
  return Object.defineProperty(error, "name", { value: name });
}
