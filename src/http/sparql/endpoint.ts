/** The SPARQL endpoint (SPARQL 1.1 Protocol, Service Description): it reads queries, passes them to the query engine and reports errors. Also the formats that it offers. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { mediaTypeOf } from "../../base/http-client.js";
import type { QueryEngine, QueryRequest, QueryResult } from "../../query/engine.js";
import { PROBLEM_OF, QueryRefusedError } from "../../query/engine.js";
import { FORMATS, type FormatName, type MediaFormat, RESULT_FORMATS, type ResultFormat } from "../../rdf/formats.js";
import { iriProblem, literal } from "../../rdf/terms.js";
import { DescriptionGraph } from "../dataset/graph.js";
import { checkToken } from "../loads/tokens.js";
import { send } from "../message/answer.js";
import { FORM, parametersIn, readText, unsupportedType } from "../message/body.js";
import { answerOf, type Content, fixedContent } from "../message/content.js";
import { negotiate, negotiator, type Offer } from "../message/headers/negotiate.js";
import { malformed, ProblemError, problem } from "../message/problems/problems.js";
import { RouteRequest, type ServedFile, type SparqlServices } from "../routes/route.js";

export interface EndpointOptions extends Pick<QueryRequest, "base" | "rows" | "bytes"> {
  readonly engine: QueryEngine;
  /** How long a query may run, in milliseconds. */
  readonly timeout: number;
  /** The token that clients must send; `undefined` for a public endpoint. */
  readonly token?: string | undefined;
  /** Called with a message for each query that was stopped at a limit. Default: no reports. */
  readonly report?: (message: string) => void;
  readonly editor?: {
    readonly page: (acceptLanguage: string | undefined, query?: ProtocolQuery) => Content;
    readonly files: readonly ServedFile[];
  };
  /** Whether to trust a proxy's headers about the client, as in the server's settings. Default: no. */
  readonly trustProxy?: boolean;
  /** Whether clients are local: they have no limits, and set the time limit of a query themselves. Default: no. */
  readonly isLocal?: boolean;
}

/** The header with the time limit of a query from the command line, in seconds. */
export const TIMEOUT_HEADER = "Vitrine-Timeout";

/** The query editor as an offer for negotiation. */
const PAGE_OFFER = { mediaType: "text/html", profiles: [], format: undefined, contentType: "" } as const;

const MAX_WHOLE = 65_536;

/** The content of a query's result. @param leftOut how many records the engine lacks */
async function contentOf(result: QueryResult, accept: string | undefined, leftOut: number): Promise<Content> {
  const { kind, sequence, bytes, body } = result;
  const { contentType } = (kind === "graph" ? graphFormatFor : resultFormatFor)(accept)!;
  return {
    type: contentType,
    body: bytes !== undefined && bytes <= MAX_WHOLE ? await buffer(body) : body,
    ...(bytes === undefined ? {} : { length: bytes }),
    headers: [
      ...(sequence === undefined ? [] : ["Vitrine-Sequence", String(sequence)]),
      // The engine lacks records that are damaged or that Oxigraph does not accept.
      ...(leftOut === 0 ? [] : ["Vitrine-Left-Out", String(leftOut)]),
    ],
  };
}

export class SparqlEndpoint implements SparqlServices {
  constructor(private readonly options: EndpointOptions) {}

  get files(): readonly ServedFile[] {
    return this.options.editor?.files ?? [];
  }

  /** Answers a query, or a request for the service description. Throws `ProblemError`. */
  async answer(request: RouteRequest): Promise<Content> {
    const { message, signal } = request;
    checkToken(message.headers.authorization, this.options.token, "this endpoint", 'Bearer realm="sparql"');
    const query = await readProtocolQuery(request);
    if (query === undefined) return this.#description(message);
    const { format } = query;
    if (format === undefined && this.#wantsEditor(message))
      return this.options.editor!.page(message.headers["accept-language"], query);
    const accept = format === undefined ? message.headers.accept : acceptOf(format);
    try {
      const result = await this.#query(query, accept, request);
      // The query counts for its client until the answer is sent.
      if (signal.aborted) result.release();
      else signal.addEventListener("abort", result.release, { once: true });
      return await contentOf(result, accept, this.options.engine.state.leftOut?.length ?? 0);
    } catch (error) {
      throw error instanceof QueryRefusedError ? this.#refusal(error) : error;
    }
  }

  /** Answers on a plain `node:http` server. */
  async handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { base, trustProxy = false } = this.options;
    const request = new RouteRequest(message, response, message.url ?? "/", {}, trustProxy);
    const answer = await this.answer(request)
      .then((content) => answerOf(content, message, base))
      .catch((error) =>
        error instanceof ProblemError
          ? error.answer(base)
          : problem(base, "internal", "The service failed to answer this query."),
      );
    if (request.signal.aborted) return;
    // The unread rest of a body would be read as the next request.
    if (!message.complete) response.setHeader("Connection", "close");
    send(response, answer);
  }

  /** Whether a browser followed a link with a query: it gets the editor, which runs the query, while programs get the result. */
  #wantsEditor({ method, headers }: IncomingMessage): boolean {
    if (this.options.editor === undefined || method === "POST") return false;
    return negotiate(headers.accept, [...RESULT_OFFERS, ...GRAPH_OFFERS, PAGE_OFFER])?.mediaType === "text/html";
  }

  async #query(query: ProtocolQuery, accept: string | undefined, request: RouteRequest): Promise<QueryResult> {
    const { engine, base, rows, bytes, timeout, isLocal = false } = this.options;
    const { message, signal } = request;
    const formats = { results: resultFormatFor(accept)?.format, graph: graphFormatFor(accept)?.format };
    // Users of the local socket cannot be distinguished and are trusted, so each query counts as a client of its own.
    const client = isLocal ? `local ${randomUUID()}` : request.client;
    const seconds = isLocal ? message.headers[TIMEOUT_HEADER.toLowerCase()] : undefined;
    const context = { client, timeout: seconds === undefined ? timeout : Number(seconds) * 1_000, signal };
    return engine.query({ ...query, formats, rows, bytes, base: `${base}/` }, context);
  }

  #description({ headers }: IncomingMessage): Content {
    const { base, editor } = this.options;
    const chosen = negotiate(headers.accept, [...GRAPH_OFFERS, ...(editor === undefined ? [] : [PAGE_OFFER])]);
    if (chosen === undefined) throw notAcceptable("The description of this endpoint is available only in RDF.");
    if (chosen.format === undefined) return editor!.page(headers["accept-language"]);
    const { graph, prefixes } = serviceDescription(base);
    const { write, writeTriples = write } = FORMATS.find(({ name }) => name === chosen.format)!;
    return fixedContent(chosen.contentType, writeTriples!(graph, prefixes));
  }

  #refusal({ reason, message, position, located: detail }: QueryRefusedError): ProblemError {
    if (reason === "not-acceptable") return notAcceptable(message);
    if (["timeout", "too-large", "damaged"].includes(reason)) this.options.report?.(`a query was stopped: ${message}`);
    const headers = reason === "too-many-waiting" ? ["Retry-After", "5"] : [];
    const members = position && { members: { position } };
    return new ProblemError(PROBLEM_OF[reason], detail, { headers, ...members });
  }
}

function notAcceptable(detail: string): ProblemError {
  const members = { results: mediaTypes(RESULT_OFFERS), graphs: mediaTypes(GRAPH_OFFERS) };
  return new ProblemError("not-acceptable", detail, { members });
}

/** The service description, which answers a request without a query. It has no number of triples: a store counts those that several records repeat several times. */
function serviceDescription(base: string): DescriptionGraph {
  const description = new DescriptionGraph(`${base}/sparql`);
  const endpoint = description.root;
  const graph = { "rdf:type": "sd:Graph", "void:uriSpace": literal(`${base}/`) };
  description.add(endpoint, {
    "rdf:type": "sd:Service",
    "sd:endpoint": endpoint,
    "sd:supportedLanguage": "sd:SPARQL11Query",
    "sd:resultFormat": W3C_NAMES.map((name) => `formats:${name}`),
    "sd:feature": "sd:EmptyGraphs",
    "sd:defaultDataset": { "rdf:type": "sd:Dataset", "sd:defaultGraph": graph },
  });
  return description;
}

export const MAX_BODY = 1_048_576;

export interface ProtocolQuery extends Pick<QueryRequest, "text" | "defaultGraphs" | "namedGraphs"> {
  /** The parameter `format`, which overrides `Accept`. */
  readonly format?: string | undefined;
}

/** The media type of a query as a body (SPARQL 1.1 Protocol, 2.1.3). */
export const DIRECT = "application/sparql-query";
const UPDATE = "application/sparql-update";

/** Reads the query of a request; `undefined` for a GET without one. Throws `ProblemError`. */
async function readProtocolQuery({ method, query, message }: RouteRequest): Promise<ProtocolQuery | undefined> {
  if (method === "GET") return query.has("query") || query.has("update") ? queryIn(query, query) : undefined;
  const { headers } = message;
  const type = mediaTypeOf(headers);
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(headers["content-type"] ?? "")?.[1]?.toLowerCase();
  if (type === UPDATE) throw readOnly();
  if (type !== FORM && type !== DIRECT) {
    const detail = `A query must be posted as ${DIRECT}, or as ${FORM} with the parameter query; this is ${type || "without a type"}.`;
    throw unsupportedType(detail, [DIRECT, FORM]);
  }
  if (charset !== undefined && !/^utf-?8$/.test(charset))
    throw unsupportedType(`A query must be in UTF-8, not in ${charset}.`, [DIRECT, FORM]);
  const body = await readText(message, MAX_BODY, "A query");
  return queryIn(type === FORM ? parametersIn(body) : new URLSearchParams({ query: body }), query);
}

/** The query in parameters. @param inUrl those of the URL, which may name the dataset of a query in the body */
function queryIn(parameters: URLSearchParams, inUrl: URLSearchParams): ProtocolQuery {
  if (parameters.has("update")) throw readOnly();
  const [text, ...more] = parameters.getAll("query");
  if (text === undefined) throw malformed("The parameter query is missing.");
  if (more.length > 0) throw malformed("The parameter query is given more than once.");
  const dataset = datasetIn(parameters);
  const isNamed = dataset.defaultGraphs.length + dataset.namedGraphs.length > 0;
  const format = parameters.get("format") || inUrl.get("format") || undefined;
  return { text, ...(isNamed ? dataset : datasetIn(inUrl)), format };
}

function datasetIn(parameters: URLSearchParams): Omit<ProtocolQuery, "text" | "format"> {
  return { defaultGraphs: irisIn(parameters, "default-graph-uri"), namedGraphs: irisIn(parameters, "named-graph-uri") };
}

function irisIn(parameters: URLSearchParams, name: string): string[] {
  // Forms send it empty where nothing is written.
  const iris = parameters.getAll(name).filter((each) => each !== "");
  const wrong = iris.map(iriProblem).find((each) => each !== undefined);
  if (wrong !== undefined) throw malformed(`${name} must be an absolute IRI; this one ${wrong}.`);
  return iris;
}

function readOnly(): ProblemError {
  return new ProblemError("read-only", "The endpoint only answers queries. To change records, use `vitrine load`.");
}

/** The offers of formats: first each with its own media type, then each with the other media types that clients use for it. */
function offersOf<F>(formats: readonly (MediaFormat & { readonly name: F })[]) {
  const inUtf8 = (type: string): string => (type.startsWith("text/") ? `${type}; charset=utf-8` : type);
  const own = formats.map(({ name, mediaType, contentType = mediaType }) => ({ format: name, mediaType, contentType }));
  const others = formats.flatMap(({ name: format, otherTypes = [] }) =>
    otherTypes.map((mediaType) => ({ format, mediaType, contentType: inUtf8(mediaType) })),
  );
  return [...own, ...others].map((offer) => ({ ...offer, profiles: [] }));
}

/** The formats for SELECT and ASK, the default first. */
export const RESULT_OFFERS = offersOf<ResultFormat>(RESULT_FORMATS);

/** The formats that can be written, the default first. */
const GRAPH_FORMATS = FORMATS.filter(({ write }) => write !== undefined);

/** The formats for CONSTRUCT, DESCRIBE and the service description, the default first. */
export const GRAPH_OFFERS = offersOf<FormatName>(GRAPH_FORMATS);

/** The W3C's names of all result formats (Unique URIs for File Formats). */
export const W3C_NAMES = [...RESULT_FORMATS, ...GRAPH_FORMATS].flatMap(({ w3cName }) => w3cName ?? []);

const OFFERS = [...RESULT_OFFERS, ...GRAPH_OFFERS];

export const FORMAT_NAMES: readonly string[] = [...new Set(OFFERS.map(({ format }) => format))];

/** The `Accept` value for `format`: the name of a format, here, as a file or at the W3C (`turtle`), or media types, as SPARQLWrapper sends. Results that have no such form get their default. Throws `ProblemError`. */
function acceptOf(format: string): string {
  const isMeant = ({ name, w3cName = name, extensions = [] }: MediaFormat): boolean =>
    [name, w3cName.toLowerCase(), ...extensions].includes(format.toLowerCase());
  const types = mediaTypes([...RESULT_FORMATS, ...GRAPH_FORMATS].filter(isMeant)).join(", ") || format;
  if (!types.includes("/") || negotiate(types, OFFERS) === undefined)
    throw malformed(`There is no format ${format}; the formats are ${FORMAT_NAMES.join(", ")}.`);
  return `${types}, */*;q=0.1`;
}

const resultFormatFor = negotiator(RESULT_OFFERS);

const graphFormatFor = negotiator(GRAPH_OFFERS);

/** The media types of offers or formats. */
export function mediaTypes(offers: readonly Pick<Offer, "mediaType">[]): string[] {
  return offers.map(({ mediaType }) => mediaType);
}
