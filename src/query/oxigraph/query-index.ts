/** The index for SPARQL: schedules the queries of clients on index processes, and keeps the processes in step with the store. */
import { join } from "node:path";
import type { EngineState, QueryContext, QueryEngine, QueryRequest, QueryResult } from "../engine.js";
import { QueryRefusedError } from "../engine.js";
import { beingFilled, FairTurns, type WaitingLimits } from "../waiting.js";
import { POOL_DEFAULTS, WorkerPool } from "./worker-pool.js";

const DEFAULTS = {
  ...POOL_DEFAULTS,
  /** The memory that a filled index may take, in bytes. WebAssembly ends at 4 GiB. */
  memory: 3.5 * 2 ** 30,
  /** The memory that a query may take in addition to the index, in bytes. */
  queryMemory: 2 ** 30,
  /** Whether queries are answered only from the records that they name; the index is then empty. */
  isEmpty: false,
  /** The maximum number of triples that are also kept in named graphs, for `GRAPH ?g`. */
  graphTriples: 2_000_000,
  /** Milliseconds between two looks for changes in the store. */
  followInterval: 1_000,
};

interface QueryIndexOptions extends Readonly<Partial<typeof DEFAULTS>> {
  readonly directory: string;
  /** The limits of waiting queries. Default: see docs/run/limits.md. */
  readonly waiting?: WaitingLimits;
}

export class QueryIndex implements QueryEngine {
  readonly #options: QueryIndexOptions & typeof DEFAULTS;
  readonly #merged: WorkerPool;
  /** The processes with named graphs, started at the first query that needs them. */
  #graphs: WorkerPool | undefined;
  readonly #turns: FairTurns;
  readonly #timer: NodeJS.Timeout;
  #following: Promise<unknown> | undefined;

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

  async query(request: QueryRequest, asking: QueryContext): Promise<QueryResult> {
    this.#ensureFilled();
    const { queryMemory } = this.#options;
    const merged = this.#merged;
    const result = await this.#turns.run(asking, {
      canRun: () => merged.idle() !== undefined,
      run: () => merged.idle()!.query(request, asking, queryMemory),
    });
    if (result !== undefined) return result;
    // The query needs the named graphs of all records.
    const graphs = this.#graphsPool();
    const inGraphs = await this.#turns.run(asking, {
      isAgain: true,
      canRun: () => graphs.state.state === "too large" || graphs.idle() !== undefined,
      run: async () => {
        const { state, detail = "" } = graphs.state;
        if (state === "too large") throw noGraphs(detail);
        return graphs.idle()!.query(request, asking, queryMemory);
      },
      late: "The named graphs of all records are being read. Ask again soon.",
    });
    return inGraphs!;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#merged.close();
    this.#graphs?.close();
    this.#turns.close();
  }

  #pool(withGraphs: boolean, processes: number): WorkerPool {
    const { directory, memory } = this.#options;
    const isEmpty = this.#options.isEmpty && !withGraphs;
    const image = isEmpty ? undefined : join(directory, withGraphs ? "index-graphs.image" : "index.image");
    const settings = { directory, withGraphs, isEmpty, memory, image };
    return new WorkerPool({ ...this.#options, settings, processes, changed: () => this.#turns.dispatch() });
  }

  /** Throws `QueryRefusedError` if the records do not fit, or are read for the first time. */
  #ensureFilled(): void {
    const { state, detail } = this.state;
    if (state === "too large") {
      const message = `The collection does not fit into the built-in index (${detail}). Serve it from a SPARQL engine instead.`;
      throw new QueryRefusedError("no-index", message);
    }
    // An empty index is filled in a moment.
    if (state !== "filling" || this.#merged.wasFilled || this.#options.isEmpty) return;
    if (detail === undefined) throw beingFilled("The index", this.state);
    throw new QueryRefusedError("busy", `The index cannot be filled: ${detail}.`);
  }

  /** The processes with named graphs, started if they are not running yet. Throws `QueryRefusedError`. */
  #graphsPool(): WorkerPool {
    const { total } = this.#merged.state;
    const most = this.#options.graphTriples;
    if (total > most) throw noGraphs(`they have ${total} triples, and the limit is ${most} (--index-graphs)`);
    this.#graphs ??= this.#pool(true, 1);
    return this.#graphs;
  }

  /** Let idle processes follow the store, unless that is in progress already. */
  follow(): Promise<unknown> {
    this.#following ??= Promise.all([this.#merged.follow(), this.#graphs?.follow()]).finally(() => {
      this.#following = undefined;
    });
    return this.#following;
  }
}

function noGraphs(detail: string): QueryRefusedError {
  return new QueryRefusedError(
    "no-graphs",
    `The named graphs of all records are not indexed: ${detail}. Name the records with GRAPH <iri>, FROM or FROM NAMED, ` +
      "or leave out GRAPH: the default graph has the triples of all records.",
  );
}
