/** A query engine in this process, which answers like an index process, but without deadlines and turns. */
import {
  type EngineState,
  type QueryEngine,
  QueryRefusedError,
  type QueryRequest,
  type QueryResult,
} from "../../src/query/engine.js";
import { answerQuery, GraphsNeededError, type WrittenResult } from "../../src/query/oxigraph/answer-query.js";
import { MergedStore } from "../../src/query/oxigraph/merged-store.js";
import type { Snapshot } from "../../src/store/snapshots.js";
import type { StoreWith } from "../../src/store/store.js";

export class InProcessIndex implements QueryEngine {
  readonly #store: StoreWith<"snapshots">;
  #merged: MergedStore;
  #state: EngineState;

  constructor(store: StoreWith<"snapshots">) {
    this.#store = store;
    [this.#merged, this.#state] = this.#reading((snapshot) => [filled(snapshot, false), stateOf(snapshot)]);
  }

  get state(): EngineState {
    return this.#state;
  }

  async query(request: QueryRequest): Promise<QueryResult> {
    const { text, ...written } = this.#reading((snapshot) => {
      this.#followTo(snapshot);
      return answered(request, this.#merged, snapshot);
    });
    const whole = Buffer.from(text, "utf8");
    if (whole.length > request.bytes) throw new QueryRefusedError("too-many-bytes", "The result has too many bytes.");
    const bytes = whole.length;
    return { ...written, sequence: this.#state.sequence, bytes, body: once(whole), release: () => {} };
  }

  async close(): Promise<void> {}

  #followTo(snapshot: Snapshot): void {
    if (snapshot.stats.sequence === this.#state.sequence) return;
    this.#merged = filled(snapshot, false);
    this.#state = stateOf(snapshot);
  }

  #reading<T>(read: (snapshot: Snapshot) => T): T {
    const snapshot = this.#store.snapshots.take();
    using _ = { [Symbol.dispose]: () => snapshot.close() };
    return read(snapshot);
  }
}

function stateOf({ stats: { triples, sequence } }: Snapshot): EngineState {
  return { state: "ready", done: triples, total: triples, sequence };
}

function filled(snapshot: Snapshot, withGraphs: boolean): MergedStore {
  const damaged = (error: Error): never => {
    throw error;
  };
  return new MergedStore(snapshot.records(damaged), { withGraphs });
}

function answered(request: QueryRequest, merged: MergedStore, snapshot: Snapshot): WrittenResult {
  try {
    return answerQuery(request, merged, snapshot, snapshot.stats.sequence);
  } catch (error) {
    if (!(error instanceof GraphsNeededError)) throw error;
    return answerQuery(request, filled(snapshot, true), snapshot, snapshot.stats.sequence);
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
