/** The part of `serve` that answers queries: the endpoint with its index, or the connection to the process that has them. */
import { grouped } from "../../base/counted.js";
import { lazily } from "../../base/lazily.js";
import { Addresses } from "../../http/entity/addresses.js";
import { navigation, Site } from "../../http/pages/site.js";
import type { ServerOptions } from "../../http/server/server.js";
import { editorFiles, editorPage } from "../../http/sparql/editor.js";
import { SparqlEndpoint } from "../../http/sparql/endpoint.js";
import { ForwardedQueries, LocalSocket, listenWithin } from "../../http/sparql/local-socket.js";
import type { QueryEngine } from "../../query/engine.js";
import { ENGINE_ADVICE, type EngineSettings, openEngine } from "../../query/open.js";
import { hasFacets, type Store } from "../../store/store.js";
import type { Querying } from "../settings/sparql-options.js";
import { reportIndex } from "./index-progress.js";
import type { AboutStore, Setup } from "./setup.js";

export interface QueryService {
  /** The services for the server; available after `start`. */
  readonly services: Pick<ServerOptions, "index" | "sparql">;
  start(): Promise<void>;
  /** End everything that runs; clients waiting for an answer get 503. */
  close(): Promise<void>;
}

export const NO_QUERIES: QueryService = { services: {}, start: async () => {}, close: async () => {} };

/** The endpoint with an index of its own. @param inner the socket on which workers pass queries on; what they say about clients is trusted */
export function ownQueries(
  setup: Pick<Setup, "directory" | "querying" | "records" | "announce"> & {
    readonly serving: Pick<Setup["serving"], "publication">;
  },
  store: Store,
  { model, base }: Pick<AboutStore, "model" | "base">,
  inner?: string,
): QueryService {
  const { directory, querying, announce: report } = setup;
  if (querying === undefined) return NO_QUERIES;
  const { site } = setup.serving.publication;
  const trustProxy = inner !== undefined || setup.serving.publication.trustProxy;
  const { timeout, rows, bytes, token } = querying;
  let engine: QueryEngine | undefined;
  let stopReporting = (): void => {};
  const ends: (() => Promise<void>)[] = [];
  const ended = lazily(() => Promise.all(ends.map((end) => end())));
  const sparql = new SparqlEndpoint({
    ...{ base, timeout, rows, bytes, token, trustProxy, report },
    editor: {
      page: editorPage(new Site(new Addresses({ baseUrl: base }), site, navigation({ sparql: true, store }))),
      files: editorFiles(model, base),
    },
    // `start` makes the engine last, when nothing else can fail, since its index takes long to fill.
    get engine() {
      return engine!;
    },
  });
  return {
    services: { index: () => engine!.state, sparql },
    async start() {
      const started = openEngine(engineSettings(querying, directory, store, report));
      engine = started;
      const isIndex = querying.engine === undefined && querying.managed === undefined;
      const { records } = await store.stats();
      if (isIndex && records > MANY) report(`${grouped(records)} records: ${ENGINE_GIVES}: ${ENGINE_ADVICE}`);
      if (inner !== undefined) ends.push(await listenWithin(inner, sparql, () => started.state));
      // With an engine that others fill, there is nothing to fill, and no store folder.
      if (setup.records !== undefined) return;
      stopReporting = reportIndex(() => started.state, report, isIndex ? undefined : "the query engine");
      const local = new LocalSocket(directory, { engine, base, timeout, trustProxy }, report);
      ends.push(() => local.close());
      await local.checked();
    },
    async close() {
      stopReporting();
      await engine?.close();
      await ended();
    },
  };
}

/** With more records than this, an engine is suggested. */
const MANY = 100_000;
const ENGINE_GIVES = "an engine answers most queries over this many several times faster, and with less memory";

function engineSettings(
  { engine, managed, index, timeout }: Querying,
  directory: string,
  store: Store,
  report: Setup["announce"],
): EngineSettings {
  const isFollowed = hasFacets(store, "changes", "references", "snapshots");
  if (managed !== undefined && isFollowed)
    return { ...index, kind: "managed", engine: managed, directory, store, timeout, report };
  if (engine === undefined) return { ...index, report };
  const { graphs, ...addresses } = engine;
  return isFollowed
    ? { kind: "synchronized", ...addresses, graphs, store, report }
    : { kind: "endpoint", ...addresses };
}

/** In a worker: pass queries on to the first process, which has the index. @param inner the socket of the first process */
export function passedOn({ model, base }: Pick<AboutStore, "model" | "base">, inner: string): QueryService {
  const passed = new ForwardedQueries(inner, base, editorFiles(model, base));
  return {
    ...NO_QUERIES,
    services: { index: () => passed.index(), sparql: passed },
    close: async () => passed.close(),
  };
}
