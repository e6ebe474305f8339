/** Several processes that serve one store: started, replaced when they die, and ended together. */
import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { pauseAfter } from "../../base/http-client.js";
import { UsageError } from "../settings/options.js";

/** One that lives so long has not died of how it was started, in milliseconds. */
const SETTLED = 10_000;
/** The shortest and the longest pause before one that died at once is replaced, in milliseconds. */
const SHORTEST_PAUSE = 1_000;
const LONGEST_PAUSE = 60_000;
/** A worker that has not ended so long after it was asked to is killed, in milliseconds. */
const LAST_MOMENT = 7_500;

interface WorkersOptions {
  readonly count: number;
  /** The settings of workers: the socket where this process answers the requests that they pass on, and the port that they share. */
  readonly given: GivenToWorker;
  readonly interrupted: AbortSignal;
  readonly onListening: (port: number) => void;
  readonly report: (message: string) => void;
}

/** The settings that the first process gives to each worker. */
export interface GivenToWorker {
  readonly inner: string;
  readonly port: number;
  /** The secret by which all of them tell clients apart. */
  readonly seed: string;
}

const GIVEN = "VITRINE_WORKER";

/** In a worker: what the first process gave. `undefined` in any other process. */
export function givenToWorker(): GivenToWorker | undefined {
  const given = process.env[GIVEN];
  return cluster.isWorker && given !== undefined ? (JSON.parse(given) as GivenToWorker) : undefined;
}

/** In a worker: say why it ends, for the first process to tell. */
export function reportFirst(message: string): void {
  process.send?.({ failed: message });
}

/** End this worker once nothing else holds it: its channel to the first process would. */
export function leave(): void {
  cluster.worker?.disconnect();
}

/** How long to wait before another takes the place of one that died: longer each time that the one before it died at once, too. */
export function pauseBefore(deathsAtOnce: number): number {
  return deathsAtOnce === 0 ? 0 : pauseAfter(deathsAtOnce, SHORTEST_PAUSE, LONGEST_PAUSE);
}

/** Run this process's own command line in so many workers until interrupted. One that dies is replaced, ever later if it dies at once. Throws `UsageError` where one ends before it listened. */
export function superviseWorkers(options: WorkersOptions): Promise<void> {
  const { count, given, interrupted, onListening, report } = options;
  const workers = new Set<Worker>();
  /** Those that have yet to listen for the first time. */
  let missing = count;
  let failure: Error | undefined;
  const ended = new AbortController();
  const isEnding = (): boolean => interrupted.aborted || failure !== undefined;
  const endIfNone = (): void => {
    if (workers.size === 0) ended.abort();
  };

  /** Each finishes the answers that are under way. */
  function end(): void {
    for (const worker of workers) worker.process.kill("SIGTERM");
    setTimeout(() => {
      for (const worker of workers) worker.process.kill("SIGKILL");
    }, LAST_MOMENT).unref();
    endIfNone();
  }

  /** @param deathsAtOnce how many died at once before it, one in place of the other: what kills one kills the next */
  function start(deathsAtOnce: number): void {
    const worker = cluster.fork({ [GIVEN]: JSON.stringify(given) });
    const started = performance.now();
    let listens = false;
    let cause: string | undefined;
    workers.add(worker);
    worker.once("listening", (address) => {
      // One that begins anew with another store listens anew.
      if (!listens && --missing === 0) onListening(address.port);
      listens = true;
    });
    worker.on("message", (message: { failed?: string }) => {
      cause ??= message.failed;
    });
    worker.once("error", (error) => {
      cause ??= error.message;
    });
    worker.once("exit", (code, signal) => {
      workers.delete(worker);
      cause ??= signal ?? `status ${code}`;
      if (isEnding()) endIfNone();
      else if (!listens && missing > 0) {
        failure = new UsageError(cause);
        end();
      } else replace(worker, cause, !listens || performance.now() - started < SETTLED ? deathsAtOnce + 1 : 0);
    });
  }

  function replace({ process: { pid } }: Worker, cause: string, deathsAtOnce: number): void {
    const pause = pauseBefore(deathsAtOnce);
    const when = pause === 0 ? "" : ` in ${pause / 1_000} s`;
    report(`worker ${pid} died (${cause}); a new one replaces it${when}`);
    setTimeout(() => (isEnding() ? endIfNone() : start(deathsAtOnce)), pause);
  }

  const over = once(ended.signal, "abort").then(() => {
    if (failure !== undefined) throw failure;
  });
  interrupted.addEventListener("abort", end, { once: true });
  for (let number = 0; number < count; number++) start(0);
  if (interrupted.aborted) end();
  return over;
}
