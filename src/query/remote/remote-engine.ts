/** The query engine on a remote SPARQL 1.1 endpoint, such as `/sparql` of another process (SPARQL 1.1 Protocol, 2). */
import { type HttpAnswer, headerOf, mediaTypeOf } from "../../base/http-client.js";
import { jsonIn } from "../../base/json.js";
import { thrownMessage } from "../../base/named-error.js";
import { joinedBytes, withMoved } from "../../base/worker-client.js";
import { MOST_ROWS_HEADER } from "../../engine/engine-access.js";
import type { EngineClientSettings } from "../../engine/engine-client.js";
import { EngineClient, EngineTimeoutError, EngineUnreachableError } from "../../engine/engine-client.js";
import type { TextPosition } from "../../rdf/syntax-problem.js";
import { XSD_NAMESPACE } from "../../rdf/terms.js";
import type { EngineState, QueryContext, QueryEngine, QueryRequest, QueryResult, RefusalReason } from "../engine.js";
import { inMemory, PROBLEM_OF, QueryRefusedError } from "../engine.js";
import { malformedQuery, type QueryText } from "../query-text.js";
import { GRAPH_TYPES, RESULT_TYPES, refuseFormat } from "../results.js";
import { closing } from "../waiting.js";
import { requestedFor, tooMany, type Wanted } from "./engine-results.js";
import { askedOfThread } from "./engine-texts.js";

/** Vitrine's header with the sequence number that an answer reflects. */
const SEQUENCE_HEADER = "vitrine-sequence";

/** The functions that cast a value to a datatype (SPARQL 1.1, 17.5), with further datatypes of dates. */
const CASTS = new Set(
  "boolean date dateTime decimal double duration float gMonth gMonthDay gYear gYearMonth integer string time"
    .split(" ")
    .map((name) => XSD_NAMESPACE + name),
);

export class RemoteEngine implements QueryEngine {
  readonly #client: EngineClient;
  readonly #closing = new AbortController();
  state: EngineState = { state: "ready", done: 0, total: 0 };

  constructor(private readonly settings: EngineClientSettings & { readonly url: string }) {
    this.#client = new EngineClient(settings);
  }

  async close(): Promise<void> {
    this.#closing.abort(closing());
    this.#client.close();
  }

  /** Pass on a query. Throws `QueryRefusedError`, also for whatever could do more there than read the records. @param read the query as the thread has read it; by default it reads it now */
  async query(request: QueryRequest, asking: QueryContext, read?: QueryText): Promise<QueryResult> {
    const text = read ?? (await askedOfThread("read", request.text, asking));
    // Functions of the engine may write, or read files and addresses.
    const called = text.functions.find((iri) => !CASTS.has(iri));
    if (called !== undefined)
      throw malformedQuery(`The function <${called}> is not supported: only casts such as xsd:integer.`);
    const wanted = wantedBy(request, text);
    const { signal } = asking;
    const stop = AbortSignal.any([this.#closing.signal, ...(signal === undefined ? [] : [signal])]);
    try {
      const begin = prologue(request, text);
      const sent = { ...request, text: begin + text.text };
      const answer = await this.#send(sent, mediaTypeFor(wanted), asking.timeout, stop);
      if (answer.statusCode < 200 || answer.statusCode > 299) throw await engineRefusal(answer, begin.length);
      const result = await resultOf(answer, wanted, request, { ...asking, signal: stop });
      this.state = { state: "ready", done: 0, total: 0, sequence: result.sequence };
      return result;
    } catch (error) {
      throw this.#refusal(error, stop);
    }
  }

  async #send(request: QueryRequest, accept: string, timeout: number, signal: AbortSignal): Promise<HttpAnswer> {
    const form = new URLSearchParams({ query: request.text });
    for (const graph of request.defaultGraphs) form.append("default-graph-uri", graph);
    for (const graph of request.namedGraphs) form.append("named-graph-uri", graph);
    const headers = { accept, "content-type": "application/x-www-form-urlencoded" };
    return this.#client.send({ url: this.settings.url, headers, body: String(form), timeout, mayBeSlow: true, signal });
  }

  /** The error for the client. If the endpoint does not answer, the engine's state becomes `unreachable`. */
  #refusal(error: unknown, stop: AbortSignal): Error {
    const known = stopOf(error, stop);
    if (known !== undefined) return known;
    const detail = thrownMessage(error);
    this.state = { state: "unreachable", done: 0, total: 0, detail };
    const again = error instanceof EngineUnreachableError ? error.retryAfter : undefined;
    const when = again === undefined ? "" : ` Ask again in ${Math.ceil(again / 1_000)} s.`;
    return new QueryRefusedError("unreachable", `The query engine does not answer: ${detail}.${when}`);
  }
}

/** The refusal that ended a query, or `undefined` if the engine failed. */
function stopOf(error: unknown, { aborted, reason }: AbortSignal): QueryRefusedError | undefined {
  if (error instanceof QueryRefusedError) return error;
  if (aborted && reason instanceof QueryRefusedError) return reason;
  if (aborted) return new QueryRefusedError("busy", "The query was given up.");
  if (!(error instanceof EngineTimeoutError)) return undefined;
  return new QueryRefusedError("timeout", `The query took longer than ${error.timeout / 1_000} seconds.`);
}

/** Matches a query that begins with an absolute base of its own. */
const OWN_BASE = /^(?:\s|#[^\n]*\n)*BASE\s*<[a-z][a-z0-9+.-]*:/i;

/** Makes relative IRIs resolve as in this service, unless the query has a base: Virtuoso takes only one. It is on the query's first line, so that line numbers stay the same. */
function prologue({ base }: QueryRequest, { text }: QueryText): string {
  return OWN_BASE.test(text) ? "" : `BASE <${base}> `;
}

/** The kind of a query's result, and the format in which the client gets it. Throws `QueryRefusedError` if the client accepts none. */
function wantedBy({ formats: { results, graph } }: QueryRequest, { form }: QueryText): Wanted {
  if (form === "construct" || form === "describe") return { kind: "graph", format: graph ?? refuseFormat("graph") };
  return { kind: form === "ask" ? "truth" : "solutions", format: results ?? refuseFormat("results") };
}

function mediaTypeFor(wanted: Wanted): string {
  return { ...RESULT_TYPES, nt: GRAPH_TYPES.nt }[requestedFor(wanted)];
}

async function resultOf(
  { headers, body }: HttpAnswer,
  wanted: Wanted,
  request: QueryRequest,
  asking: QueryContext & { readonly signal: AbortSignal },
): Promise<QueryResult> {
  const mediaType = mediaTypeOf(headers);
  if (mediaType !== mediaTypeFor(wanted)) {
    await body.dump();
    throw new QueryRefusedError("not-acceptable", `the engine answered with ${mediaType || "no media type"}`);
  }
  const header = headerOf(headers, SEQUENCE_HEADER);
  const sequence = /^\d{1,15}$/.test(header) ? Number(header) : undefined;
  const pieces = piecesOf(body, asking.signal);
  const engineRows = Number(headers[MOST_ROWS_HEADER] ?? Number.POSITIVE_INFINITY);
  // A result with limits is read completely before the answer begins; without limits it is streamed.
  const isStreamed = !Number.isFinite(request.rows) && !Number.isFinite(request.bytes);
  const isAsWanted = requestedFor(wanted) === wanted.format && engineRows === Number.POSITIVE_INFINITY;
  if (!isStreamed || !isAsWanted) return { sequence, ...(await buffered(wanted, pieces, request, engineRows, asking)) };
  const release = (): void => {
    // A body that is being read ends with its reader.
    if (!body.readableDidRead) body.destroy();
  };
  return { kind: wanted.kind, sequence, bytes: undefined, body: pieces, release };
}

async function* piecesOf(body: AsyncIterable<Uint8Array>, stop: AbortSignal): AsyncIterable<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw stopOf(error, stop) ?? error;
  }
}

/** Read the result into memory. Throws `QueryRefusedError` if it exceeds its limits. */
async function buffered(
  wanted: Wanted,
  pieces: AsyncIterable<Uint8Array>,
  { rows: most, bytes: mostBytes }: QueryRequest,
  engineRows: number,
  asking: QueryContext,
): Promise<Omit<QueryResult, "sequence">> {
  const read: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces) {
    length += piece.length;
    if (length > mostBytes) throw tooMany("bytes", `The result has more than ${mostBytes} bytes.`);
    read.push(piece);
  }
  const given = joinedBytes(read);
  const bytes = await askedOfThread("convert", withMoved({ given, wanted, most, engineRows }, given), asking);
  return { kind: wanted.kind, ...inMemory(bytes) };
}

/** The first refusal reason for the last segment of a problem type (RFC 9457), as Vitrine's own endpoints answer; `unavailable` may have any. */
function reasonOf(type: string | undefined): RefusalReason | undefined {
  const name = type?.split("/").at(-1);
  const reasons = Object.keys(PROBLEM_OF) as RefusalReason[];
  return name === "unavailable" ? undefined : reasons.find((reason) => PROBLEM_OF[reason] === name);
}

/** Refusal reasons by status, for all other endpoints (SPARQL 1.1 Protocol, 2.1.7, and what engines answer at their limits). */
const OF_STATUS: Readonly<Record<number, RefusalReason>> = {
  400: "malformed",
  406: "not-acceptable",
  408: "timeout",
  413: "too-large",
  422: "too-large",
  429: "busy",
  503: "busy",
  504: "timeout",
};

/** Virtuoso's message for a query that exceeded its time limit (`MaxQueryExecutionTime`). */
const VIRTUOSO_TIMEOUT = /^Virtuoso S1T00 /;
/** Virtuoso's messages, with status 500, for what a query does with values or variables, such as a division by 0. */
const VIRTUOSO_REFUSAL = /^Virtuoso (?:22|37|S0|RDF)/;

/** The number of characters that are passed on from an error answer without problem details. */
const MAX_EXPLANATION = 1_000;

type Problem = { type?: string; detail?: string; position?: TextPosition };

/** The refusal for an error answer. @param prologue the number of characters inserted before the query's first line */
async function engineRefusal({ statusCode, headers, body }: HttpAnswer, prologue: number): Promise<QueryRefusedError> {
  const text = (await body.text()).slice(0, 100 * MAX_EXPLANATION);
  const isProblem = mediaTypeOf(headers) === "application/problem+json";
  const { type, detail, position } = (isProblem && jsonIn<Problem | null>(text)) || {};
  const known = reasonOf(type) ?? (VIRTUOSO_TIMEOUT.test(text) ? "timeout" : undefined);
  const isRefusal = statusCode === 500 && VIRTUOSO_REFUSAL.test(text);
  const reason = known ?? (isRefusal ? "malformed" : OF_STATUS[statusCode]) ?? "unreachable";
  // Virtuoso repeats the query, with lines of its own.
  const explanation = detail ?? text.split(/\s+SPARQL query:\n/, 1)[0]!.slice(0, MAX_EXPLANATION);
  const message = explanation === "" ? `The query engine answered with status ${statusCode}.` : explanation;
  if (position === undefined) return new QueryRefusedError(reason, message);
  const { line, column } = position;
  const there = line === 1 ? { line, column: Math.max(1, column - prologue) } : { line, column };
  return new QueryRefusedError(reason, message.replace(/^line \d+, column \d+: /, ""), there);
}
