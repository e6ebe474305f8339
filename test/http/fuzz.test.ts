/** Any request gets a well-formed answer, and never a 500. */
import { connect } from "node:net";
import fc from "fast-check";
import { expect, it } from "vitest";
import { ANY_CODE_POINT, webUrl } from "../generated-texts.js";
import { forAllAsync, runsOf } from "../properties.js";
import { parseAnswer, type RawAnswer, raw, serviceForAll } from "./service.js";

const service = serviceForAll();

const STATUSES = new Set([200, 204, 301, 303, 304, 400, 404, 405, 406, 410, 412, 414, 431]);

async function answered(request: string | Buffer): Promise<RawAnswer> {
  const answer = await raw(service.port, request);
  expect(STATUSES).toContain(answer.status);
  expect(service.reported).toEqual([]);
  if (answer.status !== 204 && answer.status !== 304 && answer.headers.has("content-length")) {
    expect([0, Number(answer.headers.get("content-length"))]).toContain(answer.body.length);
  }
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  return answer;
}

const printable = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) });
const encodedByte = fc.integer({ min: 0, max: 255 }).map((byte) => `%${byte.toString(16).padStart(2, "0")}`);
const segment = fc.oneof(
  printable,
  encodedByte,
  fc.constantFrom(
    "object",
    "1",
    "only",
    "many",
    "production",
    "entity",
    "images",
    "problems",
    "collection",
    "..",
    ".",
    "",
  ),
  fc.string({ unit: "grapheme" }).map((text) => encodeURIComponent(text.toWellFormed())),
);
const suffix = fc.constantFrom(
  "",
  "",
  ".ttl",
  ".json",
  ".jsonld",
  ".nt",
  ".nq",
  ".html",
  "?uri=urn:a",
  "?uri=",
  "?",
  "#",
);
const target = fc
  .tuple(fc.array(segment, { maxLength: 5 }), suffix)
  .map(([segments, end]) => `/${segments.join("/")}${end}`);
const headerName = fc.oneof(
  fc.constantFrom(
    "Accept",
    "If-None-Match",
    "If-Match",
    "If-Modified-Since",
    "If-Unmodified-Since",
    "Range",
    "If-Range",
  ),
  fc.constantFrom("Origin", "Accept-Profile", "Accept-Encoding", "Accept-Language", "Forwarded", "X-Forwarded-Host"),
  fc.stringMatching(/^X-[A-Za-z-]{1,9}$/),
);
const headerValue = fc.oneof(
  printable,
  fc.string({ unit: fc.constantFrom(...'"*,;=/W.q01 \tabc') }),
  fc.string({ unit: ANY_CODE_POINT }).map((text) =>
    Buffer.from(text)
      .toString("latin1")
      .replace(/[\r\n\0]/g, ""),
  ),
);
const headers = fc.array(fc.tuple(headerName, headerValue), { maxLength: 4 });
const method = fc.constantFrom("GET", "GET", "GET", "HEAD", "OPTIONS", "POST", "DELETE");

it("any path and headers get a well-formed answer", async () => {
  await forAllAsync([method, target, headers], runsOf(1_500), async (verb, path, fields) => {
    const lines = [`${verb} ${path} HTTP/1.1`, "Host: x", ...fields.map(([name, value]) => `${name}: ${value}`)];
    await answered(Buffer.from([...lines, "Connection: close", "", ""].join("\r\n"), "latin1"));
  });
});

it("any IRI given to /entity gets a well-formed answer", async () => {
  const iri = fc.oneof(webUrl, fc.string({ unit: ANY_CODE_POINT }), printable);
  await forAllAsync([iri], runsOf(500, 50), async (text) => {
    const uri = encodeURIComponent(text.toWellFormed());
    await answered(`GET /entity?uri=${uri} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  });
});

it("bytes that are not a request get a well-formed answer", async () => {
  const garbage = fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => Buffer.from(bytes));
  await forAllAsync([garbage], runsOf(300, 50), async (bytes) => {
    // The blank lines complete even the beginning of a request, so that the server does not wait for more.
    await answered(Buffer.concat([Buffer.from("!"), bytes, Buffer.from("\r\n\r\n")]));
  });
});

it("several requests on one connection, cut anywhere, get well-formed answers", async () => {
  const requests = fc.array(fc.constantFrom("/object/1", "/object/1.ttl", "/object/none", "/object/gone", "/context"), {
    minLength: 1,
    maxLength: 4,
  });
  await forAllAsync([requests, fc.array(fc.nat(400), { maxLength: 4 })], runsOf(500, 50), async (paths, cuts) => {
    const text = paths.map(
      (path, at) =>
        `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: ${at === paths.length - 1 ? "close" : "keep-alive"}\r\n\r\n`,
    );
    const answers = await inPieces(service.port, text.join(""), cuts);
    const expected = await Promise.all(
      paths.map((path) => raw(service.port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(expected.map(({ status }) => status));
    expect(answers.map(({ body }) => body.toString())).toEqual(expected.map(({ body }) => body.toString()));
  });
});

/** Send bytes cut at these places, and read all answers. */
function inPieces(port: number, text: string, cuts: readonly number[]): Promise<RawAnswer[]> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, "127.0.0.1");
    socket.setNoDelay();
    const ends = [...new Set([...cuts.map((cut) => cut % text.length), text.length])].sort((a, b) => a - b);
    let from = 0;
    const next = (): void => {
      const end = ends.shift();
      if (end === undefined) return;
      socket.write(text.slice(from, end), () => setImmediate(next));
      from = end;
    };
    socket.on("connect", next);
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("close", () => {
      const answers: RawAnswer[] = [];
      let rest: Buffer = Buffer.concat(chunks);
      while (rest.length > 0) {
        const answer = parseAnswer(rest);
        const length = Number(answer.headers.get("content-length"));
        answers.push({ ...answer, body: answer.body.subarray(0, length) });
        rest = answer.body.subarray(length);
      }
      resolve(answers);
    });
  });
}

it("the service still answers after all of these", async () => {
  const { status } = await answered("GET /object/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  expect(status).toBe(200);
});
