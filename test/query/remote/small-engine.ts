/** A plain server of the three SPARQL protocols (queries, updates and the graph store) for any evaluator, for tests. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { EngineAddresses } from "../../../src/engine/engine-access.js";
import { listening } from "../../listening.js";

/** An evaluator of queries and updates. Its errors are answered with 400. */
export interface Evaluator {
  /** The result in a format; `graphs` make up the default graph, which is all graphs if there are none. */
  query(text: string, format: string, graphs: readonly string[]): string | Promise<string>;
  update(text: string): void | Promise<void>;
  /** Add N-Triples to a graph. */
  add(graph: string, triples: string): void | Promise<void>;
}

export interface SmallEngine {
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

export async function startSmallEngine(evaluator: Evaluator): Promise<SmallEngine> {
  const { url, port, stop } = await listening((request, response) => {
    answer(evaluator, request, response).catch((error: Error) => response.writeHead(400).end(error.message));
  });
  const addresses = { url: `${url}/query`, update: `${url}/update`, graphStore: `${url}/store` };
  return { port, addresses, stop };
}

async function answer(evaluator: Evaluator, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url!, "http://localhost");
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const body = Buffer.concat(pieces).toString("utf8");
  if (url.pathname === "/store") {
    await evaluator.add(url.searchParams.get("graph")!, body);
    response.writeHead(204).end();
    return;
  }
  const form = new URLSearchParams(body);
  const update = form.get("update");
  if (update !== null) {
    await evaluator.update(update);
    response.writeHead(204).end();
    return;
  }
  const query = form.get("query")!;
  const accept = request.headers.accept ?? "";
  const isGraph = /^\s*(?:BASE\s*<[^>]*>\s*)?(?:PREFIX[^\n]*\n\s*)*(?:CONSTRUCT|DESCRIBE)/i.test(query);
  const format = isGraph ? "application/n-triples" : (FORMATS.find((each) => accept.includes(each)) ?? FORMATS[0]!);
  const text = await evaluator.query(query, format, form.getAll("default-graph-uri"));
  response.writeHead(200, { "content-type": format }).end(text);
}
