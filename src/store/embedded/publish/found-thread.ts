/** The thread that gathers what the records of a large publication are found by, beside the one that writes them. */
import { answerTasks, withMoved } from "../../../base/worker-client.js";
import { FoundChanges, type FoundTasks } from "./found-groups.js";

answerTasks<FoundTasks, undefined>(async () => {
  const changes = new FoundChanges();
  return {
    add({ records: { buffer, byteOffset, byteLength }, middles, ends, numbers }) {
      const records = Buffer.from(buffer, byteOffset, byteLength);
      for (let at = 0, start = 0; at < numbers.length; at++) {
        changes.add(records.subarray(start, middles[at]), records.subarray(middles[at], ends[at]), numbers[at]!);
        start = ends[at]!;
      }
    },
    take() {
      const taken = changes.take();
      return withMoved(taken, ...[taken.removed, taken.added].flatMap((each) => Object.values(each) as Uint8Array[]));
    },
  };
});
