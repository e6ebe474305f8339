/** The thread that brings a search index to the present state of its store, which it opens itself. */
import { answerTasks } from "../base/worker-client.js";
import { openStore } from "../store/open.js";
import { type FollowTasks, SearchIndex } from "./search-index.js";

answerTasks<FollowTasks, string>(async (directory) => {
  const store = await openStore({ directory });
  const index = new SearchIndex(directory, store);
  return {
    follow: (pause) => index.follow({ pause }),
    async close() {
      await index.close();
      await store.close();
    },
  };
});
