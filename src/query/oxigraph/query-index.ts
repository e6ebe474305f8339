/** The index for SPARQL: takes queries, lets one at a time of each client wait for a process, and keeps the processes in step. */

import type { Asking, EngineState, QueryEngine } from "../engine.js";
import { QueryRefusedError, type QueryRequest, type QueryResult } from "../query-request.js";
import { NEEDS_GRAPHS, type QueryLimits } from "./worker.js";
import { type RebuildLimits, WorkerPool } from "./worker-pool.js";

export interface QueryIndexOptions {
  /** The store's directory. */
  readonly directory: string;
  /** How many processes are held ready to answer; each holds the whole index. Default 1. */
  readonly processes?: number;
  /** Bytes that a filled index may take. Default 3.5 GiB: WebAssembly ends at 4. */
  readonly memory?: number;
  /** Bytes that a query may take beyond the index. Default 1 GiB. */
  readonly queryMemory?: number;
  /** The most triples that are also held as named graphs, for `GRAPH ?g`. Default 2 million. */
  readonly graphTriples?: number;
  /** How many queries may wait. Default 64. */
  readonly queue?: number;
  /** How often the store is looked at for changes, in milliseconds. Default 1 s. */
  readonly followInterval?: number;
  /** From how many dead triples on the index is rebuilt. Default 100,000 that are a quarter of the living. */
  readonly rebuild?: RebuildLimits;
  /** For people: what went wrong. Default: nobody is told. */
  readonly report?: (message: string) => void;
}

/** A query that waits for its turn. */
interface Waiting {
  readonly request: QueryRequest;
  readonly asking: Asking;
  /** Whether it needs the named graphs of all records. */
  needsGraphs: boolean;
  readonly resolve: (result: QueryResult) => void;
  readonly reject: (error: Error) => void;
}

const DEFAULTS = {
  processes: 1,
  memory: 3.5 * 2 ** 30,
  queryMemory: 2 ** 30,
  graphTriples: 2_000_000,
  queue: 64,
  followInterval: 1_000,
  rebuild: { triples: 100_000, share: 0.25 },
  report: (_message: string): void => {},
};

export class QueryIndex implements QueryEngine {
  readonly #options: QueryIndexOptions & typeof DEFAULTS;
  readonly #merged: WorkerPool;
  /** With the named graphs; made when first asked for. */
  #graphs: WorkerPool | undefined;
  #waiting: Waiting[] = [];
  /** The clients with a query running. */
  readonly #clients = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  #isFollowing = false;

  constructor(options: QueryIndexOptions) {
    this.#options = { ...DEFAULTS, ...options };
    this.#merged = this.#pool(false, this.#options.processes);
    this.#timer = setInterval(() => void this.follow(), this.#options.followInterval);
    this.#timer.unref();
  }

  get state(): EngineState {
    return this.#merged.state;
  }

  /** Resident memory of the processes that answer, in bytes. */
  async memory(): Promise<number> {
    const each = await Promise.all(this.#merged.workers.map((worker) => worker.memory()));
    return each.reduce((sum, bytes) => sum + bytes, 0);
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
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Answer a query. Rejects with `QueryRefusedError`. */
  query(request: QueryRequest, asking: Asking): Promise<QueryResult> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return Promise.reject(refusal);
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { request, asking, needsGraphs: false, resolve, reject };
      this.#waiting.push(waiting);
      asking.signal?.addEventListener("abort", () => this.#forget(waiting), { once: true });
      this.#dispatch();
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#merged.close();
    this.#graphs?.close();
    for (const { reject } of this.#waiting.splice(0)) reject(new QueryRefusedError("busy", "The service is closing."));
  }

  #pool(withGraphs: boolean, processes: number): WorkerPool {
    const { directory, memory, rebuild, report } = this.#options;
    const settings = { directory, withGraphs, memory };
    return new WorkerPool({ settings, processes, rebuild, report, changed: () => this.#dispatch() });
  }

  #refusal(): QueryRefusedError | undefined {
    const { state, done, total, detail } = this.state;
    if (state === "too large") return doesNotFit(detail);
    if (state === "filling") {
      const share = total === 0 ? 0 : Math.floor((done / total) * 100);
      return new QueryRefusedError("busy", `The index is being filled: ${share} % of ${total} triples are in it.`);
    }
    if (this.#waiting.length < this.#options.queue) return undefined;
    return new QueryRefusedError("busy", `${this.#waiting.length} queries are waiting already.`);
  }

  /** Give idle processes the queries that have waited longest, one at a time of each client. */
  #dispatch(): void {
    for (const waiting of [...this.#waiting]) {
      if (this.#clients.has(waiting.asking.client)) continue;
      if (waiting.needsGraphs && this.#graphs?.state.state === "too large") {
        this.#forget(waiting);
        waiting.reject(noGraphs(this.#graphs.state.detail ?? ""));
        continue;
      }
      const worker = (waiting.needsGraphs ? this.#graphs : this.#merged)?.idle();
      if (worker === undefined) continue;
      this.#forget(waiting);
      void this.#run(waiting, (limits) => worker.query(waiting.request, limits));
    }
  }

  async #run(
    waiting: Waiting,
    query: (limits: QueryLimits) => Promise<QueryResult | typeof NEEDS_GRAPHS>,
  ): Promise<void> {
    const { client, timeout, signal } = waiting.asking;
    this.#clients.add(client);
    try {
      const result = await query({ timeout, memory: this.#options.queryMemory });
      if (result !== NEEDS_GRAPHS) waiting.resolve(result);
      else if (signal?.aborted !== true) this.#waitForGraphs(waiting);
    } catch (error) {
      waiting.reject(error as Error);
    } finally {
      this.#clients.delete(client);
      this.#dispatch();
    }
  }

  #waitForGraphs(waiting: Waiting): void {
    const { total } = this.#merged.state;
    const most = this.#options.graphTriples;
    if (total > most) {
      waiting.reject(noGraphs(`they have ${total} triples, and up to ${most} are held so (--index-graphs)`));
      return;
    }
    this.#graphs ??= this.#pool(true, 1);
    if (this.#graphs.state.state === "filling" && waiting.asking.timeout < Number.POSITIVE_INFINITY) {
      setTimeout(() => {
        if (!this.#waiting.includes(waiting)) return;
        this.#forget(waiting);
        waiting.reject(
          new QueryRefusedError("busy", "The named graphs of all records are being read. Ask again soon."),
        );
      }, waiting.asking.timeout).unref();
    }
    waiting.needsGraphs = true;
    this.#waiting.push(waiting);
  }

  #forget(waiting: Waiting): void {
    this.#waiting = this.#waiting.filter((other) => other !== waiting);
  }

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
