/** Dereferencing under load: other representations, the times of single answers, and several processes. */
import { inFolder, rates } from "./dereference.js";
import { many } from "./documents.js";
import { fixed, median, report } from "./figures.js";
import { childrenOf, drive, type LoadedStore, loadStore, processorTime, serveStore, shuffled } from "./servers.js";

const RECORDS = 20_000;
const RUNS = 5;

/** Measures Turtle beside JSON-LD, and single answers while sixteen connections send requests. */
export async function benchUnderLoad(): Promise<void> {
  await inFolder(async (folder, servers) => {
    const loaded = await loadStore(folder, await many(RECORDS));
    servers.push(await serveStore(loaded, "--cache", "0", "--sparql-access", "off"));
    const [server] = servers;
    const { paths } = loaded;
    const [jsonld, turtle] = await rates([
      { server: server!, paths },
      { server: server!, paths, headersOf: () => "Accept: text/turtle\r\n" },
    ]);
    report(`\nTurtle: ${fixed(turtle!)} a second; JSON-LD ${fixed(jsonld!)}: ${(jsonld! / turtle!).toFixed(2)} times`);
    const times: number[] = [];
    await drive(server!.port, shuffled(paths), undefined, (milliseconds) => times.push(milliseconds));
    times.sort((a, b) => a - b);
    const quantile = (share: number): string => `${times[Math.floor(share * times.length)]!.toFixed(2)} ms`;
    report(
      `Single answers with 16 connections: median ${quantile(0.5)}, p99 ${quantile(0.99)}, p99.9 ${quantile(0.999)}`,
    );
  });
}

/** Measures one process beside two, with the processor time of each, including the load generator. */
export async function benchWorkers(): Promise<void> {
  await inFolder(async (folder) => {
    const loaded = await loadStore(folder, await many(RECORDS));
    report(`\nWorkers: ${RECORDS} different records, median of ${RUNS} runs; processor time in microseconds a request`);
    for (const workers of [1, 2]) await benchProcesses(loaded, workers);
  });
}

async function benchProcesses(loaded: LoadedStore, workers: number): Promise<void> {
  const server = await serveStore(loaded, "--cache", "0", "--sparql-access", "off", "--workers", String(workers));
  try {
    const pid = server.process.pid!;
    await drive(server.port, shuffled(loaded.paths));
    const processes = [process.pid, pid, ...childrenOf(pid)];
    const before = processes.map(processorTime);
    const runs: number[] = [];
    for (let run = 0; run < RUNS; run++) runs.push(await drive(server.port, shuffled(loaded.paths)));
    const used = processes.map((id, at) => ((processorTime(id) - before[at]!) * 1e6) / (RUNS * loaded.paths.length));
    const [client, first, ...others] = used.map(fixed);
    const rest = others.length === 0 ? "" : `, workers ${others.join(" and ")}`;
    report(`  ${workers}: ${fixed(median(runs))} a second; load generator ${client}, first process ${first}${rest}`);
  } finally {
    server.process.kill();
  }
}
