/** A thread that writes stretches of the records: it has the store open for itself, in the state that it is told to take. */
import { answerTasks, withMoved } from "../../base/worker-client.js";
import { openStore } from "../../store/open.js";
import type { Archive } from "../../store/snapshots.js";
import { StretchWriter } from "./stretch.js";
import type { StretchTasks, ThreadSettings } from "./stretch-threads.js";

answerTasks<StretchTasks, ThreadSettings>(async ({ directory, writing }) => {
  const store = await openStore({ directory });
  const writer = new StretchWriter(writing);
  let archive: Archive | undefined;
  return {
    take() {
      archive?.close();
      archive = store.snapshots.archive();
      return archive.state;
    },
    async write(stretch) {
      const written = await writer.write(archive!, stretch);
      return withMoved(written, ...written.members.map(({ bytes }) => bytes));
    },
    async close() {
      archive?.close();
      await store.close();
    },
  };
});
