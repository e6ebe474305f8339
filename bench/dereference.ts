/** Cold dereferencing over HTTP: every record asked for once, beside Express and bare `node:http` sending the same bytes. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { many } from "./documents.js";
import { fixed, median, report } from "./figures.js";

const RECORDS = 20_000;
const CONNECTIONS = 16;
const RUNS = 5;

export async function benchDereference(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  const servers: Server[] = [];
  try {
    const documents = await many(RECORDS);
    const ids = documents.map(({ id }) => String(id));
    const base = /^https?:\/\/[^/]*\//.exec(ids[0]!)?.[0] ?? "http://localhost:3000/";
    const input = join(folder, "records.jsonl");
    writeFileSync(input, documents.map((document) => `${JSON.stringify(document)}\n`).join(""));
    const store = join(folder, "store");
    await finished(spawn(process.execPath, ["bin/vitrine.js", "load", input, "--store", store, "--base-url", base]));
    const vitrine = await start(["bin/vitrine.js", "serve", "--store", store, "--base-url", base, "--port", "0"]);
    servers.push(vitrine);
    const paths = ids.map((id) => pathOf(id, base));
    const bodies = join(folder, "bodies.json");
    writeFileSync(bodies, JSON.stringify(await collect(vitrine.port, paths)));
    for (const kind of ["express", "http"]) servers.push(await start(["bench/peer.js", kind, bodies]));
    const rates = servers.map((): number[] => []);
    for (let run = 0; run < RUNS; run++) {
      for (const [index, { port }] of servers.entries()) rates[index]!.push(await drive(port, shuffled(paths)));
    }
    const [ours, express, bare] = rates.map(median) as [number, number, number];
    report(
      `\nCold dereferencing: ${paths.length} different records, ${CONNECTIONS} connections, median of ${RUNS} runs each in turn`,
    );
    report(
      `  Vitrine ${fixed(ours)} a second; Express 5 sending the same bytes ${fixed(express)}; bare node:http ${fixed(bare)}`,
    );
    report(`  ${fixed(ours / express)} times Express, ${(ours / bare).toFixed(2)} times node:http`);
    report(`  private memory of the serving process (RssAnon) ${rssAnon(vitrine.process.pid!)}`);
  } finally {
    for (const { process: child } of servers) child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

function pathOf(id: string, base: string): string {
  if (id.startsWith(base)) return `/${id.slice(base.length)}`;
  return id.includes(":") ? `/entity?uri=${encodeURIComponent(id)}` : `/${id}`;
}

interface Server {
  readonly process: ChildProcess;
  readonly port: number;
}

/** Start a server that says `listening on http://...:PORT` on standard error. */
function start(args: readonly string[]): Promise<Server> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
  return new Promise((resolve, reject) => {
    let told = "";
    child.stderr.on("data", (chunk: Buffer) => {
      told += chunk.toString();
      const port = /listening on http:\/\/[^/]*:(\d+)/.exec(told)?.[1];
      if (port !== undefined) resolve({ process: child, port: Number(port) });
    });
    child.once("exit", () => reject(new Error(told)));
  });
}

function finished(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code) =>
      code === 0 || code === 1 ? resolve() : reject(new Error(`loading ended with ${code}`)),
    );
  });
}

async function collect(port: number, paths: readonly string[]): Promise<[string, string][]> {
  const bodies: [string, string][] = [];
  for (const path of paths) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    if (response.ok) bodies.push([path, await response.text()]);
  }
  return bodies;
}

function shuffled(paths: readonly string[]): string[] {
  const order = paths.map((path) => ({ path, at: Math.random() }));
  return order.sort((a, b) => a.at - b.at).map(({ path }) => path);
}

/** Ask for each path once over kept connections; answers a second. A client leaner than a library's leaves the processor to the server. */
async function drive(port: number, paths: readonly string[]): Promise<number> {
  let next = 0;
  const start = performance.now();
  const connection = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1");
      let head = "";
      let missing = -1;
      const ask = (): void => {
        const path = paths[next++];
        if (path === undefined) {
          socket.end();
          resolve();
        } else socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      };
      socket.on("connect", ask);
      socket.on("error", reject);
      socket.on("data", (chunk: Buffer) => {
        if (missing === -1) {
          head += chunk.toString("latin1");
          const end = head.indexOf("\r\n\r\n");
          if (end === -1) return;
          missing = end + 4 + Number(/content-length: (\d+)/i.exec(head)![1]) - head.length;
          head = "";
        } else missing -= chunk.length;
        if (missing > 0) return;
        missing = -1;
        ask();
      });
    });
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  return paths.length / ((performance.now() - start) / 1000);
}

function rssAnon(pid: number): string {
  try {
    return /RssAnon:\s*(.*)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "unknown";
  } catch {
    return "unknown on this system";
  }
}
