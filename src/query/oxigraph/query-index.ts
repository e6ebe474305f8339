/** The index for SPARQL: takes queries, lets clients take turns at the processes, and keeps the processes in step. */
import { join } from "node:path";
import { type EngineState, MAX_TIMER, type QueryContext, type QueryEngine } from "../engine.js";
import {
  MAX_SILENCE_FILLING,
  MAX_SILENCE_FOLLOWING,
  MAX_WAITING_OF_CLIENT,
  MAX_WAITING_QUERIES,
  MAX_WAITING_TIME,
} from "../limits.js";
import { QueryRefusedError, type QueryRequest, type QueryResult } from "../query-request.js";
import { Scheduler, type Turn } from "../scheduler.js";
import { abandoned, beingFilled, closing, noTurn, queueRefusal, released } from "../waiting.js";
import { type IndexWorker, NEEDS_GRAPHS, type Patience } from "./worker.js";
import { type ImageLimits, type RebuildLimits, WorkerPool } from "./worker-pool.js";

interface Waiting extends Turn {
  readonly request: QueryRequest;
  readonly asking: QueryContext;
  /** Whether it needs the named graphs of all records. */
  needsGraphs: boolean;
  /** Runs out when it has waited for too long. */
  timer: NodeJS.Timeout | undefined;
  readonly resolve: (result: QueryResult) => void;
  readonly reject: (error: Error) => void;
}

/** The images of the two indexes, in the store's folder. */
const IMAGE = "index.image";
const GRAPHS_IMAGE = "index-graphs.image";

const DEFAULTS = {
  /** How many processes are held ready to answer; each holds the whole index. */
  processes: 1,
  /** Bytes that a filled index may take: WebAssembly ends at 4 GiB. */
  memory: 3.5 * 2 ** 30,
  /** Bytes that a query may take beyond the index. */
  queryMemory: 2 ** 30,
  /** Whether only the records that a query names are asked: the processes hold none then. */
  isEmpty: false,
  /** The most triples that are also held as named graphs, for `GRAPH ?g`. */
  graphTriples: 2_000_000,
  queue: MAX_WAITING_QUERIES,
  queueOfClient: MAX_WAITING_OF_CLIENT,
  /** How long a query waits for its turn at least, in milliseconds; at most as long as it may run itself. */
  wait: MAX_WAITING_TIME,
  patience: { following: MAX_SILENCE_FOLLOWING, filling: MAX_SILENCE_FILLING } as Patience,
  /** How often the store is looked at for changes, in milliseconds. */
  followInterval: 1_000,
  /** When a process is started again that ended before it was filled, in milliseconds. */
  restartAfter: 5_000,
  /** From how many dead triples on, and of which share of the living, the index is rebuilt. */
  rebuild: { triples: 100_000, share: 0.25 } as RebuildLimits,
  /** From how many triples, how many changes from the last and how many quiet milliseconds on the index image is written. */
  image: { triples: 200_000, changes: 1_000, still: 5_000, overdue: 300_000 } as ImageLimits,
  /** For people: what went wrong. */
  report: (_message: string, _isError?: boolean): void => {},
};

export interface QueryIndexOptions extends Readonly<Partial<typeof DEFAULTS>> {
  readonly directory: string;
}

export class QueryIndex implements QueryEngine {
  readonly #options: QueryIndexOptions & typeof DEFAULTS;
  readonly #merged: WorkerPool;
  /** With the named graphs; made when first asked for. */
  #graphs: WorkerPool | undefined;
  readonly #turns = new Scheduler<Waiting>();
  readonly #timer: NodeJS.Timeout;
  #isFollowing = false;
  /** Called once, at the next change of the processes. */
  #untilChange: (() => void)[] = [];
  #isClosed = false;

  constructor(options: QueryIndexOptions) {
    this.#options = { ...DEFAULTS, ...options };
    this.#merged = this.#pool(false, this.#options.processes);
    this.#timer = setInterval(() => void this.follow(), this.#options.followInterval);
    this.#timer.unref();
  }

  get state(): EngineState {
    return this.#merged.state;
  }

  /** The numbers of the processes that answer. */
  workerNumbers(): readonly number[] {
    return this.#merged.workers.map((worker) => worker.number);
  }

  /** Resolves when queries are answered. Rejects with `QueryRefusedError` when they never will be. */
  async whenReady(): Promise<void> {
    for (;;) {
      const { state, detail } = this.state;
      if (state === "ready") return;
      if (state === "too large") throw doesNotFit(detail);
      if (this.#isClosed) throw closing();
      await new Promise<void>((resolve) => this.#untilChange.push(resolve));
    }
  }

  /** Answer a query. Rejects with `QueryRefusedError`. The result has to be released. */
  query(request: QueryRequest, asking: QueryContext): Promise<QueryResult> {
    const refusal = this.#refusal(asking);
    if (refusal !== undefined) return Promise.reject(refusal);
    return new Promise((resolve, reject) => {
      const { client, signal } = asking;
      const waiting: Waiting = { client, request, asking, needsGraphs: false, timer: undefined, resolve, reject };
      const leave = (): void => {
        // One that runs is ended by whoever runs it.
        if (this.#forget(waiting)) reject(abandoned());
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#wait(waiting);
      this.#dispatch();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#merged.close();
    this.#graphs?.close();
    for (const waiting of [...this.#turns.waiting]) {
      this.#forget(waiting);
      waiting.reject(closing());
    }
    this.#announceChange();
  }

  #pool(withGraphs: boolean, processes: number): WorkerPool {
    const { directory, memory, rebuild, restartAfter, image, patience, report } = this.#options;
    const isEmpty = this.#options.isEmpty && !withGraphs;
    const file = isEmpty ? {} : { image: join(directory, withGraphs ? GRAPHS_IMAGE : IMAGE) };
    const settings = { directory, withGraphs, isEmpty, memory, ...file };
    const changed = (): void => {
      this.#dispatch();
      this.#announceChange();
    };
    return new WorkerPool({ settings, processes, rebuild, restartAfter, image, patience, report, changed });
  }

  #announceChange(): void {
    for (const told of this.#untilChange.splice(0)) told();
  }

  #refusal(asking: QueryContext): QueryRefusedError | undefined {
    const { state, detail } = this.state;
    if (state === "too large") return doesNotFit(detail);
    if (state === "filling") {
      if (detail !== undefined) return new QueryRefusedError("busy", `The index cannot be filled: ${detail}.`);
      return beingFilled("The index", this.state);
    }
    return queueRefusal(this.#turns, asking, this.#options);
  }

  /** Let a query wait for its turn, for as long as it may run itself, or longer. */
  #wait(waiting: Waiting): void {
    this.#turns.add(waiting);
    const most = Math.max(waiting.asking.timeout, this.#options.wait);
    waiting.timer = setTimeout(
      () => {
        this.#forget(waiting);
        const reading = "The named graphs of all records are being read. Ask again soon.";
        waiting.reject(waiting.needsGraphs ? new QueryRefusedError("busy", reading) : noTurn(most));
      },
      Math.min(most, MAX_TIMER),
    );
  }

  /** Whether it waited. */
  #forget(waiting: Waiting): boolean {
    clearTimeout(waiting.timer);
    return this.#turns.remove(waiting);
  }

  #poolFor({ needsGraphs }: Waiting): WorkerPool | undefined {
    return needsGraphs ? this.#graphs : this.#merged;
  }

  /** Give idle processes the queries whose turn it is. */
  #dispatch(): void {
    if (this.#graphs?.state.state === "too large") this.#refuseGraphs(this.#graphs.state.detail ?? "");
    for (;;) {
      const waiting = this.#turns.next((turn) => this.#poolFor(turn)?.idle() !== undefined);
      if (waiting === undefined) return;
      clearTimeout(waiting.timer);
      void this.#run(waiting, this.#poolFor(waiting)!.idle()!);
    }
  }

  #refuseGraphs(detail: string): void {
    for (const waiting of [...this.#turns.waiting].filter(({ needsGraphs }) => needsGraphs)) {
      this.#forget(waiting);
      waiting.reject(noGraphs(detail));
    }
  }

  async #run(waiting: Waiting, worker: IndexWorker): Promise<void> {
    const { client, request } = waiting;
    const { signal, timeout } = waiting.asking;
    const begun = performance.now();
    let held = 0;
    const end = (): void => {
      this.#turns.end(client, held);
      this.#dispatch();
    };
    try {
      const running = worker.query(request, { timeout, memory: this.#options.queryMemory, signal });
      const result = await running.finally(() => {
        held = performance.now() - begun;
      });
      if (result !== NEEDS_GRAPHS) {
        waiting.resolve(released(result, end));
        // The process is idle, if not the client.
        this.#dispatch();
        return;
      }
      if (signal?.aborted === true) waiting.reject(abandoned());
      else this.#waitForGraphs(waiting);
    } catch (error) {
      waiting.reject(error as Error);
    }
    end();
  }

  #waitForGraphs(waiting: Waiting): void {
    const { total } = this.#merged.state;
    const most = this.#options.graphTriples;
    if (total > most) {
      waiting.reject(noGraphs(`they have ${total} triples, and up to ${most} are held so (--index-graphs)`));
      return;
    }
    this.#graphs ??= this.#pool(true, 1);
    waiting.needsGraphs = true;
    this.#wait(waiting);
  }

  /** Take over what changed in the store, as far as no process is busy with it. */
  async follow(): Promise<void> {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    try {
      await Promise.all([this.#merged.follow(), this.#graphs?.follow()]);
    } finally {
      this.#isFollowing = false;
    }
  }
}

function doesNotFit(detail = ""): QueryRefusedError {
  return new QueryRefusedError(
    "no-index",
    `The collection does not fit into the built-in index (${detail}). Serve it from a SPARQL engine instead.`,
  );
}

function noGraphs(detail: string): QueryRefusedError {
  return new QueryRefusedError(
    "no-graphs",
    `GRAPH with a variable is not answered over all records: ${detail}. Name the records, with GRAPH <iri>, FROM or FROM NAMED, ` +
      "or leave GRAPH away: the default graph holds what all records say.",
  );
}
