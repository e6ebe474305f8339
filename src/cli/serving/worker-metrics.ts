/** Metrics of several processes as one text: any worker may be asked, and the first process has all of them. */
import cluster, { type Worker } from "node:cluster";
import { type Gauge, type Metrics, type MetricsOfProcess, metricsText } from "../../http/telemetry/metrics.js";

/** The messages between the processes; `number` tells exchanges apart. */
type Message =
  | { readonly metrics: "text wanted"; readonly number: number }
  | { readonly metrics: "text"; readonly number: number; readonly text: string }
  | { readonly metrics: "own wanted"; readonly number: number }
  | { readonly metrics: "own"; readonly number: number; readonly own: MetricsOfProcess };

/** A worker that has not answered by then is left out, in milliseconds. */
const PATIENCE = 2_000;

let last = 0;

/** In a worker: give what it counted when the first process asks; resolves to the text of all, as the first gives it. */
export function metricsOfAll(metrics: Metrics): () => Promise<string> {
  const waiting = new Map<number, (text: string) => void>();
  process.on("message", (message: Partial<Message>) => {
    if (message?.metrics === "text") {
      waiting.get(message.number!)?.(message.text!);
      waiting.delete(message.number!);
    } else if (message?.metrics === "own wanted") {
      void metrics
        .ofProcess()
        .then((own) => process.send?.({ metrics: "own", number: message.number!, own } satisfies Message));
    }
  });
  return () =>
    new Promise((resolve) => {
      const number = ++last;
      waiting.set(number, resolve);
      process.send?.({ metrics: "text wanted", number } satisfies Message);
    });
}

/** In the first process: answer workers that are asked for the metrics of all. */
export function gatherMetrics(metrics: Metrics, gauges: () => Promise<readonly Gauge[]>): void {
  const gathering = new Map<number, (own: MetricsOfProcess) => void>();
  const ask = (worker: Worker): Promise<MetricsOfProcess> =>
    new Promise((resolve) => {
      const number = ++last;
      gathering.set(number, resolve);
      setTimeout(() => {
        gathering.delete(number);
        resolve([]);
      }, PATIENCE).unref();
      worker.send({ metrics: "own wanted", number } satisfies Message);
    });
  cluster.on("message", (worker, message: Partial<Message>) => {
    if (message?.metrics === "own") {
      gathering.get(message.number!)?.(message.own!);
      gathering.delete(message.number!);
    } else if (message?.metrics === "text wanted") {
      const workers = Object.values(cluster.workers ?? {}).flatMap((each) => (each?.isConnected() ? [each] : []));
      void Promise.all([metrics.ofProcess(), ...workers.map(ask)])
        .then(async (all) => metricsText(all, await gauges()))
        .then(
          (text) =>
            worker.isConnected() && worker.send({ metrics: "text", number: message.number!, text } satisfies Message),
        );
    }
  });
}
