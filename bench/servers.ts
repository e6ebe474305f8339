/** Tools of benchmarks over HTTP: loaded stores, servers in their own processes, and a client that requests many paths. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import type { JsonObject } from "./documents.js";

const CONNECTIONS = 16;

/** A store on disk, and the paths at which its records are served. */
export interface LoadedStore {
  readonly store: string;
  readonly base: string;
  readonly paths: readonly string[];
}

/** Load documents into a new store in `folder`. */
export async function loadStore(folder: string, documents: readonly JsonObject[]): Promise<LoadedStore> {
  const ids = documents.map(({ id }) => String(id));
  const base = /^https?:\/\/[^/]*\//.exec(ids[0]!)?.[0] ?? "http://localhost:3000/";
  mkdirSync(folder, { recursive: true });
  const input = openSync(join(folder, "records.jsonl"), "w");
  for (const document of documents) writeSync(input, `${JSON.stringify(document)}\n`);
  closeSync(input);
  const store = await loaded(folder, [join(folder, "records.jsonl")], base);
  return { store, base, paths: ids.map((id) => pathOf(id, base)) };
}

/** Load files into a new store in `folder`. */
export async function loadInputs(folder: string, inputs: readonly string[]): Promise<LoadedStore> {
  mkdirSync(folder, { recursive: true });
  const base = "http://localhost:3000/";
  return { store: await loaded(folder, inputs, base), base, paths: [] };
}

async function loaded(folder: string, inputs: readonly string[], base: string): Promise<string> {
  const store = join(folder, "store");
  const args = ["bin/vitrine.js", "load", ...inputs, "--store", store, "--base-url", base, "--on-invalid", "accept"];
  await finished(spawn(process.execPath, args, { stdio: "ignore" }));
  return store;
}

export function serveStore({ store, base }: LoadedStore, ...options: readonly string[]): Promise<Server> {
  return start(["bin/vitrine.js", "serve", "--store", store, "--base-url", base, "--port", "0", ...options]);
}

function pathOf(id: string, base: string): string {
  if (id.startsWith(base)) return `/${id.slice(base.length)}`;
  return id.includes(":") ? `/entity?uri=${encodeURIComponent(id)}` : `/${id}`;
}

export interface Server {
  readonly process: ChildProcess;
  readonly port: number;
}

/** Start a server that writes `listening on http://...:PORT` to standard error. */
export function start(args: readonly string[]): Promise<Server> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
  return new Promise((resolve, reject) => {
    let output = "";
    child.stderr.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const port = /listening on http:\/\/[^/]*:(\d+)/.exec(output)?.[1];
      if (port === undefined) return;
      // Later log lines are read and dropped, so that they do not slow down what is measured.
      child.stderr.removeAllListeners("data").resume();
      resolve({ process: child, port: Number(port) });
    });
    child.once("exit", () => reject(new Error(output)));
  });
}

/** Stop a server and wait until its process has ended. */
export async function ended({ process: child }: Server): Promise<void> {
  // The listener of `start`, which rejects when the server ends, is no longer needed.
  child.removeAllListeners("exit");
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await gone;
}

function finished(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code) =>
      code === 0 || code === 1 ? resolve() : reject(new Error(`loading ended with ${code}`)),
    );
  });
}

/** Headers that Node's server writes by itself. */
const BY_SERVER = ["connection", "date", "keep-alive"];

/** The answers of a server: path, body and headers, which alternate names and values. */
export async function collect(port: number, paths: readonly string[]): Promise<[string, string, string[]][]> {
  const answers: [string, string, string[]][] = [];
  for (const path of paths) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { "accept-encoding": "identity" } });
    const headers = [...response.headers].filter(([name]) => !BY_SERVER.includes(name)).flat();
    if (response.ok) answers.push([path, await response.text(), headers]);
  }
  return answers;
}

export function shuffled<T>(paths: readonly T[]): T[] {
  const order = paths.map((path) => ({ path, at: Math.random() }));
  return order.sort((a, b) => a.at - b.at).map(({ path }) => path);
}

/** Gives the additional header lines of a request for a path, each with its line end. */
export type HeadersOf = (path: string) => string;

/** Request each path once over keep-alive connections. Returns the answers per second; `answered` is called with the time of each. A client leaner than a library leaves the processor to the server. */
export async function drive(
  port: number,
  paths: readonly string[],
  headersOf: HeadersOf = () => "",
  answered: (milliseconds: number) => void = () => {},
  connections = CONNECTIONS,
): Promise<number> {
  let next = 0;
  const start = performance.now();
  const connection = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1");
      let head = "";
      let missing = -1;
      let asked = 0;
      const ask = (): void => {
        const path = paths[next++];
        if (path === undefined) {
          socket.end();
          resolve();
        } else {
          asked = performance.now();
          socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headersOf(path)}\r\n`);
        }
      };
      socket.on("connect", ask);
      socket.on("error", reject);
      socket.on("data", (chunk: Buffer) => {
        if (missing === -1) {
          head += chunk.toString("latin1");
          const end = head.indexOf("\r\n\r\n");
          if (end === -1) return;
          missing = end + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0) - head.length;
          head = "";
        } else missing -= chunk.length;
        if (missing > 0) return;
        missing = -1;
        answered(performance.now() - asked);
        ask();
      });
    });
  await Promise.all(Array.from({ length: connections }, connection));
  return paths.length / ((performance.now() - start) / 1000);
}

/** The processor time that a process has used, in seconds. */
export function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  // User time and system time, in hundredths of a second.
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** The ids of the processes that a process started. */
export function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
}

export function rssAnon(pid: number): string {
  try {
    return /RssAnon:\s*(.*)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "unknown";
  } catch {
    return "unknown on this system";
  }
}

/** KiB of a process's anonymous pages; 0 if the system does not report them. */
export function privateMemory(pid: number): number {
  return Number.parseInt(rssAnon(pid), 10) || 0;
}
