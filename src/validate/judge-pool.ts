/** Judges in worker threads: judging a record takes milliseconds, and a collection may have thousands to judge. */
import { Worker } from "node:worker_threads";
import { compiled } from "../compiled.js";
import type { ModelSettings } from "../model/settings.js";
import type { EndpointName } from "../model/tables/endpoints.js";
import type { RecordGraph } from "../rdf/record-graph.js";
import type { Result } from "./results.js";

/** What each worker starts with. */
export interface JudgeWorkerData {
  readonly model: ModelSettings;
  /** As `Severities` reads them. */
  readonly decisions: readonly string[];
}

export interface JudgeQuestion {
  readonly number: number;
  readonly endpoint: EndpointName | null;
  readonly graph: RecordGraph;
}

export interface JudgeAnswer {
  readonly number: number;
  readonly results: readonly Result[];
}

interface Waiting {
  resolve(results: readonly Result[]): void;
  reject(error: Error): void;
}

const WORKER = compiled(import.meta.url, "./judge-worker.js");

export class JudgePool {
  readonly #workers: readonly Worker[];
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;

  /** Start `size` workers. */
  constructor(size: number, data: JudgeWorkerData) {
    this.#workers = Array.from({ length: size }, () => {
      const worker = new Worker(WORKER, { workerData: data });
      worker.on("message", ({ number, results }: JudgeAnswer) => this.#take(number)?.resolve(results));
      worker.on("error", (error: Error) => this.#fail(error));
      return worker;
    });
  }

  /** What is wrong with a record. Rejects when a worker fails. */
  judge(graph: RecordGraph, endpoint: EndpointName | null): Promise<readonly Result[]> {
    const number = this.#asked++;
    const question: JudgeQuestion = { number, endpoint, graph: { ...graph, context: undefined } };
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      this.#workers[number % this.#workers.length]!.postMessage(question);
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #take(number: number): Waiting | undefined {
    const waiting = this.#waiting.get(number);
    this.#waiting.delete(number);
    return waiting;
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
