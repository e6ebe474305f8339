/** The options of queries, checked. */
import type { GivenEngine, IndexSettings } from "../query/open.js";
import { secretOf } from "./common.js";
import { ENGINE_OPTIONS, engineOf } from "./engine-options.js";
import { type Option, type Options, UsageError } from "./options.js";

/** What `serve` and `query` share. */
export const INDEX_OPTIONS: readonly Option[] = [
  {
    name: "index-graphs",
    value: "TRIPLES",
    number: { of: "number of triples", least: 0 },
    default: "2000000",
    help: "up to so many triples are also held as named graphs, for GRAPH ?g",
  },
  {
    name: "query-memory",
    value: "MIB",
    number: { of: "number of mebibytes", least: 16 },
    default: "1024",
    help: "memory that a query may take beyond the index",
  },
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
    secret: true,
    help: "what clients show with --sparql-access token",
  },
  {
    name: "query-timeout",
    value: "SECONDS",
    number: { of: "number of seconds", least: 0.001, hasFraction: true },
    default: "30",
    help: "how long a query may run",
  },
  {
    name: "query-rows",
    value: "NUMBER",
    number: { of: "number of rows", least: 1 },
    default: "100000",
    help: "a result of more rows is refused",
  },
  {
    name: "query-size",
    value: "MIB",
    number: { of: "number of mebibytes", least: 1 },
    default: "64",
    help: "a result of more is refused",
  },
  {
    name: "query-processes",
    value: "NUMBER",
    number: { of: "number of processes", least: 1, most: 64 },
    default: "1",
    help: "index processes; each holds the whole index",
  },
  ...INDEX_OPTIONS,
  ...ENGINE_OPTIONS,
];

export function indexOptions(options: Options, report: (message: string) => void): IndexSettings {
  return {
    directory: options.required("store"),
    queryMemory: options.number("query-memory")! * 2 ** 20,
    graphTriples: options.number("index-graphs")!,
    report,
  };
}

/** How queries are answered, by the options; `undefined` where access is off. */
export interface Querying {
  readonly index: Omit<IndexSettings, "report">;
  /** The engine that answers in place of an index of this machine. */
  readonly engine?: GivenEngine;
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
  const processes = options.number("query-processes")!;
  const timeout = options.number("query-timeout")! * 1_000;
  const rows = options.number("query-rows")!;
  const bytes = options.number("query-size")! * 2 ** 20;
  const engine = await engineOf(options);
  if (access === "off") return undefined;
  return {
    index: { ...index, processes },
    ...(engine === undefined ? {} : { engine }),
    timeout,
    rows,
    bytes,
    ...(access === "token" ? { token: token! } : {}),
  };
}
