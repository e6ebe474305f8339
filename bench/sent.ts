/** Loads over HTTP beside the command: the same N-Quads, in turn, and the memory of the service that receives them. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { inFolder } from "./dereference.js";
import { documentLines } from "./documents.js";
import { fixed, median, report, seconds } from "./figures.js";
import { privateMemory, serveStore } from "./servers.js";

const BYTES = 100 * 2 ** 20;
const ROUNDS = 3;
const BASE = "http://localhost:3000/";

export async function benchSent(): Promise<void> {
  await inFolder(async (folder) => {
    const quads = await quadsFile(folder);
    const [here, sent]: [number[], number[]] = [[], []];
    let memory: Memory | undefined;
    for (let round = 0; round < ROUNDS; round++) {
      const store = newStore(folder);
      here.push(await seconds(() => vitrine(["load", quads, "--store", store])));
      const measured = await timedSending(folder, quads);
      sent.push(measured.seconds);
      if (memory === undefined || measured.memory.most > memory.most) memory = measured.memory;
    }
    const [ours, command] = [median(sent), median(here)];
    report(
      `\nLoading ${fixed(statSync(quads).size / 2 ** 20)} MiB of N-Quads into a new store, medians of ${ROUNDS} runs in turn`,
    );
    report(
      `  the command ${command.toFixed(1)} s; sent over HTTP ${ours.toFixed(1)} s: ${(command / ours).toFixed(2)} times its speed`,
    );
    report(
      `  private memory of the serving process (RssAnon) ${fixed(memory!.before)} MiB before, at most ${fixed(memory!.most)} MiB meanwhile`,
    );
  });
}

/** Private memory in MiB. */
interface Memory {
  readonly before: number;
  readonly most: number;
}

/** Send a file to a service with a new store. */
async function timedSending(folder: string, quads: string): Promise<{ seconds: number; memory: Memory }> {
  const store = newStore(folder);
  const token = join(folder, "token.txt");
  writeFileSync(token, spawnSync(process.execPath, ["bin/vitrine.js", "token", "new", "--store", store]).stdout);
  const server = await serveStore({ store, base: BASE, paths: [] }, "--sparql-access", "off");
  const memoryNow = (): number => privateMemory(server.process.pid!) / 1024;
  const before = memoryNow();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, memoryNow());
  }, 50);
  try {
    const to = `http://127.0.0.1:${server.port}/`;
    const spent = await seconds(() => vitrine(["load", quads, "--to", to, "--token", `@${token}`]));
    return { seconds: spent, memory: { before, most } };
  } finally {
    clearInterval(watch);
    server.process.kill();
    await once(server.process, "exit");
  }
}

/** A store with one record, as a service needs one to start. */
function newStore(folder: string): string {
  const store = join(folder, "store");
  rmSync(store, { recursive: true, force: true });
  const one = join(folder, "one.jsonl");
  const record = {
    "@context": "https://linked.art/ns/v1/linked-art.json",
    id: "place/one",
    type: "Place",
    _label: "One",
  };
  writeFileSync(one, `${JSON.stringify(record)}\n`);
  spawnSync(process.execPath, ["bin/vitrine.js", "load", one, "--store", store, "--base-url", BASE]);
  return store;
}

async function vitrine(args: readonly string[]): Promise<void> {
  const [status] = await once(spawn(process.execPath, ["bin/vitrine.js", ...args], { stdio: "ignore" }), "exit");
  // Status 1: records of the volume that break a rule were left out.
  if (status > 1) throw new Error(`${args[0]} ended with ${status}`);
}

/** Records of the volume as N-Quads, as many whole lines as fit into `BYTES`. */
async function quadsFile(folder: string): Promise<string> {
  const [lines, store, path] = ["records.jsonl", "source", "records.nq"].map((name) => join(folder, name));
  const file = openSync(lines!, "w");
  // As N-Quads, a document takes some five times its bytes.
  let left = BYTES / 4;
  for (let copy = 0; left > 0; copy++) {
    for await (const line of documentLines()) {
      left -= writeSync(file, `${line.replace(/"id": ?"([^"]+)"/, copy === 0 ? "$&" : `"id":"$1/copy-${copy}"`)}\n`);
      if (left <= 0) break;
    }
  }
  closeSync(file);
  mkdirSync(folder, { recursive: true });
  await vitrine(["load", lines!, "--store", store!, "--base-url", BASE]);
  const out = openSync(path!, "w");
  let size = 0;
  const child = spawn(process.execPath, ["bin/vitrine.js", "export", "--store", store!], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    const isLast = size + chunk.length > BYTES;
    // Drop the first line, which announces a last one: without the last line, the load would refuse the export as cut off.
    const from = size === 0 ? chunk.indexOf("\n") + 1 : 0;
    size += writeSync(out, chunk.subarray(from, isLast ? chunk.lastIndexOf("\n") + 1 : chunk.length));
    if (isLast) break;
  }
  child.kill();
  closeSync(out);
  rmSync(store!, { recursive: true, force: true });
  return path!;
}
