/** The thread that gathers what the records of a large publication are found by, beside the one that writes them. */
import { parentPort } from "node:worker_threads";
import { FoundChanges, type GroupedFound, type ToFoundThread } from "./found-groups.js";

const changes = new FoundChanges();

parentPort!.on("message", (batch: ToFoundThread) => {
  if (batch === "take") {
    const taken = changes.take();
    const { removed, added } = taken;
    parentPort!.postMessage(taken, [...buffersOf(removed), ...buffersOf(added)]);
    return;
  }
  const records = Buffer.from(batch.records.buffer, batch.records.byteOffset, batch.records.byteLength);
  for (let at = 0, start = 0; at < batch.numbers.length; at++) {
    const [middle, end] = [batch.middles[at]!, batch.ends[at]!];
    changes.add(records.subarray(start, middle), records.subarray(middle, end), batch.numbers[at]!);
    start = end;
  }
});

function buffersOf({ keys, keyEnds, postings, postingEnds }: GroupedFound): ArrayBuffer[] {
  return [keys, keyEnds, postings, postingEnds].map(({ buffer }) => buffer as ArrayBuffer);
}
