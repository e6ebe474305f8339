/** The metrics of `/metrics`: gauges of the current state, and the counts of all processes in one text. */
import cluster, { type Worker } from "node:cluster";
import { existsSync, readdirSync, statfsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { processFile, residentMemory } from "../../base/living-process.js";
import { type Gauge, type Metrics, type MetricsOfProcess, metricsText } from "../../http/telemetry/metrics.js";
import { type LoadEntry, readLoads } from "../../load/history/history.js";
import type { EngineState } from "../../query/engine.js";
import type { Store } from "../../store/store.js";

interface Measured {
  readonly directory: string;
  readonly store: Store;
  readonly index: () => EngineState | Promise<EngineState>;
}

const STATES: readonly EngineState["state"][] = ["off", "filling", "ready", "too large", "unreachable"];

/** All gauges that can be read. The others are left out, so that one failure does not hide everything else. */
export async function gaugesOf(measured: Measured): Promise<readonly Gauge[]> {
  const parts = [recordGauges, indexGauges, loadGauges, diskGauges];
  const all = await Promise.all(parts.map((part) => part(measured).catch((): Gauge[] => [])));
  return all.flat();
}

function gauge(name: Gauge["name"], help: string, values: number | Gauge["values"]): Gauge {
  return { name, help, values: typeof values === "number" ? [{ labels: {}, value: values }] : values };
}

async function recordGauges({ store, store: { search } }: Measured): Promise<Gauge[]> {
  const { endpoints, triples, invalid, sequence, lastChange } = await store.stats();
  const values = Object.entries(endpoints).map(([endpoint, value]) => ({ labels: { endpoint }, value }));
  return [
    gauge("vitrine_records", "Published records by endpoint.", values),
    gauge("vitrine_triples", "Triples of all records.", triples),
    gauge("vitrine_invalid_records", "Published records that break a rule.", invalid),
    gauge("vitrine_sequence", "The number of the last change.", sequence),
    ...(search ? [gauge("vitrine_search_sequence", "Last change in the search index.", search.sequence() ?? 0)] : []),
    gauge("vitrine_last_change_seconds", "When the last change was, in seconds since 1970.", (lastChange ?? 0) / 1_000),
  ];
}

async function indexGauges({ index }: Measured): Promise<Gauge[]> {
  const { state, done, total, sequence, leftOut } = await index();
  const values = STATES.map((name) => ({ labels: { state: name }, value: name === state ? 1 : 0 }));
  return [
    gauge("vitrine_index_state", "1 for the current state of the query index.", values),
    gauge("vitrine_index_triples_done", "Triples that the index has read.", done),
    gauge("vitrine_index_triples_total", "Triples that the index will have when it is full.", total),
    gauge("vitrine_index_sequence", "The number of the last change in the index.", sequence ?? 0),
    gauge("vitrine_index_left_out_records", "Records that the index cannot read.", leftOut?.length ?? 0),
    gauge("vitrine_index_memory_bytes", "Memory of the index processes.", indexMemory()),
  ];
}

async function loadGauges({ directory }: Measured): Promise<Gauge[]> {
  const newest = new Map((await readLoads(directory)).map((load) => [load.source ?? "", load]));
  const of = (value: (load: LoadEntry) => number) =>
    [...newest].map(([source, load]) => ({ labels: { source }, value: value(load) }));
  const times = of(({ time }) => time / 1_000);
  const refusals = of(({ refused }) => refused);
  const published = of(({ unpublished }) => (unpublished === null ? 1 : 0));
  return [
    gauge("vitrine_last_load_seconds", "When the last load of a source ended, in seconds since 1970.", times),
    gauge("vitrine_last_load_refused_records", "Records that the last load refused.", refusals),
    gauge("vitrine_last_load_published", "1 if the last load was published, 0 if a limit stopped it.", published),
  ];
}

async function diskGauges({ directory }: Measured): Promise<Gauge[]> {
  const { bavail, bsize } = statfsSync(directory);
  const { size } = await stat(join(directory, "records.mdb"));
  return [
    gauge("vitrine_store_bytes", "Bytes of the store's file.", size),
    gauge("vitrine_disk_free_bytes", "Free bytes on the disk of the store.", bavail * bsize),
  ];
}

/** The command lines of index processes. A service also starts workers, loads and others. */
const INDEX_PROCESS = /index-process\.js|virtuoso-t/;

/** The resident memory of the index processes that this process started, in bytes. 0 when it is unknown. */
function indexMemory(): number {
  const threads = existsSync("/proc/self/task") ? readdirSync("/proc/self/task") : [];
  return threads
    .flatMap((thread) => processFile(`self/task/${thread}/children`).split(" ").filter(Boolean))
    .filter((pid) => INDEX_PROCESS.test(processFile(`${pid}/cmdline`)))
    .reduce((sum, pid) => sum + residentMemory(pid), 0);
}

/** A message between the processes: a request for metrics, by its number, or the answer to it. */
interface Message {
  readonly metrics: number;
  readonly answer?: unknown;
}

type Send = (message: Message) => unknown;

/** The milliseconds after which a worker that has not answered is left out. */
const PATIENCE = 2_000;

let last = 0;
/** The requests of this process that wait for their answers, by number. */
const waiting = new Map<number, (answer: unknown) => void>();

/** Send a request. Resolves to its answer. @param patience the milliseconds after which the answer is an empty list */
function ask(send: Send, patience?: number): Promise<unknown> {
  const number = ++last;
  if (patience !== undefined) setTimeout(settle, patience, number, []).unref();
  return new Promise((resolve) => {
    waiting.set(number, resolve);
    send({ metrics: number });
  });
}

function settle(number: number, answer: unknown): void {
  waiting.get(number)?.(answer);
  waiting.delete(number);
}

/** Receive what another process sent: an answer, or a request. @param read resolves to the answer to a request */
function receive(message: Partial<Message> | undefined, send: Send, read: () => Promise<unknown>): void {
  const { metrics: number, answer } = message ?? {};
  if (number === undefined) return;
  if (answer !== undefined) settle(number, answer);
  else void read().then((wanted) => send({ metrics: number, answer: wanted }));
}

/** In a worker: answer requests of the first process for this worker's counts. Returns a function that resolves to the text for all processes. */
export function metricsOfAll(metrics: Metrics): () => Promise<string> {
  const send: Send = (message) => process.send?.(message);
  process.on("message", (message: Message) => receive(message, send, () => metrics.ofProcess()));
  return () => ask(send) as Promise<string>;
}

/** In the first process: answer workers that request the metrics of all processes. */
export function gatherMetrics(metrics: Metrics, gauges: () => Promise<readonly Gauge[]>): void {
  const sender = (worker: Worker) => (message: Message) => worker.isConnected() && worker.send(message);
  /** The last answer of each worker. It counts while the worker is busy and after its death: a total that falls looks like a restart. Not more than 512 are kept. */
  const answers = new Map<number, MetricsOfProcess>();
  const textOfAll = async (): Promise<string> => {
    if (answers.size > 512) answers.clear();
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected()) as Worker[];
    const told = await Promise.all(workers.map((worker) => ask(sender(worker), PATIENCE) as Promise<MetricsOfProcess>));
    for (const [at, { id }] of workers.entries()) if (told[at]!.length > 0) answers.set(id, told[at]!);
    // Of a dead worker, what it counted remains, but no gauge, such as its memory.
    const isAlive = (id: number): boolean => cluster.workers?.[id] !== undefined;
    const all = [...answers].map(([id, of]) => (isAlive(id) ? of : of.filter(({ type }) => `${type}` !== "gauge")));
    return metricsText([await metrics.ofProcess(), ...all], await gauges());
  };
  cluster.on("message", (worker, message: Message) => receive(message, sender(worker), textOfAll));
}
