/** A service with a SPARQL endpoint over records of a few triples. */
import { createServer, type Server, type ServerOptions } from "../../../src/http/server.js";
import { type EndpointOptions, SparqlEndpoint } from "../../../src/http/sparql/endpoint.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import { QueryIndex, type QueryIndexOptions } from "../../../src/query/oxigraph/query-index.js";
import type { RecordGraph } from "../../../src/rdf/record-graph.js";
import { iri, literal, RDF, RDFS_LABEL } from "../../../src/rdf/terms.js";
import { writer } from "../../jsonld/documents.js";
import { publish, recordOf, type TestStore, testStore } from "../../query/records.js";

export const BASE = "http://data.museum.example";

/** A record with a class and a label. */
export function labelled(path: string, label = path): RecordGraph {
  const self = iri(path.includes(":") ? path : `${BASE}/${path}`);
  return recordOf(self.value, [
    [self, iri(RDF.type), iri("http://xmlns.com/foaf/0.1/Document")],
    [self, iri(RDFS_LABEL), literal(label)],
  ]);
}

export interface SparqlTestService {
  readonly there: TestStore;
  readonly index: QueryIndex;
  readonly server: Server;
  readonly port: number;
  /** The endpoint's address. */
  readonly url: string;
  readonly reported: unknown[];
  stop(): Promise<void>;
}

export async function startSparqlService(
  records: readonly RecordGraph[],
  options: Partial<EndpointOptions> = {},
  indexOptions: Partial<QueryIndexOptions> = {},
  serverOptions: Partial<ServerOptions> = {},
): Promise<SparqlTestService> {
  const there = await testStore();
  await publish(there.store, records);
  const index = new QueryIndex({ directory: there.directory, ...indexOptions });
  // With so little memory it never gets ready.
  if (indexOptions.memory === undefined) await index.whenReady();
  const endpoint = {
    store: there.store,
    engine: index,
    base: BASE,
    timeout: 60_000,
    rows: 1_000,
    bytes: 2 ** 26,
    ...options,
  };
  const reported: unknown[] = [];
  const server = createServer({
    store: there.store,
    documents: writer,
    model: DEFAULT_MODEL,
    baseUrl: BASE,
    index: () => index.state,
    sparql: new SparqlEndpoint(endpoint),
    trustProxy: options.trustProxy ?? false,
    report: (error) => reported.push(error),
    ...serverOptions,
  });
  const { port } = await server.listen(0);
  return {
    there,
    index,
    server,
    port,
    url: `http://127.0.0.1:${port}/sparql`,
    reported,
    stop: async () => {
      await server.close();
      index.close();
      await there.remove();
    },
  };
}
