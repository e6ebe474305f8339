/** Connections: bounded by the file descriptors; the longest idle is closed first, and one that awaits an answer never is. */
import { once } from "node:events";
import { createServer, request } from "node:http";
import { connect, type Socket } from "node:net";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import {
  boundedInTime,
  Connections,
  connectionsFor,
  descriptorLimit,
  MAX_CONNECTIONS,
} from "../../../src/http/server/connections.js";
import { listening } from "../../listening.js";

const opened: Socket[] = [];
const ends: (() => void)[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
  for (const end of ends.splice(0)) end();
});

/** A server with a limit of connections that answers `/wait` when the test says so, and everything else at once. */
async function serverOf(most: number) {
  const server = createServer();
  const connections = new Connections(server, most);
  const waiting: (() => void)[] = [];
  server.on("request", (asked, response) => {
    connections.use(asked.socket);
    if (asked.url === "/bounded") boundedInTime.add(asked);
    if (asked.method === "POST") asked.resume().once("end", () => response.end("whole"));
    else if (asked.url === "/wait") waiting.push(() => response.end("late"));
    else response.end("soon");
  });
  const { port, stop } = await listening(server);
  ends.push(stop);
  return { port, waiting, count: promisify(server.getConnections.bind(server)) };
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  opened.push(socket);
  await once(socket, "connect");
  return socket;
}

async function ask(socket: Socket, path: string): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  const [bytes] = (await once(socket, "data")) as [Buffer];
  return bytes.toString().split("\r\n\r\n")[1]!;
}

describe("connections", () => {
  it("are limited to fewer than the file descriptors", () => {
    expect([64, 65, 256, 1_024, 20_000, Number.POSITIVE_INFINITY].map(connectionsFor)).toEqual([
      1,
      1,
      192,
      768,
      MAX_CONNECTIONS,
      MAX_CONNECTIONS,
    ]);
    expect(descriptorLimit()).toBeGreaterThan(0);
  });

  it("that are idle longest are closed first, except those that await an answer", async () => {
    const { port, waiting, count } = await serverOf(4);
    const busy = await open(port);
    const late = ask(busy, "/wait");
    const [first, second, third] = [await open(port), await open(port), await open(port)];
    for (const socket of [second, first, third]) await ask(socket, "/");
    const closed = once(second, "close");
    expect(await ask(await open(port), "/")).toContain("soon");
    await closed;
    expect(await ask(first, "/")).toContain("soon");
    waiting[0]!();
    expect(await late).toContain("late");
    expect(await count()).toBe(4);
  });

  it("that wait for a body are closed as idle ones, unless the body may take any time or is there", async () => {
    const { port, waiting, count } = await serverOf(3);
    const post = async (path: string, body: string): Promise<Socket> => {
      const socket = await open(port);
      socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n${body}`);
      return socket;
    };
    const [upload, bounded] = [await post("/upload", "a"), await post("/bounded", "a")];
    const late = ask(await open(port), "/wait");
    await expect.poll(() => waiting.length).toBe(1);
    const closed = once(bounded, "close");
    expect(await ask(await open(port), "/")).toContain("soon");
    await closed;
    upload.write("bcd");
    expect(String(await once(upload, "data"))).toContain("whole");
    waiting[0]!();
    expect(await late).toContain("late");
    expect(await count()).toBe(3);
  });

  it("that never send a request do not shut others out", async () => {
    const { port, count } = await serverOf(8);
    for (let opened = 0; opened < 100; opened++) (await open(port)).write("GET / HT");
    const status = await new Promise((resolve, reject) => {
      const asked = request({ port, agent: false }, (response) => resolve(response.resume().statusCode));
      asked.on("error", reject).end();
    });
    expect(status).toBe(200);
    expect(await count()).toBeLessThanOrEqual(8);
  });
});
