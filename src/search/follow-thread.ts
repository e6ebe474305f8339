/** The thread that brings a search index to the present state of its store: it opens the store for itself. */
import { answerTasks } from "../base/worker-client.js";
import { openStore } from "../store/open.js";
import { type FollowTasks, SearchIndex } from "./search-index.js";

/** Milliseconds between a thousand pages, which take four, and the next. */
const PAUSE = 100;

answerTasks<FollowTasks, string>(async (directory) => {
  const store = await openStore({ directory });
  const index = new SearchIndex(directory, store);
  return {
    follow: () => index.follow(),
    look: () => index.follow({ pause: PAUSE }),
    async close() {
      index.close();
      await store.close();
    },
  };
});
