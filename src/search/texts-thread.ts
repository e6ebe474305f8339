/** The thread that reads all records for a new search index: the next are read while those before them are written. */
import { answerTasks } from "../base/worker-client.js";
import { openStore } from "../store/open.js";
import { Texts } from "./texts.js";

export type TextTasks = {
  /** The next records as JSON, which goes to another thread faster than objects; `undefined` after the last. */
  next(question: undefined): string | undefined;
};

answerTasks<TextTasks, string>(async (directory) => {
  const store = await openStore({ directory });
  const snapshot = store.snapshots.take();
  const batches = new Texts(snapshot).all()[Symbol.iterator]();
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
