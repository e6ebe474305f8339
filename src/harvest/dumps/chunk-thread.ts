/** A thread that writes chunks of the records. It opens the store for itself, and holds the state that it was asked to take. */
import { answerTasks, withMoved } from "../../base/worker-client.js";
import { openStore } from "../../store/open.js";
import type { Archive } from "../../store/snapshots.js";
import { type ChunkTasks, ChunkWriter, type ThreadSettings } from "./chunks.js";

answerTasks<ChunkTasks, ThreadSettings>(async ({ directory, writing }) => {
  const store = await openStore({ directory });
  const writer = new ChunkWriter(writing);
  let archive: Archive | undefined;
  return {
    take() {
      archive?.close();
      archive = store.snapshots.archive();
      return archive.state;
    },
    async write(chunk) {
      const written = await writer.write(archive!, chunk);
      return withMoved(written, ...written.members.map(({ bytes }) => bytes));
    },
    async close() {
      archive?.close();
      await store.close();
    },
  };
});
