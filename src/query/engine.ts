/** The query engine interface: what the SPARQL endpoint and the command line need from anything that answers queries. */
import { Readable } from "node:stream";
import { RefusalError } from "../base/named-error.js";
import type { FormatName, ResultFormat } from "../rdf/formats.js";
import type { TextPosition } from "../rdf/syntax-problem.js";

export interface QueryRequest {
  readonly text: string;
  /** The dataset given by the protocol (SPARQL 1.1 Protocol, 2.1.4). If both are empty, the query is about all records. */
  readonly defaultGraphs: readonly string[];
  readonly namedGraphs: readonly string[];
  /** The formats for results (solutions or a truth value) and for a graph; `undefined` if the client accepts none of the available ones. */
  readonly formats: {
    readonly results: ResultFormat | undefined;
    readonly graph: FormatName | undefined;
  };
  /** The maximum number of solutions or triples of the answer. */
  readonly rows: number;
  /** The maximum size of the answer in bytes, before any content coding. */
  readonly bytes: number;
  readonly base: string;
}

export interface QueryResult {
  /** The results of SELECT, of ASK, and of CONSTRUCT and DESCRIBE. The format is that of the request for this kind. */
  readonly kind: "solutions" | "truth" | "graph";
  /** The sequence number that the answer reflects; `undefined` if the engine does not tell. */
  readonly sequence: number | undefined;
  /** The length of the body; `undefined` while it is still arriving. */
  readonly bytes: number | undefined;
  /** The body in UTF-8, in pieces. It can be read once. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Must be called when the answer has been sent or is no longer wanted. Until then, and while a read ends, it occupies its client's turn, and disk space. */
  release(): void | Promise<void>;
}

/** The reasons for refusals, and the type of problem (RFC 9457) that an endpoint answers with for each. */
export const PROBLEM_OF = {
  /** The query violates the grammar, or uses something that is not supported. */
  malformed: "query-malformed",
  update: "read-only",
  /** The client accepts no available format for this kind of result. */
  "not-acceptable": "not-acceptable",
  "too-many-rows": "result-too-large",
  "too-many-bytes": "result-too-large",
  /** Too many queries of the same client are waiting. */
  "too-many-waiting": "too-many-requests",
  timeout: "query-timeout",
  /** The query took more memory than allowed, or crashed the process. */
  "too-large": "query-too-large",
  /** The query asks for all named graphs, and the collection is too large for them. */
  "no-graphs": "no-named-graphs",
  /** A record that the query names cannot be read. */
  damaged: "unavailable",
  /** A remote engine does not answer, or denies access. */
  unreachable: "unavailable",
  /** The index cannot answer now, because it is being filled or the queue is full. */
  busy: "index-busy",
  /** The collection does not fit into an index. */
  "no-index": "no-index",
} as const;

export type RefusalReason = keyof typeof PROBLEM_OF;

/** A query was refused. The message is for the client. */
export class QueryRefusedError extends RefusalError {
  constructor(
    readonly reason: RefusalReason,
    message: string,
    /** Where the query violates the grammar. */
    readonly position?: TextPosition,
  ) {
    super(message);
  }

  /** The message, preceded by the position if there is one. */
  get located(): string {
    if (this.position === undefined) return this.message;
    return `line ${this.position.line}, column ${this.position.column}: ${this.message}`;
  }
}

export interface EngineState {
  /** `filling`: the records are still being read; `too large`: the collection does not fit in the engine's memory; `unreachable`: a remote engine did not answer the last time; `off`: there is no engine. */
  readonly state: "off" | "filling" | "ready" | "too large" | "unreachable";
  /** The number of triples read so far, out of `total`; 0 if the engine does not tell. */
  readonly done: number;
  readonly total: number;
  /** The sequence number that the engine reflects, if ready and known. */
  readonly sequence?: number | undefined;
  /** Why the collection does not fit, the engine cannot be reached, or the last attempt to fill the index failed. */
  readonly detail?: string | undefined;
  /** IRIs of records that the engine does not accept, so that queries do not find them; absent if there are none. */
  readonly leftOut?: readonly string[] | undefined;
}

export const NO_ENGINE: EngineState = { state: "off", done: 0, total: 0 };

export interface QueryContext {
  /** Clients take turns: each has one query running at a time, and its next begins when the answer has been sent. */
  readonly client: string;
  /** Milliseconds for the answer, counted from when the query starts to run; waiting has its own limit. */
  readonly timeout: number;
  /** Aborted when the client no longer waits for the answer. */
  readonly signal?: AbortSignal;
}

export interface QueryEngine {
  readonly state: EngineState;
  /** Answer a query. The result must be released. Rejects with `QueryRefusedError`. After the signal aborts, the promise may stay pending. */
  query(request: QueryRequest, asking: QueryContext): Promise<QueryResult>;
  close(): Promise<void>;
}

/** The body of a result that is completely in memory. */
export function inMemory(bytes: Uint8Array): Pick<QueryResult, "body" | "bytes" | "release"> {
  return { body: Readable.from([bytes]), bytes: bytes.length, release: () => {} };
}
