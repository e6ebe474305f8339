/** A thread that reads records for a new search index while earlier ones are written. Several threads share the records. */
import { answerTasks } from "../base/worker-client.js";
import { openStore } from "../store/open.js";
import { type Share, Texts } from "./texts.js";

export interface TextSettings extends Share {
  readonly directory: string;
}

export type TextTasks = {
  /** The next records as JSON, which passes to another thread faster than objects; `undefined` after the last. */
  next(question: undefined): string | undefined;
};

answerTasks<TextTasks, TextSettings>(async ({ directory, ...share }) => {
  const store = await openStore({ directory });
  const snapshot = store.snapshots.take();
  const batches = new Texts(snapshot).all(share)[Symbol.iterator]();
  return {
    next() {
      const { value, done } = batches.next();
      return done === true ? undefined : JSON.stringify(value);
    },
    async close() {
      snapshot.close();
      await store.close();
    },
  };
});
