/** The SPARQL endpoint: reads queries, has the index answer them, and says what went wrong (SPARQL 1.1 Protocol). */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { writeGraph } from "../../query/graph-writer.js";
import type { QueryIndex } from "../../query/oxigraph/query-index.js";
import { QueryRefusedError, type QueryResult, type RefusalReason } from "../../query/query-request.js";
import { writeNTriples } from "../../rdf/ntriples-writer.js";
import type { Store } from "../../store/store.js";
import { type Answer, bodyHeaders, COMMON_HEADERS, send } from "../answer.js";
import { codingFor, encode, encodePieces, MIN_CODED } from "../headers/content-coding.js";
import { clientOf } from "../headers/forwarded.js";
import { negotiate } from "../headers/negotiate.js";
import { type ProblemName, problem } from "../problems/problems.js";
import { fromStore } from "../problems/store-unavailable.js";
import type { ServedFile } from "../routes/route.js";
import { GRAPH_OFFERS, graphFormatFor, mediaTypes, RESULT_OFFERS, resultFormatFor } from "./formats.js";
import { ProtocolError, type ProtocolQuery, readProtocolQuery } from "./protocol.js";
import { DESCRIPTION_PREFIXES, serviceDescription } from "./service-description.js";

export interface EndpointOptions {
  readonly store: Store;
  readonly index: QueryIndex;
  /** `{base_url}` without a final slash. */
  readonly base: string;
  /** Milliseconds that a query may run. */
  readonly timeout: number;
  /** The most solutions or triples that are answered. */
  readonly rows: number;
  /** The most bytes that are answered, before any content coding. */
  readonly bytes: number;
  /** What clients have to show; `undefined` for an endpoint that is open to all. */
  readonly token?: string;
  /** Told of each query that was ended at a limit. Default: nobody is. */
  readonly report?: (message: string) => void;
  /** The query editor, for browsers. */
  readonly editor?: { readonly page: () => Answer; readonly files: readonly ServedFile[] };
  /** Whether a proxy in front of the service says who asks; as the server's own setting. Default false. */
  readonly trustProxy?: boolean;
  /** For clients that the limits do not hold for: they say themselves how long a query may run. */
  readonly isLocal?: boolean;
}

/** The header with the change sequence number that an answer reflects. */
export const SEQUENCE_HEADER = "Vitrine-Sequence";
/** How long a query of the command line may run, in seconds. */
export const TIMEOUT_HEADER = "Vitrine-Timeout";
export const SPARQL_METHODS = "GET, HEAD, POST, OPTIONS";

/** The query editor, among what a browser can get. */
const PAGE_OFFER = { mediaType: "text/html", profiles: [], format: undefined, contentType: "" } as const;

const PROBLEM_OF: Readonly<Record<RefusalReason, ProblemName>> = {
  malformed: "query-malformed",
  update: "read-only",
  "not-acceptable": "not-acceptable",
  "too-many-rows": "result-too-large",
  "too-many-bytes": "result-too-large",
  "too-many-waiting": "too-many-requests",
  timeout: "query-timeout",
  "too-large": "query-too-large",
  "no-graphs": "no-named-graphs",
  damaged: "unavailable",
  busy: "index-busy",
  "no-index": "no-index",
};

/** Answers up to so many bytes leave in one piece. */
const MAX_WHOLE = 65_536;

async function whole(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** How many seconds a client should wait whose queries are waiting. */
const RETRY_AFTER = "5";

/** Answers the requests for `/sparql`. */
export class SparqlEndpoint {
  readonly #options: EndpointOptions;
  /** Queries of this machine's own socket. */
  #asked = 0;

  constructor(options: EndpointOptions) {
    this.#options = options;
  }

  get files(): readonly ServedFile[] {
    return this.#options.editor?.files ?? [];
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const answer = await this.#answer(request, response, gone.signal);
    if (gone.signal.aborted) return;
    // What was not read of a body that is too large would be taken for the next request.
    if (!request.complete) response.setHeader("Connection", "close");
    send(response, answer);
  }

  async #answer(request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<Answer> {
    const { method = "" } = request;
    if (!SPARQL_METHODS.includes(method)) {
      return this.#problem("method-not-allowed", `${method} has no meaning here.`, ["Allow", SPARQL_METHODS]);
    }
    if (!this.#isAllowed(request)) {
      return this.#problem("unauthorized", "Send the token of this endpoint as Authorization: Bearer TOKEN.", [
        "WWW-Authenticate",
        'Bearer realm="sparql"',
      ]);
    }
    try {
      const query = await readProtocolQuery(request);
      if (query !== undefined && this.#wantsEditor(request)) return this.#options.editor!.page();
      if (query === undefined) return await this.#description(request);
      const result = await this.#query(query, request, signal);
      // Its client's turn lasts until the answer is out.
      if (signal.aborted) result.release();
      else response.once("close", result.release);
      return this.#answerOf(result, request);
    } catch (error) {
      if (error instanceof ProtocolError) return this.#problem(error.problem, error.message);
      if (error instanceof QueryRefusedError) return this.#refusal(error);
      throw error;
    }
  }

  #isAllowed({ headers }: IncomingMessage): boolean {
    const { token } = this.#options;
    if (token === undefined) return true;
    const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
    return timingSafeEqual(digest(headers.authorization ?? ""), digest(`Bearer ${token}`));
  }

  /** Whether a link with a query was followed in a browser: its page runs the query, where programs get the answer. */
  #wantsEditor({ method, headers }: IncomingMessage): boolean {
    if (this.#options.editor === undefined || method === "POST") return false;
    return negotiate(headers.accept, [...RESULT_OFFERS, ...GRAPH_OFFERS, PAGE_OFFER])?.mediaType === "text/html";
  }

  async #query(query: ProtocolQuery, request: IncomingMessage, signal: AbortSignal): Promise<QueryResult> {
    const { index, base, rows, bytes, trustProxy = false, isLocal = false } = this.#options;
    const { accept } = request.headers;
    const result = resultFormatFor(accept);
    const graph = graphFormatFor(accept);
    const formats = { solutions: result?.format, truth: result?.format, graph: graph?.format };
    // Whoever may use this machine's socket is told apart by nothing, and trusted not to be greedy.
    const client = isLocal ? `local ${this.#asked++}` : clientOf(request, trustProxy);
    const asking = { client, timeout: this.#timeoutOf(request), signal };
    return index.query({ ...query, formats, rows, bytes, base: `${base}/` }, asking);
  }

  #timeoutOf({ headers }: IncomingMessage): number {
    const { timeout, isLocal } = this.#options;
    const asked = headers[TIMEOUT_HEADER.toLowerCase()];
    return isLocal === true && asked !== undefined ? Number(asked) * 1_000 : timeout;
  }

  async #answerOf({ kind, sequence, bytes, body }: QueryResult, { headers }: IncomingMessage): Promise<Answer> {
    const { contentType } = (kind === "graph" ? graphFormatFor : resultFormatFor)(headers.accept)!;
    const coding = bytes < MIN_CODED ? undefined : codingFor(headers["accept-encoding"] as string);
    const described = [
      "Content-Type",
      contentType,
      ...(coding === undefined ? [] : ["Content-Encoding", coding]),
      ...COMMON_HEADERS,
      "Cache-Control",
      "no-cache",
      SEQUENCE_HEADER,
      String(sequence),
    ];
    if (bytes <= MAX_WHOLE) {
      const plain = await whole(body);
      const sent = coding === undefined ? plain : await encode(plain, coding);
      return { status: 200, headers: ["Content-Length", String(sent.length), ...described], body: sent };
    }
    if (coding !== undefined) return { status: 200, headers: described, body: encodePieces(body, coding) };
    return { status: 200, headers: ["Content-Length", String(bytes), ...described], body };
  }

  /** The service description, or in a browser the editor. */
  async #description({ headers }: IncomingMessage): Promise<Answer> {
    const { store, base, editor } = this.#options;
    const chosen = negotiate(headers.accept, [...GRAPH_OFFERS, ...(editor === undefined ? [] : [PAGE_OFFER])]);
    if (chosen === undefined) return this.#notAcceptable("This endpoint is described in RDF.");
    if (chosen.format === undefined) return editor!.page();
    const { triples } = await fromStore(() => store.stats());
    const graph = serviceDescription(`${base}/sparql`, base, triples);
    const body = writeGraph(writeNTriples(graph), chosen.format, DESCRIPTION_PREFIXES);
    return { status: 200, headers: [...bodyHeaders(chosen.contentType, body), "Cache-Control", "no-cache"], body };
  }

  #refusal({ reason, message, position, located: detail }: QueryRefusedError): Answer {
    if (reason === "not-acceptable") return this.#notAcceptable(message);
    if (reason === "timeout" || reason === "too-large") this.#options.report?.(`a query was ended: ${message}`);
    const headers = reason === "too-many-waiting" ? ["Retry-After", RETRY_AFTER] : [];
    return problem(this.#options.base, PROBLEM_OF[reason], {
      detail,
      headers,
      ...(position && { members: { position } }),
    });
  }

  #notAcceptable(detail: string): Answer {
    const members = { results: mediaTypes(RESULT_OFFERS), graphs: mediaTypes(GRAPH_OFFERS) };
    return problem(this.#options.base, "not-acceptable", { detail, members });
  }

  #problem(name: ProblemName, detail: string, headers: readonly string[] = []): Answer {
    return problem(this.#options.base, name, { detail, headers });
  }
}
