/** Content as answers: conditions, codings, and bodies sent in pieces to clients that read, leave, or do not read. */
import { once } from "node:events";
import * as http from "node:http";
import { connect, Socket } from "node:net";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { brotliDecompressSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { send } from "../../../src/http/message/answer.js";
import { answerOf, type Content } from "../../../src/http/message/content.js";
import { listening } from "../../listening.js";
import { turnsDuring } from "../../turns.js";
import { type RawAnswer, raw } from "../service.js";

const BASE = "http://data.museum.example";

let content: Content;
let answered: http.ServerResponse;
let failures: unknown[] = [];
let port: number;
beforeAll(async () => {
  const server = await listening((request, response) => {
    answered = response;
    void answerOf(content, request, BASE).then((answer) => send(response, answer, (error) => failures.push(error)));
  });
  port = server.port;
  return server.stop;
});

function ask(given: Content, headers = "", method = "GET"): Promise<RawAnswer> {
  content = given;
  failures = [];
  return raw(port, `${method} / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`);
}

const LONG = "x".repeat(5_000);
const MODIFIED = Date.UTC(2026, 0, 2, 3, 4, 5);
const DATE = "Fri, 02 Jan 2026 03:04:05 GMT";

describe("conditions", () => {
  it("are evaluated before the body is made", async () => {
    let made = 0;
    const given: Content = { type: "text/plain", tag: "a", body: () => `made ${++made}` };
    expect((await ask(given, 'If-None-Match: "a"\r\n')).status).toBe(304);
    expect((await ask(given, 'If-Match: "b"\r\n')).status).toBe(412);
    expect(made).toBe(0);
    expect((await ask(given, 'If-None-Match: "b"\r\n')).body.toString()).toBe("made 1");
  });

  it("on dates apply when the content has a date", async () => {
    const dated: Content = { type: "text/plain", modified: MODIFIED, body: "text" };
    expect((await ask(dated)).headers.get("last-modified")).toBe(DATE);
    expect((await ask(dated, `If-Modified-Since: ${DATE}\r\n`)).status).toBe(304);
    expect((await ask({ type: "text/plain", tag: "a", body: "text" }, `If-Modified-Since: ${DATE}\r\n`)).status).toBe(
      200,
    );
  });

  it("on dates never name one in the future, even if the clock was set back (RFC 9110, 8.8.2.1)", async () => {
    const { headers } = await ask({ type: "text/plain", modified: Date.now() + 100_000, body: "text" });
    expect(Date.parse(headers.get("last-modified")!)).toBeLessThanOrEqual(Date.now());
  });

  it("are ignored when the content has neither tag nor date, and for other methods (RFC 9110, 13.2.1)", async () => {
    expect((await ask({ type: "text/plain", body: "text" }, 'If-Match: "a"\r\n')).status).toBe(200);
    expect((await ask({ type: "text/plain", body: "text", tag: "a" }, 'If-None-Match: "a"\r\n', "POST")).status).toBe(
      200,
    );
  });
});

describe("codings", () => {
  it("apply to text, each with its own tag, and not to short bodies", async () => {
    const accept = "Accept-Encoding: br\r\n";
    const coded = await ask({ type: "text/plain", tag: "a", body: LONG }, accept);
    expect([coded.headers.get("content-encoding"), coded.headers.get("etag")]).toEqual(["br", '"a-br"']);
    expect(brotliDecompressSync(coded.body).toString()).toBe(LONG);
    expect((await ask({ type: "image/png", tag: "a", body: LONG }, accept)).headers.get("etag")).toBe('"a"');
    expect((await ask({ type: "text/plain", body: "short" }, accept)).headers.has("content-encoding")).toBe(false);
  });

  it("of a body in pieces decode to the same pieces", async () => {
    const { headers, body } = await ask({ type: "text/csv", body: pieces(100) }, "Accept-Encoding: br\r\n");
    expect(headers.get("content-encoding")).toBe("br");
    expect(brotliDecompressSync(dechunked(body)).toString()).toBe(PIECE.repeat(100));
  });
});

const PIECE = `${"0123456789".repeat(1_000)}\n`;
let taken = 0;
let ended: Promise<void>;

/** A body of `number` pieces. `taken` counts the pieces read, and `ended` resolves when the reader stops. */
function pieces(number: number): AsyncIterable<string> {
  taken = 0;
  let end!: () => void;
  ended = new Promise((resolve) => {
    end = resolve;
  });
  return (async function* () {
    using _ = { [Symbol.dispose]: () => end() };
    for (; taken < number; taken++) yield PIECE;
  })();
}

/** A chunked body without the chunk sizes (RFC 9112, 7.1). */
function dechunked(body: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = body.indexOf("\r\n", at);
    const size = Number.parseInt(body.toString("latin1", at, line), 16);
    if (!(size > 0)) return Buffer.concat(chunks);
    chunks.push(body.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
}

describe("a body in pieces", () => {
  it("arrives whole", async () => {
    const { status, headers, body } = await ask({ type: "text/plain", body: pieces(50) });
    expect([status, headers.has("content-length")]).toEqual([200, false]);
    expect(dechunked(body).toString()).toBe(PIECE.repeat(50));
  });

  it("leaves the event loop to others after each piece", async () => {
    const request = new http.IncomingMessage(new Socket());
    const { body } = await answerOf({ type: "text/plain", body: pieces(50) }, request, BASE);
    const turns = await turnsDuring(async () => {
      for await (const _ of body as AsyncIterable<string>);
    });
    expect(turns).toBeGreaterThanOrEqual(50);
  });

  it.each(["", "Accept-Encoding: br\r\n"])("is not begun for HEAD, with the headers %j", async (headers) => {
    expect((await ask({ type: "text/plain", body: pieces(50) }, headers, "HEAD")).body).toHaveLength(0);
    await nextTurn();
    expect(taken).toBe(0);
  });

  it("comes after its head, which does not wait for the first piece", async () => {
    let begin!: () => void;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const slow = async function* () {
      await begun;
      yield PIECE;
    };
    content = { type: "text/plain", body: slow() };
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    begin();
    expect([answer.status, await answer.text()]).toEqual([200, PIECE]);
  });

  it("is made no faster than the client reads, and not at all once the client leaves", async () => {
    content = { type: "text/plain", body: pieces(1_000_000) };
    failures = [];
    const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
    await once(socket, "readable");
    // Pieces of ten kilobytes: only as many are made as the buffers of both sockets hold.
    for (let before = -1; before !== taken; ) {
      before = taken;
      await sleep(20);
    }
    expect(taken).toBeLessThan(5_000);
    socket.destroy();
    await ended;
    expect(failures).toEqual([]);
  });

  it.each([
    ["plain", ""],
    ["in a coding", "Accept-Encoding: br\r\n"],
  ])("whose next piece is not made because the client left is no failure, %s", async (_how, headers) => {
    // Its socket may be reset, which `once` takes for a failure.
    const left = () => new Promise((resolve) => answered.req.socket.once("close", resolve));
    const waiting = async function* () {
      yield PIECE;
      await left();
      await nextTurn();
      throw new Error("nobody waits");
    };
    content = { type: "text/plain", body: () => waiting() };
    failures = [];
    const request = `GET / HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
    const socket = connect(port, "127.0.0.1", () => socket.write(request));
    await once(socket, "readable");
    const over = left();
    socket.destroy();
    await over;
    for (let turn = 0; turn < 10; turn++) await nextTurn();
    expect(failures).toEqual([]);
  });

  it("that fails closes the connection, so that no client takes a part for the whole", async () => {
    const failing = (async function* () {
      yield PIECE;
      await nextTurn();
      throw new Error("broken");
    })();
    const { body } = await ask({ type: "text/plain", body: failing });
    expect(body.toString("latin1").endsWith("0\r\n\r\n")).toBe(false);
    expect(failures).toMatchObject([{ message: "broken" }]);
  });
});
