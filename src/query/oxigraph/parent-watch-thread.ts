/** A thread of the index process that kills it when the service is gone, since the main thread cannot notice that during a query. */
import { workerData } from "node:worker_threads";

const { parent } = workerData as { readonly parent: number };

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
}, 500);
