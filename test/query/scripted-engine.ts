/** A query engine that does what a test says and records its requests: for tests of what surrounds queries, not of their answers. */
import {
  type EngineState,
  type QueryContext,
  type QueryEngine,
  QueryRefusedError,
  type QueryRequest,
  type QueryResult,
  type RefusalReason,
} from "../../src/query/engine.js";

export interface Asked extends QueryContext {
  readonly request: QueryRequest;
}

export class ScriptedEngine implements QueryEngine {
  /** All requests so far. */
  readonly asked: Asked[] = [];
  state: EngineState = { state: "ready", done: 0, total: 0 };
  readonly #answer: (asked: Asked) => Promise<QueryResult>;
  #waiting: (() => void)[] = [];

  constructor(answer: (asked: Asked) => Promise<QueryResult>) {
    this.#answer = answer;
  }

  query(request: QueryRequest, asking: QueryContext): Promise<QueryResult> {
    const asked = { request, ...asking };
    this.asked.push(asked);
    for (const resolve of this.#waiting.splice(0)) resolve();
    return this.#answer(asked);
  }

  /** Resolves once it has had this many requests. */
  async whenAsked(times: number): Promise<void> {
    while (this.asked.length < times) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async follow(): Promise<void> {}
  async close(): Promise<void> {}
}

/** An engine that refuses every query. */
export const refusing = (reason: RefusalReason, message: string): ScriptedEngine =>
  new ScriptedEngine(() => Promise.reject(new QueryRefusedError(reason, message)));

/** An engine that answers no query, and gives up those that nobody waits for. */
export const endless = (): ScriptedEngine =>
  new ScriptedEngine(
    ({ signal }) =>
      new Promise((_, reject) => {
        signal?.addEventListener("abort", () => reject(new QueryRefusedError("busy", "Nobody waits for the answer.")));
      }),
  );
