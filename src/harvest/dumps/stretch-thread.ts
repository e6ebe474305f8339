/** A thread that writes stretches of the records: it has the store open for itself, in the state that it is told to take. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { StoreError } from "../../store/errors.js";
import { openStore } from "../../store/open.js";
import type { Archive, Stretch } from "../../store/snapshots.js";
import { StretchWriter } from "./stretch.js";
import type { Answer, Asked, ThreadSettings } from "./stretch-threads.js";

const { directory, writing } = workerData as ThreadSettings;
const store = await openStore({ directory });
const writer = new StretchWriter(writing);
let archive: Archive | undefined;
let isClosing = false;
let last: Promise<void> = Promise.resolve();

parentPort!.on("message", (asked: Asked) => {
  isClosing ||= asked === "close";
  last = last.then(() => answer(asked));
});

async function answer(asked: Asked): Promise<void> {
  // A request to end is heard between two stretches.
  await nextTurn();
  if (asked === "close") await close();
  else if (!isClosing) {
    try {
      await (asked === "state" ? take() : write(asked));
    } catch (error) {
      const { name, message, stack } = error as Error;
      const of = error instanceof StoreError ? "store" : "program";
      post({ failure: { of, name, message: of === "store" ? message : (stack ?? message) } });
    }
  }
}

async function take(): Promise<void> {
  archive?.close();
  archive = store.snapshots.archive();
  post({ state: archive.state });
}

async function write(stretch: Stretch): Promise<void> {
  const written = await writer.write(archive!, stretch);
  post(
    { written },
    written.members.map(({ bytes }) => bytes.buffer),
  );
}

async function close(): Promise<void> {
  archive?.close();
  await store.close();
  parentPort!.close();
}

function post(message: Answer, transferred: readonly ArrayBuffer[] = []): void {
  parentPort!.postMessage(message, transferred);
}
