/** `vitrine query`: answers a SPARQL query with the index of a running service, or else with an index of its own. */
import { addAbortListener } from "node:events";
import { extname } from "node:path";
import { buffer } from "node:stream/consumers";
import { grouped } from "../../base/counted.js";
import { askLocally } from "../../http/sparql/local-socket.js";
import { QueryRefusedError } from "../../query/engine.js";
import { openEngine } from "../../query/open.js";
import { GRAPH_TYPES, RESULT_TYPES } from "../../query/results.js";
import { untilReady } from "../../query/waiting.js";
import type { FormatName, ResultFormat } from "../../rdf/formats.js";
import { openStore } from "../../store/open.js";
import type { CommandDefinition, Terminal } from "../main/command.js";
import { table } from "../main/text-table.js";
import { reportIndex } from "../serving/index-progress.js";
import { baseUrlFor, baseUrlOf, namedText } from "../settings/common.js";
import { argument, type Options } from "../settings/options.js";
import { indexOptions } from "../settings/sparql-options.js";
import { settings } from "../settings/table.js";

const RESULT_NAMES = Object.keys(RESULT_TYPES) as ResultFormat[];
const GRAPH_NAMES = Object.keys(GRAPH_TYPES) as FormatName[];

type Wanted = ReturnType<typeof wantedFormats>;

export const queryCommand: CommandDefinition = {
  operands: "SPARQL",
  summary: "answers a query over all records; @FILE reads it from a file (.rq, or .ttl with an example)",
  examples: ['query "SELECT (COUNT(*) AS ?triples) { ?s ?p ?o }"', "query @question.rq --format csv"],
  options: [
    argument(
      "format NAME",
      "for SELECT and ASK: table, json, xml, csv, tsv; for CONSTRUCT and DESCRIBE: the others (default table or ttl)",
      { choices: ["table", ...RESULT_NAMES, ...GRAPH_NAMES] },
    ),
    argument("timeout SECONDS", "how long the query may run (default: no limit)", {
      number: { of: "number of seconds", least: 0.001, hasFraction: true },
    }),
    ...settings("index-graphs", "query-memory"),
  ],
  async run(options, terminal) {
    const query = await queryOf(options.positionals[0]!, options);
    const wanted = wantedFormats(options);
    const answered =
      (await fromService(options, query, wanted)) ?? (await fromOwnIndex(options, query, wanted, terminal));
    const isTable = wanted.isTable && !answered.isGraph;
    terminal.stdout.write(isTable ? table(answered.text) : answered.text);
  },
};

/** The form of the answer. The format `table` means JSON that is shown as a table, or Turtle for a graph. */
function wantedFormats(options: Options) {
  const name = options.text("format") ?? (options.isSet("json") ? "json" : "table");
  if (name === "table") return { result: "json", graph: "ttl", isTable: true } as const;
  if (options.isSet("json") && name === "json") return { result: "json", graph: "jsonld", isTable: false } as const;
  const result = RESULT_NAMES.find((format) => format === name);
  return { result, graph: GRAPH_NAMES.find((format) => format === name), isTable: false };
}

/** The answer of the service that serves this store, or `undefined` when there is none. */
async function fromService(options: Options, query: string, { result, graph }: Wanted) {
  const types = [result && RESULT_TYPES[result], graph && GRAPH_TYPES[graph]].filter((type) => type !== undefined);
  const answer = await askLocally(options.required("store"), query, types.join(", "), options.number("timeout"));
  // A service that is still filling its index (503) is no faster than an index made here.
  if (answer === undefined || answer.status === 503) return undefined;
  if (answer.status === 200) {
    const isGraph = graph !== undefined && answer.contentType.startsWith(GRAPH_TYPES[graph]);
    return { isGraph, text: answer.body };
  }
  const { detail } = JSON.parse(answer.body) as { detail: string };
  throw new QueryRefusedError("malformed", detail);
}

async function fromOwnIndex(options: Options, query: string, { result, graph }: Wanted, terminal: Terminal) {
  const { stderr, interrupted } = terminal;
  const store = await openStore({ directory: options.required("store") });
  const { triples, baseUrl } = await store.stats();
  await store.close();
  const isLong = triples > MIN_REPORTED;
  if (isLong) stderr.line(`reading ${grouped(triples)} triples; with vitrine serve running, queries start at once`);
  const engine = openEngine({ ...indexOptions(options), report: stderr.line });
  using _closing = addAbortListener(interrupted, () => void engine.close());
  try {
    interrupted.throwIfAborted();
    const stopReporting = reportIndex(() => engine.state, isLong ? stderr.line : () => {}, undefined, stderr);
    await untilReady(engine, interrupted, true).finally(stopReporting);
    const base = baseUrlOf(options) ?? baseUrl ?? "http://localhost/";
    const formats = { results: result, graph };
    const any = Number.POSITIVE_INFINITY;
    const request = { text: query, defaultGraphs: [], namedGraphs: [], formats, rows: any, bytes: any, base };
    const timeout = (options.number("timeout") ?? any) * 1_000;
    const answer = await engine.query(request, { client: "query", timeout });
    const text = (await buffer(answer.body)).toString("utf8");
    answer.release();
    return { isGraph: answer.kind === "graph", text };
  } catch (error) {
    interrupted.throwIfAborted();
    throw error instanceof QueryRefusedError ? new QueryRefusedError(error.reason, error.located) : error;
  } finally {
    void engine.close();
  }
}

/** If the store has more triples than this, the wait is explained. */
const MIN_REPORTED = 200_000;

/** The text of a query, given as SPARQL or as `@FILE`; an example is made for the store's base URL. Throws `UsageError`, `SyntaxProblem`. */
async function queryOf(given: string, options: Options): Promise<string> {
  if (!given.startsWith("@")) return given;
  const file = given.slice(1);
  const content = await namedText(file);
  if (extname(file) !== ".ttl") return content;
  const { exampleQuery } = await import("../../http/sparql/example-query.js");
  await using store = await openStore({ directory: options.required("store") });
  const base = await baseUrlFor(options, store);
  return exampleQuery(content, file, base?.replace(/\/?$/, "/")).text;
}
