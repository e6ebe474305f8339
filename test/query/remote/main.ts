/** Breaks an engine for as many changes as one likes, and publishes every corpus document from one: `npm run engines -- 1000`. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RecordGraph } from "../../../src/rdf/record-graph.js";
import { openForLoading, openStore } from "../../../src/store/open.js";
import { runApart } from "../../cli/run.js";
import { difference, putAll, remoteStore } from "../../store/remote/published.js";
import { breakWhileFollowing, differences, seeded } from "./changes.js";
import { startFaultyProxy } from "./faulty-proxy.js";
import { startVirtuoso, type Virtuoso } from "./virtuoso.js";

const CORPUS = "../shared/corpus";
const changes = Number(process.argv[2] ?? 1_000);
const seed = process.argv[3] ?? "engines";
const folder = mkdtempSync(join(tmpdir(), "vitrine-engines-"));
let failed = 0;
try {
  await withVirtuoso((virtuoso) => broken(virtuoso, "merged"));
  await withVirtuoso((virtuoso) => broken(virtuoso, "records"));
  await withVirtuoso(published);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed === 0 ? 0 : 1);

/** Each part has an engine of its own: one that was broken may still hold what a lost client had begun. */
async function withVirtuoso(work: (virtuoso: Virtuoso) => Promise<void>): Promise<void> {
  const virtuoso = await startVirtuoso(10_000);
  try {
    await work(virtuoso);
  } finally {
    await virtuoso.stop();
  }
}

/** Random changes with Virtuoso stopped, started again, slow, and answering errors, garbage and halves. */
async function broken(virtuoso: Virtuoso, graphs: "merged" | "records"): Promise<void> {
  const store = await openForLoading({ directory: join(folder, graphs) });
  const random = seeded(seed);
  const proxy = await startFaultyProxy(virtuoso.port, random);
  const at = (address: string): string => address.replace(`http://127.0.0.1:${virtuoso.port}`, proxy.url);
  const { url, update, graphStore, credentials } = virtuoso.addresses;
  const addresses = { url: at(url), update: at(update!), graphStore: at(graphStore!), credentials: credentials! };
  let asked = 0;
  const started = Date.now();
  const begun = await breakWhileFollowing({
    store,
    addresses,
    proxy,
    graphs,
    changes,
    random,
    restart: () => virtuoso.restart(),
    meanwhile: async () => {
      // Dereferencing reads the store, whatever the engine does.
      const iri = `http://data.example/record/${Math.floor(random() * 30)}`;
      await (await store.find(iri))?.record();
      asked++;
    },
  });
  await proxy.stop();
  const found = await differences(store, virtuoso.addresses, graphs);
  const { sequence } = await store.stats();
  await store.close();
  console.log(
    `${graphs}: ${sequence} changes in ${Math.round((Date.now() - started) / 1_000)} s, this side begun ${begun} times, ${asked} records read meanwhile`,
  );
  console.log(`  faults: ${JSON.stringify(proxy.counts)}`);
  console.log(`  ${found.triples} triples; missing ${found.missing}, surplus ${found.surplus}`);
  failed += found.missing + found.surplus;
}

async function published(virtuoso: Virtuoso): Promise<void> {
  const directory = join(folder, "corpus");
  await runApart([
    "load",
    CORPUS,
    "--store",
    directory,
    "--on-invalid",
    "accept",
    "--base-url",
    "http://localhost:3000/",
  ]).catch(() => {});
  console.log(`corpus: ${readdirSync(CORPUS).join(", ")}`);
  const store = await openStore({ directory });
  const records: RecordGraph[] = [];
  for await (const { graph } of store.lists.records()) records.push(graph);
  await store.close();
  await putAll(virtuoso.addresses, "records", records);
  const remote = remoteStore(virtuoso.addresses, "records");
  const counts = { none: 0, known: 0, other: 0 };
  for (const graph of records) {
    const found = await difference(remote, graph);
    if (found === "none" || found === "known") counts[found]++;
    else {
      counts.other++;
      console.log(`  ${found}`);
    }
  }
  await remote.close();
  console.log(
    `  ${records.length} records: ${counts.none} the same, ${counts.known} but for listed quirks, ${counts.other} otherwise`,
  );
  failed += counts.other;
}
