/** The index for SPARQL: takes queries, lets clients take turns at the processes, and keeps the processes in step. */
import { join } from "node:path";
import {
  type EngineState,
  type QueryContext,
  type QueryEngine,
  QueryRefusedError,
  type QueryRequest,
  type QueryResult,
} from "../engine.js";
import { MAX_SILENCE_FILLING, MAX_SILENCE_FOLLOWING } from "../limits.js";
import { beingFilled, closing, FairTurns, untilReady, type WaitingLimits } from "../waiting.js";
import type { Patience } from "./worker.js";
import { type ImageLimits, type RebuildLimits, WorkerPool } from "./worker-pool.js";

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
  /** The limits of queries that wait. Default: as docs/run/limits.md has them. */
  readonly waiting?: WaitingLimits;
}

export class QueryIndex implements QueryEngine {
  readonly #options: QueryIndexOptions & typeof DEFAULTS;
  readonly #merged: WorkerPool;
  /** With the named graphs; made when first asked for. */
  #graphs: WorkerPool | undefined;
  readonly #turns: FairTurns;
  readonly #timer: NodeJS.Timeout;
  #isFollowing = false;
  #isClosed = false;

  constructor(options: QueryIndexOptions) {
    this.#options = { ...DEFAULTS, ...options };
    this.#turns = new FairTurns(undefined, options.waiting);
    this.#merged = this.#pool(false, this.#options.processes);
    this.#timer = setInterval(() => void this.follow(), this.#options.followInterval);
    this.#timer.unref();
  }

  get state(): EngineState {
    return this.#merged.state;
  }

  workerNumbers(): readonly number[] {
    return this.#merged.workers.map((worker) => worker.number);
  }

  /** Resolves when queries are answered. Rejects with `QueryRefusedError` when they never will be. */
  whenReady(): Promise<void> {
    return untilReady(this, () => (this.#isClosed ? closing() : this.#doesNotFit()));
  }

  /** Answer a query. Rejects with `QueryRefusedError`. The result has to be released. */
  async query(request: QueryRequest, asking: QueryContext): Promise<QueryResult> {
    const refusal = this.#doesNotFit() ?? this.#notFilled();
    if (refusal !== undefined) throw refusal;
    const { queryMemory } = this.#options;
    const merged = this.#merged;
    const result = await this.#turns.run(asking, {
      canRun: () => merged.idle() !== undefined,
      run: () => merged.idle()!.query(request, asking, queryMemory),
    });
    if (result !== undefined) return result;
    // It needs the named graphs of all records.
    const graphs = this.#graphsPool();
    const inGraphs = await this.#turns.run(asking, {
      isAgain: true,
      canRun: () => graphs.state.state === "too large" || graphs.idle() !== undefined,
      run: async () => {
        const { state, detail = "" } = graphs.state;
        if (state === "too large") throw noGraphs(detail);
        return graphs.idle()!.query(request, asking, queryMemory);
      },
      late: () => new QueryRefusedError("busy", "The named graphs of all records are being read. Ask again soon."),
    });
    return inGraphs!;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#merged.close();
    this.#graphs?.close();
    this.#turns.close();
  }

  #pool(withGraphs: boolean, processes: number): WorkerPool {
    const { directory, memory, rebuild, restartAfter, image, patience, report } = this.#options;
    const isEmpty = this.#options.isEmpty && !withGraphs;
    const file = isEmpty ? {} : { image: join(directory, withGraphs ? "index-graphs.image" : "index.image") };
    const settings = { directory, withGraphs, isEmpty, memory, ...file };
    const changed = (): void => this.#turns.dispatch();
    return new WorkerPool({ settings, processes, rebuild, restartAfter, image, patience, report, changed });
  }

  #doesNotFit(): QueryRefusedError | undefined {
    const { state, detail = "" } = this.state;
    if (state !== "too large") return undefined;
    const message = `The collection does not fit into the built-in index (${detail}). Serve it from a SPARQL engine instead.`;
    return new QueryRefusedError("no-index", message);
  }

  #notFilled(): QueryRefusedError | undefined {
    const { state, detail } = this.state;
    if (state !== "filling") return undefined;
    if (detail === undefined) return beingFilled("The index", this.state);
    return new QueryRefusedError("busy", `The index cannot be filled: ${detail}.`);
  }

  /** The processes with the named graphs, which are started when they are first needed. Throws `QueryRefusedError`. */
  #graphsPool(): WorkerPool {
    const { total } = this.#merged.state;
    const most = this.#options.graphTriples;
    if (total > most) throw noGraphs(`they have ${total} triples, and up to ${most} are held so (--index-graphs)`);
    this.#graphs ??= this.#pool(true, 1);
    return this.#graphs;
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

function noGraphs(detail: string): QueryRefusedError {
  return new QueryRefusedError(
    "no-graphs",
    `GRAPH with a variable is not answered over all records: ${detail}. Name the records, with GRAPH <iri>, FROM or FROM NAMED, ` +
      "or leave GRAPH away: the default graph holds what all records say.",
  );
}
