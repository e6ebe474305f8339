/** The query engine's interface: what the endpoint and the command line need of whatever answers SPARQL queries. */
import type { QueryRequest, QueryResult } from "./query-request.js";

/** How far an engine is. */
export interface EngineState {
  /**
   * `filling`: the records are still being read; `too large`: the collection does not fit into the engine's memory;
   * `unreachable`: the engine is elsewhere, and did not answer the last time; `off`: there is no engine.
   */
  readonly state: "off" | "filling" | "ready" | "too large" | "unreachable";
  /** Triples of the records that were read, of the total; 0 where the engine does not say. */
  readonly done: number;
  readonly total: number;
  /** The change sequence number that is reflected, when ready and known. */
  readonly sequence?: number;
  /** Why the collection does not fit, the engine cannot be reached, or the last try to fill the index failed. */
  readonly detail?: string;
  /** IRIs of records that the engine does not take in, so that no query knows of them; absent where there are none. */
  readonly leftOut?: readonly string[];
}

export const NO_ENGINE: EngineState = { state: "off", done: 0, total: 0 };

/** Timers take no more milliseconds than this. */
export const MAX_TIMER = 2 ** 31 - 1;

/** Who asks, and how long the answer may take. */
export interface QueryContext {
  /** Clients take turns: each has one query running at a time, whose answer is out before its next is run. */
  readonly client: string;
  /** Milliseconds until the answer has to be there, counted from when the query is run; waiting has a limit of its own. */
  readonly timeout: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
}

export interface QueryEngine {
  readonly state: EngineState;
  /** Resolves when queries are answered. Rejects with `QueryRefusedError` when they never will be. */
  whenReady(): Promise<void>;
  /**
   * Answer a query. Rejects with `QueryRefusedError`; of one whose signal aborts, nothing more may be heard. Whoever gets the
   * result has to release it.
   */
  query(request: QueryRequest, asking: QueryContext): Promise<QueryResult>;
  close(): Promise<void>;
}

/** The body of a result that is whole in memory. */
export function inMemory(bytes: Uint8Array): Pick<QueryResult, "body" | "bytes" | "release"> {
  async function* body(): AsyncIterable<Uint8Array> {
    yield bytes;
  }
  return { body: body(), bytes: bytes.length, release: () => {} };
}
