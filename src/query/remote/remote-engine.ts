/** The query engine on a remote SPARQL 1.1 endpoint, such as `/sparql` of another process (SPARQL 1.1 Protocol, 2). */
import { type HttpAnswer, headerOf, mediaTypeOf } from "../../base/http-client.js";
import { jsonIn } from "../../base/json.js";
import { thrownMessage } from "../../base/named-error.js";
import { type JsonTerm, MOST_ROWS_HEADER, solutionsIn } from "../../engine/engine-access.js";
import {
  EngineClient,
  type EngineClientSettings,
  EngineTimeoutError,
  EngineUnreachableError,
} from "../../engine/engine-client.js";
import type { FormatName, ResultFormat } from "../../rdf/formats.js";
import { formatTerm } from "../../rdf/ntriples/writer.js";
import { type Term, XSD_NAMESPACE } from "../../rdf/terms.js";
import {
  type EngineState,
  inMemory,
  type QueryContext,
  type QueryEngine,
  type QueryPosition,
  QueryRefusedError,
  type QueryRequest,
  type QueryResult,
  type RefusalReason,
} from "../engine.js";
import type { QueryText } from "../query-text.js";
import { GRAPH_TYPES, occurrences, RESULT_TYPES, solutionCount, writeGraph } from "../results.js";
import { closing } from "../waiting.js";

export interface RemoteSettings extends EngineClientSettings {
  readonly url: string;
}

/** Vitrine's header with the sequence number that an answer reflects. */
const SEQUENCE_HEADER = "vitrine-sequence";

/** The functions that cast a value to a datatype (SPARQL 1.1, 17.5), with further datatypes of dates. */
const CASTS = new Set(
  "boolean date dateTime decimal double duration float gMonth gMonthDay gYear gYearMonth integer string time"
    .split(" ")
    .map((name) => XSD_NAMESPACE + name),
);

/** Read a query for an engine elsewhere. Throws `QueryRefusedError`, also for whatever could do more there than read the records. */
export async function readForEngine(request: QueryRequest): Promise<{ text: QueryText; request: QueryRequest }> {
  // The parser is large, so it is imported at the first query.
  const { readQuery } = await import("../query-text.js");
  const text = readQuery(request.text);
  // Functions of the engine may write, or read files and addresses.
  const called = text.functions.find((iri) => !CASTS.has(iri));
  if (called !== undefined)
    throw new QueryRefusedError(
      "malformed",
      `The function <${called}> is not supported: only casts such as xsd:integer.`,
    );
  return { text, request: { ...request, text: text.text } };
}

export class RemoteEngine implements QueryEngine {
  readonly #client: EngineClient;
  readonly #closing = new AbortController();
  state: EngineState = { state: "ready", done: 0, total: 0 };

  constructor(private readonly settings: RemoteSettings) {
    this.#client = new EngineClient(settings);
  }

  /** Resolves at once: the endpoint is contacted only by queries. */
  async whenReady(): Promise<void> {}

  async close(): Promise<void> {
    this.#closing.abort(closing());
    this.#client.close();
  }

  async query(given: QueryRequest, asking: QueryContext): Promise<QueryResult> {
    const { request } = await readForEngine(given);
    return this.pass(request, asking);
  }

  /** Pass on a query that `readForEngine` has read. */
  async pass(request: QueryRequest, { timeout, signal }: QueryContext): Promise<QueryResult> {
    const stop = AbortSignal.any([this.#closing.signal, ...(signal === undefined ? [] : [signal])]);
    try {
      const answer = await this.#send(request, timeout, stop);
      if (answer.statusCode < 200 || answer.statusCode > 299)
        throw await engineRefusal(answer, prologue(request).length);
      const result = await resultOf(answer, request, stop);
      const { sequence } = result;
      this.state = { state: "ready", done: 0, total: 0, ...(sequence === undefined ? {} : { sequence }) };
      return result;
    } catch (error) {
      throw this.#refusal(error, stop);
    }
  }

  async #send(request: QueryRequest, timeout: number, signal: AbortSignal): Promise<HttpAnswer> {
    const form = new URLSearchParams({ query: prologue(request) + request.text });
    for (const graph of request.defaultGraphs) form.append("default-graph-uri", graph);
    for (const graph of request.namedGraphs) form.append("named-graph-uri", graph);
    const accept = mediaTypesOf(request);
    if (accept.length === 0)
      throw new QueryRefusedError("not-acceptable", "the client accepts no format for any kind of query");
    const headers = { accept: accept.join(", "), "content-type": "application/x-www-form-urlencoded" };
    return this.#client.send({ url: this.settings.url, headers, body: form.toString(), timeout, signal });
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

/** Makes relative IRIs resolve as in this service. It is on the query's first line, so that line numbers stay the same. */
function prologue({ base }: QueryRequest): string {
  return `BASE <${base}> `;
}

/** The media type in which solutions are requested. TSV is made here from JSON, since Virtuoso writes all its terms as strings. */
function resultType(format: ResultFormat): string {
  return RESULT_TYPES[format === "tsv" ? "json" : format];
}

function mediaTypesOf({ formats: { results, graph } }: QueryRequest): string[] {
  // Graphs are requested as N-Triples, which all engines write faithfully, and converted here.
  return [...(results === undefined ? [] : [resultType(results)]), ...(graph === undefined ? [] : [GRAPH_TYPES.nt])];
}

async function resultOf({ headers, body }: HttpAnswer, request: QueryRequest, stop: AbortSignal): Promise<QueryResult> {
  const mediaType = mediaTypeOf(headers);
  const { results, graph } = request.formats;
  const isGraph = graph !== undefined && mediaType === GRAPH_TYPES.nt;
  const isResult = results !== undefined && mediaType === resultType(results);
  if (!isGraph && !isResult) {
    await body.dump();
    throw new QueryRefusedError("not-acceptable", `the engine answered with ${mediaType || "no media type"}`);
  }
  const header = headerOf(headers, SEQUENCE_HEADER);
  const sequence = /^\d{1,15}$/.test(header) ? Number(header) : undefined;
  const answer = { kind: isGraph ? "graph" : "solutions", format: isGraph ? graph : results!, sequence } as const;
  const pieces = piecesOf(body, stop);
  const engineRows = Number(headers[MOST_ROWS_HEADER] ?? Number.POSITIVE_INFINITY);
  // A result with limits is read completely before the answer begins; without limits it is streamed.
  const isStreamed = !Number.isFinite(request.rows) && !Number.isFinite(request.bytes);
  const isAsWanted = (isGraph ? graph === "nt" : results !== "tsv") && engineRows === Number.POSITIVE_INFINITY;
  if (!isStreamed || !isAsWanted) return buffered(answer, pieces, request, engineRows);
  const release = (): void => {
    // A body that is being read ends with its reader.
    if (!body.readableDidRead) body.destroy();
  };
  return { ...answer, rows: undefined, bytes: undefined, body: pieces, release };
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
  answer: Pick<QueryResult, "kind" | "format" | "sequence">,
  pieces: AsyncIterable<Uint8Array>,
  { rows: most, bytes: mostBytes }: QueryRequest,
  engineRows: number,
): Promise<QueryResult> {
  const read: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > mostBytes) throw tooMany("bytes", `The result has more than ${mostBytes} bytes.`);
    read.push(piece);
  }
  const given = Buffer.concat(read).toString("utf8");
  const { format } = answer;
  const [kind, rows] = counted({ ...answer, format: format === "tsv" ? "json" : format }, given);
  if (rows >= engineRows && kind === "solutions") {
    throw tooMany("rows", `The query engine returns at most ${engineRows} rows of a result.`);
  }
  if (rows > most) throw tooMany("rows", `The result has more than ${most} rows.`);
  const text = kind === "graph" ? writeGraph(given, format as FormatName) : resultText(given, format);
  return { ...answer, kind, rows, ...inMemory(Buffer.from(text, "utf8")) };
}

function tooMany(what: "bytes" | "rows", message: string): QueryRefusedError {
  return new QueryRefusedError(`too-many-${what}`, `${message} Ask for less with LIMIT and OFFSET.`);
}

/** The kind of an engine's result, in which graphs are N-Triples, and the number of its rows. */
function counted({ kind, format }: Pick<QueryResult, "kind" | "format">, text: string): [QueryResult["kind"], number] {
  if (kind === "graph") return [kind, occurrences(text, "\n")];
  if (isTruth(text, format as ResultFormat)) return ["truth", 1];
  return [kind, solutionCount(text, format as ResultFormat)];
}

/** Whether a result is a truth value (SPARQL 1.1 Query Results JSON Format, 3.3; XML Format, 2.3.2; the bare word in CSV). */
function isTruth(text: string, format: ResultFormat): boolean {
  const start = text.slice(0, 2_000);
  if (format === "json") return /^[^[]*"boolean"\s*:\s*(?:true|false)\s*[,}]/.test(start);
  return format === "xml" ? start.includes("<boolean>") : /^\s*(?:true|false)\s*$/.test(text);
}

/** A result in its format, from what the engine wrote. */
function resultText(given: string, format: string): string {
  if (format !== "tsv") return format === "json" ? standardJson(given) : given;
  const { head, boolean } = jsonIn<{ head?: { vars?: readonly string[] }; boolean?: boolean }>(given) ?? {};
  if (boolean !== undefined) return String(boolean);
  const solutions = solutionsIn(given);
  if (solutions === undefined) throw new QueryRefusedError("unreachable", "the engine's result cannot be read");
  const names = head?.vars ?? [];
  const cell = (term: Term | undefined): string => (term === undefined ? "" : formatTerm(term).replaceAll("\t", "\\t"));
  const rows = [names.map((name) => `?${name}`), ...solutions.map((row) => names.map((name) => cell(row[name])))];
  return rows.map((cells) => `${cells.join("\t")}\n`).join("");
}

/** Matches Virtuoso's deviations: the type `typed-literal`, bare numbers as values, and `lang`. */
const NON_STANDARD = /"type"\s*:\s*"typed-literal"|"value"\s*:\s*[^"\s]|"lang"\s*:/;

/** A result in JSON with literals as the standard writes them. Any other text is returned unchanged. */
export function standardJson(text: string): string {
  if (!NON_STANDARD.test(text)) return text;
  const result = jsonIn<{ results?: { bindings?: Record<string, JsonTerm>[] } }>(text);
  if (result === undefined) return text;
  for (const row of result.results?.bindings ?? [])
    for (const [name, term] of Object.entries(row)) row[name] = standardTerm(term);
  return JSON.stringify(result);
}

function standardTerm({ type, value, lang, ...others }: JsonTerm): JsonTerm {
  const language = lang === undefined ? {} : { "xml:lang": lang };
  return { type: type === "typed-literal" ? "literal" : type, value: String(value), ...language, ...others };
}

/** Refusal reasons by the last segment of the problem type (RFC 9457), for Vitrine's own endpoints. */
const OF_PROBLEM: Readonly<Record<string, RefusalReason>> = {
  "query-malformed": "malformed",
  "read-only": "update",
  "not-acceptable": "not-acceptable",
  "result-too-large": "too-many-rows",
  "query-timeout": "timeout",
  "query-too-large": "too-large",
  "no-named-graphs": "no-graphs",
  "index-busy": "busy",
  "too-many-requests": "too-many-waiting",
  "no-index": "no-index",
};

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

/** The number of characters that are passed on from an error answer without problem details. */
const MAX_EXPLANATION = 1_000;

type Problem = { type?: string; detail?: string; position?: QueryPosition };

/** The refusal for an error answer. @param prologue the number of characters inserted before the query's first line */
async function engineRefusal({ statusCode, headers, body }: HttpAnswer, prologue: number): Promise<QueryRefusedError> {
  const text = (await body.text()).slice(0, 100 * MAX_EXPLANATION);
  const isProblem = mediaTypeOf(headers) === "application/problem+json";
  const { type, detail, position } = (isProblem && jsonIn<Problem | null>(text)) || {};
  const known = OF_PROBLEM[type?.split("/").at(-1) ?? ""] ?? (VIRTUOSO_TIMEOUT.test(text) ? "timeout" : undefined);
  const reason = known ?? OF_STATUS[statusCode] ?? "unreachable";
  const explanation = detail ?? text.slice(0, MAX_EXPLANATION);
  const message = explanation === "" ? `The query engine answered with status ${statusCode}.` : explanation;
  if (position === undefined) return new QueryRefusedError(reason, message);
  const { line, column } = position;
  const there = line === 1 ? { line, column: Math.max(1, column - prologue) } : { line, column };
  return new QueryRefusedError(reason, message.replace(/^line \d+, column \d+: /, ""), there);
}
