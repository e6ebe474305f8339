/** A thread of the index process that ends it when the service is gone: a query that runs would not let it notice. */
import { workerData } from "node:worker_threads";

const { parent } = workerData as { readonly parent: number };

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
}, 500);
