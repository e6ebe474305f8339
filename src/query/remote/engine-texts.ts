/** The texts of queries and results of engines, which a thread reads and converts: the largest take seconds, in which no request would be answered. */
import { addAbortListener } from "node:events";
import { builtModule } from "../../base/package-files.js";
import { MAX_TIMER } from "../../base/timer.js";
import { ThreadLostError, WorkerClient } from "../../base/worker-client.js";
import { type QueryContext, QueryRefusedError } from "../engine.js";
import type { QueryText } from "../query-text.js";
import { abandoned, FairTurns } from "../waiting.js";
import type { EngineAnswer } from "./engine-results.js";

/** The tasks of the thread. Both throw `QueryRefusedError`. */
export type EngineTextTasks = {
  read(query: string): QueryText;
  convert(answer: EngineAnswer): Uint8Array;
};

const SETTINGS = {
  name: "the thread for queries and results",
  module: builtModule("query/remote/engine-texts-thread.js"),
  data: undefined,
  errors: [QueryRefusedError],
  /** In MiB. */
  memory: 2_048,
};

let thread: WorkerClient<EngineTextTasks> | undefined;
const turns = new FairTurns(1);

/** Ask the thread when it is the client's turn. Throws `QueryRefusedError`. */
export async function askedOfThread<Name extends keyof EngineTextTasks>(
  task: Name,
  question: Parameters<EngineTextTasks[Name]>[0],
  asking: QueryContext,
): Promise<Awaited<ReturnType<EngineTextTasks[Name]>>> {
  let answer: Awaited<ReturnType<EngineTextTasks[Name]>>;
  const run = async (): Promise<undefined> => {
    if (thread === undefined || thread.isLost) thread = new WorkerClient(SETTINGS);
    answer = await within(asking, thread.ask(task, question), thread);
  };
  await turns.run(asking, { run, isAgain: task === "convert" });
  return answer!;
}

/** The thread's answer. The thread is ended at the query's time limit, and when nobody waits any more. Throws `QueryRefusedError`. */
async function within<T>({ timeout, signal }: QueryContext, answer: Promise<T>, asked: { terminate(): Promise<void> }) {
  const late = new AbortController();
  const stop = AbortSignal.any([late.signal, ...(signal === undefined ? [] : [signal])]);
  const refusal = new QueryRefusedError("timeout", `The query took longer than ${timeout / 1_000} seconds.`);
  const timer = setTimeout(() => late.abort(refusal), Math.min(timeout, MAX_TIMER));
  using _ending = addAbortListener(stop, () => void asked.terminate());
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ThreadLostError)) throw error;
    if (stop.aborted) throw stop.reason instanceof QueryRefusedError ? stop.reason : abandoned();
    throw new QueryRefusedError("too-large", "The query or its result takes too much memory to be read.");
  } finally {
    clearTimeout(timer);
  }
}
