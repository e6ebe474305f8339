/** A thread that the clients of a service share. They take turns. A question that no client waits for any more is skipped. */
import { entryOf } from "./entries.js";
import { type AnswerTo, type Tasks, WorkerClient, type WorkerSettings } from "./worker-client.js";

/** A client that asks. */
export interface Asker {
  /** Identifies the client, as rate limits do. */
  readonly client: string;
  /** Aborted when it no longer waits. */
  readonly signal: Pick<AbortSignal, "aborted">;
}

/** The clients that wait for one answer. Others may join them later. `undefined` stands for a client that never gives up. */
export type Askers = (Asker | undefined)[];

/** Whether no client waits for the answer any more. */
export function areGone(askers: Askers): boolean {
  return askers.every((each) => each?.signal.aborted);
}

/** The number of questions that the thread has at a time: the one that it answers, and the next, so that it need not wait for this thread. */
const AT_ONCE = 2;

/** The milliseconds that the thread may take for a question, while all clients wait. Then it is ended. */
export const MAX_ANSWER_TIME = 60_000;

interface Settings extends Omit<WorkerSettings, "patience"> {
  /** The maximum number of unanswered questions. Beyond it, the client that has the most waiting loses one. */
  readonly most: number;
  /** The error for a question that gets no turn, or comes while a thread hangs. */
  readonly refusal: () => Error;
}

interface Waiting {
  readonly askers: Askers;
  begin(): Promise<void>;
  refuse(): void;
}

/** Starts the thread for the first question, and again after it ended. It must be closed. */
export class SharedThread<T extends Tasks<T>> {
  #thread: WorkerClient<T> | undefined;
  /** The questions by client. The client whose turn comes next is first. */
  readonly #waiting = new Map<string, Waiting[]>();
  #asked = 0;

  constructor(private readonly settings: Settings) {}

  /** Ask a question when its turn comes. Rejects as `WorkerClient.ask`, or with the refusal. */
  ask<Name extends keyof T & string>(task: Name, question: Parameters<T[Name]>[0], askers: Askers): AnswerTo<T, Name> {
    return new Promise((resolve, reject) => {
      const begin = async (): Promise<void> => {
        this.#asked++;
        try {
          // Further threads might hang beside it, in the same question.
          if (this.#thread?.isHung) throw this.settings.refusal();
          if (this.#thread === undefined || this.#thread.isLost)
            this.#thread = new WorkerClient({ ...this.settings, patience: MAX_ANSWER_TIME });
          resolve(await this.#thread.ask(task, question));
        } catch (error) {
          reject(error);
        }
        this.#asked--;
        this.#dispatch();
      };
      this.#add(askers[0]?.client ?? "", { askers, begin, refuse: () => reject(this.settings.refusal()) });
      this.#dispatch();
    });
  }

  /** Refuse what waits, and end the thread. @param grace as for `WorkerClient.close` */
  async close(grace: number): Promise<void> {
    const waiting = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    for (const each of waiting) each.refuse();
    await this.#thread?.close(grace);
  }

  #add(client: string, question: Waiting): void {
    const own = entryOf(this.#waiting, client, () => []);
    own.push(question);
    const all = [...this.#waiting.values()];
    if (this.#asked + all.reduce((sum, { length }) => sum + length, 0) <= this.settings.most) return;
    const longest = all.reduce((left, right) => (right.length > left.length ? right : left), own);
    // One that nobody waits for, or else the last.
    const at = longest.findIndex(({ askers }) => areGone(askers));
    longest.splice(at, 1)[0]!.refuse();
  }

  #dispatch(): void {
    for (const [client, questions] of this.#waiting) {
      if (this.#asked >= AT_ONCE) return;
      this.#waiting.delete(client);
      const next = questions.shift();
      if (questions.length > 0) this.#waiting.set(client, questions);
      if (next === undefined || areGone(next.askers)) next?.refuse();
      else void next.begin();
    }
  }
}
