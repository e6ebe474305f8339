/** The options of queries, and the endpoint that `serve` opens by them. */
import type { ServerOptions } from "../http/server.js";
import { editorFiles, editorPage } from "../http/sparql/editor.js";
import { type EndpointOptions, SparqlEndpoint } from "../http/sparql/endpoint.js";
import { listenLocally } from "../http/sparql/local-socket.js";
import type { ModelSettings } from "../model/settings.js";
import { QueryIndex, type QueryIndexOptions } from "../query/oxigraph/query-index.js";
import type { Store } from "../store/store.js";
import { type Option, type Options, UsageError } from "./options.js";

/** What `serve` and `query` share. */
export const INDEX_OPTIONS: readonly Option[] = [
  {
    name: "index-graphs",
    value: "TRIPLES",
    default: "2000000",
    help: "up to so many triples are also held as named graphs, for GRAPH ?g",
  },
  { name: "query-memory", value: "MIB", default: "1024", help: "memory that a query may take beyond the index" },
];

export const SPARQL_OPTIONS: readonly Option[] = [
  {
    name: "sparql-access",
    value: "WHO",
    default: "public",
    choices: ["public", "token", "off"],
    help: "who may query /sparql",
  },
  { name: "sparql-token", value: "TOKEN", help: "what clients show with --sparql-access token" },
  { name: "query-timeout", value: "SECONDS", default: "30", help: "how long a query may run" },
  { name: "query-rows", value: "NUMBER", default: "100000", help: "a result of more rows is refused" },
  { name: "query-size", value: "MIB", default: "64", help: "a result of more is refused" },
  { name: "query-processes", value: "NUMBER", default: "1", help: "index processes; each holds the whole index" },
  ...INDEX_OPTIONS,
];

/** A number of an option. Throws `UsageError`. */
export function numberOf(options: Options, name: string, least: number): number {
  const text = options.required(name);
  const value = Number(text);
  if (!/^\d{1,12}(?:\.\d+)?$/.test(text) || value < least) {
    throw new UsageError(`--${name} is ${JSON.stringify(text)}: it has to be a number of at least ${least}`);
  }
  return value;
}

export function indexOptions(options: Options, report: (message: string) => void): QueryIndexOptions {
  return {
    directory: options.required("store"),
    queryMemory: numberOf(options, "query-memory", 16) * 2 ** 20,
    graphTriples: numberOf(options, "index-graphs", 0),
    report,
  };
}

export interface SparqlService {
  /** For the server. */
  readonly services: Pick<ServerOptions, "index" | "sparql">;
  close(): Promise<void>;
}

/** The endpoint by the options of `serve`, or none where access is off. Its index begins to fill. Throws `UsageError`. */
export async function startSparql(
  options: Options,
  store: Store,
  { baseUrl, model }: { readonly baseUrl: string; readonly model: ModelSettings },
  report: (message: string) => void,
): Promise<SparqlService> {
  const access = options.required("sparql-access");
  const token = options.text("sparql-token");
  if (access === "token" && token === undefined) throw new UsageError("--sparql-access token needs --sparql-token");
  const timeout = numberOf(options, "query-timeout", 0.001) * 1_000;
  const rows = numberOf(options, "query-rows", 1);
  const bytes = numberOf(options, "query-size", 1) * 2 ** 20;
  const processes = numberOf(options, "query-processes", 1);
  if (access === "off") return { services: {}, close: async () => {} };
  const index = new QueryIndex({ ...indexOptions(options, report), processes });
  // With several processes, the others pass queries on to this one and say whose they are.
  const trustProxy = options.isSet("trust-proxy") || options.required("workers") !== "1";
  const endpoint: EndpointOptions = {
    store,
    index,
    base: baseUrl.replace(/\/$/, ""),
    timeout,
    rows,
    bytes,
    trustProxy,
  };
  const editor = { page: editorPage, files: editorFiles(model, endpoint.base) };
  const closeLocal = await listenLocally(options.required("store"), endpoint);
  return {
    services: {
      index: () => index.state,
      sparql: new SparqlEndpoint({ ...endpoint, editor, ...(access === "token" ? { token: token! } : {}) }),
    },
    close: async () => {
      index.close();
      await closeLocal?.();
    },
  };
}
