/** A thread of the pool: takes pieces of the input one after another and answers with batches of records. */
import { parentPort, workerData } from "node:worker_threads";
import { SyntaxProblem } from "../../rdf/syntax-problem.js";
import { StoreError } from "../../store/errors.js";
import { InputError } from "../errors.js";
import type { Answer, Failure } from "./pool.js";
import { type Piece, Work, type WorkSettings } from "./work.js";

const work = await Work.make(workerData as WorkSettings);
let last: Promise<void> = Promise.resolve();

parentPort!.on("message", (piece: Piece) => {
  last = last.then(() => answer(piece));
});

async function answer(piece: Piece): Promise<void> {
  try {
    for await (const batch of work.batches(piece)) {
      const transferred = batch.encoded === undefined ? [] : [batch.encoded.bytes.buffer as ArrayBuffer];
      post({ kind: "batch", batch }, transferred);
    }
    post({ kind: "done" });
  } catch (error) {
    post({ kind: "failed", failure: failureOf(error as Error) });
  }
}

/** Errors lose their class on the way from a thread. */
function failureOf(error: Error): Failure {
  const { name, message, stack } = error;
  if (error instanceof SyntaxProblem) {
    const { source, position, problem } = error;
    return { of: "syntax", source, position, problem };
  }
  if (error instanceof InputError) return { of: "input", name, message };
  if (error instanceof StoreError) return { of: "store", name, message };
  return { of: "program", name, message: stack ?? message };
}

function post(answer: Answer, transferred: readonly ArrayBuffer[] = []): void {
  parentPort!.postMessage(answer, transferred);
}
