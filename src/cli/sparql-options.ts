/** The options of queries, checked. */
import type { IndexSettings } from "../query/open.js";
import { secretOf } from "./common.js";
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
  {
    name: "sparql-token",
    value: "TOKEN",
    help: "what clients show with --sparql-access token; @FILE keeps it out of the list of processes",
  },
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

export function indexOptions(options: Options, report: (message: string) => void): IndexSettings {
  return {
    directory: options.required("store"),
    queryMemory: numberOf(options, "query-memory", 16) * 2 ** 20,
    graphTriples: numberOf(options, "index-graphs", 0),
    report,
  };
}

/** How queries are answered, by the options; `undefined` where access is off. */
export interface Querying {
  readonly index: Omit<IndexSettings, "report">;
  /** Milliseconds that a query may run. */
  readonly timeout: number;
  readonly rows: number;
  readonly bytes: number;
  readonly token?: string;
}

/** Throws `UsageError`. */
export async function queryingOf(options: Options): Promise<Querying | undefined> {
  const access = options.required("sparql-access");
  const token = await secretOf(options, "sparql-token");
  if (access === "token" && token === undefined) throw new UsageError("--sparql-access token needs --sparql-token");
  const { report: _, ...index } = indexOptions(options, () => {});
  const processes = numberOf(options, "query-processes", 1);
  const timeout = numberOf(options, "query-timeout", 0.001) * 1_000;
  const rows = numberOf(options, "query-rows", 1);
  const bytes = numberOf(options, "query-size", 1) * 2 ** 20;
  if (access === "off") return undefined;
  return { index: { ...index, processes }, timeout, rows, bytes, ...(access === "token" ? { token: token! } : {}) };
}
