/** A thread of the pool: turns pieces of the input into batches of records. */
import { answerTasks, withMoved } from "../../base/worker-client.js";
import type { PoolTasks } from "./pool.js";
import { type InputChunk, Work, type WorkSettings } from "./work.js";

answerTasks<PoolTasks, WorkSettings>(async (settings) => {
  const work = await Work.make(settings);
  return {
    async *batches(piece: InputChunk) {
      for await (const batch of work.batches(piece)) {
        yield batch.encoded === undefined ? batch : withMoved(batch, batch.encoded.bytes);
      }
    },
  };
});
