/** Writes an archive stretch by stretch, in threads that all read the same state of the store, or here where there is little. */
import { availableParallelism } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { compiled } from "../../base/compiled.js";
import { StoreError } from "../../store/errors.js";
import type { Archive, Stretch } from "../../store/snapshots.js";
import type { StoreWith } from "../../store/store.js";
import { StretchWriter, type WritingSettings, type WrittenStretch } from "./stretch.js";

/** With fewer records no thread is started: starting one takes as long. */
const MIN_RECORDS = 5_000;
/** Stretches of records have about so many triples, and no more records than this. */
const STRETCH_TRIPLES = 60_000;
const MAX_STRETCH_RECORDS = 5_000;
const STRETCH_CHANGES = 10_000;
/** Stretches that a thread has at a time, so that it need not wait for the next; what is done waits for those before it. */
const STRETCHES_A_THREAD = 3;
/** How often it is tried to have all threads in one state, while loads go on. */
const MAX_TRIES = 10;

/** What a thread is started with. */
export interface ThreadSettings {
  readonly directory: string;
  readonly writing: WritingSettings;
}

/** What a thread is asked for: to take the present state of the store, to write a stretch of that, or to end. */
export type Asked = "state" | Stretch | "close";

export interface Answer {
  readonly state?: string;
  readonly written?: WrittenStretch;
  readonly failure?: { readonly of: "store" | "program"; readonly name: string; readonly message: string };
}

/** An archive that is being written. It has to be closed. */
export interface ArchiveWriting {
  readonly archive: Archive;
  /** All stretches, in their order. Throws what reading the archive throws. */
  written(): AsyncIterable<WrittenStretch>;
  close(): Promise<void>;
}

/** @param directory where threads open the store; without it, everything is written here */
export async function beginWriting(
  store: StoreWith<"snapshots">,
  writing: WritingSettings,
  directory: string | undefined,
): Promise<ArchiveWriting> {
  const { records } = await store.stats();
  const count = availableParallelism();
  if (directory === undefined || records < MIN_RECORDS || count === 1)
    return writeHere(store.snapshots.archive(), writing);
  const threads = Array.from({ length: count }, () => new StretchThread({ directory, writing }));
  const archive = await takeTogether(store, threads).catch(async (error: Error) => {
    await closeAll(threads);
    throw error;
  });
  if (archive !== undefined) return writeInThreads(archive, threads);
  await closeAll(threads);
  return writeHere(store.snapshots.archive(), writing);
}

/** An archive of a state that all threads have taken, too; `undefined` where loads leave no time for that. */
async function takeTogether(
  store: StoreWith<"snapshots">,
  threads: readonly StretchThread[],
): Promise<Archive | undefined> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const archive = store.snapshots.archive();
    let isTaken = false;
    try {
      const states = await Promise.all(threads.map((thread) => thread.take()));
      isTaken = states.every((state) => state === archive.state);
      if (isTaken) return archive;
    } finally {
      if (!isTaken) archive.close();
    }
  }
  return undefined;
}

function writeHere(archive: Archive, writing: WritingSettings): ArchiveWriting {
  const writer = new StretchWriter(writing);
  return {
    archive,
    async *written() {
      for (const stretch of stretchesOf(archive)) {
        yield await writer.write(archive, stretch);
        // Signals get their turn.
        await nextTurn();
      }
    },
    async close() {
      archive.close();
    },
  };
}

function writeInThreads(archive: Archive, threads: readonly StretchThread[]): ArchiveWriting {
  return {
    archive,
    async *written() {
      const coming: Promise<WrittenStretch>[] = [];
      for (const stretch of stretchesOf(archive)) {
        if (coming.length === threads.length * STRETCHES_A_THREAD) yield await coming.shift()!;
        const free = threads.reduce((least, other) => (other.pending < least.pending ? other : least));
        const written = free.write(stretch);
        // Whoever waits for it is told of a failure.
        written.catch(() => {});
        coming.push(written);
      }
      for (const written of coming) yield await written;
    },
    async close() {
      await closeAll(threads);
      archive.close();
    },
  };
}

function stretchesOf(archive: Archive): Iterable<Stretch> {
  const { records, triples } = archive.stats;
  const most = Math.ceil((STRETCH_TRIPLES * records) / Math.max(1, triples));
  return archive.stretches(Math.min(Math.max(1, most), MAX_STRETCH_RECORDS), STRETCH_CHANGES);
}

async function closeAll(threads: readonly StretchThread[]): Promise<void> {
  await Promise.all(threads.map((thread) => thread.close()));
}

/** One thread; what it is asked for it answers in order. */
class StretchThread {
  readonly #worker: Worker;
  readonly #waiting: { resolve(answer: Answer): void; reject(error: Error): void }[] = [];
  readonly #ended: Promise<void>;
  #failure: Error | undefined;

  constructor(settings: ThreadSettings) {
    this.#worker = new Worker(compiled(import.meta.url, "./stretch-thread.js"), { workerData: settings });
    this.#worker.on("message", (answer: Answer) => this.#waiting.shift()?.resolve(answer));
    this.#worker.on("error", (error) => this.#fail(error));
    this.#ended = new Promise((resolve) => {
      this.#worker.once("exit", (status) => {
        this.#fail(new Error(`a thread that writes the dump ended with status ${status}: try again`));
        resolve();
      });
    });
  }

  /** How many stretches it has. */
  get pending(): number {
    return this.#waiting.length;
  }

  /** Take the present state of the store; which that is. */
  async take(): Promise<string> {
    return (await this.#ask("state")).state!;
  }

  async write(stretch: Stretch): Promise<WrittenStretch> {
    return (await this.#ask(stretch)).written!;
  }

  /** Resolves when it has closed its store. */
  async close(): Promise<void> {
    if (this.#failure === undefined) this.#worker.postMessage("close" satisfies Asked);
    await this.#ended;
  }

  async #ask(asked: Asked): Promise<Answer> {
    if (this.#failure !== undefined) throw this.#failure;
    const answer = await new Promise<Answer>((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage(asked);
    });
    if (answer.failure !== undefined) throw errorOf(answer.failure);
    return answer;
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
  }
}

/** Errors lose their class on the way from a thread. */
function errorOf({ of, name, message }: NonNullable<Answer["failure"]>): Error {
  const error = of === "store" ? new StoreError(message) : new Error(message);
  return Object.defineProperty(error, "name", { value: name });
}
