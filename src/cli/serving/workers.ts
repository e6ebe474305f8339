/** Several processes that serve one store. They are started, replaced when they die, and ended together. */
import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { pauseAfter } from "../../base/http-client.js";
import { UsageError } from "../settings/options.js";

/** The milliseconds after which a worker's death no longer counts as a failed start. */
const SETTLED = 10_000;
/** The shortest and the longest pause before replacing a worker that died at once, in milliseconds. */
const SHORTEST_PAUSE = 1_000;
const LONGEST_PAUSE = 60_000;
/** The milliseconds after which a worker that was asked to end is killed. */
const KILL_AFTER = 7_500;

/** How often a worker gives a sign of life, in milliseconds. */
export const SIGN_INTERVAL = 10_000;
/** A worker that gave no sign so many times hangs, and is killed. Times are counted, since after a pause of all processes the clock would accuse every worker. */
const MAX_MISSED = 6;

interface WorkersOptions {
  readonly count: number;
  /** The settings of workers: the socket on which this process answers the queries that they pass on, and the port that they share. */
  readonly given: GivenToWorker;
  readonly interrupted: AbortSignal;
  readonly onListening: (port: number) => void;
  readonly report: (message: string, isError?: boolean) => void;
}

/** The settings that the first process passes to each worker. */
export interface GivenToWorker {
  readonly inner: string;
  readonly port: number;
  /** The secret by which all workers hash clients in the same way. */
  readonly seed: string;
}

const GIVEN = "VITRINE_WORKER";

/** In a worker: the settings from the first process. `undefined` in any other process. */
export function givenToWorker(): GivenToWorker | undefined {
  const given = process.env[GIVEN];
  return cluster.isWorker && given !== undefined ? (JSON.parse(given) as GivenToWorker) : undefined;
}

/** The pause before a dead worker is replaced; it grows with each worker in succession that died at once. */
export function pauseBefore(deathsAtOnce: number): number {
  return deathsAtOnce === 0 ? 0 : pauseAfter(deathsAtOnce, SHORTEST_PAUSE, LONGEST_PAUSE);
}

/** Run this process's command line in several workers until interrupted. Dead workers are replaced. Throws `UsageError` when one ends before it has listened. */
export function superviseWorkers({ count, given, interrupted, onListening, report }: WorkersOptions): Promise<void> {
  const workers = new Set<Worker>();
  /** The number of workers that have not listened yet. */
  let missing = count;
  let failure: Error | undefined;
  const ended = new AbortController();
  const isEnding = (): boolean => interrupted.aborted || failure !== undefined;
  const endIfNone = (): void => {
    if (workers.size === 0) ended.abort();
  };

  /** End all workers, each after finishing its current answers. */
  function end(): void {
    for (const worker of workers) worker.process.kill("SIGTERM");
    setTimeout(() => {
      for (const worker of workers) worker.process.kill("SIGKILL");
    }, KILL_AFTER).unref();
    endIfNone();
  }

  /** @param deathsAtOnce the number of predecessors in succession that died at once; the cause may be the same */
  function start(deathsAtOnce: number): void {
    let worker: Worker;
    try {
      worker = cluster.fork({ [GIVEN]: JSON.stringify(given) });
    } catch (error) {
      // Node throws some errors of the system, such as ENOMEM, and emits others.
      return void replace(undefined, (error as Error).message, deathsAtOnce + 1);
    }
    const started = performance.now();
    workers.add(worker);
    const hasListened = (port: number): void => {
      if (--missing === 0) onListening(port);
    };
    watchWorker(worker, hasListened, (cause, listened) => {
      if (!workers.delete(worker)) return;
      const isEarly = !listened || performance.now() - started < SETTLED;
      replace(worker.process.pid, cause, isEarly ? deathsAtOnce + 1 : 0, listened);
    });
  }

  /** @param pid the number of the process, if there was one @param listened whether it has ever listened */
  function replace(pid: number | undefined, cause: string, deathsAtOnce: number, listened = false): void {
    if (isEnding()) return void endIfNone();
    if (!listened && missing > 0) {
      failure = new UsageError(cause);
      return void end();
    }
    const pause = pauseBefore(deathsAtOnce);
    const when = pause === 0 ? "" : ` in ${pause / 1_000} s`;
    const what = pid === undefined ? "a worker cannot be started" : `worker ${pid} died`;
    report(`${what} (${cause}); a new one replaces it${when}`, true);
    setTimeout(() => (isEnding() ? endIfNone() : start(deathsAtOnce)), pause);
  }

  const over = once(ended.signal, "abort").then(() => {
    if (failure !== undefined) throw failure;
  });
  interrupted.addEventListener("abort", end, { once: true });
  for (let number = 0; number < count && failure === undefined; number++) start(0);
  if (interrupted.aborted) end();
  return over;
}

/** Watches a worker until it ends, and kills it if it listens but gives no signs of life. @param onListening called when it listens for the first time @param onEnd called at the end, perhaps twice */
function watchWorker(
  worker: Worker,
  onListening: (port: number) => void,
  onEnd: (cause: string, listened: boolean) => void,
): void {
  let listens = false;
  let missed = 0;
  let cause: string | undefined;
  // A worker listens again when it begins again with another store.
  worker.once("listening", ({ port }) => {
    listens = true;
    onListening(port);
  });
  worker.on("message", (message: { failed?: string }) => {
    missed = 0;
    cause ??= message.failed;
  });
  const watching = setInterval(() => {
    if (!listens || ++missed < MAX_MISSED) return;
    cause ??= `no sign of life for ${(missed * SIGN_INTERVAL) / 1_000} s`;
    worker.process.kill("SIGKILL");
  }, SIGN_INTERVAL);
  const end = (how: string): void => {
    clearInterval(watching);
    onEnd(cause ?? how, listens);
  };
  // Each message that cannot be sent to a dead worker is an error, too, and its end is told next.
  worker.on("error", (error) => {
    // A process that the system refused to start has no number, and no end is told of it.
    if (worker.process.pid === undefined) end(error.message);
  });
  worker.once("exit", (code, signal) => end(signal ?? `status ${code}`));
}
