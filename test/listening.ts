/** Servers of tests that stand for other programs, each on a port of its own. */
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Listening {
  readonly port: number;
  /** Its address, such as `http://127.0.0.1:49152`. */
  readonly url: string;
  /** Close it and its connections. */
  stop(): Promise<void>;
}

/** Have a server listen on this machine, on a free port unless one is given; or one that answers by this function. */
export async function listening(answering: Server | RequestListener, at = 0): Promise<Listening> {
  const server = typeof answering === "function" ? createServer(answering) : answering;
  await new Promise<void>((resolve) => server.listen(at, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { port, url: `http://127.0.0.1:${port}`, stop };
}

/** Answer by this function until the test ends; resolves to the address. */
export async function listeningForTest(answer: RequestListener): Promise<string> {
  const { url, stop } = await listening(answer);
  onTestFinished(stop);
  return url;
}
