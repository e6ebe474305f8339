/** Services with a SPARQL endpoint over records of a few triples. */
import { createServer, type Server } from "../../../src/http/server/server.js";
import { type EndpointOptions, SparqlEndpoint } from "../../../src/http/sparql/endpoint.js";
import type { QueryEngine } from "../../../src/query/engine.js";
import { QueryIndex } from "../../../src/query/oxigraph/query-index.js";
import { untilReady } from "../../../src/query/waiting.js";
import type { RecordGraph } from "../../../src/rdf/record-graph.js";
import { iri, literal, RDF, RDFS_LABEL } from "../../../src/rdf/terms.js";
import { InProcessIndex } from "../../query/in-process-index.js";
import { publish, recordOf, type TestStore, testStore } from "../../query/records.js";
import { type FlatOptions, serverOptions } from "../service.js";

export const BASE = "http://data.museum.example";

/** A record with a class and a label. */
export function labelled(path: string, label = path): RecordGraph {
  const self = iri(path.includes(":") ? path : `${BASE}/${path}`);
  return recordOf(self.value, [
    [self, iri(RDF.type), iri("http://xmlns.com/foaf/0.1/Document")],
    [self, iri(RDFS_LABEL), literal(label)],
  ]);
}

export interface SparqlServer {
  readonly server: Server;
  readonly port: number;
  /** The URL of the endpoint. */
  readonly url: string;
  readonly reported: unknown[];
  stop(): Promise<void>;
}

/** Serve a store and an engine. The caller closes both. */
export async function serveSparql(
  { store }: TestStore,
  engine: QueryEngine,
  options: Partial<EndpointOptions> = {},
  more: FlatOptions = {},
): Promise<SparqlServer> {
  const endpoint = { engine, base: BASE, timeout: 60_000, rows: 1_000, bytes: 2 ** 26, ...options };
  const reported: unknown[] = [];
  const server = createServer(
    serverOptions({
      store,
      baseUrl: BASE,
      index: () => engine.state,
      sparql: new SparqlEndpoint(endpoint),
      trustProxy: options.trustProxy ?? false,
      report: (error) => reported.push(error),
      ...more,
    }),
  );
  const { port } = await server.listen(0);
  return { server, port, url: `http://127.0.0.1:${port}/sparql`, reported, stop: () => server.close() };
}

export interface SparqlTestService<Engine extends QueryEngine = QueryIndex> extends SparqlServer {
  readonly there: TestStore;
  readonly index: Engine;
}

/** A service whose queries run in this process, for all tests that do not need an index process. */
export async function startSmallSparqlService(
  records: readonly RecordGraph[],
  options: Partial<EndpointOptions> = {},
): Promise<SparqlTestService<InProcessIndex>> {
  const there = await storeOf(records);
  return started(there, new InProcessIndex(there.store), options);
}

/** A service with an index process. */
export async function startSparqlService(
  records: readonly RecordGraph[],
  options: Partial<EndpointOptions> = {},
  indexOptions: Partial<ConstructorParameters<typeof QueryIndex>[0]> = {},
): Promise<SparqlTestService> {
  const there = await storeOf(records);
  const index = new QueryIndex({ directory: there.directory, ...indexOptions });
  await untilReady(index);
  return started(there, index, options);
}

async function storeOf(records: readonly RecordGraph[]): Promise<TestStore> {
  const there = await testStore();
  await publish(there.store, records);
  return there;
}

async function started<Engine extends QueryEngine>(
  there: TestStore,
  index: Engine,
  options: Partial<EndpointOptions>,
): Promise<SparqlTestService<Engine>> {
  const served = await serveSparql(there, index, options);
  const stop = async (): Promise<void> => {
    await served.stop();
    await index.close();
    await there.remove();
  };
  return { ...served, there, index, stop };
}
