/** The cost of harvesting: pages of the change stream, dumps, followers, and kept versions, each beside a yardstick. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EmbeddedStore } from "../src/store/embedded/embedded-store.js";
import { openForLoading, openStore } from "../src/store/open.js";
import { inFile } from "../test/cli/in-file.js";
import { graphOf, publish } from "../test/store/records.js";
import { many } from "./documents.js";
import { fixed, median, percentile, report } from "./figures.js";
import { collect, drive, ended, type LoadedStore, loadStore, type Server, serveStore, shuffled } from "./servers.js";

/** The changes of the long stream, and the records that they change. */
const CHANGES = 1_000_000;
const CHANGING = 10_000;
const DUMPED = 200_000;
const FOLLOWED = 20_000;
const VERSIONED = 10_000;
/** The number of times that every record is replaced. */
const REPLACEMENTS = 3;
const BASE = "http://localhost:3000/";

export async function benchHarvest(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-harvest-"));
  try {
    const parts = (process.env.HARVEST ?? "stream dump follow versions").split(" ");
    if (parts.includes("stream")) await stream(folder);
    if (parts.includes("dump")) await dump(join(folder, "dump"));
    if (parts.includes("follow")) await follow(join(folder, "follow"));
    if (parts.includes("versions")) await versions(join(folder, "versions"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures pages from all over a short and a long stream. */
async function stream(folder: string): Promise<void> {
  report("\nA page of the change stream, median and p99 of 1,000 pages, one request at a time");
  for (const changes of [1_000, CHANGES]) {
    const directory = join(folder, `stream-${changes}`);
    await fill(directory, changes);
    const server = await serveStore({ store: directory, base: BASE, paths: [] }, "--sparql-access", "off");
    const pages = changes / 100;
    const paths = Array.from({ length: 1_000 }, () => `/activity/page/${1 + Math.floor(Math.random() * pages)}`);
    await collect(server.port, paths.slice(0, 200));
    const times: number[] = [];
    for (const path of paths) {
      const start = performance.now();
      await (await fetch(`http://127.0.0.1:${server.port}${path}`)).text();
      times.push(performance.now() - start);
    }
    await ended(server);
    report(
      `${changes.toLocaleString("en")} changes: ${fixed(median(times))} ms, p99 ${fixed(percentile(times, 0.99))} ms`,
    );
  }
}

/** Fill a store with this many changes, of fewer records. */
async function fill(directory: string, changes: number): Promise<void> {
  const store = await openForLoading({ directory });
  const records = Math.min(changes, CHANGING);
  for (let round = 0; round < changes / records; round++) {
    const graphs = Array.from({ length: records }, (_, at) =>
      graphOf(`${BASE}object/${at}`, { label: `${at} ${round}` }),
    );
    await publish(store, graphs);
  }
  await store.close();
}

/** Measures a dump beside reading the store, and single answers while a dump is written. */
async function dump(folder: string): Promise<void> {
  const loaded = await loadStore(folder, await many(DUMPED));
  const reading = await readingTime(loaded);
  report(`\nA dump of ${reading.records.toLocaleString("en")} records; reading them takes ${fixed(reading.seconds)} s`);
  for (const formats of [["nq"], ["nq", "nt", "jsonl"]]) {
    const { seconds, output } = await vitrine("dump", "--store", loaded.store, ...inFile({ "dump-format": formats }));
    const share = fixed((100 * reading.seconds) / seconds);
    report(`${formats.join(", ")}: ${fixed(seconds)} s, ${share} % of the speed of reading; ${output}`);
  }
  const server = await serveStore(loaded, "--sparql-access", "off", "--cache", "0");
  const paths = shuffled(loaded.paths).slice(0, 40_000);
  await drive(server.port, paths.slice(0, 5_000));
  report(`dereferencing, 16 connections: before ${await answers(server, paths)}`);
  let isRunning = true;
  const dumping = vitrine("dump", "--store", loaded.store).finally(() => {
    isRunning = false;
  });
  report(`  while a dump is written: ${await answers(server, paths, () => isRunning)}`);
  await dumping;
  await ended(server);
}

async function answers(server: Server, paths: readonly string[], goesOn = (): boolean => false): Promise<string> {
  const times: number[] = [];
  let rate = 0;
  do {
    rate = await drive(
      server.port,
      paths,
      () => "",
      (milliseconds) => times.push(milliseconds),
    );
  } while (goesOn());
  return `${fixed(rate)} a second, median ${median(times).toFixed(2)} ms, p99 ${percentile(times, 0.99).toFixed(2)} ms`;
}

async function readingTime({ store: directory }: LoadedStore): Promise<{ records: number; seconds: number }> {
  const store = await openStore({ directory });
  const times: number[] = [];
  let records = 0;
  for (let round = 0; round < 3; round++) {
    const start = performance.now();
    records = 0;
    for await (const { graph } of store.lists.records()) if (graph.iri !== "") records++;
    times.push((performance.now() - start) / 1_000);
  }
  await store.close();
  return { records, seconds: median(times) };
}

/** Measures followers of the stream and of the dump, beside the rate at which the source serves a lean client. */
async function follow(folder: string): Promise<void> {
  const loaded = await loadStore(folder, await many(FOLLOWED));
  const server = await serveStore(loaded, "--sparql-access", "off");
  const rate = await drive(server.port, shuffled(loaded.paths));
  report(`\nFollowing ${loaded.paths.length.toLocaleString("en")} records; the source serves ${fixed(rate)} a second`);
  for (const way of ["the stream, 4 connections", "the stream, 16 connections", "its dump"]) {
    if (way === "its dump") await vitrine("dump", "--store", loaded.store);
    const copy = join(folder, `copy-${way.replaceAll(/\W+/g, "-")}`);
    const { seconds } = await vitrine(
      "follow",
      `http://127.0.0.1:${server.port}/`,
      "--store",
      copy,
      "--on-invalid",
      "accept",
      ...(way.includes("16") ? inFile({ connections: 16 }) : []),
    );
    report(
      `by ${way}: ${fixed(loaded.paths.length / seconds)} records a second, ${fixed(seconds)} s in all, validated and loaded`,
    );
  }
  await ended(server);
}

/**
 * Measures the cost of keeping versions: every record is replaced a few times in two stores in turn, one of which keeps versions. The
 * stores are compared by the sizes of their files, in which freed pages are used again, and by the pages of the table of versions.
 */
async function versions(folder: string): Promise<void> {
  const documents = await many(VERSIONED);
  const stores = ["--keep=nothing", "--keep=versions"].map((option) => ({ option, times: [] as number[], store: "" }));
  for (const each of stores) each.store = (await loadStore(join(folder, each.option), documents)).store;
  for (let round = 1; round <= REPLACEMENTS; round++) {
    const changed = documents.map((document) => ({ ...document, _label: `${String(document._label)} ${round}` }));
    const input = join(folder, "changed.jsonl");
    writeFileSync(input, changed.map((document) => `${JSON.stringify(document)}\n`).join(""));
    for (const { option, times, store } of round % 2 === 0 ? stores : stores.toReversed()) {
      const args = ["load", input, "--store", store, "--on-invalid", "accept", option];
      times.push((await vitrine(...args)).seconds);
    }
  }
  const replaced = (REPLACEMENTS * documents.length).toLocaleString("en");
  report(`\nReplacing ${documents.length.toLocaleString("en")} records ${REPLACEMENTS} times, ${replaced} versions`);
  const sizes = stores.map(({ store }) => statSync(join(store, "records.mdb")).size);
  for (const [at, { option, times }] of stores.entries()) {
    const all = times.map((time) => time.toFixed(1)).join(", ");
    report(`${option}: ${fixed(median(times))} s a load (${all}), file ${fixed(sizes[at]! / 2 ** 20)} MiB`);
  }
  const store = (await openStore({ directory: stores[1]!.store })) as EmbeddedStore;
  const { versions, records } = store.database;
  const [kept, current] = [bytesOf(versions), bytesOf(records)];
  report(
    `a kept version: ${fixed(kept.each)} bytes on disk, a record ${fixed(current.each)}; ${kept.entries.toLocaleString("en")} are kept`,
  );
  await store.close();
}

/** The number of a table's entries, and the bytes on disk per entry. */
function bytesOf(table: { getStats(): object }): { entries: number; each: number } {
  const { entryCount, pageSize, treeBranchPageCount, treeLeafPageCount, overflowPages } = table.getStats() as Readonly<
    Record<string, number>
  >;
  const pages = treeBranchPageCount! + treeLeafPageCount! + overflowPages!;
  return { entries: entryCount!, each: (pages * pageSize!) / entryCount! };
}

/** Run the command. Resolves to its seconds and the last line that it wrote. */
function vitrine(...args: readonly string[]): Promise<{ seconds: number; output: string }> {
  const start = performance.now();
  const child = spawn(process.execPath, ["bin/vitrine.js", ...args], { stdio: ["ignore", "ignore", "pipe"] });
  let output = "";
  child.stderr.on("data", (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-1_000);
  });
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => {
      const line = output.trim().split("\n").at(-1) ?? "";
      if (code === 0 || code === 1) resolve({ seconds: (performance.now() - start) / 1_000, output: line });
      else reject(new Error(output));
    });
  });
}
