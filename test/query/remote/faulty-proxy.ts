/** A faulty proxy in front of an engine: errors, garbage, half answers, delays, requests that arrive late, and nothing at all. */
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { listening } from "../../listening.js";

export interface FaultyProxy {
  readonly url: string;
  /** The share of requests with a fault, from 0 to 1. */
  faults: number;
  /** The numbers of faults so far, by kind. */
  readonly counts: Record<string, number>;
  /** Resolves when the engine has answered all requests that were passed on, also those that are late. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

/** Passes the request on after this many milliseconds, and calls `answered` if the engine answers. */
type PassOn = (answered: (answer: IncomingMessage) => void, delay?: number) => void;
type Fault = (passOn: PassOn, response: ServerResponse) => void;

/** The most milliseconds that a request is late. */
const LATE = 400;

const FAULTS: Readonly<Record<string, Fault>> = {
  "error before": (_, response) => void response.writeHead(500).end("no"),
  "error after": (passOn, response) =>
    passOn((answer) => {
      answer.resume();
      response.writeHead(503).end("no");
    }),
  garbage: (_, response) => void response.writeHead(200, { "content-type": "application/json" }).end("<html>{"),
  "no such page": (_, response) => void response.writeHead(404).end(""),
  "half an answer": (passOn, response) =>
    passOn((answer) => {
      answer.resume();
      response.writeHead(200, { "content-type": "application/sparql-results+json", "content-length": "500" });
      response.write('{"head": {}, "results": {"bindings": [{');
      setTimeout(() => response.destroy(), 5);
    }),
  "cut before": (_, response) => void response.destroy(),
  "cut after": (passOn, response) =>
    passOn((answer) => {
      answer.resume();
      response.destroy();
    }),
  late: (passOn, response) => {
    passOn((answer) => answer.resume(), Math.random() * LATE);
    setTimeout(() => response.destroy(), 5);
  },
  slow: (passOn, response) => passOn((answer) => pass(answer, response), 60),
};

/** @param random gives numbers from 0 to 1, so that runs can be repeated */
export async function startFaultyProxy(port: number, random: () => number): Promise<FaultyProxy> {
  const onTheWay = new Set<Promise<unknown>>();
  const counts: Record<string, number> = {};
  const { url, stop } = await listening(async (incoming, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer);
    response.on("error", () => {});
    const passOn: PassOn = (answered, delay = 0) => {
      const passing = sleep(delay)
        .then(() => forward(port, incoming, Buffer.concat(pieces), answered))
        .catch(() => response.destroy())
        .finally(() => onTheWay.delete(passing));
      onTheWay.add(passing);
    };
    if (random() >= proxy.faults) {
      passOn((answer) => pass(answer, response));
      return;
    }
    const names = Object.keys(FAULTS);
    const name = names[Math.floor(random() * names.length)]!;
    counts[name] = (counts[name] ?? 0) + 1;
    FAULTS[name]!(passOn, response);
  });
  const proxy: FaultyProxy = {
    url,
    faults: 0,
    counts,
    async settled() {
      while (onTheWay.size > 0) await Promise.all(onTheWay);
    },
    stop,
  };
  return proxy;
}

/** Forward a request to the engine. Resolves when its answer has ended, and rejects if there is none. */
function forward(
  port: number,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  answered: (answer: IncomingMessage) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const passed = request({
      host: "127.0.0.1",
      port,
      method,
      path: url,
      headers: { ...headers, connection: "close" },
    });
    passed.once("response", answered);
    passed.once("error", reject);
    passed.once("close", resolve);
    passed.end(body);
  });
}

function pass(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  answer.on("error", () => response.destroy());
  // If the client has left, the rest of the answer is read and dropped.
  response.once("close", () => answer.resume());
  answer.pipe(response);
}
