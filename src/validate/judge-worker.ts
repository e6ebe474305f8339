/** A worker thread with judges of its own: records come in, what was found goes out. */
import { parentPort, workerData } from "node:worker_threads";
import type { JudgeAnswer, JudgeQuestion, JudgeWorkerData } from "./judge-pool.js";
import { RuleBooks } from "./rule-books.js";
import { Severities } from "./severities.js";

const { model, decisions } = workerData as JudgeWorkerData;
const books = new RuleBooks(model, new Severities(decisions));

parentPort!.on("message", ({ number, endpoint, graph }: JudgeQuestion) => {
  const answer: JudgeAnswer = { number, results: books.results(graph, endpoint) };
  parentPort!.postMessage(answer);
});
