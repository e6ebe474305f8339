/** A thread that writes chunks of the records. It opens the store for itself, and holds the state that it was asked to take. */
import { answerTasks, withMoved } from "../../base/worker-client.js";
import { openStore } from "../../store/open.js";
import type { Snapshot } from "../../store/snapshots.js";
import { type ChunkTasks, ChunkWriter, type ThreadSettings } from "./chunks.js";

answerTasks<ChunkTasks, ThreadSettings>(async ({ directory, writing }) => {
  const store = await openStore({ directory });
  const writer = new ChunkWriter(writing);
  let snapshot: Snapshot | undefined;
  return {
    take() {
      snapshot?.close();
      snapshot = store.snapshots.take();
      return snapshot.state;
    },
    async write(chunk) {
      const written = await writer.write(snapshot!, chunk);
      return withMoved(written, ...written.members.map(({ bytes }) => bytes));
    },
    async close() {
      snapshot?.close();
      await store.close();
    },
  };
});
