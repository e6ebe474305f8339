/** Engines: the time Virtuoso takes to fill and to follow a load, a cold and a cached entity beside Virtuoso's own CONSTRUCT, and the example queries on Virtuoso and the index. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { EngineAccess } from "../src/engine/engine-access.js";
import { exampleQuery } from "../src/http/sparql/example-query.js";
import { describe } from "../src/load/pipeline/describe.js";
import { DEFAULT_MODEL } from "../src/model/settings.js";
import type { QueryEngine } from "../src/query/engine.js";
import { openEngine } from "../src/query/open.js";
import { QueryIndex } from "../src/query/oxigraph/query-index.js";
import { MERGED_GRAPH } from "../src/query/remote/engine-writer.js";
import { untilReady } from "../src/query/waiting.js";
import { writeNTriples } from "../src/rdf/ntriples/writer.js";
import { openStore } from "../src/store/open.js";
import { RemoteStore } from "../src/store/remote/remote-store.js";
import { HAS_VIRTUOSO, startVirtuoso, type Virtuoso } from "../test/query/remote/virtuoso.js";
import { many } from "./documents.js";
import { fixed, median, report, seconds } from "./figures.js";
import { loadInputs, loadStore } from "./servers.js";

const VOLUME = "../shared/volume";
const RECORDS = 20_000;
const ENTITIES = 200;

/** Measures 20,000 records, then `../shared/volume`, or only the file of it that `BENCH_PART` names (`moma-exhibitions.jsonl.gz`). */
export async function benchEngines(): Promise<void> {
  if (!HAS_VIRTUOSO) return;
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  const virtuoso = await startVirtuoso(100_000);
  try {
    await benchFollowing(folder, virtuoso);
    await benchExamples(folder, virtuoso);
  } finally {
    await virtuoso.stop();
    rmSync(folder, { recursive: true });
  }
}

async function benchFollowing(folder: string, virtuoso: Virtuoso): Promise<void> {
  const { store: directory } = await loadStore(join(folder, "few"), (await many(RECORDS)).slice(0, 1));
  let store = await openStore({ directory });
  const engine = openEngine({
    kind: "synchronized",
    ...virtuoso.addresses,
    graphs: "merged",
    store,
    interval: 100,
    report,
  });
  await untilReady(engine);
  await engine.close();
  await store.close();
  await loadStore(join(folder, "few"), await many(RECORDS));
  store = await openStore({ directory });
  const { sequence, triples } = await store.stats();
  const following = openEngine({
    kind: "synchronized",
    ...virtuoso.addresses,
    graphs: "merged",
    store,
    interval: 100,
    report,
  });
  const took = await seconds(async () => {
    while (following.state.sequence !== sequence) await new Promise((resolve) => setTimeout(resolve, 50));
  });
  report(
    `\nVirtuoso, a load of ${RECORDS} records (${triples} triples) followed in ${fixed(took)} s, ${fixed(RECORDS / took)} records/s`,
  );
  await following.close();
  await benchEntities(virtuoso, store);
  await store.close();
}

async function benchEntities(virtuoso: Virtuoso, store: Awaited<ReturnType<typeof openStore>>): Promise<void> {
  const access = new EngineAccess(virtuoso.addresses, 60_000);
  const iris: string[] = [];
  for await (const { graph } of store.lists.records()) {
    if (iris.length === ENTITIES) break;
    await access.add(graph.iri, writeNTriples(graph));
    iris.push(graph.iri);
  }
  const remote = new RemoteStore({
    ...virtuoso.addresses,
    graphs: "records",
    describe: (graph) => describe(graph, DEFAULT_MODEL.vocabBase),
    report,
  });
  const timed = async (work: (iri: string) => Promise<unknown>): Promise<number> => {
    const times: number[] = [];
    for (const iri of iris) times.push(await seconds(() => work(iri)));
    return median(times) * 1_000;
  };
  const own = (iri: string): Promise<Buffer> =>
    access.construct(`CONSTRUCT { ?s ?p ?o } WHERE { GRAPH <${iri}> { ?s ?p ?o } }`);
  await timed(own);
  const construct = await timed(own);
  const cold = await timed(async (iri) => (await remote.find(iri))?.record());
  const cached = await timed(async (iri) => (await remote.find(iri))?.record());
  report(
    `  an entity: its CONSTRUCT ${fixed(construct)} ms; cold ${fixed(cold)} ms (${fixed(cold / construct)} times); cached ${fixed(cached)} ms (${fixed(cold / cached)} times faster)`,
  );
  access.client.close();
  await remote.close();
}

async function benchExamples(folder: string, virtuoso: Virtuoso): Promise<void> {
  const part = process.env.BENCH_PART;
  const files = existsSync(VOLUME) ? readdirSync(VOLUME).filter((file) => part === undefined || file === part) : [];
  if (files.length === 0) return;
  const { store: directory } = await loadInputs(
    join(folder, "volume"),
    files.map((file) => join(VOLUME, file)),
  );
  const store = await openStore({ directory });
  const access = new EngineAccess(virtuoso.addresses, 120_000);
  for (const graph of [MERGED_GRAPH, "urn:vitrine:state"]) await access.update(`DROP SILENT GRAPH <${graph}>`);
  access.client.close();
  const engine = openEngine({ kind: "synchronized", ...virtuoso.addresses, graphs: "merged", store, report });
  const filling = await seconds(() => untilReady(engine));
  const index = new QueryIndex({ directory });
  const indexing = await seconds(() => untilReady(index));
  const { records, triples } = await store.stats();
  report(
    `\n${records} records, ${triples} triples: Virtuoso filled in ${fixed(filling)} s, the index in ${fixed(indexing)} s`,
  );
  report("  example queries, milliseconds on Virtuoso and on the index, and rows:");
  await askExamples(engine, index);
  await engine.close();
  await index.close();
  await store.close();
}

async function askExamples(...engines: readonly QueryEngine[]): Promise<void> {
  for (const file of readdirSync("docs/publish/queries")) {
    const { text } = exampleQuery(readFileSync(`docs/publish/queries/${file}`, "utf8"), file);
    const answers: string[] = [];
    for (const engine of engines) answers.push((await asked(engine, text)).padStart(28));
    report(`    ${file.padEnd(32)} ${answers.join(" ")}`);
  }
}

/** The milliseconds and rows of a query, or the error message. */
async function asked(engine: QueryEngine, text: string): Promise<string> {
  const formats = { results: "csv", graph: "nt" } as const;
  const request = {
    text,
    defaultGraphs: [],
    namedGraphs: [],
    formats,
    rows: 1e9,
    bytes: 1e9,
    base: "http://localhost:3000/",
  };
  let rows = "";
  try {
    const took = await seconds(async () => {
      const result = await engine.query(request, { client: "bench", timeout: 60_000 });
      rows = `${(await buffer(result.body)).toString().trimEnd().split("\n").length - 1} rows`;
      result.release();
    });
    return `${fixed(took * 1_000)}, ${rows}`;
  } catch (error) {
    return (error as Error).message.slice(0, 60).replaceAll("\n", " ");
  }
}
