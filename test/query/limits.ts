/** The table of limits of queries for docs/run/limits.md, made from the values that the index uses. */

import { MAX_SPOOLED } from "../../src/query/oxigraph/spool.js";
import { POOL_DEFAULTS } from "../../src/query/oxigraph/worker-pool.js";
import { WAITING_LIMITS } from "../../src/query/waiting.js";
import type { Limit } from "../load/limits.js";

const { following, filling, imaging } = POOL_DEFAULTS.patience;
const ENDED = "the process is ended and replaced";

/** All limits of queries, except those of the protocol, which are limits of HTTP. */
export const QUERY_LIMITS: readonly Limit[] = [
  { name: "MAX_QUERY_TIME", option: "query-timeout", of: "seconds from the start of a query", beyond: `504; ${ENDED}` },
  {
    name: "MAX_QUERY_MEMORY",
    option: "query-memory",
    of: "MiB of memory beyond the index",
    beyond: `422; ${ENDED}`,
  },
  {
    name: "MAX_ROWS",
    option: "query-rows",
    of: "rows or triples of a result",
    beyond: "422: results are never cut",
  },
  { name: "MAX_RESULT", option: "query-size", of: "MiB of a result, before compression", beyond: "422" },
  {
    name: "MAX_GRAPH_TRIPLES",
    option: "index-graphs",
    of: "triples that are also indexed as named graphs",
    beyond: "422 for `GRAPH ?g`, with what to write instead",
  },
  {
    name: "MAX_RUNNING",
    option: "query-processes",
    of: "queries that run at once, one per client",
    beyond: "they wait",
  },
  {
    name: "MAX_WAITING_OF_CLIENT",
    value: WAITING_LIMITS.queueOfClient,
    of: "waiting queries of one client",
    beyond: "429 with `Retry-After`",
  },
  {
    name: "MAX_WAITING_TIME",
    value: WAITING_LIMITS.wait / 1_000,
    of: "seconds that a query waits for its turn, or `query-timeout` if that is longer",
    beyond: "503 with `Retry-After`",
  },
  { name: "MAX_WAITING", value: WAITING_LIMITS.queue, of: "waiting queries", beyond: "503 with `Retry-After`" },
  {
    name: "MAX_SPOOLED",
    value: MAX_SPOOLED,
    of: "bytes of answers per process that slow clients have not read yet",
    beyond: "503 with `Retry-After`",
  },
  {
    name: "MAX_SILENCE_FOLLOWING",
    value: following / 1_000,
    of: "seconds without a sign from an index process while it follows changes",
    beyond: "it is ended and replaced",
  },
  {
    name: "MAX_SILENCE_FILLING",
    value: filling / 1_000,
    of: "seconds without a sign from an index process while it is filled",
    beyond: "it is ended and replaced",
  },
  {
    name: "MAX_IMAGING",
    value: imaging / 1_000,
    of: "seconds for an index image for which queries wait",
    beyond: "its index process is ended and replaced",
  },
];
