/** Access to an engine by SPARQL 1.1: queries, updates and graph uploads. */
import { failureOf, mediaTypeOf } from "../base/http-client.js";
import { blank, iri, literal, type Term, XSD } from "../rdf/terms.js";
import { addressOf, EngineClient, type EngineClientSettings, EngineError } from "./engine-client.js";

/** The URLs of an engine, and how to connect to it. */
export interface EngineAddresses extends EngineClientSettings {
  /** The URL for queries (SPARQL 1.1 Protocol, 2.1). */
  readonly url: string;
  /** The URL for updates (SPARQL 1.1 Protocol, 2.2). Default: that for queries. */
  readonly update?: string | undefined;
  /** The URL for graphs (SPARQL 1.1 Graph Store HTTP Protocol). Without it, triples are sent as updates, which is slower. */
  readonly graphStore?: string | undefined;
}

/** How an engine stores records: each in the named graph of its IRI, or all merged in one graph. */
export type EngineGraphs = "records" | "merged";

type Solution = Readonly<Record<string, Term | undefined>>;

const N_TRIPLES = "application/n-triples";
/** Solutions as JSON (SPARQL 1.1 Query Results JSON Format). */
const JSON_RESULTS = "application/sparql-results+json";
/** Virtuoso's header with the maximum number of rows in an answer. */
export const MOST_ROWS_HEADER = "x-sparql-maxrows";

export class EngineAccess {
  readonly client: EngineClient;

  /** @param timeout milliseconds that one request may take */
  constructor(
    private readonly addresses: EngineAddresses,
    private readonly timeout: number,
  ) {
    this.client = new EngineClient(addresses);
  }

  [Symbol.dispose](): void {
    this.client.close();
  }

  get hasGraphStore(): boolean {
    return this.addresses.graphStore !== undefined;
  }

  /** Run a SELECT. `isCut` says that the result has the engine's maximum number of rows, so that others may be missing. Throws `EngineError`, and what `EngineClient.send` throws. */
  async select(query: string, signal?: AbortSignal) {
    const { headers, body } = await this.#form(this.addresses.url, "query", query, JSON_RESULTS, signal);
    const { rows } = solutionsIn(body.toString()) ?? {};
    if (rows === undefined)
      throw new EngineError(`${addressOf(this.addresses.url)}: the answer is not a SPARQL result`);
    return { rows, isCut: rows.length >= Number(headers[MOST_ROWS_HEADER] ?? Number.POSITIVE_INFINITY) };
  }

  /** The triples of a CONSTRUCT as N-Triples, which engines write more faithfully than Turtle. */
  async construct(query: string): Promise<Buffer> {
    const { headers, body } = await this.#form(this.addresses.url, "query", query, N_TRIPLES);
    const mediaType = mediaTypeOf(headers);
    if (mediaType === N_TRIPLES || mediaType === "text/plain") return body;
    const given = mediaType || "of no media type";
    throw new EngineError(`${addressOf(this.addresses.url)}: the answer is ${given}, not N-Triples`);
  }

  async update(text: string, signal?: AbortSignal): Promise<void> {
    const { url, update = url } = this.addresses;
    await this.#form(update, "update", text, "*/*", signal);
  }

  async add(graph: string, ntriples: string, signal?: AbortSignal): Promise<void> {
    const url = new URL(this.addresses.graphStore!);
    url.searchParams.set("graph", graph);
    await this.#send({ url: url.href, headers: { "content-type": N_TRIPLES }, body: ntriples, signal });
  }

  #form(url: string, name: string, text: string, accept: string, signal?: AbortSignal) {
    const headers = { accept, "content-type": "application/x-www-form-urlencoded; charset=utf-8" };
    return this.#send({ url, headers, body: new URLSearchParams({ [name]: text }).toString(), signal });
  }

  /** Send a request, and read the whole answer. */
  async #send(request: Omit<Parameters<EngineClient["send"]>[0], "timeout">) {
    const { statusCode, headers, body: coming } = await this.client.send({ ...request, timeout: this.timeout });
    const address = addressOf(request.url);
    const body = await coming.arrayBuffer().then(Buffer.from, (error: unknown) => {
      if (error instanceof EngineError || request.signal?.aborted === true) throw error;
      throw new EngineError(`${address}: the answer broke off: ${failureOf(error)}`, { cause: error });
    });
    if (statusCode >= 200 && statusCode < 300) return { headers, body };
    const detail = body.toString().slice(0, 300).trim();
    throw new EngineError(`${address} answered ${statusCode}${detail === "" ? "" : `: ${detail}`}`);
  }
}

/** A term in a result (SPARQL 1.1 Query Results JSON Format, 3.2.2). */
export interface JsonTerm {
  readonly type?: unknown;
  /** A string; Virtuoso also writes bare numbers. */
  readonly value?: unknown;
  readonly datatype?: string;
  readonly "xml:lang"?: string;
  /** The name of `xml:lang` in some versions of Virtuoso. */
  readonly lang?: string;
}

interface JsonResults {
  readonly head?: { readonly vars?: readonly string[] };
  readonly results: { readonly bindings: readonly Readonly<Record<string, JsonTerm>>[] };
}

/** The variables and solutions of a result in JSON (SPARQL 1.1 Query Results JSON Format), or `undefined` if the text is not such a result. */
export function solutionsIn(text: string): { names: readonly string[]; rows: readonly Solution[] } | undefined {
  try {
    const { head, results } = JSON.parse(text) as JsonResults;
    const rows = results.bindings.map((row) => {
      const terms = Object.entries(row).map(([name, term]) => [name, termIn(term)] as const);
      // Without a prototype, whose members would be values of unbound variables such as `?constructor`.
      return { __proto__: null, ...Object.fromEntries(terms) } as unknown as Solution;
    });
    return { names: head?.vars ?? [], rows };
  } catch {
    return undefined;
  }
}

/** The prefix of Virtuoso's blank nodes, which some of its answers write as IRIs. */
const VIRTUOSO_BLANK = "nodeID://";

function termIn({ type, value, datatype, lang, "xml:lang": language = lang }: JsonTerm): Term {
  const text = String(value);
  if (type === "uri") return text.startsWith(VIRTUOSO_BLANK) ? blank(text.slice(VIRTUOSO_BLANK.length)) : iri(text);
  if (type === "bnode") return blank(text.replace(/^(?:_:|nodeID:\/\/)/, ""));
  return literal(text, datatype ?? XSD.string, language ?? "");
}
