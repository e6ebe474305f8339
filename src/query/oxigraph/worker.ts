/** The service's side of one index process, which is filled, follows the store, answers one query at a time, and may die at any moment. */
import { type ChildProcess, fork } from "node:child_process";
import { addAbortListener } from "node:events";
import { fileURLToPath } from "node:url";
import { residentMemory } from "../../base/living-process.js";
import { builtModule } from "../../base/package-files.js";
import { MAX_TIMER } from "../../base/timer.js";
import { inMemory, type QueryContext, QueryRefusedError, type QueryRequest, type QueryResult } from "../engine.js";
import { abandoned, closing } from "../waiting.js";
import type { FromIndex, IndexSettings, IndexStanding, ToIndex } from "./index-messages.js";
import { Spool, type SpoolRoom } from "./spool.js";

const PROCESS_FILE = fileURLToPath(builtModule("query/oxigraph/index-process.js"));

/** Milliseconds between two checks of a query's memory. */
const WATCH_INTERVAL = 200;

/** How long a process may be silent before it is taken for stalled, in milliseconds. */
interface Patience {
  /** While it follows the store. */
  readonly following: number;
  /** Between two progress messages while it is filled. */
  readonly filling: number;
  /** While it writes an image for which queries wait. */
  readonly imaging: number;
}

/** Milliseconds for which a query without a client may finish by itself, since that is cheaper than replacing the process. */
const ALONE = 1_000;

type Told = "image refused" | "damaged" | "cannot take" | "does not fit";

/** What is called for messages of the process that are not answers (see `FromIndex`), and for its end. */
export type WorkerEvents = {
  readonly [Type in Told]: (event: Extract<FromIndex, { readonly type: Type }>) => void;
} & {
  readonly ready: () => void;
  /** The process was silent while it followed the store or wrote an image, and is killed. */
  readonly stalled: (message: string) => void;
  /** The process has ended. @param reason why, if known */
  readonly ended: (reason: string) => void;
};

type Imaged = Omit<Extract<FromIndex, { readonly type: "imaged" }>, "type">;

interface Running {
  /** Where the process may write its answer. What others read of their answers meanwhile does not change that. */
  readonly room: SpoolRoom;
  readonly resolve: (result: QueryResult | undefined) => void;
  readonly reject: (error: Error) => void;
}

/** The number of characters that are kept of a process's standard error. */
const MAX_STDERR = 4_000;

/** Matches the messages of V8 and Node when memory cannot be allocated. WebAssembly reserves 10 GB of address space before it uses any. */
const NO_MEMORY = /out of memory|process OOM|cannot allocate|ENOMEM/i;

export class IndexWorker {
  readonly #process: ChildProcess;
  readonly #spool = new Spool();
  /** The timer that expires when the process has been silent for too long. */
  #silence: NodeJS.Timeout | undefined;
  #running: Running | undefined;
  #outcome: Promise<unknown> | undefined;
  #following: ((isUpToDate: boolean) => void) | undefined;
  standing: IndexStanding | undefined;
  #imaging: { readonly isUrgent: boolean; readonly done: (imaged: Imaged) => void } | undefined;
  /** The resident memory at the beginning of the running query, in bytes. In the first query it is `undefined` until the process is prepared. */
  #memoryBefore: number | undefined;
  #isPrepared = false;
  /** When the process last did something that changed its memory, by `performance.now`. */
  #busyAt = performance.now();
  progress = { done: 0, total: 0 };
  #isEnding = false;
  #hasEnded = false;
  /** Its standard error until it was filled, and the reason if it could not be. */
  #stderr = "";
  #reason: string | undefined;

  constructor(
    readonly settings: IndexSettings,
    private readonly patience: Patience,
    private readonly events: WorkerEvents,
  ) {
    try {
      this.#process = fork(PROCESS_FILE, {
        serialization: "advanced",
        execArgv: ["--max-old-space-size=2048"],
        stdio: ["ignore", "ignore", "pipe", "ipc", this.#spool.descriptor],
      });
    } catch (error) {
      this.#spool.close();
      throw error;
    }
    this.#process.on("message", (message: FromIndex) => this.#take(message));
    this.#process.stderr?.on("data", (chunk: Buffer) => {
      // Kept until the process is filled, to explain a failure; afterwards passed on to the log.
      if (this.standing === undefined) this.#stderr = (this.#stderr + chunk.toString()).slice(-MAX_STDERR);
      else process.stderr.write(chunk);
    });
    const ended = (cause: Error | number | null): void => {
      if (this.#hasEnded) return;
      this.#hasEnded = true;
      clearTimeout(this.#silence);
      this.#spool.close();
      this.#following?.(false);
      this.#imaging?.done({});
      const detail = "The query ended the process that ran it: it needs too much memory, or is nested too deeply.";
      this.#ended()?.reject(new QueryRefusedError("too-large", detail));
      events.ended(this.#reason ?? reasonOf(this.#stderr, cause));
    };
    // "close" comes after all output was read.
    this.#process.once("close", ended);
    this.#process.once("error", ended);
    this.#send({ type: "fill", settings });
    this.#expect(patience.filling);
  }

  get number(): number {
    return this.#process.pid ?? 0;
  }

  /** Whether the process is filled and has not ended, even if it is busy. */
  get isAlive(): boolean {
    return this.standing !== undefined && !this.#isEnding && !this.#hasEnded;
  }

  get isIdle(): boolean {
    const isHeld = this.#imaging?.isUrgent === true;
    return this.isAlive && this.#running === undefined && this.#following === undefined && !isHeld;
  }

  /** For how many milliseconds the process has been idle, apart from following without changes; `undefined` if it is busy or writes an image. */
  get stillFor(): number | undefined {
    return this.isIdle && this.#imaging === undefined ? performance.now() - this.#busyAt : undefined;
  }

  /** Write the index image; the process must be idle. @param isUrgent whether queries wait until it is written; otherwise they abort it */
  image(isUrgent: boolean): Promise<Imaged> {
    return new Promise((resolve) => {
      const done = (imaged: Imaged): void => {
        this.#imaging = undefined;
        if (isUrgent) clearTimeout(this.#silence);
        resolve(imaged);
      };
      this.#imaging = { isUrgent, done };
      // Otherwise, the next query or change ends the writing, and has a limit of its own.
      if (isUrgent) this.#expect(this.patience.imaging);
      this.#send({ type: "image", isUrgent });
    });
  }

  /** Follow the store. Resolves to false if there were too many changes, or the process ended. */
  follow(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#following = resolve;
      this.#expect(this.patience.following);
      this.#send({ type: "follow" });
    });
  }

  /** Run a query in an idle process, which is killed at a limit. Resolves to `undefined` if it needs the named graphs of all records. Rejects with `QueryRefusedError`. @param memory in bytes, beside the index */
  async query(request: QueryRequest, { timeout, signal }: QueryContext, memory: number) {
    const outcome = new Promise<QueryResult | undefined>((resolve, reject) => {
      const { room } = this.#spool;
      this.#running = { room, resolve, reject };
      this.#busyAt = Number.POSITIVE_INFINITY;
      this.#send({ type: "query", request, room });
    });
    this.#outcome = outcome;
    const late = `The query took longer than ${timeout / 1_000} seconds.`;
    const deadline = setTimeout(() => this.close(new QueryRefusedError("timeout", late)), Math.min(timeout, MAX_TIMER));
    let alone: NodeJS.Timeout | undefined;
    const leave = (): void => {
      alone = setTimeout(() => this.close(abandoned()), ALONE);
    };
    using _leaving = signal && addAbortListener(signal, leave);
    const watch = this.#watch(memory);
    try {
      return await outcome;
    } finally {
      clearTimeout(deadline);
      clearTimeout(alone);
      clearInterval(watch);
    }
  }

  async finished(): Promise<void> {
    await this.#outcome?.catch(() => {});
  }

  /** End the process, and reject its running query; by default, because the service is closing. */
  close(refusal = closing()): void {
    // End the process first, so that it no longer counts as idle.
    this.end();
    this.#ended()?.reject(refusal);
  }

  /** Kill the process, whatever it is doing. */
  end(): void {
    this.#isEnding = true;
    this.#process.kill("SIGKILL");
  }

  /** Kill the process if it stays silent for this many milliseconds. */
  #expect(patience: number): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      this.#reason = `an index process was silent for ${patience / 1_000} s`;
      if (this.standing !== undefined) this.events.stalled(this.#reason);
      this.end();
    }, patience).unref();
  }

  #watch(most: number): NodeJS.Timeout {
    this.#memoryBefore = this.#isPrepared ? residentMemory(this.number) : undefined;
    return setInterval(() => {
      if (residentMemory(this.number) - (this.#memoryBefore ?? Number.POSITIVE_INFINITY) <= most) return;
      const detail = `The query took more than ${Math.round(most / 2 ** 20)} MiB of memory.`;
      this.close(new QueryRefusedError("too-large", detail));
    }, WATCH_INTERVAL);
  }

  #take(message: FromIndex): void {
    if (message.type === "filling") {
      this.progress = { done: message.done, total: message.total };
      this.#silence?.refresh();
    } else if (message.type === "ready") {
      clearTimeout(this.#silence);
      const isFirst = this.standing === undefined;
      if (message.standing.sequence !== this.standing?.sequence) this.#busyAt = performance.now();
      this.standing = message.standing;
      if (isFirst) this.events.ready();
      else this.#followed(true);
    } else if (message.type === "prepared") {
      this.#isPrepared = true;
      this.#memoryBefore = message.memory;
    } else if (message.type === "answered") {
      const { kind, sequence, body, standing } = message;
      this.standing = standing;
      const running = this.#ended();
      if (running === undefined) return;
      const kept = typeof body === "number" ? this.#spool.answer(running.room.start, body) : inMemory(body);
      running.resolve({ kind, sequence, ...kept });
    } else if (message.type === "refused") {
      this.#ended()?.reject(new QueryRefusedError(message.reason, message.message, message.position));
    } else if (message.type === "imaged") this.#imaging?.done(message);
    else if (message.type === "unreadable") this.#reason = message.message;
    else if (message.type === "behind") this.#followed(false);
    else if (message.type === "needs graphs") this.#ended()?.resolve(undefined);
    else this.events[message.type](message as never);
  }

  #followed(isUpToDate: boolean): void {
    clearTimeout(this.#silence);
    const following = this.#following;
    this.#following = undefined;
    following?.(isUpToDate);
  }

  /** The query that was running until now. */
  #ended(): Running | undefined {
    const running = this.#running;
    this.#running = undefined;
    this.#busyAt = performance.now();
    return running;
  }

  #send(message: ToIndex): void {
    // Errors are ignored: that a process is ending or could not be started is reported as an event.
    this.#process.send?.(message, () => {});
  }
}

/** Why a process ended, from its standard error and the cause: an error, a status, or `null` for a signal. */
function reasonOf(stderr: string, cause: Error | number | null): string {
  if (cause instanceof Error) return cause.message;
  if (NO_MEMORY.test(stderr)) return NO_ROOM;
  const error = /^\w*Error\b.*/m.exec(stderr)?.[0];
  const how = cause === null ? "was killed, as by the kernel when memory is short" : `ended with status ${cause}`;
  return error ?? `its process ${how}`;
}

const NO_ROOM =
  "the system does not give its process the memory that it needs. WebAssembly reserves 10 GB of address space, so a limit " +
  "(ulimit -v) must be raised or removed";
