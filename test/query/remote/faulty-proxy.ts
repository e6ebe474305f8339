/** A proxy before an engine that breaks what it passes on: errors, garbage, half answers, delays, requests that arrive late, and nothing at all. */
import { type ClientRequest, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface FaultyProxy {
  readonly url: string;
  /** From 0 (nothing breaks) to 1 (everything). */
  faults: number;
  /** Faults so far, by kind. */
  readonly counts: Record<string, number>;
  stop(): Promise<void>;
}

type Fault = (passOn: () => ClientRequest, response: ServerResponse) => void;

const FAULTS: Readonly<Record<string, Fault>> = {
  "error before": (_, response) => void response.writeHead(500).end("no"),
  "error after": (passOn, response) =>
    void passOn().once("response", (answer) => {
      answer.resume();
      response.writeHead(503).end("no");
    }),
  garbage: (_, response) => void response.writeHead(200, { "content-type": "application/json" }).end("<html>{"),
  "no such page": (_, response) => void response.writeHead(404).end(""),
  "half an answer": (passOn, response) =>
    void passOn().once("response", (answer) => {
      answer.resume();
      response.writeHead(200, { "content-type": "application/sparql-results+json", "content-length": "500" });
      response.write('{"head": {}, "results": {"bindings": [{');
      setTimeout(() => response.destroy(), 5);
    }),
  "cut before": (_, response) => void response.destroy(),
  "cut after": (passOn, response) =>
    void passOn().once("response", (answer) => {
      answer.resume();
      response.destroy();
    }),
  late: (passOn, response) => {
    setTimeout(() => void passOn().once("response", (answer) => answer.resume()), Math.random() * 400);
    setTimeout(() => response.destroy(), 5);
  },
  slow: (passOn, response) => {
    setTimeout(() => passOn().once("response", (answer) => pass(answer, response)), 60);
  },
};

/** @param random from 0 to 1, so that runs can be repeated */
export async function startFaultyProxy(port: number, random: () => number): Promise<FaultyProxy> {
  const proxy = { url: "", faults: 0, counts: {} as Record<string, number>, stop: async () => {} };
  const server = createServer(async (incoming, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer);
    const passOn = (): ClientRequest => {
      const { method, url, headers } = incoming;
      const passed = request({
        host: "127.0.0.1",
        port,
        method,
        path: url,
        headers: { ...headers, connection: "close" },
      });
      passed.on("error", () => response.destroy());
      passed.end(Buffer.concat(pieces));
      return passed;
    };
    response.on("error", () => {});
    if (random() >= proxy.faults) {
      passOn().once("response", (answer) => pass(answer, response));
      return;
    }
    const names = Object.keys(FAULTS);
    const name = names[Math.floor(random() * names.length)]!;
    proxy.counts[name] = (proxy.counts[name] ?? 0) + 1;
    FAULTS[name]!(passOn, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  proxy.stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return proxy;
}

function pass(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  answer.on("error", () => response.destroy());
  answer.pipe(response);
}
