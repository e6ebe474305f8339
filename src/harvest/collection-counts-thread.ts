/** The thread that counts a large collection. It opens the store for itself. */
import { answerTasks } from "../base/worker-client.js";
import { openStore } from "../store/open.js";
import { type CountingTasks, countHere } from "./collection-counts.js";

answerTasks<CountingTasks, string>(async (directory) => {
  const store = await openStore({ directory });
  return { count: () => countHere(store), close: () => store.close() };
});
