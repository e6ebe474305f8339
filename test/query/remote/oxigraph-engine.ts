/** A SPARQL 1.1 engine for tests in plain form, over Oxigraph in memory: queries, updates and the graph store. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as oxigraph from "oxigraph";
import type { EngineAddresses } from "../../../src/engine/engine-access.js";

export interface OxigraphEngine {
  readonly store: oxigraph.Store;
  readonly port: number;
  readonly addresses: EngineAddresses;
  stop(): Promise<void>;
}

const FORMATS = [
  "application/sparql-results+json",
  "application/sparql-results+xml",
  "text/csv",
  "text/tab-separated-values",
];

export async function startOxigraphEngine(): Promise<OxigraphEngine> {
  const store = new oxigraph.Store();
  const server = createServer((request, response) => {
    answer(store, request, response).catch((error: Error) => response.writeHead(400).end(error.message));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const at = `http://127.0.0.1:${port}`;
  return {
    store,
    port,
    addresses: { url: `${at}/query`, update: `${at}/update`, graphStore: `${at}/store` },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(store: oxigraph.Store, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url!, "http://localhost");
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const body = Buffer.concat(pieces).toString("utf8");
  if (url.pathname === "/store") {
    const to_graph_name = oxigraph.namedNode(url.searchParams.get("graph")!);
    store.load(body, { format: "application/n-triples", to_graph_name, lenient: true });
    response.writeHead(204).end();
    return;
  }
  const form = new URLSearchParams(body);
  const update = form.get("update");
  if (update !== null) {
    store.update(update);
    response.writeHead(204).end();
    return;
  }
  const query = form.get("query")!;
  const accept = request.headers.accept ?? "";
  const isGraph = /^\s*(?:BASE\s*<[^>]*>\s*)?(?:PREFIX[^\n]*\n\s*)*(?:CONSTRUCT|DESCRIBE)/i.test(query);
  const format = isGraph ? "application/n-triples" : (FORMATS.find((each) => accept.includes(each)) ?? FORMATS[0]!);
  const graphs = form.getAll("default-graph-uri").map((name) => oxigraph.namedNode(name));
  const dataset = graphs.length > 0 ? { default_graph: graphs } : { use_default_graph_as_union: true };
  const text = store.query(query, { results_format: format, ...dataset }) as string;
  response.writeHead(200, { "content-type": format }).end(text);
}
