/** SPARQL: time and memory of the index, latency of the example queries, counts compared with plain Oxigraph, and entities during an endless query. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as oxigraph from "oxigraph";
import { exampleQuery } from "../src/http/sparql/example-query.js";
import { writeNTriples } from "../src/rdf/ntriples/writer.js";
import { openReadOnly } from "../src/store/embedded/embedded-store.js";
import { inFile } from "../test/cli/in-file.js";
import { many } from "./documents.js";
import { fixed, median, report, seconds } from "./figures.js";
import { type LoadedStore, loadInputs, loadStore, type Server, serveStore } from "./servers.js";

const VOLUME = "../shared/volume";
const RUNS = 5;
const FEW = 5_000;
/** Seconds that the endless query may take. */
const DEADLINE = 8;
const LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>";
const CRM = "http://www.cidoc-crm.org/cidoc-crm/";

/** Joins whose counts must equal those of a plain Oxigraph that holds each triple once. */
const JOINS: Readonly<Record<string, string>> = {
  triples: "{ ?s ?p ?o }",
  "labels of what refers and what is referred to": `{ ?s ?p ?o . ?s ${LABEL} ?a . ?o ${LABEL} ?b }`,
  "makers and their labels": `{ ?s <${CRM}P108i_was_produced_by>/<${CRM}P14_carried_out_by> ?who . ?who ${LABEL} ?name }`,
  "types of names": `{ ?s <${CRM}P1_is_identified_by> ?n . ?n <${CRM}P2_has_type> ?t . ?t ${LABEL} ?label }`,
};

const CARTESIAN = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }";

export async function benchSparql(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  try {
    await benchIndex(join(folder, "volume"));
    await benchEntities(join(folder, "few"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function benchIndex(folder: string): Promise<void> {
  const loaded = existsSync(VOLUME)
    ? await loadInputs(
        folder,
        readdirSync(VOLUME).map((file) => join(VOLUME, file)),
      )
    : await loadStore(folder, await many(20_000));
  const server = await serveStore(loaded, "--query-timeout", "120");
  try {
    const toReady = await seconds(() => ready(server));
    const triples = await count(server, JOINS.triples!);
    const memory = residentOf(indexProcesses(server)[0]!);
    report(`\nIndex of ${triples.toLocaleString("en")} triples: ready after ${fixed(toReady)} s`);
    report(`  ${fixed(memory / 2 ** 20)} MiB resident, ${fixed(memory / triples)} bytes a triple`);
    await benchExamples(server);
    await compareCounts(server, loaded);
  } finally {
    server.process.kill();
  }
}

async function benchExamples(server: Server): Promise<void> {
  report("  example queries, milliseconds (median) and rows:");
  for (const file of readdirSync("docs/publish/queries")) {
    const { text } = exampleQuery(readFileSync(`docs/publish/queries/${file}`, "utf8"), file);
    const times: number[] = [];
    let outcome = "";
    for (let run = 0; run < RUNS; run++) {
      times.push(
        await seconds(async () => {
          const answer = await ask(server, text, "text/csv, application/n-triples");
          const body = await answer.text();
          outcome = answer.ok
            ? `${body.trimEnd().split("\n").length - 1} rows`
            : `${answer.status} ${body.slice(0, 120)}`;
        }),
      );
    }
    report(`    ${file.padEnd(32)} ${fixed(median(times) * 1_000).padStart(8)}  ${outcome}`);
  }
}

async function compareCounts(server: Server, { store }: LoadedStore): Promise<void> {
  const plain = new oxigraph.Store();
  const loading = await seconds(() => loadPlain(plain, store));
  report(`  plain Oxigraph filled with the merged triples by its own loader in ${fixed(loading)} s`);
  for (const [name, where] of Object.entries(JOINS)) {
    const ours = await count(server, where);
    const [solution] = plain.query(`SELECT (COUNT(*) AS ?n) ${where}`) as Map<string, oxigraph.Literal>[];
    const theirs = Number(solution!.get("n")!.value);
    report(
      `    ${name}: ${ours.toLocaleString("en")} ${ours === theirs ? "on both" : `here, ${theirs} there: DIFFERENT`}`,
    );
  }
}

async function loadPlain(plain: oxigraph.Store, directory: string): Promise<void> {
  const store = await openReadOnly(directory);
  let text = "";
  let records = 0;
  const load = (): void => plain.load(text, { format: "application/n-triples", lenient: true, no_transaction: true });
  for await (const { graph } of store.lists.records()) {
    text += writeNTriples(graph, `r${records++}b`);
    if (text.length < 2 ** 20) continue;
    load();
    text = "";
  }
  load();
  await store.close();
}

/** Measures entities while a query runs to its deadline, and the time until the endpoint answers again. */
async function benchEntities(folder: string): Promise<void> {
  const loaded = await loadStore(folder, await many(FEW));
  for (const processes of ["1", "2"]) {
    const server = await serveStore(
      loaded,
      "--query-timeout",
      String(DEADLINE),
      ...inFile({ "query-processes": Number(processes) }),
    );
    try {
      await ready(server);
      while (indexProcesses(server).length < Number(processes)) await pause();
      await latencies(server, loaded.paths, 1);
      const idle = await latencies(server, loaded.paths, DEADLINE - 2);
      let ended = 0;
      const start = performance.now();
      const endless = ask(server, CARTESIAN, "*/*").then(({ status }) => {
        ended = performance.now() - start;
        return status;
      });
      const during = await latencies(server, loaded.paths, DEADLINE - 2);
      const status = await endless;
      const again = await seconds(async () => {
        while ((await ask(server, "ASK {}", "*/*")).status !== 200) await pause();
      });
      report(`\nEntities of ${FEW} records, ${processes} index process(es), one client after another`);
      report(
        `  idle: p50 ${idle.p50} ms, p99 ${idle.p99} ms; during a cartesian query: p50 ${during.p50} ms, p99 ${during.p99} ms`,
      );
      report(
        `  the query ended with ${status} after ${fixed(ended / 1_000)} s (deadline ${DEADLINE} s); answering again after ${fixed(again)} s`,
      );
    } finally {
      server.process.kill();
    }
  }
}

/** The latencies of entities that are requested one at a time, for this many seconds. */
async function latencies(
  server: Server,
  paths: readonly string[],
  duration: number,
): Promise<{ p50: string; p99: string }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  const end = performance.now() + duration * 1_000;
  for (let at = 0; performance.now() < end; at++) {
    const start = performance.now();
    await new Promise<void>((resolve, reject) => {
      get({ port: server.port, path: paths[at % paths.length]!, agent }, (response) => {
        response.resume().on("end", resolve);
      }).on("error", reject);
    });
    times.push(performance.now() - start);
  }
  agent.destroy();
  times.sort((a, b) => a - b);
  const at = (share: number): string => times[Math.floor(times.length * share)]!.toFixed(2);
  return { p50: at(0.5), p99: at(0.99) };
}

export function ask({ port }: Server, query: string, accept: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/sparql`, {
    method: "POST",
    body: query,
    headers: { "Content-Type": "application/sparql-query", Accept: accept },
  });
}

async function count(server: Server, where: string): Promise<number> {
  const answer = await ask(server, `SELECT (COUNT(*) AS ?n) ${where}`, "text/csv");
  return Number((await answer.text()).split("\n")[1]);
}

/** Wait until queries are answered. */
export async function ready({ port }: Server): Promise<void> {
  for (;;) {
    const { index } = (await (await fetch(`http://127.0.0.1:${port}/ready`)).json()) as { index: { state: string } };
    if (index.state === "ready") return;
    await pause();
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}

/** The ids of the processes that a server started. */
function indexProcesses({ process: { pid } }: Server): readonly string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
}

function residentOf(pid: string): number {
  return Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * 4_096;
}
