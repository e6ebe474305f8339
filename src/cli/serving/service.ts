/** The service that `serve` runs until it is interrupted: one process, or a first process with workers. */
import cluster from "node:cluster";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { type AddressInfo, createServer as createTcpServer, isIPv6 } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { counted, grouped } from "../../base/counted.js";
import { makeTemporaryDirectory, removeAbandoned } from "../../base/temporary.js";
import { type LoadConditions, Loads, type StartedCommand } from "../../http/loads/loads.js";
import { readTokens, type StoredToken } from "../../http/loads/tokens.js";
import { NOT_EVALUATED } from "../../http/representations/edm/rights.js";
import { countForWorkers } from "../../http/server/rate-limit.js";
import { createServer, type Published, type Server } from "../../http/server/server.js";
import { type Gauge, metricsText } from "../../http/telemetry/metrics.js";
import { describe } from "../../load/pipeline/describe.js";
import { NO_ENGINE } from "../../query/engine.js";
import type { RecordGraph } from "../../rdf/record-graph.js";
import { openSearched } from "../../search/open.js";
import { openRemoteStore } from "../../store/open.js";
import type { Store } from "../../store/store.js";
import { type ExitStatus, explanationOf, statusOf } from "../main/exit-status.js";
import { WHOLE_INPUT } from "../main/terminal.js";
import { UsageError } from "../settings/options.js";
import { SENT_PARAMETERS } from "../settings/record-options.js";
import { gatherMetrics, gaugesOf, metricsOfAll } from "./metrics.js";
import { NO_QUERIES, ownQueries, passedOn, type QueryService } from "./query-service.js";
import { type AboutStore, aboutStore, type Setup } from "./setup.js";
import { liveWithStore, type StoreLife } from "./store-replacement.js";
import { SIGN_INTERVAL, superviseWorkers } from "./workers.js";

/** The milliseconds for which queries and loads may continue after an interruption; then their clients are told that they ended. */
const QUERY_GRACE = 4_000;
/** The milliseconds for which other answers may continue. Supervisors of services usually kill them after ten seconds. */
const ANSWER_GRACE = 6_000;

/** Serve from this process until interrupted. Throws `StoreError`, and `UsageError` when it cannot listen. */
export async function serveAlone(setup: Setup, interrupted: AbortSignal): Promise<void> {
  const { directory, serving, observing } = setup;
  await serveHere(setup, interrupted, {
    queries: (store, about) => ownQueries(setup, store, about),
    listens: async (store, { baseUrls }) => announceStart(setup, await whereRecordsLie(store, baseUrls), serving.port),
    metrics: async (store, { index = () => NO_ENGINE }) =>
      metricsText([await observing.metrics.ofProcess()], await gaugesOf({ directory, store, index })),
  });
}

/** In a worker: serve until interrupted. Errors are reported by the first process. */
export async function work(setup: Setup, inner: string, interrupted: AbortSignal): Promise<ExitStatus | undefined> {
  const { querying, observing } = setup;
  const metrics = metricsOfAll(observing.metrics);
  setInterval(() => process.send?.({}, () => {}), SIGN_INTERVAL).unref();
  try {
    await serveHere(setup, interrupted, {
      queries: (_, about) => (querying === undefined ? NO_QUERIES : passedOn(about, inner)),
      metrics,
    });
    return undefined;
  } catch (error) {
    const status = statusOf(error);
    process.send?.({ failed: explanationOf(error, status) });
    return status;
  } finally {
    // Without its channel to the first process, the worker ends when nothing else keeps it alive.
    cluster.worker?.disconnect();
  }
}

interface Serves {
  queries(store: Store, about: AboutStore): QueryService;
  /** Called when everything has started. */
  listens?(store: Store, about: AboutStore): Promise<void>;
  /** Makes the text of `/metrics`. */
  metrics(store: Store, services: QueryService["services"]): Promise<string>;
}

async function serveHere(setup: Setup, interrupted: AbortSignal, serves: Serves): Promise<void> {
  const { announce } = setup;
  let server: Server | undefined;
  const live: StoreLife<Store>["live"] = async (store, ended) => {
    const about = await aboutStore(setup, store);
    const queries = serves.queries(store, about);
    const text = () => serves.metrics(store, queries.services);
    const published = publishedOf(setup, store, about, queries.services, text);
    const isFirst = server === undefined;
    server ??= await listen(setup, published);
    try {
      await queries.start();
      if (!isFirst) server.publish(published);
      await serves.listens?.(store, about);
      if (!ended.aborted) await once(ended, "abort");
      if (interrupted.aborted) announce("closing ...");
    } finally {
      const end = () => Promise.all([queries.close(), published.loading?.loads.close()]);
      const grace = setTimeout(end, interrupted.aborted ? QUERY_GRACE : 0);
      await (interrupted.aborted ? server.close() : server.withdraw());
      clearTimeout(grace);
      await end();
    }
  };
  try {
    await liveWithRecords(setup, interrupted, live);
  } finally {
    // The server still runs if the interruption came while there was no store.
    await server?.close();
  }
}

/** The settings of loads over HTTP; none when there is no token. */
function loadingOf({ directory, serving, loading, problemOf, start, observing }: Setup): Pick<Published, "loading"> {
  const tokens = (): readonly StoredToken[] => readTokens(directory);
  if (tokens().length === 0) return {};
  const startHere = ([command, ...args]: readonly string[], conditions: LoadConditions): StartedCommand => {
    const { args: own, ...decided } = loading;
    const more = command === "load" ? own : [];
    // A part of the service's decisions, or another order of them, would decide otherwise.
    const sent = decided.severity.length > 0 ? args.filter((each) => !each.startsWith("--severity=")) : args;
    return start([command!, `--store=${directory}`, ...more, ...sent], { ...conditions, ...decided });
  };
  const { log } = observing;
  const loads = new Loads({ directory, start: startHere, confirmation: WHOLE_INPUT, log, maxBytes: serving.loadBytes });
  return { loading: { loads, tokens, parameters: SENT_PARAMETERS, problemOf } };
}

/** Serve with workers, and answer the queries that they pass on, until interrupted. Throws `UsageError`, `StoreError`. */
export async function serveByWorkers(setup: Setup, interrupted: AbortSignal): Promise<void> {
  const { directory, serving, announce, seed } = setup;
  await removeAbandoned(tmpdir());
  const folder = makeTemporaryDirectory(tmpdir(), "inner");
  const inner = join(folder, "queries");
  const failed = new AbortController();
  const ended = AbortSignal.any([interrupted, failed.signal]);
  let workers: Promise<void> | undefined;
  countForWorkers();
  let gauges = async (): Promise<readonly Gauge[]> => [];
  gatherMetrics(setup.observing.metrics, () => gauges());
  const live: StoreLife<Store>["live"] = async (store, over) => {
    const about = await aboutStore(setup, store);
    const queries = ownQueries(setup, store, about, inner);
    await queries.start();
    const { index = () => NO_ENGINE } = queries.services;
    gauges = () => gaugesOf({ directory, store, index });
    const where = await whereRecordsLie(store, about.baseUrls);
    workers ??= superviseWorkers({
      count: serving.workers,
      given: { inner, port: serving.port, seed },
      interrupted: ended,
      onListening: (port) => announceStart(setup, where, port),
      report: announce,
    }).finally(() => failed.abort());
    if (!over.aborted) await once(over, "abort");
    if (interrupted.aborted) announce("closing ...");
    const grace = setTimeout(() => void queries.close(), ended.aborted ? QUERY_GRACE : 0);
    // Workers finish the queries that they passed on before they end. Whether a worker failed is checked last.
    if (ended.aborted) await workers.catch(() => {});
    clearTimeout(grace);
    await queries.close();
  };
  try {
    await liveWithRecords(setup, ended, live);
  } finally {
    failed.abort();
    await rm(folder, { recursive: true, force: true });
  }
  await workers;
}

/** Opening waits for the search index if at most this many records are left to index. If more are left, all other answers are given meanwhile. */
const SEARCHING = { mostWaited: 20_000, isServed: true };

/** Serve from the store in the folder and from each that replaces it, or from the engine that has the records. */
async function liveWithRecords(setup: Setup, interrupted: AbortSignal, live: StoreLife<Store>["live"]): Promise<void> {
  const { directory, records, model, announce, waits } = setup;
  const open = () => openSearched({ directory, ...SEARCHING }, announce);
  if (records === undefined) return liveWithStore({ directory, open, waits, interrupted, report: announce, live });
  const describes = (graph: RecordGraph) => describe(graph, model.vocabBase);
  await using store = await openRemoteStore({ ...records, describe: describes, report: announce });
  await live(store, interrupted);
}

function publishedOf(
  setup: Setup,
  store: Store,
  { model, baseUrls: [baseUrl, ...otherBaseUrls], contexts }: AboutStore,
  services: QueryService["services"],
  text: () => Promise<string>,
): Published {
  const { directory, serving, records } = setup;
  const { edm, ...harvested } = setup.harvesting;
  const { watch, rateLimits, readers } = setup.observing;
  const { license } = harvested.dataset;
  return {
    store,
    ...services,
    publication: { model, baseUrl, otherBaseUrls, contexts, edm, ...(license && { license }), ...serving.publication },
    images: serving.images,
    ...{ watch, rateLimits },
    ...loadingOf(setup),
    ...(readers && { metrics: { ...readers, text } }),
    ...(records === undefined ? { ...harvested, directory, hasLargeThread: true } : {}),
  };
}

async function listen({ serving, observing }: Setup, published: Published): Promise<Server> {
  const server = createServer({
    ...published,
    closeTimeout: ANSWER_GRACE,
    report: (error, request) => observing.watch.failed(error, request),
  });
  await server.listen(serving.port, serving.host).catch((error) => {
    throw listeningProblem(error, serving.port, serving.host);
  });
  return server;
}

/** Announce what is served and where. EDM needs a statement of rights even when nobody chose one, so that is announced, too. */
function announceStart({ serving, harvesting: { edm }, announce }: Setup, where: string, port: number): void {
  announce(where);
  if (edm.rights === NOT_EVALUATED)
    announce(
      `in EDM, the copyright of objects without rights is not evaluated, ${NOT_EVALUATED}: the setting edm-rights changes that`,
    );
  announce(`listening on http://${isIPv6(serving.host) ? `[${serving.host}]` : serving.host}:${port}/`);
}

const MAX_ORIGINS = 100;

/** The line at start: the number of records, and where their IRIs are if not under the base URL. */
async function whereRecordsLie(store: Store, baseUrls: readonly string[]): Promise<string> {
  const { records } = await store.stats();
  const baseUrl = baseUrls.join(" and ");
  // One base URL may be under another; records must not be counted twice.
  const widest = baseUrls.filter((url) => !baseUrls.some((other) => other !== url && url.startsWith(other)));
  let under = 0;
  for (const url of new Set(widest)) under += await store.countUnder(url);
  const count = (number: number): string => counted(number, "record");
  if (under === records) return `${count(records)}${records === 0 ? "" : `, all under ${baseUrl}`}`;
  const origins = await store.origins(MAX_ORIGINS);
  // Very long IRIs, which are known by their hashes, have no origin.
  const none = { prefix: "", records: 0 };
  const largest = origins.reduce((most, origin) => (origin.records > most.records ? origin : most), none);
  if (under * 2 >= records || under >= largest.records) return `${count(records)}, ${grouped(under)} under ${baseUrl}`;
  return (
    `${count(largest.records)} under ${largest.prefix}, served as ${baseUrl} (of ${count(records)}; /entity?uri= reaches every one): ` +
    `serve them as --base-url ${largest.prefix}, or move them by vitrine rebase ${largest.prefix} ${baseUrls[0]}`
  );
}

/** The port to listen on, or a free one for 0, after checking that listening is possible. Throws `UsageError`. */
export async function portFor(port: number, host: string): Promise<number> {
  await using server = createTcpServer().listen(port, host);
  await once(server, "listening").catch((error) => {
    throw listeningProblem(error, port, host);
  });
  return (server.address() as AddressInfo).port;
}

/** The reason why a server cannot listen, with a remedy; any other error is returned unchanged. */
function listeningProblem(error: NodeJS.ErrnoException, port: number, host: string): Error {
  const unknown = `this machine has no address ${host}: choose another with --host`;
  const at = `port ${port} of ${host}`;
  const problems: Readonly<Record<string, string>> = {
    EADDRINUSE: `${at} is in use: stop the program that listens there, or choose another with --port`,
    EACCES: `${at} needs more rights: choose a port from 1024 on with --port`,
    ...{ EADDRNOTAVAIL: unknown, ENOTFOUND: unknown, EAI_AGAIN: unknown },
  };
  const problem = problems[error.code ?? ""];
  return problem === undefined ? error : new UsageError(problem);
}
