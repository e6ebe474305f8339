/** Metrics for Prometheus: requests by endpoint, representation and status, their times, and gauges from other parts. */
import type { Metric, MetricObjectWithValues, MetricValue, Registry } from "prom-client";
import { entryOf } from "../../base/entries.js";
import { lazily, library } from "../../base/lazily.js";
import type { AnswerCache } from "../entity/answer-cache.js";

const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;

export interface Gauge {
  readonly name: `vitrine_${string}`;
  readonly help: string;
  readonly values: readonly MetricValue<string>[];
}

/** The metrics of one process in a form that can be sent to another. */
export type MetricsOfProcess = readonly MetricObjectWithValues<MetricValue<string>>[];

const prometheus = library<typeof import("prom-client")>("prom-client");

/** The statuses of stopped queries, by the reason. */
const ENDED = { timeout: 504, "too large": 422 } as const;

/** Milliseconds from the start until the library is loaded and measures the process: the first answer must not wait for that. */
const PAUSE = 1_000;

/** The times of one class of cost: the count of each interval between bounds, and the sum in seconds. */
const noTimes = () => ({ buckets: new Float64Array(BOUNDS.length), sum: 0, count: 0 });

/** The counts of one process, in plain tables: counting with prom-client's classes is too slow for cached answers (docs/run/monitoring.md). */
export class Metrics {
  readonly #registry = lazily(() => this.#newRegistry());
  readonly #requests = new Map<string, Map<string, Map<number, number>>>();
  readonly #times = new Map<string, ReturnType<typeof noTimes>>();
  cache: () => AnswerCache["state"] = () => ({ lookups: 0, hits: 0, bytes: 0 });

  constructor() {
    setTimeout(this.#registry, PAUSE).unref();
  }

  #newRegistry(): Registry {
    const registry = new (prometheus().Registry)();
    prometheus().collectDefaultMetrics({ register: registry });
    type Values = () => MetricValue<string>[];
    const one = (read: (state: AnswerCache["state"]) => number) => () => [{ labels: {}, value: read(this.cache()) }];
    const ended: Values = () =>
      Object.entries(ENDED).flatMap(([reason, status]) => {
        const value = this.#requests.get("/sparql")?.get("")?.get(status);
        return value === undefined ? [] : [{ labels: { reason }, value }];
      });
    const given: Readonly<Record<string, readonly [help: string, "counter" | "gauge" | "histogram", Values]>> = {
      requests_total: ["Requests by endpoint, representation and status.", "counter", () => this.#requestValues()],
      request_seconds: ["Seconds until an answer began, by class of cost.", "histogram", () => this.#timeValues()],
      cache_lookups_total: ["Look-ups in the cache of ready answers.", "counter", one(({ lookups }) => lookups)],
      cache_hits_total: ["Answers found in the cache.", "counter", one(({ hits }) => hits)],
      cache_bytes: ["Memory of the cache in bytes.", "gauge", one(({ bytes }) => bytes)],
      queries_ended_total: ["Queries stopped at a limit.", "counter", ended],
    };
    for (const [name, [help, type, values]] of Object.entries(given)) {
      const metric = { name: `vitrine_${name}`, help, type, aggregator: "sum" };
      const get = async () => ({ ...metric, values: values() });
      // prom-client needs no more than this of a metric, although its types require one of its own classes.
      registry.registerMetric({ ...metric, get } as unknown as Metric);
    }
    return registry;
  }

  /** Counts an answer. @param endpoint the entity's endpoint, or the path of the route @param cost the class of cost of the route */
  count(endpoint: string, representation: string, status: number, cost: string, seconds: number): void {
    const representations = entryOf(this.#requests, endpoint, () => new Map<string, Map<number, number>>());
    const statuses = entryOf(representations, representation, () => new Map<number, number>());
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const times = entryOf(this.#times, cost, noTimes);
    times.sum += seconds;
    times.count++;
    const at = BOUNDS.findIndex((bound) => seconds <= bound);
    if (at !== -1) times.buckets[at]!++;
  }

  /** The metrics for another process, which adds up those of all processes. */
  ofProcess(): Promise<MetricsOfProcess> {
    return this.#registry().getMetricsAsJSON();
  }

  #requestValues(): MetricValue<string>[] {
    const values: MetricValue<string>[] = [];
    for (const [endpoint, representations] of this.#requests)
      for (const [representation, statuses] of representations)
        for (const [status, value] of statuses)
          values.push({ labels: { endpoint, representation, status: String(status) }, value });
    return values;
  }

  #timeValues(): MetricValue<string>[] {
    const values: (MetricValue<string> & { metricName?: string })[] = [];
    for (const [cost, { buckets, sum, count }] of this.#times) {
      const add = (name: string, value: number, labels = {}) =>
        values.push({ metricName: `vitrine_request_seconds_${name}`, labels: { class: cost, ...labels }, value });
      let upTo = 0;
      for (const [at, bound] of BOUNDS.entries()) {
        upTo += buckets[at]!;
        add("bucket", upTo, { le: String(bound) });
      }
      add("bucket", count, { le: "+Inf" });
      add("sum", sum);
      add("count", count);
    }
    return values;
  }
}

/** Writes the metrics of all processes together, and gauges, in the format of Prometheus. */
export async function metricsText(processes: readonly MetricsOfProcess[], gauges: readonly Gauge[]): Promise<string> {
  const moment = gauges.map((gauge) => ({ ...gauge, type: "gauge", aggregator: "first" }));
  // In prom-client's types, the kind of a metric is an enumeration, which exists only when the library is loaded.
  const all = [...processes, moment] as unknown as MetricObjectWithValues<MetricValue<string>>[][];
  return await prometheus().AggregatorRegistry.aggregate(all).metrics();
}
