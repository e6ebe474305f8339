/** One index process as the service sees it: it is filled, follows, answers one query at a time, and may die at any moment. */
import { type ChildProcess, fork } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { builtModule } from "../../base/package-files.js";
import {
  inMemory,
  MAX_TIMER,
  type QueryContext,
  QueryRefusedError,
  type QueryRequest,
  type QueryResult,
} from "../engine.js";
import { abandoned, closing } from "../waiting.js";
import type { FromIndex, IndexSettings, IndexStanding, ToIndex } from "./index-messages.js";
import { Spool } from "./spool.js";

const PROCESS_FILE = fileURLToPath(builtModule("query/oxigraph/index-process.js"));

const PAGE_BYTES = 4_096;
/** How often a query's memory is looked at, in milliseconds. */
const WATCH_INTERVAL = 200;

/** How long a process may be silent before it is taken for stalled, in milliseconds. */
export interface Patience {
  /** While it takes over what changed. */
  readonly following: number;
  /** Between two signs of how far it has read. */
  readonly filling: number;
}

/** A query whose client has gone may end by itself for so long: that is cheaper than another process. In milliseconds. */
const ALONE = 1_000;

/** A message of the process that belongs to no question. */
type IndexEvent = Extract<FromIndex, { readonly type: "image refused" | "damaged" | "cannot take" | "does not fit" }>;

type OnIndexEvent = {
  readonly [Type in IndexEvent["type"]]: (told: Extract<IndexEvent, { readonly type: Type }>) => void;
};

export interface WorkerEvents extends OnIndexEvent {
  readonly ready: () => void;
  /** It was silent while it took over what changed, and is ended. */
  readonly stalled: (message: string) => void;
  /** The process is gone. @param reason why it ended by itself, as far as it said so */
  readonly ended: (reason: string) => void;
}

type Imaged = Omit<Extract<FromIndex, { readonly type: "imaged" }>, "type">;

interface Running {
  readonly resolve: (result: QueryResult | undefined) => void;
  readonly reject: (error: Error) => void;
}

/** Characters that are kept of an index process's words to people. */
const MAX_WORDS = 4_000;

/** The messages of V8 and Node where memory is not to be had: WebAssembly reserves 10 GB of addresses before it takes any. */
const NO_MEMORY = /out of memory|process OOM|cannot allocate|ENOMEM/i;

export class IndexWorker {
  readonly #process: ChildProcess;
  readonly #spool = new Spool();
  /** Runs out when the process has been silent for too long. */
  #silence: NodeJS.Timeout | undefined;
  #running: Running | undefined;
  /** That of the last query. */
  #outcome: Promise<unknown> | undefined;
  #following: ((isUpToDate: boolean) => void) | undefined;
  standing: IndexStanding | undefined;
  #imaging: { readonly isUrgent: boolean; readonly done: (imaged: Imaged) => void } | undefined;
  /** The resident memory that its query began with, in bytes; of its first, `undefined` until it is prepared for queries. */
  #memoryBefore: Promise<number> | undefined;
  #isPrepared = false;
  /** When it last had something to do that changed its memory, in milliseconds of the process's clock. */
  #busyAt = performance.now();
  progress = { done: 0, total: 0 };
  #isEnding = false;
  #hasEnded = false;
  /** Its words to people until it was filled, and why it could not be. */
  #words = "";
  #reason: string | undefined;

  constructor(
    readonly settings: IndexSettings,
    private readonly patience: Patience,
    private readonly events: WorkerEvents,
  ) {
    this.#process = fork(PROCESS_FILE, {
      serialization: "advanced",
      execArgv: ["--max-old-space-size=2048"],
      stdio: ["ignore", "ignore", "pipe", "ipc", this.#spool.descriptor],
    });
    this.#process.on("message", (message: FromIndex) => this.#take(message));
    this.#process.stderr?.on("data", (chunk: Buffer) => this.#hear(chunk));
    const ended = (cause: Error | number | null): void => {
      if (this.#hasEnded) return;
      this.#hasEnded = true;
      clearTimeout(this.#silence);
      this.#spool.close();
      this.#following?.(false);
      this.#imaging?.done({});
      this.#refuse("The query ended the process that ran it: it needs too much memory, or is nested too deeply.");
      events.ended(this.#reason ?? reasonOf(this.#words, cause));
    };
    // Not before it is heard out.
    this.#process.once("close", ended);
    this.#process.once("error", ended);
    this.#send({ type: "fill", settings });
    this.#expect(patience.filling);
  }

  get number(): number {
    return this.#process.pid ?? 0;
  }

  /** Whether it answers, or will when it has done what it does. */
  get isAlive(): boolean {
    return this.standing !== undefined && !this.#isEnding && !this.#hasEnded;
  }

  get isIdle(): boolean {
    const isHeld = this.#imaging?.isUrgent === true;
    return this.isAlive && this.#running === undefined && this.#following === undefined && !isHeld;
  }

  /** For how many milliseconds it has had nothing to do, but for looking whether something changed. */
  get stillFor(): number {
    return this.isIdle && this.#imaging === undefined ? performance.now() - this.#busyAt : 0;
  }

  /** Write the index image; the process has to be idle. @param isUrgent whether queries wait for it, else they end it */
  image(isUrgent: boolean): Promise<Imaged> {
    return new Promise((resolve) => {
      const done = (imaged: Imaged): void => {
        this.#imaging = undefined;
        resolve(imaged);
      };
      this.#imaging = { isUrgent, done };
      this.#send({ type: "image", isUrgent });
    });
  }

  /** Take over what changed in the store. Resolves to false when that was too much, or the process ended. */
  follow(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#following = resolve;
      this.#expect(this.patience.following);
      this.#send({ type: "follow" });
    });
  }

  /** Run a query in an idle process, which a limit ends. Resolves to `undefined` where it needs the named graphs of all records. Rejects with `QueryRefusedError`. @param memory bytes that it may take beyond the index */
  async query(
    request: QueryRequest,
    { timeout, signal }: QueryContext,
    memory: number,
  ): Promise<QueryResult | undefined> {
    const outcome = new Promise<QueryResult | undefined>((resolve, reject) => {
      this.#running = { resolve, reject };
      this.#busyAt = Number.POSITIVE_INFINITY;
      this.#send({ type: "query", request, spoolAt: this.#spool.free });
    });
    this.#outcome = outcome;
    const stop = (refusal: QueryRefusedError): void => {
      // First the end, so that it is no more taken for idle.
      this.end();
      this.#reject(refusal);
    };
    const late = `The query took longer than ${timeout / 1_000} seconds.`;
    const deadline = setTimeout(() => stop(new QueryRefusedError("timeout", late)), Math.min(timeout, MAX_TIMER));
    let alone: NodeJS.Timeout | undefined;
    const leave = (): void => {
      alone = setTimeout(() => stop(abandoned()), ALONE);
    };
    if (signal?.aborted === true) leave();
    else signal?.addEventListener("abort", leave, { once: true });
    const watch = this.#watch(memory);
    try {
      return await outcome;
    } finally {
      clearTimeout(deadline);
      clearTimeout(alone);
      clearInterval(watch);
      signal?.removeEventListener("abort", leave);
    }
  }

  async finished(): Promise<void> {
    await this.#outcome?.catch(() => {});
  }

  /** End the process, and tell who waits for a query that the service is closing. */
  close(): void {
    this.#isEnding = true;
    this.#reject(closing());
    this.end();
  }

  /** End the process, whatever it does. */
  end(): void {
    this.#isEnding = true;
    this.#process.kill("SIGKILL");
  }

  /** Resident memory in bytes, or 0 where that is not known. */
  async #memoryNow(): Promise<number> {
    const statm = await readFile(`/proc/${this.#process.pid}/statm`, "utf8").catch(() => "");
    return Number(statm.split(" ")[1] ?? 0) * PAGE_BYTES;
  }

  /** Wait for a sign of life; without one the process is ended, and another takes its place. */
  #expect(patience: number): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      this.#reason = `an index process was silent for ${patience / 1_000} s`;
      if (this.standing !== undefined) this.events.stalled(this.#reason);
      this.end();
    }, patience);
    this.#silence.unref();
  }

  #watch(most: number): NodeJS.Timeout {
    this.#memoryBefore = this.#isPrepared ? this.#memoryNow() : undefined;
    return setInterval(async () => {
      const before = await this.#memoryBefore;
      if (before === undefined || (await this.#memoryNow()) - before <= most || this.#running === undefined) return;
      this.end();
      this.#refuse(`The query took more than ${Math.round(most / 2 ** 20)} MiB of memory.`);
    }, WATCH_INTERVAL);
  }

  /** Until it is filled, its words are for whoever asks why it is not; then they are for the log. */
  #hear(chunk: Buffer): void {
    if (this.standing === undefined) this.#words = (this.#words + chunk.toString()).slice(-MAX_WORDS);
    else process.stderr.write(chunk);
  }

  #take(message: FromIndex): void {
    switch (message.type) {
      case "filling":
        this.progress = { done: message.done, total: message.total };
        this.#silence?.refresh();
        return;
      case "imaged":
        this.#imaging?.done(message);
        return;
      case "unreadable":
        this.#reason = message.message;
        return;
      case "ready": {
        clearTimeout(this.#silence);
        const isFirst = this.standing === undefined;
        if (message.standing.sequence !== this.standing?.sequence) this.#busyAt = performance.now();
        this.standing = message.standing;
        if (isFirst) this.events.ready();
        else this.#followed(true);
        return;
      }
      case "behind":
        this.#followed(false);
        return;
      case "prepared":
        this.#isPrepared = true;
        this.#memoryBefore = Promise.resolve(message.memory);
        return;
      case "answered": {
        const { kind, format, rows, body, standing } = message;
        this.standing = standing;
        if (this.#running === undefined) return;
        const kept = typeof body === "number" ? this.#spool.answer(this.#spool.free, body) : inMemory(body);
        this.#settle(({ resolve }) => resolve({ kind, format, rows, sequence: standing.sequence, ...kept }));
        return;
      }
      case "needs graphs":
        this.#settle(({ resolve }) => resolve(undefined));
        return;
      case "refused":
        this.#reject(new QueryRefusedError(message.reason, message.message, message.position));
        return;
      default:
        this.events[message.type](message as never);
    }
  }

  #followed(isUpToDate: boolean): void {
    clearTimeout(this.#silence);
    const following = this.#following;
    this.#following = undefined;
    following?.(isUpToDate);
  }

  #refuse(message: string): void {
    this.#reject(new QueryRefusedError("too-large", message));
  }

  #reject(error: Error): void {
    this.#settle(({ reject }) => reject(error));
  }

  #settle(how: (running: Running) => void): void {
    const running = this.#running;
    this.#running = undefined;
    this.#busyAt = performance.now();
    if (running !== undefined) how(running);
  }

  #send(message: ToIndex): void {
    // A process that is just ending takes nothing, and one that could not be started has no channel: both come as events.
    this.#process.send?.(message, () => {});
  }
}

/** Why a process ended, by its words and by what ended it: an error, a status, or `null` for a signal. */
function reasonOf(words: string, cause: Error | number | null): string {
  if (cause instanceof Error) return cause.message;
  if (NO_MEMORY.test(words)) return NO_ROOM;
  const error = /^\w*Error\b.*/m.exec(words)?.[0];
  return error ?? (cause === null ? "its process was killed" : `its process ended with status ${cause}`);
}

const NO_ROOM =
  "the system does not give its process the memory that it needs. WebAssembly reserves 10 GB of addresses, so that a limit " +
  "of them (ulimit -v) has to be higher or lifted";
