/** The thread that gathers what the records of a large publication are found by, beside the one that writes them. */
import { parentPort } from "node:worker_threads";
import { FoundGroups, type ToFoundThread } from "./found-groups.js";

const groups = new FoundGroups();

parentPort!.on("message", (batch: ToFoundThread) => {
  if (batch === "take") {
    const taken = groups.take();
    parentPort!.postMessage(
      taken,
      [taken.keys, taken.keyEnds, taken.postings, taken.postingEnds].map(({ buffer }) => buffer as ArrayBuffer),
    );
    return;
  }
  const found = Buffer.from(batch.found.buffer, batch.found.byteOffset, batch.found.byteLength);
  for (const [at, number] of batch.numbers.entries()) {
    groups.add(found.subarray(at === 0 ? 0 : batch.ends[at - 1], batch.ends[at]), number);
  }
});
