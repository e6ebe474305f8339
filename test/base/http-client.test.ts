/** Answers that wait for their reader while the server closes the connection. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { httpAgent, request } from "../../src/base/http-client.js";

/** How the end of a body is told (RFC 9112, 6.3). */
const FRAMINGS: Readonly<Record<string, (body: string) => string>> = {
  "its length": (body) => `Content-Length: ${body.length}\r\n\r\n${body}`,
  chunks: (body) => `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  "the end of the connection": (body) => `\r\n${body}`,
};

/** The body that a server sends, read when it has waited for its reader. */
async function waiting(serve: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => {}).once("data", () => serve(socket));
  }).listen(0);
  await once(server, "listening");
  const dispatcher = httpAgent();
  using _server = { [Symbol.dispose]: () => server.close() };
  await using _dispatcher = { [Symbol.asyncDispose]: () => dispatcher.destroy() };
  const { port } = server.address() as AddressInfo;
  const { body } = await request(`http://127.0.0.1:${port}/`, { dispatcher });
  await sleep(50);
  return await body.text();
}

const HEAD = "HTTP/1.1 200 OK\r\nConnection: close\r\n";

// Below the bytes that are kept for a reader, a little above, and more than a connection takes at once.
for (const [framing, framed] of Object.entries(FRAMINGS))
  it.each([1_000, 65_536, 66_000, 131_073, 4_000_000])(
    `%i bytes arrive whole whose end is told by ${framing}`,
    async (length) => {
      const body = "abcdefg".repeat(length).slice(0, length);
      const text = await waiting((socket) => socket.end(HEAD + framed(body)));
      expect(text === body).toBe(true);
    },
  );

it.each([1_000, 66_000])("%i bytes that break off are an error", async (length) => {
  const serve = (socket: Socket): void => {
    const begun = `${HEAD}Content-Length: ${2 * length}\r\n\r\n${"a".repeat(length)}`;
    socket.write(begun, () => setTimeout(() => socket.resetAndDestroy(), 10));
  };
  await expect(waiting(serve)).rejects.toThrow("does not match content-length");
});
