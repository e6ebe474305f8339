/** The engine that a service runs, with the store that `BENCH_STORE` names: filling it, the example queries, and records that are read meanwhile. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Agent, request } from "undici";
import { exampleQuery } from "../src/http/sparql/example-query.js";
import { openStore } from "../src/store/open.js";
import { HAS_VIRTUOSO } from "../test/query/remote/virtuoso.js";
import { paced } from "../test/replicas/paced.js";
import { fixed, percentile, report, seconds } from "./figures.js";
import { childrenOf, ended, privateMemory, type Server, serveStore } from "./servers.js";
import { ask, ready } from "./sparql.js";

const QUERIES = "docs/publish/queries";
/** Records to read, chosen at random from the whole collection. */
const RECORDS = 20_000;
/** Reads per second, over keep-alive connections. */
const RATE = 200;
const CONNECTIONS = 8;
/** Seconds that a query may run. */
const DEADLINE = 120;
/** With more triples, the index does not fit. */
const MAX_INDEXED = 10_000_000;

/** Measures the engine, and the index if it fits, with queries about entities that this collection has. */
export async function benchManaged(): Promise<void> {
  const directory = process.env.BENCH_STORE;
  if (!HAS_VIRTUOSO || directory === undefined) return;
  await using store = await openStore({ directory });
  const { records, triples, baseUrl } = await store.stats();
  const base = baseUrl!;
  if ((await store.countUnder(base)) === 0) throw new Error(`BENCH_STORE has no record under its base URL ${base}`);
  const { last } = await store.lists.numbered(1, 1);
  const paths: string[] = [];
  while (paths.length < RECORDS) {
    const [record] = (await store.lists.numbered(Math.ceil(Math.random() * last), 1)).records;
    if (record?.iri.startsWith(base)) paths.push(new URL(record.iri).pathname);
  }
  report(`\n${records.toLocaleString("en")} records, ${triples.toLocaleString("en")} triples`);
  const services = [["--engine", "virtuoso"], ...(triples > MAX_INDEXED ? [] : [[]])];
  const about: About = {};
  for (const service of services) {
    const options = ["--query-timeout", String(DEADLINE), ...service];
    const server = await serveStore({ store: directory, base, paths }, ...options);
    try {
      await benchService(server, { name: service[1] ?? "the index", paths, about });
    } finally {
      await ended(server);
    }
  }
  report(`  on disk: the engine ${gigabytes(join(directory, "engine"))}, the store besides it ${gigabytes(directory)}`);
}

interface Asked {
  readonly name: string;
  readonly paths: readonly string[];
  readonly about: About;
}

async function benchService(server: Server, { name, paths, about }: Asked): Promise<void> {
  const filling = await readMeanwhile(server, paths, () => seconds(() => ready(server)));
  report(`\n${name}: ready after ${fixed(filling.result)} s; ${filling.summary}`);
  const asking = await readMeanwhile(server, paths, () => askExamples(server, about));
  report(`  ${asking.summary}`);
  const alone = await readMeanwhile(server, paths, () => new Promise((resolve) => setTimeout(resolve, 10_000)));
  report(`  without queries: ${alone.summary}`);
  const [service, ...others] = [server.process.pid!, ...childrenOf(server.process.pid!)].map(
    (pid) => `${fixed(privateMemory(pid) / 1024)} MiB`,
  );
  report(`  private memory: the service ${service}, its child processes ${others.join(", ")}`);
}

/** The value of each query's parameter, by file: the same for all services. */
type About = { [file: string]: string | undefined };

/** The first value that a query's suggestions find in this collection. */
async function firstOf(server: Server, suggestions: string): Promise<string | undefined> {
  const found = await (await ask(server, suggestions, "text/csv")).text();
  // Virtuoso writes quotation marks around all values.
  return /^"?(https?:[^",\r\n]*)/m.exec(found)?.[1];
}

/** Runs each query twice. */
async function askExamples(server: Server, about: About): Promise<void> {
  report("  milliseconds of the first and the second run, and lines of the answer:");
  for (const file of readdirSync(QUERIES).sort()) {
    const { text, parameter } = exampleQuery(readFileSync(join(QUERIES, file), "utf8"), file);
    if (parameter !== undefined) about[file] = about[file] ?? (await firstOf(server, parameter.suggestions));
    const value = about[file];
    const query = value === undefined ? text : text.replaceAll(parameter!.value, value);
    const answers: string[] = [];
    for (let time = 0; time < 2; time++) {
      let outcome = "";
      const took = await seconds(async () => {
        const answer = await ask(server, query, "text/csv, application/n-triples");
        const body = await answer.text();
        outcome = answer.ok
          ? `${body.trimEnd().split("\n").length - 1} lines`
          : `${answer.status} ${body.slice(0, 200)}`;
      });
      answers.push(`${fixed(took * 1_000)}, ${outcome}`.padStart(24));
    }
    report(`    ${file.padEnd(32)} ${answers.join(" ")}`);
  }
}

/** Read random records at a steady rate while some work is done. Times count from the moment a request was due. */
async function readMeanwhile<Result>({ port }: Server, paths: readonly string[], work: () => Promise<Result>) {
  const agent = new Agent({ connections: CONNECTIONS });
  const times: number[] = [];
  let isOver = false;
  let failures = 0;
  const reading = paced(
    RATE,
    () => isOver,
    async (due) => {
      const path = paths[Math.floor(Math.random() * paths.length)]!;
      const { statusCode, body } = await request(`http://127.0.0.1:${port}${path}`, { dispatcher: agent });
      await body.dump();
      if (statusCode === 200) times.push(performance.now() - due);
      else failures++;
    },
  );
  const result = await work();
  isOver = true;
  await reading;
  await agent.destroy();
  const of = (share: number): string => `${fixed(percentile(times, share))} ms`;
  const summary = `${times.length.toLocaleString("en")} records read, ${failures} failed: p50 ${of(0.5)}, p99 ${of(0.99)}, p99.9 ${of(0.999)}`;
  return { result, summary };
}

/** The space that a folder's files take on disk, without holes and without its folder `engine`. */
function gigabytes(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => !name.startsWith("engine"));
  const bytes = files.reduce((sum, name) => sum + statSync(join(folder, name)).blocks * 512, 0);
  return `${(bytes / 1e9).toFixed(2)} GB`;
}
