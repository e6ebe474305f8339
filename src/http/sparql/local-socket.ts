/** The endpoint for the command line on this machine: a socket in the store's folder, open to whoever may write there. */
import { unlink } from "node:fs/promises";
import { createServer, request, type Server } from "node:http";
import { join } from "node:path";
import { send } from "../answer.js";
import { problem } from "../problems/problems.js";
import { type EndpointOptions, SparqlEndpoint, TIMEOUT_HEADER } from "./endpoint.js";

/** Systems allow about a hundred bytes for the path of a socket. */
const LONGEST_PATH = 100;

/** Where the socket of a store lies; `undefined` where its path would be too long. */
export function socketPath(directory: string): string | undefined {
  const path = join(directory, "query.sock");
  return Buffer.byteLength(path) > LONGEST_PATH || process.platform === "win32" ? undefined : path;
}

export interface LocalAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Listen on the socket of a store, without limits of rows and bytes. Resolves to what closes it, or `undefined` when that cannot be. */
export async function listenLocally(
  directory: string,
  options: Omit<EndpointOptions, "isLocal" | "rows" | "bytes" | "token" | "editor">,
): Promise<(() => Promise<void>) | undefined> {
  const path = socketPath(directory);
  // Where another service answers already, it keeps its socket.
  if (path === undefined || (await isAnswering(path))) return undefined;
  await unlink(path).catch(() => undefined);
  const endpoint = new SparqlEndpoint({
    ...options,
    isLocal: true,
    rows: Number.POSITIVE_INFINITY,
    bytes: Number.POSITIVE_INFINITY,
  });
  const server = createServer((message, response) => {
    endpoint.handle(message, response).catch(() => {
      send(response, problem(options.base, "internal", { detail: "The service failed at this query." }));
    });
  });
  const mask = process.umask(0o077);
  try {
    await listening(server, path);
  } catch {
    return undefined;
  } finally {
    process.umask(mask);
  }
  server.unref();
  return () =>
    new Promise((closed) => {
      server.close(() => closed());
      server.closeAllConnections();
    });
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
}

async function isAnswering(path: string): Promise<boolean> {
  return (await exchange(path, "", {})) !== undefined;
}

/**
 * Ask the service that serves a store. Resolves to `undefined` when there is none. @param timeout in seconds, or
 * `undefined` for none
 */
export async function askLocally(
  directory: string,
  query: string,
  accept: string,
  timeout: number | undefined,
): Promise<LocalAnswer | undefined> {
  const path = socketPath(directory);
  if (path === undefined) return undefined;
  return exchange(path, query, { accept, [TIMEOUT_HEADER]: String(timeout ?? "Infinity") });
}

function exchange(
  socket: string,
  query: string,
  headers: Readonly<Record<string, string>>,
): Promise<LocalAnswer | undefined> {
  return new Promise((resolve, reject) => {
    const method = query === "" ? "HEAD" : "POST";
    const type = { "content-type": "application/sparql-query" };
    const asked = request(
      { socketPath: socket, path: "/sparql", method, headers: { ...type, ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const { statusCode: status = 0, headers: answered } = response;
          resolve({
            status,
            contentType: answered["content-type"] ?? "",
            body: Buffer.concat(chunks).toString("utf8"),
          });
        });
      },
    );
    asked.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ECONNREFUSED") resolve(undefined);
      else reject(error);
    });
    asked.end(query);
  });
}
