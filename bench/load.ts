/** Bulk loads, which are durable and validated, beside Oxigraph's and jsonld.js, which are neither; and the memory of loads. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import jsonld from "jsonld";
import type { Json } from "../src/rdf/record-graph.js";
import { documentLoader } from "../test/jsonld/reference.js";
import { documentLines, type JsonObject, registry, VOLUME } from "./documents.js";
import { fixed, median, report, seconds } from "./figures.js";
import { privateMemory } from "./servers.js";

/** Records of the comparison: some two million quads. */
const RECORDS = 60_000;
const ROUNDS = 3;
/** Records of the loads whose memory is compared. */
const FEW = 100_000;
const MANY = 1_000_000;
/** Documents for jsonld.js, which takes tens of milliseconds for each. */
const JSONLD_SAMPLE = 60;
const BASE = "http://localhost:3000/";

const OXIGRAPH = `
  import { readFileSync } from "node:fs";
  import { Store } from "oxigraph";
  const store = new Store();
  store.load(readFileSync(process.argv[1]), { format: "application/n-quads" });
  if (store.size === 0) process.exit(1);`;

export async function benchLoad(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  try {
    const [lines, quads] = [join(folder, "records.jsonl"), join(folder, "records.nq")];
    await pipeline(Readable.from(linesOf(RECORDS)), createWriteStream(lines));
    const name = existsSync(VOLUME) ? "the volume" : "the sample, repeated";
    report(`\nLoads of ${RECORDS.toLocaleString("en")} records of ${name}, medians of ${ROUNDS}`);
    await compareDocuments(folder, lines);
    await compareCores(folder, lines);
    await vitrine(["export", "--store", join(folder, "store"), "--output", quads]);
    await compareQuads(folder, quads);
    await compareMemory(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compareDocuments(folder: string, lines: string): Promise<void> {
  const spent: number[] = [];
  for (let round = 0; round < ROUNDS; round++) spent.push(await timedLoad(folder, lines));
  const each = (median(spent) / RECORDS) * 1e6;
  const documents = readFileSync(lines, "utf8")
    .split("\n", 20_000)
    .map((line) => JSON.parse(line) as JsonObject);
  const some = documents.filter((_, at) => at % Math.floor(documents.length / JSONLD_SAMPLE) === 0);
  const processor = jsonld as unknown as { toRDF(document: Json, options: object): Promise<object[]> };
  const options = { documentLoader: documentLoader(registry), base: BASE };
  const reference = await seconds(async () => {
    for (const document of some) await processor.toRDF(document, options);
  });
  const theirs = (reference / some.length) * 1e6;
  report(
    `  JSON lines  ${fixed(median(spent))} s, ${fixed(each)} µs a record, validated and durable; ` +
      `jsonld.js toRDF alone ${fixed(theirs)} µs: ${fixed(theirs / each)} times`,
  );
}

/** Measures the same load on one core and on two, in turn. */
async function compareCores(folder: string, lines: string): Promise<void> {
  if (availableParallelism() < 2 || spawnSync("taskset", ["-c", "0,1", "true"]).status !== 0) {
    report("  two cores   not compared: that needs two cores and taskset");
    return;
  }
  const [one, two]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    one.push(await timedLoad(folder, lines, "0"));
    two.push(await timedLoad(folder, lines, "0,1"));
  }
  const [single, double] = [median(one), median(two)];
  report(
    `  two cores   JSON lines in ${fixed(double)} s, on one core ${fixed(single)} s: ${(single / double).toFixed(2)} times as fast`,
  );
}

/** Quads of valid records, of records one in eleven of which is invalid (9 %), and of invalid records alone. */
async function compareQuads(folder: string, quads: string): Promise<void> {
  const unlabelled = (every: number): string => {
    const file = join(folder, `invalid-${every}.nq`);
    writeFileSync(file, withoutLabels(readFileSync(quads, "utf8"), every));
    return file;
  };
  const inputs = [quads, unlabelled(11), unlabelled(1)];
  const ours: number[][] = inputs.map(() => []);
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    theirs.push(await seconds(() => run(process.execPath, ["--input-type=module", "--eval", OXIGRAPH, quads])));
    for (const [at, input] of inputs.entries()) ours[at]!.push(await timedLoad(folder, input));
  }
  const [their, [clean, some, all]] = [median(theirs), ours.map(median) as [number, number, number]];
  report(
    `  N-Quads     ${fixed(clean)} s, validated and durable; Oxigraph in memory, unvalidated ${fixed(their)} s: ` +
      `${fixed(their / clean)} times; with 9 % invalid records ${fixed(some)} s: ${fixed(their / some)} times; ` +
      `all invalid ${fixed(all)} s: ${fixed(all / clean)} times as long as none`,
  );
}

/** N-Quads in which one in so many records lacks the label that it must have, without the first line, which says how many quads an export has. */
function withoutLabels(quads: string, every: number): string {
  let records = 0;
  const unnumbered = quads.replace(/^#.*\n/, "");
  return unnumbered.replace(/^(<[^>]+>) <http:\/\/www.w3.org\/2000\/01\/rdf-schema#label> .* \1 \.\n/gm, (line) =>
    records++ % every === 0 ? "" : line,
  );
}

/** The seconds that a load into a new store takes, including the start of the process; `cores` as taskset names them. */
async function timedLoad(folder: string, input: string, cores?: string): Promise<number> {
  const store = join(folder, "store");
  rmSync(store, { recursive: true, force: true });
  const args = ["bin/vitrine.js", "load", input, "--store", store, "--base-url", BASE];
  if (cores === undefined) return seconds(() => run(process.execPath, args));
  return seconds(() => run("taskset", ["-c", cores, process.execPath, ...args]));
}

async function compareMemory(folder: string): Promise<void> {
  const peaks: number[] = [];
  for (const count of [FEW, MANY]) {
    const store = join(folder, `store-${count}`);
    const args = ["load", "-", "--format", "jsonl", "--store", store, "--base-url", BASE];
    let peak = 0;
    const spent = await seconds(async () => {
      peak = await vitrine(args, Readable.from(linesOf(count)));
    });
    rmSync(store, { recursive: true, force: true });
    peaks.push(peak);
    report(
      `  memory      ${fixed(peak / 1024)} MiB of private memory (RssAnon) at most for ` +
        `${count.toLocaleString("en")} records, in ${fixed(spent)} s`,
    );
  }
  report(`              ${(peaks[1]! / peaks[0]!).toFixed(2)} times for ten times as many`);
}

/** Run the command. Resolves to its peak private memory in KiB. */
function vitrine(args: readonly string[], input?: Readable): Promise<number> {
  return run(process.execPath, ["bin/vitrine.js", ...args], input);
}

async function run(command: string, args: readonly string[], input?: Readable): Promise<number> {
  const child = spawn(command, args, { stdio: [input === undefined ? "ignore" : "pipe", "ignore", "pipe"] });
  const exit = once(child, "exit");
  let errors = "";
  child.stderr!.on("data", (chunk) => {
    errors = `${errors}${chunk}`.slice(-1000);
  });
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, privateMemory(child.pid!));
  }, 100);
  if (input !== undefined) await pipeline(input, child.stdin!);
  const [status] = await exit;
  clearInterval(watch);
  // Status 1: records of the volume that break a rule were left out.
  if (status > 1) throw new Error(`${args[0]} ended with ${status}: ${errors}`);
  return peak;
}

/** As many documents, one a line, each with its own id: those of the volume or the sample, again and again. */
async function* linesOf(count: number): AsyncIterable<string> {
  let given = 0;
  for (let copy = 0; given < count; copy++) {
    for await (const line of documentLines()) {
      yield copy === 0 ? `${line}\n` : `${underAnotherId(line, copy)}\n`;
      if (++given === count) return;
    }
  }
}

function underAnotherId(line: string, copy: number): string {
  return line.replace(/"id": ?"([^"]+)"/, `"id":"$1/copy-${copy}"`);
}
