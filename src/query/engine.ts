/** The query engine's interface: what the endpoint and the command line need of whatever answers SPARQL queries. */
import { RefusalError } from "../base/named-error.js";
import type { FormatName, ResultFormat } from "../rdf/formats.js";

/** A place in a query: lines and columns count from 1. A type, so that it is also JSON. */
export type QueryPosition = { readonly line: number; readonly column: number };

export interface QueryRequest {
  readonly text: string;
  /** The dataset that the protocol names (SPARQL 1.1 Protocol, 2.1.4); both empty for all records. */
  readonly defaultGraphs: readonly string[];
  readonly namedGraphs: readonly string[];
  /** The format for solutions, for a truth value and for a graph; `undefined` where the client takes none that there is. */
  readonly formats: {
    readonly solutions: ResultFormat | undefined;
    readonly truth: ResultFormat | undefined;
    readonly graph: FormatName | undefined;
  };
  readonly rows: number;
  /** The most bytes that are answered, before any content coding. */
  readonly bytes: number;
  readonly base: string;
}

/** The kind of a query's result: solutions (SELECT), a truth value (ASK) or a graph (CONSTRUCT, DESCRIBE). */
export type ResultKind = "solutions" | "truth" | "graph";

export interface QueryResult {
  readonly kind: ResultKind;
  readonly format: ResultFormat | FormatName;
  /** The change sequence number that the answer reflects; `undefined` where the engine does not say. */
  readonly sequence: number | undefined;
  /** Solutions or triples; `undefined` where they were not counted. */
  readonly rows: number | undefined;
  /** How long the body is; `undefined` where it is still on its way. */
  readonly bytes: number | undefined;
  /** In UTF-8, in pieces. It can be read once. */
  readonly body: AsyncIterable<Uint8Array>;
  /** To be called when the answer is out, or nobody wants it: until then it keeps its client's turn, and its room. */
  release(): void;
}

export type RefusalReason =
  /** The query breaks the grammar, or uses what there is not. */
  | "malformed"
  | "update"
  /** There is no format for its kind of result that the client takes. */
  | "not-acceptable"
  | "too-many-rows"
  | "too-many-bytes"
  | "timeout"
  /** It took more memory than one query may, or ended the process. */
  | "too-large"
  /** It asks for all named graphs, and the collection is too large for them. */
  | "no-graphs"
  /** A record that it names cannot be read. */
  | "damaged"
  /** Enough queries of the same client are waiting. */
  | "too-many-waiting"
  /** The index cannot answer now: it is being filled, or the queue is full. */
  | "busy"
  /** The engine is elsewhere and does not answer, or does not let this service in. */
  | "unreachable"
  /** The collection does not fit into an index. */
  | "no-index";

/** A query that has no answer; the message is for the one who asked. */
export class QueryRefusedError extends RefusalError {
  constructor(
    readonly reason: RefusalReason,
    message: string,
    /** Where in the query it breaks the grammar, from 1. */
    readonly position?: QueryPosition,
  ) {
    super(message);
  }

  /** The message, with the place where there is one. */
  get located(): string {
    if (this.position === undefined) return this.message;
    return `line ${this.position.line}, column ${this.position.column}: ${this.message}`;
  }
}

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
  /** Answer a query; the result has to be released. Rejects with `QueryRefusedError`. Of one whose signal aborts, nothing more may be heard. */
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
