/** One index process as the service sees it: it is filled, follows, answers one query at a time, and may die at any moment. */
import { type ChildProcess, fork } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { compiled } from "../../compiled.js";
import { QueryRefusedError, type QueryRequest, type QueryResult } from "../query-request.js";
import type { FromIndex, IndexSettings, IndexStanding, RefusedRecord, ToIndex } from "./index-messages.js";

const PROCESS_FILE = fileURLToPath(compiled(import.meta.url, "./index-process.js"));

const PAGE_BYTES = 4_096;
/** How often a query's memory is looked at, in milliseconds. */
const WATCH_INTERVAL = 200;

export interface QueryLimits {
  /** Milliseconds that a query may take. */
  readonly timeout: number;
  /** Bytes that a query may take beyond the index itself. */
  readonly memory: number;
}

export interface WorkerEvents {
  /** Filled. */
  readonly ready: () => void;
  /** A record could not be read, and was left out. */
  readonly damaged: (message: string) => void;
  /** It ended at a record that Oxigraph does not take in. */
  readonly cannotTake: (record: RefusedRecord) => void;
  /** It could not be filled into its memory. */
  readonly doesNotFit: (message: string) => void;
  /** The process is gone. */
  readonly ended: () => void;
}

/** The query needs a store with the named graphs of all records. */
export const NEEDS_GRAPHS = Symbol("needs graphs");

interface Running {
  /** Resolves when the query has its outcome, whichever. */
  readonly settled: Promise<void>;
  readonly pieces: Uint8Array[];
  readonly resolve: (result: QueryResult | typeof NEEDS_GRAPHS) => void;
  readonly reject: (error: Error) => void;
}

export class IndexWorker {
  readonly #process: ChildProcess;
  #running: Running | undefined;
  #following: ((isUpToDate: boolean) => void) | undefined;
  #standing: IndexStanding | undefined;
  /** Triples that were read, and how many there are. */
  #progress = { done: 0, total: 0 };
  #isEnding = false;
  #hasEnded = false;

  constructor(settings: IndexSettings, events: WorkerEvents) {
    this.#process = fork(PROCESS_FILE, {
      serialization: "advanced",
      execArgv: ["--max-old-space-size=2048"],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.#process.on("message", (message: FromIndex) => this.#take(message, events));
    const ended = (): void => {
      if (this.#hasEnded) return;
      this.#hasEnded = true;
      this.#following?.(false);
      this.#refuse("The query ended the process that ran it: it needs too much memory, or is nested too deeply.");
      events.ended();
    };
    this.#process.once("exit", ended);
    this.#process.once("error", ended);
    this.#send({ type: "fill", settings });
  }

  /** The number of its process. */
  get number(): number {
    return this.#process.pid ?? 0;
  }

  /** How it stands once it is filled. */
  get standing(): IndexStanding | undefined {
    return this.#standing;
  }

  get progress(): { readonly done: number; readonly total: number } {
    return this.#progress;
  }

  /** Whether it answers, or will when it has done what it does. */
  get isAlive(): boolean {
    return this.#standing !== undefined && !this.#isEnding && !this.#hasEnded;
  }

  /** Whether it can be given something to do. */
  get isIdle(): boolean {
    return this.isAlive && this.#running === undefined && this.#following === undefined;
  }

  /** Take over what changed in the store. Resolves to false when that was too much, or the process ended. */
  follow(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#following = resolve;
      this.#send({ type: "follow" });
    });
  }

  /** Run a query; the process has to be idle. Rejects with `QueryRefusedError`. At a limit the process is ended. */
  async query(request: QueryRequest, { timeout, memory }: QueryLimits): Promise<QueryResult | typeof NEEDS_GRAPHS> {
    const outcome = new Promise<QueryResult | typeof NEEDS_GRAPHS>((resolve, reject) => {
      let settle = (): void => {};
      const settled = new Promise<void>((done) => {
        settle = done;
      });
      this.#running = {
        settled,
        pieces: [],
        resolve: (result) => {
          settle();
          resolve(result);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      };
      this.#send({ type: "query", request });
    });
    const deadline = setTimeout(
      () => {
        // First the end, so that it is no more taken for idle.
        this.end();
        this.#reject(new QueryRefusedError("timeout", `The query took longer than ${timeout / 1_000} seconds.`));
      },
      Math.min(timeout, LONGEST_TIMER),
    );
    const watch = this.#watch(memory);
    try {
      return await outcome;
    } finally {
      clearTimeout(deadline);
      clearInterval(watch);
    }
  }

  /** Resolves when it runs no query any more. */
  async finished(): Promise<void> {
    await this.#running?.settled;
  }

  /** End the process, whatever it does. */
  end(): void {
    this.#isEnding = true;
    this.#process.kill("SIGKILL");
  }

  /** Resident memory in bytes, or 0 where that is not known. */
  async memory(): Promise<number> {
    const statm = await readFile(`/proc/${this.#process.pid}/statm`, "utf8").catch(() => "");
    return Number(statm.split(" ")[1] ?? 0) * PAGE_BYTES;
  }

  #watch(most: number): NodeJS.Timeout {
    const before = this.memory();
    return setInterval(async () => {
      if ((await this.memory()) - (await before) <= most || this.#running === undefined) return;
      this.end();
      this.#refuse(`The query took more than ${Math.round(most / 2 ** 20)} MiB of memory.`);
    }, WATCH_INTERVAL);
  }

  #take(message: FromIndex, events: WorkerEvents): void {
    switch (message.type) {
      case "filling":
        this.#progress = { done: message.done, total: message.total };
        return;
      case "damaged":
        events.damaged(message.message);
        return;
      case "cannot take":
        events.cannotTake(message.record);
        return;
      case "does not fit":
        events.doesNotFit(message.message);
        return;
      case "ready": {
        const isFirst = this.#standing === undefined;
        this.#standing = message.standing;
        if (isFirst) events.ready();
        else this.#followed(true);
        return;
      }
      case "behind":
        this.#followed(false);
        return;
      case "piece":
        this.#running?.pieces.push(message.bytes);
        return;
      case "answered": {
        const { kind, format, rows, standing } = message;
        this.#standing = standing;
        const body = this.#running?.pieces ?? [];
        this.#settle(({ resolve }) => resolve({ kind, format, rows, sequence: standing.sequence, body }));
        return;
      }
      case "needs graphs":
        this.#settle(({ resolve }) => resolve(NEEDS_GRAPHS));
        return;
      case "refused":
        this.#reject(new QueryRefusedError(message.reason, message.message, message.position));
    }
  }

  #followed(isUpToDate: boolean): void {
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
    if (running !== undefined) how(running);
  }

  #send(message: ToIndex): void {
    // A process that is just ending takes nothing; that it ended comes as an event.
    this.#process.send(message, () => {});
  }
}

/** Timers take no more milliseconds than this. */
const LONGEST_TIMER = 2 ** 31 - 1;
