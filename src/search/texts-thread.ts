/** A thread that reads records for a new search index while earlier ones are written. Several threads share the records. */
import { answerTasks } from "../base/worker-client.js";
import { openStore } from "../store/open.js";
import type { Chunk } from "../store/snapshots.js";
import { Texts } from "./texts.js";

export type TextTasks = {
  /** The records of a chunk as JSON, which passes to another thread faster than objects. */
  read(chunk: Chunk): string;
};

answerTasks<TextTasks, string>(async (directory) => {
  const store = await openStore({ directory });
  const snapshot = store.snapshots.take();
  const texts = new Texts(snapshot);
  return {
    read: (chunk) => JSON.stringify(texts.in(chunk)),
    async close() {
      snapshot.close();
      await store.close();
    },
  };
});
