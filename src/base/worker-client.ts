/** Worker threads and their clients: questions are answered in order, bytes are transferred, errors keep their class, and a lost thread rejects its open questions. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { parentPort, Worker, workerData } from "node:worker_threads";
import { NamedError } from "./named-error.js";

/** The tasks of a thread, by name. Each takes one value; a task that returns an `AsyncIterable` is answered in parts. */
export type Tasks<T> = { readonly [Name in keyof T]: (question: never) => unknown };

/** What a task answers, awaited. */
export type AnswerTo<T extends Tasks<T>, Name extends keyof T> = Promise<Awaited<ReturnType<T[Name]>>>;

type PartOf<Answer> = Answer extends AsyncIterable<infer Part> ? Part : never;

/** A message to a thread: a question, or the order to end before the next question. */
type ToThread = { readonly task: string; readonly question: unknown } | { readonly end: true };

/** A message from a thread. It answers the oldest open question. */
type FromThread = { readonly part: unknown } | { readonly answer: unknown } | Failed;

/** An error with the names of its classes, most specific first, and its members, since a message between threads drops both. */
interface Failed {
  readonly error: Error;
  readonly classes: readonly string[];
  readonly members: object;
}

export interface WorkerSettings {
  /** The thread's name in errors: `a thread that ...`. */
  readonly name: string;
  /** The compiled module that the thread runs. It calls `answerTasks`. */
  readonly module: URL;
  readonly data: unknown;
  /** Error classes to restore. An error whose class is not listed gets its nearest listed superclass. */
  readonly errors?: readonly { readonly name: string; readonly prototype: Error }[];
  /** The thread's memory limit, in MiB. */
  readonly memory?: number;
  /** The milliseconds after which a thread that gives no answer, and no part of one, is ended. Default: never. */
  readonly patience?: number;
  /** Whether the process may exit while the thread works. */
  readonly isBackground?: boolean;
}

const PARTS_OF_PATIENCE = 6;

export class ThreadLostError extends NamedError {}

const transferred = new WeakMap<object, ArrayBuffer[]>();

/** Mark bytes of a question, an answer or a part for transfer: they are moved instead of copied, and are unusable on this side afterwards. */
export function withMoved<T extends object>(value: T, ...bytes: readonly ArrayBufferView[]): T {
  const buffers = bytes.map(({ buffer }) => buffer as ArrayBuffer);
  transferred.set(value, buffers);
  return value;
}

/** Bytes joined in an `ArrayBuffer` of their own, so that `withMoved` can move them. */
export function joinedBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function movedOf(value: unknown): ArrayBuffer[] {
  return (value instanceof Object ? transferred.get(value) : undefined) ?? [];
}

/** The client of a thread. It must be closed or terminated. A thread that cannot be started is lost. */
export class WorkerClient<T extends Tasks<T>> {
  readonly #worker: Worker | undefined;
  readonly #waiting: { onPart(part: unknown): void; resolve(answer: unknown): void; reject(error: Error): void }[] = [];
  readonly #ended: Promise<void> | undefined;
  /** The time of the oldest question. */
  #timer: NodeJS.Timeout | undefined;
  #loss: Error | undefined;
  /** Whether its time is over, and it has not ended yet: native code, such as SQLite, ends only when it returns. */
  isHung = false;
  /** Whether `close` or `terminate` waits for the thread to end. An answer that arrives meanwhile must not let the process exit. */
  #isClosing = false;

  constructor(private readonly settings: WorkerSettings) {
    const { module, data, memory } = settings;
    const limits = memory === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: memory } };
    try {
      const worker = new Worker(module, { workerData: data, ...limits });
      worker.unref();
      worker.on("message", (message: FromThread) => this.#receive(message));
      worker.on("error", (cause) => this.#lose(`ended in the middle of its work: ${cause.message}`, cause));
      this.#worker = worker;
      this.#ended = new Promise((resolve) => {
        worker.once("exit", (status) => {
          this.isHung = false;
          this.#lose(`ended in the middle of its work: it exited with status ${status}`);
          resolve();
        });
      });
    } catch (cause) {
      // The system has no more threads, for example.
      this.#lose(`cannot be started: ${(cause as Error).message}`, cause);
    }
  }

  get pending(): number {
    return this.#waiting.length;
  }

  get isLost(): boolean {
    return this.#loss !== undefined;
  }

  /** Ask a question. Rejects with what the task throws, or with `ThreadLostError`. The caller may handle a rejection late. */
  ask<Name extends keyof T & string>(task: Name, question: Parameters<T[Name]>[0]): AnswerTo<T, Name> {
    return this.#send(task, question, () => {}) as AnswerTo<T, Name>;
  }

  /** Ask a question that is answered in parts. Resolves after the last part. */
  async askParts<Name extends keyof T & string>(
    task: Name,
    question: Parameters<T[Name]>[0],
    onPart: (part: PartOf<ReturnType<T[Name]>>) => void,
  ): Promise<void> {
    await this.#send(task, question, onPart as (part: unknown) => void);
  }

  /** End the thread after its current answer. Resolves when it has closed its resources. @param grace milliseconds until it is terminated */
  async close(grace?: number): Promise<void> {
    this.#isClosing = true;
    this.#worker?.ref();
    this.#worker?.postMessage({ end: true } satisfies ToThread);
    const late = grace === undefined ? undefined : setTimeout(() => void this.#worker?.terminate(), grace);
    await this.#ended?.finally(() => clearTimeout(late));
  }

  async terminate(): Promise<void> {
    this.#isClosing = true;
    await this.#worker?.terminate();
  }

  #send(task: string, question: unknown, onPart: (part: unknown) => void): Promise<unknown> {
    const answer = new Promise<unknown>((resolve, reject) => {
      if (this.#loss !== undefined) throw this.#loss;
      this.#worker!.postMessage({ task, question } satisfies ToThread, movedOf(question));
      if (this.#waiting.push({ onPart, resolve, reject }) === 1) this.#watch();
      if (this.settings.isBackground !== true) this.#worker!.ref();
    });
    answer.catch(() => {});
    return answer;
  }

  #receive(message: FromThread): void {
    const [first] = this.#waiting;
    // Node may pass on answers after the error that ended the thread.
    if (first === undefined) return;
    if ("part" in message) first.onPart(message.part);
    else {
      this.#waiting.shift();
      if (this.#waiting.length === 0 && !this.#isClosing) this.#worker!.unref();
      if ("answer" in message) first.resolve(message.answer);
      else first.reject(errorOf(message, this.settings.errors));
    }
    this.#watch();
  }

  /** Give the oldest question its time, from now on. Its parts are counted, since after a pause of the process the clock would accuse every thread. */
  #watch(): void {
    clearInterval(this.#timer);
    const { patience } = this.settings;
    if (patience === undefined || this.#waiting.length === 0) return;
    let left = PARTS_OF_PATIENCE;
    this.#timer = setInterval(() => {
      if (--left > 0) return;
      this.isHung = true;
      this.#lose(`ended in the middle of its work: it gave no answer for ${patience / 1_000} s`);
      void this.#worker?.terminate();
    }, patience / PARTS_OF_PATIENCE).unref();
  }

  #lose(problem: string, cause?: unknown): void {
    clearInterval(this.#timer);
    this.#loss ??= new ThreadLostError(`${this.settings.name} ${problem}. Nothing was changed; try again`, { cause });
    for (const { reject } of this.#waiting.splice(0)) reject(this.#loss);
  }
}

function errorOf({ error, classes, members }: Failed, known: WorkerSettings["errors"] = []): Error {
  const nearest = classes.flatMap((name) => known.find((each) => each.name === name) ?? [])[0];
  if (nearest !== undefined) Object.setPrototypeOf(error, nearest.prototype);
  return Object.assign(error, members);
}

/** A thread's implementation of its tasks, and how it closes its resources. */
type Answering<T extends Tasks<T>> = {
  readonly [Name in keyof T]: (question: Parameters<T[Name]>[0]) => ReturnType<T[Name]> | AnswerTo<T, Name>;
} & { close?(): Promise<void> | void };

/** Answer the questions to this thread. @param begin creates the tasks from the client's `data`; if it rejects, every question is answered with that error */
export function answerTasks<T extends Tasks<T>, Data>(begin: (data: Data) => Promise<Answering<T>>): void {
  const begun = begin(workerData as Data);
  let isEnding = false;
  let last: Promise<unknown> = Promise.allSettled([begun]);
  const next = async (message: ToThread): Promise<void> => {
    // Lets the order to end arrive between two questions.
    await nextTurn();
    if ("task" in message) return isEnding ? undefined : answer(begun, message.task as keyof T, message.question);
    await begun.then((tasks) => tasks.close?.()).catch(() => {});
    parentPort!.close();
  };
  parentPort!.on("message", (message: ToThread) => {
    isEnding ||= "end" in message;
    last = last.then(() => next(message));
  });
}

async function answer<T extends Tasks<T>>(begun: Promise<Answering<T>>, task: keyof T, given: unknown): Promise<void> {
  const post = (message: FromThread, value?: unknown): void => parentPort!.postMessage(message, movedOf(value));
  try {
    const answered: unknown = await (await begun)[task](given as never);
    if (answered instanceof Object && Symbol.asyncIterator in answered) {
      for await (const part of answered as AsyncIterable<unknown>) post({ part }, part);
      post({ answer: undefined });
    } else post({ answer: answered }, answered);
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const classes: string[] = [];
    for (let of = Object.getPrototypeOf(error); of !== Error.prototype; of = Object.getPrototypeOf(of))
      classes.push((of.constructor as { name: string }).name);
    const cause = error.cause === undefined ? {} : { cause: error.cause };
    post({ error, classes, members: { ...error, ...cause } });
  }
}
