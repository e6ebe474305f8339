/** The port that a server listens on: whether it can, and why not. */
import { createServer } from "node:net";
import { UsageError } from "../settings/options.js";

/** The port to listen on, a free one for 0, once it is sure that this can be done. Throws `UsageError`. */
export function portFor(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error) => reject(listeningProblem(error, port, host)));
    server.listen(port, host, () => {
      const { port: found } = server.address() as { port: number };
      server.close(() => resolve(found));
    });
  });
}

/** Why a server cannot listen, with what to do; any other error as it is. */
export function listeningProblem(error: NodeJS.ErrnoException, port: number, host: string): Error {
  switch (error.code) {
    case "EADDRINUSE":
      return new UsageError(
        `port ${port} of ${host} is in use: stop the program that listens there, or choose another with --port`,
      );
    case "EACCES":
      return new UsageError(`port ${port} of ${host} needs more rights: choose a port from 1024 on with --port`);
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new UsageError(`this machine has no address ${host}: choose another with --host`);
    default:
      return error;
  }
}
