/** The socket by which the command line reaches a service: its owner while services start, end, die and are suspended. */
import { lstatSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { RouteRequest } from "../../../src/http/routes/route.js";
import { SparqlEndpoint } from "../../../src/http/sparql/endpoint.js";
import { askLocally, ForwardedQueries, LocalSocket, listenWithin } from "../../../src/http/sparql/local-socket.js";
import { QueryRefusedError } from "../../../src/query/engine.js";
import { ScriptedEngine } from "../../query/scripted-engine.js";
import { temporaryFolder } from "../../temporary-folder.js";

/** How often a service checks whether the socket is free, in milliseconds. */
const INTERVAL = 2_000;

let folder: string;
let path: string;
const sockets: LocalSocket[] = [];
const told: string[] = [];
beforeEach(() => {
  folder = temporaryFolder(onTestFinished);
  path = join(folder, "query.sock");
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) await socket.close();
  vi.useRealTimers();
  told.length = 0;
});

/** Ends the current wait for an answer. */
let giveUp = (): void => {};

function patience(): AbortSignal {
  const waiting = new AbortController();
  giveUp = () => waiting.abort();
  return waiting.signal;
}

/** A service that answers every query with its name. */
async function serve(name: string): Promise<LocalSocket> {
  const engine = new ScriptedEngine(async () => ({
    kind: "solutions",
    format: "csv",
    sequence: 1,
    rows: 1,
    bytes: name.length,
    body: (async function* () {
      yield Buffer.from(name);
    })(),
    release: () => {},
  }));
  const options = { engine, base: "http://data.museum.example", timeout: 1_000 };
  const socket = new LocalSocket(folder, options, (message) => void told.push(message), patience);
  sockets.push(socket);
  await socket.checked();
  return socket;
}

/** The name of the service that answers, or `undefined` if none does. */
const answering = async (): Promise<string | undefined> =>
  (await askLocally(folder, "SELECT * {}", "text/csv", undefined, patience()))?.body;

/** Have all services check the socket again. */
async function look(): Promise<void> {
  vi.advanceTimersByTime(INTERVAL);
  for (const socket of sockets) await socket.checked();
}

/** The socket of a process that accepts connections and never answers; a client that connects gives up. Returns a function that ends the process. */
async function silent(): Promise<() => Promise<void>> {
  const connected: Socket[] = [];
  const server = createServer((socket) => {
    connected.push(socket);
    giveUp();
  });
  const before = join(folder, "before");
  await new Promise<void>((resolve) => server.listen(before, resolve));
  renameSync(before, path);
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of connected) socket.destroy();
    });
}

it("the socket within a service reads nothing of a result for a client that has left", async () => {
  let isRead = false;
  const engine = new ScriptedEngine(async ({ signal }) => {
    await new Promise((resolve) => signal!.addEventListener("abort", resolve));
    const body = (async function* () {
      isRead = true;
      yield Buffer.from("a");
    })();
    return { kind: "solutions", format: "csv", sequence: 1, rows: 1, bytes: 1_000_000, body, release: () => {} };
  });
  const base = "http://data.museum.example";
  const limits = { timeout: 1_000, rows: Infinity, bytes: Infinity };
  const endpoint = new SparqlEndpoint({ engine, base, ...limits });
  const close = await listenWithin(path, endpoint, () => engine.state);
  const headers = { accept: "text/csv", "accept-encoding": "gzip" };
  const asking = get({ socketPath: path, path: "/sparql?query=ASK%7B%7D", headers });
  asking.on("error", () => {});
  await engine.whenAsked(1);
  asking.destroy();
  await close();
  await sleep(100);
  expect(isRead).toBe(false);
});

it("a problem that another process reports is one here, too, so that a browser gets a page", async () => {
  const position = { line: 1, column: 7 };
  const engine = new ScriptedEngine(async () => {
    throw new QueryRefusedError("malformed", "no", position);
  });
  const base = "http://data.museum.example";
  const endpoint = new SparqlEndpoint({ engine, base, timeout: 1_000, rows: 1, bytes: 1 });
  const close = await listenWithin(path, endpoint, () => engine.state);
  const passed = new ForwardedQueries(path, base, []);
  const ask = (method: string) => {
    const message = { method, url: "/sparql?query=SELECT", headers: {} } as IncomingMessage;
    return passed.answer({ message, client: "a", signal: new AbortController().signal } as RouteRequest);
  };
  const { status, problem, body } = await ask("GET");
  const detail = "line 1, column 7: no";
  expect(problem).toMatchObject({ title: "Malformed query", status: 400, detail, members: { position } });
  expect([status, JSON.parse(String(body)).type]).toEqual([400, problem?.type]);
  expect(await ask("HEAD")).toMatchObject({ status: 400 });
  passed.close();
  await close();
});

describe("the socket of queries", () => {
  it("is only for its owner, and is removed with the service", async () => {
    const service = await serve("one");
    expect(await answering()).toBe("one");
    expect(lstatSync(path).mode & 0o777).toBe(0o600);
    await service.close();
    expect([readdirSync(folder), await answering()]).toEqual([[], undefined]);
  });

  it("stays with the service that has it, and passes to another once that one ends", async () => {
    const first = await serve("first");
    await serve("second");
    await look();
    expect(await answering()).toBe("first");
    await first.close();
    expect(await answering()).toBeUndefined();
    await look();
    expect(await answering()).toBe("second");
  });

  it("is taken over from a service that was killed", async () => {
    const end = await silent();
    await end();
    expect(lstatSync(path).isSocket()).toBe(true);
    await serve("second");
    expect(await answering()).toBe("second");
  });

  it("is taken over from a suspended service, and stays with the new one when the old one ends", async () => {
    const end = await silent();
    await serve("second");
    expect(await answering()).toBe("second");
    await end();
    await look();
    expect(await answering()).toBe("second");
  });

  it("is created again when it was removed, with its folder or alone", async () => {
    await serve("one");
    rmSync(path);
    await look();
    expect(await answering()).toBe("one");
    renameSync(folder, `${folder}-away`);
    await look();
    await look();
    expect(told).toEqual([expect.stringMatching(/^vitrine query cannot reach this service: ENOENT/)]);
    renameSync(`${folder}-away`, folder);
    await look();
    expect(await answering()).toBe("one");
  });

  it("does not exist for a client that finds another file in its place", async () => {
    writeFileSync(path, "");
    expect(await answering()).toBeUndefined();
    await serve("one");
    expect(await answering()).toBe("one");
  });
});

it("an index in a process that is gone is unreachable, so that entities are still served", async () => {
  const passed = new ForwardedQueries(join(folder, "queries"), "https://museum.example", []);
  expect(await passed.index()).toMatchObject({ state: "unreachable", done: 0, total: 0 });
  passed.close();
});
