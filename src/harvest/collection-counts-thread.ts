/** The thread that counts what a large collection is made of: it opens the store for itself and answers once. */
import { parentPort, workerData } from "node:worker_threads";
import { openStore } from "../store/open.js";
import { countHere } from "./partitions.js";

const store = await openStore({ directory: workerData as string });
try {
  parentPort!.postMessage(await countHere(store));
} finally {
  await store.close();
}
