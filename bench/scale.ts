/** The cost of a collection by its size: bytes on disk, microseconds per request, time to start, memory of the index. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fixed, median, report } from "./figures.js";
import { drive, type LoadedStore, privateMemory, processorTime, type Server, serveStore, shuffled } from "./servers.js";
import { startUp } from "./start.js";

/** The base URL of all records: each copy of a museum has its own path, and its references stay within the copy. */
const BASE = "http://scale.example/";
/** With more triples, the index does not fit here, so nothing waits until it is filled. */
const MAX_INDEX_TRIPLES = 8_500_000;
/** Requests of each kind, all different. */
const REQUESTS = { dereference: 20_000, page: 2_000, search: 2_000, feed: 400 } as const;

type Kind = keyof typeof REQUESTS;

/** Microseconds of the server's processor time per request, and the median of the milliseconds that one client waits. */
interface Cost {
  readonly processor: number;
  readonly waits: number;
}

/** The measurements of one size. */
interface Row {
  readonly records: number;
  readonly triples: number;
  /** Bytes on disk. */
  readonly bytes: number;
  /** Microseconds of the load per record. */
  readonly loading: number;
  /** Seconds from the start of the process to the first answer. */
  readonly start: number;
  readonly requests: { readonly [kind in Kind]: Cost };
  /** MiB of private memory after all requests. */
  readonly memory: number;
  readonly index: { readonly bytes: number; readonly triples: number; readonly seconds: number } | undefined;
}

/** The number of documents that were loaded, and the seconds that it took. */
interface Loading {
  readonly given: number;
  readonly seconds: number;
}

/** The file beside the stores with the measurements of each. */
const ROWS = "rows.jsonl";
const ENTITIES_ALONE = ["--sparql-access", "off"];
/** Changes on a page of the feed. */
const CHANGES_OF_PAGE = 100;

/** A store of one size. */
export class ScaledStore implements LoadedStore {
  readonly store: string;
  readonly base = BASE;
  readonly paths: readonly string[] = [];
  readonly #state: string;

  /** @param documents lines of JSON; each may be loaded many times, under other IRIs */
  constructor(
    readonly folder: string,
    readonly documents: readonly string[],
  ) {
    mkdirSync(folder, { recursive: true });
    this.store = join(folder, "store");
    this.#state = join(folder, "loaded.json");
  }

  /** The load of the store; `undefined` if nothing has been loaded. */
  get loading(): Loading | undefined {
    return existsSync(this.#state) ? (JSON.parse(readFileSync(this.#state, "utf8")) as Loading) : undefined;
  }

  /** Load this many records at once, unless the store has them. */
  async load(records: number): Promise<void> {
    if (this.loading?.given === records) return;
    rmSync(this.store, { recursive: true, force: true });
    const begun = performance.now();
    const args = [
      "load",
      "-",
      "--format",
      "jsonl",
      "--store",
      this.store,
      "--base-url",
      BASE,
      "--on-invalid",
      "accept",
    ];
    const child = spawn(process.execPath, ["bin/vitrine.js", ...args], { stdio: ["pipe", "ignore", "ignore"] });
    const ended = once(child, "exit") as Promise<[number]>;
    await pipeline(Readable.from(this.#lines(records)), child.stdin!);
    const [status] = await ended;
    if (status > 1) throw new Error(`a load ended with ${status}`);
    const seconds = (performance.now() - begun) / 1000;
    writeFileSync(this.#state, JSON.stringify({ given: records, seconds }));
    report(`  ${records.toLocaleString("en")} records in ${fixed(seconds)} s`);
  }

  *#lines(count: number): Iterable<string> {
    for (let at = 0; at < count; at++) yield `${this.#line(at)}\n`;
  }

  /** The document with a number, from the volume or a copy of it under other IRIs. */
  #line(at: number): string {
    const copy = Math.floor(at / this.documents.length);
    return this.documents[at % this.documents.length]!.replace(
      /"https?:\/\/(clevelandart\.org|linkedart\.example\.com|www\.nga\.gov)\//g,
      `"${BASE}${String(copy).padStart(3, "0")}/$1/`,
    );
  }

  /** This many documents from all over the store. */
  some(count: number): readonly { readonly id: string; readonly _label?: string }[] {
    const { given } = this.loading!;
    const step = given / Math.min(count, given);
    return Array.from({ length: Math.min(count, given) }, (_, at) => JSON.parse(this.#line(Math.floor(at * step))));
  }
}

/** Lines in a shuffled order, the same in every run, so that each size has the same mixture. */
export function spread(lines: readonly string[]): string[] {
  const order = lines.map((_, at) => at);
  let state = 1;
  for (let at = order.length - 1; at > 0; at--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = state % (at + 1);
    [order[at], order[other]] = [order[other]!, order[at]!];
  }
  return order.map((at) => lines[at]!);
}

/** Measure a store, and append the measurements to the file beside it. */
export async function measure(scaled: ScaledStore): Promise<void> {
  const { records, triples, sequence } = statsOf(scaled.store);
  const first = new URL(scaled.some(1)[0]!.id).pathname;
  const starts: number[] = [];
  for (let run = 0; run < 3; run++) starts.push((await startUp(scaled, first, ...ENTITIES_ALONE)).seconds);
  const server = await serveStore(scaled, "--cache", "0", ...ENTITIES_ALONE);
  let requests: Row["requests"];
  let memory: number;
  try {
    requests = await measureRequests(server, pathsOf(scaled, sequence));
    memory = privateMemory(server.process.pid!) / 1024;
  } finally {
    server.process.kill();
  }
  const row: Row = {
    ...{
      records,
      triples,
      bytes: bytesOf(scaled.store),
      loading: (scaled.loading!.seconds / scaled.loading!.given) * 1e6,
      start: median(starts),
    },
    ...{ requests, memory, index: triples <= MAX_INDEX_TRIPLES ? await indexOf(scaled) : undefined },
  };
  appendFileSync(join(dirname(scaled.folder), ROWS), `${JSON.stringify(row)}\n`);
}

/** The bytes that the store occupies on disk, without holes. */
function bytesOf(store: string): number {
  return readdirSync(store).reduce((sum, name) => sum + statSync(join(store, name)).blocks * 512, 0);
}

function statsOf(store: string): { records: number; triples: number; sequence: number } {
  const { stdout } = spawnSync(process.execPath, ["bin/vitrine.js", "stats", "--json", "--store", store]);
  return JSON.parse(stdout.toString()) as { records: number; triples: number; sequence: number };
}

/** Paths to request: different records, different labels, pages from all over the feed. */
function pathsOf(scaled: ScaledStore, sequence: number): { readonly [kind in Kind]: readonly string[] } {
  const documents = shuffled(scaled.some(REQUESTS.dereference));
  const pages = Math.floor(sequence / CHANGES_OF_PAGE);
  const feed = Array.from({ length: REQUESTS.feed }, (_, at) => Math.floor((at * pages) / REQUESTS.feed));
  return {
    dereference: documents.map(({ id }) => new URL(id).pathname),
    page: documents.slice(0, REQUESTS.page).map(({ id }) => `${new URL(id).pathname}.html`),
    search: documents
      .slice(-REQUESTS.search)
      .map(({ _label = "" }) => `/search/all?name=${encodeURIComponent(_label)}`),
    feed: shuffled(feed).map((page) => `/activity/page/${page}`),
  };
}

async function measureRequests(
  { process: { pid }, port }: Server,
  paths: { readonly [kind in Kind]: readonly string[] },
): Promise<Row["requests"]> {
  const measured = async (kind: Kind): Promise<Cost> => {
    const all = paths[kind];
    const few = all.slice(0, Math.ceil(all.length / 10));
    // The single requests come first, so that the many find a warm service, as in use.
    const waits: number[] = [];
    await drive(port, few, undefined, (milliseconds) => waits.push(milliseconds), 1);
    const before = processorTime(pid!);
    await drive(port, all);
    return { processor: ((processorTime(pid!) - before) * 1e6) / all.length, waits: median(waits) };
  };
  const page = await measured("page");
  return {
    page,
    search: await measured("search"),
    feed: await measured("feed"),
    dereference: await measured("dereference"),
  };
}

/** The memory of the index's process, and the seconds until queries are answered. */
async function indexOf(scaled: ScaledStore): Promise<Row["index"]> {
  rmSync(join(scaled.store, "index"), { recursive: true, force: true });
  const begun = performance.now();
  const server = await serveStore(scaled, "--index-graphs", "0");
  try {
    for (;;) {
      const ready = await fetch(`http://127.0.0.1:${server.port}/ready`);
      const { index } = (await ready.json()) as { index: { state: string } };
      if (index.state === "ready") break;
      if (index.state === "too large") return undefined;
      await sleep(200);
    }
    const seconds = (performance.now() - begun) / 1000;
    const text = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
    const gauge = (name: string): number => Number(new RegExp(`^${name}(?:{.*?})? (.*)$`, "m").exec(text)?.[1]);
    return { bytes: gauge("vitrine_index_memory_bytes"), triples: gauge("vitrine_index_triples_total"), seconds };
  } finally {
    server.process.kill();
    await once(server.process, "exit");
  }
}

/** Print all measurements in a folder as the tables of docs/run/scaling.md. */
export function table(folder: string): void {
  const rows = readFileSync(join(folder, ROWS), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);
  report("\n| records | triples | on disk | bytes a record | loading, µs a record | start, s | MiB in memory |");
  report("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
  for (const { records, triples, bytes, loading, start, memory } of rows) {
    const cells = [whole(records), whole(triples), `${(bytes / 1e9).toFixed(2)} GB`, whole(bytes / records)];
    report(`| ${[...cells, whole(loading), start.toFixed(2), whole(memory)].join(" | ")} |`);
  }
  report("\n| records | document | page | search | feed |\n| ---: | ---: | ---: | ---: | ---: |");
  for (const { records, requests } of rows) {
    const cell = ({ processor, waits }: Cost): string => `${whole(processor)} µs; ${waits.toFixed(2)} ms`;
    const { dereference, page, search, feed } = requests;
    report(`| ${[whole(records), ...[dereference, page, search, feed].map(cell)].join(" | ")} |`);
  }
  report("\n| records | merged triples | index | bytes a triple | ready after |\n| ---: | ---: | ---: | ---: | ---: |");
  for (const { records, index } of rows) {
    const cells =
      index === undefined
        ? ["", "none: an engine", "", ""]
        : [
            whole(index.triples),
            `${whole(index.bytes / 2 ** 20)} MiB`,
            whole(index.bytes / index.triples),
            `${fixed(index.seconds)} s`,
          ];
    report(`| ${[whole(records), ...cells].join(" | ")} |`);
  }
}

function whole(number: number): string {
  return Math.round(number).toLocaleString("en");
}
