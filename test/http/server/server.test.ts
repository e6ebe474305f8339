/** The server around dereferencing: methods, limits, slow clients, failures of the store, closing. */
import { subscribe } from "node:diagnostics_channel";
import { EventEmitter, once } from "node:events";
import fs, { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type HttpLoad, type Loads, SILENT } from "../../../src/http/loads/loads.js";
import { digest } from "../../../src/http/loads/tokens.js";
import type { RenderSettings, RepresentationMaker } from "../../../src/http/representations/representation.js";
import { REPRESENTATIONS } from "../../../src/http/representations/representations.js";
import { createServer } from "../../../src/http/server/server.js";
import type { AccessLog } from "../../../src/http/telemetry/access-log.js";
import { EntryDamagedError } from "../../../src/store/errors.js";
import { temporaryFolder } from "../../temporary-folder.js";
import {
  BASE,
  parseAnswer,
  type RawAnswer,
  raw,
  rawGet,
  type Service,
  serverOptions,
  serviceForAll,
  serviceForTest,
  startService,
  writtenBy,
} from "../service.js";

const service = serviceForAll();

function expectProblem({ status, headers, body }: RawAnswer, expected: number, name: string): void {
  expect(status).toBe(expected);
  expect(headers.get("content-type")).toBe("application/problem+json");
  expect(headers.get("access-control-allow-origin")).toBe("*");
  expect(headers.get("vary")).toContain("Accept");
  expect(JSON.parse(body.toString())).toMatchObject({ type: `${BASE}/problems/${name}`, status: expected });
}

describe("methods", () => {
  it("an unknown expectation is ignored (RFC 9110, 10.1.1)", async () => {
    const head = "Host: x\r\nExpect: 200-foo\r\nConnection: close\r\n\r\n";
    expectProblem(await raw(service.port, `GET /nothing HTTP/1.1\r\n${head}`), 404, "not-found");
    expect((await raw(service.port, `GET /object/1 HTTP/1.1\r\n${head}`)).status).toBe(200);
  });

  it("a body is asked for only if it is read (RFC 9110, 10.1.1)", async () => {
    const sent = (port: number, line: string, headers: string, body = "") => {
      const socket = connect(port, "127.0.0.1", () => socket.write(`${line} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`));
      socket.once("data", (chunk) => String(chunk).startsWith("HTTP/1.1 100 ") && socket.write(body));
      return socket.toArray().then((chunks) => String(Buffer.concat(chunks)).match(/HTTP\/1\.1 \d+/g));
    };
    const expecting = "Expect: 100-continue\r\nConnection: close\r\n";
    const loading = { loads: {} as Loads, tokens: () => [], parameters: new Set<string>(), problemOf: () => undefined };
    const { port } = await serviceForTest({ loading });
    const load = `${expecting}Authorization: Bearer wrong\r\nContent-Length: 1000\r\n`;
    expect(await sent(port, "POST /load", load)).toEqual(["HTTP/1.1 401"]);
    expect(await sent(port, "PUT /object/1", load)).toEqual(["HTTP/1.1 401"]);
    const form = `${expecting}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 14\r\n`;
    const answers = await sent(service.port, "POST /reconcile", form, "queries=%7B%7D");
    expect(answers).toEqual(["HTTP/1.1 100", "HTTP/1.1 200"]);
  });

  it("bodies that do not come shut nobody out", async () => {
    const { port } = await serviceForTest({ connections: 8 });
    const head = "POST /reconcile HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n";
    for (let count = 0; count < 20; count++) {
      const socket = connect(port, "127.0.0.1");
      onTestFinished(() => void socket.destroy());
      socket.on("error", () => {}).write(`${head}Content-Length: 1000\r\nExpect: 100-continue\r\n\r\nq`);
      const [chunk] = await once(socket, "data");
      expect(String(chunk)).toContain("100 Continue");
    }
    expect((await rawGet(port, "/collection/object/1")).status).toBe(200);
  });

  it.each(["/object/1", "/nothing", "/context", "/", "*"])("OPTIONS %s answers a CORS preflight", async (target) => {
    const { status, headers, body } = await raw(
      service.port,
      `OPTIONS ${target} HTTP/1.1\r\nHost: x\r\nOrigin: https://app.example\r\nAccess-Control-Request-Method: GET\r\nConnection: close\r\n\r\n`,
    );
    expect(status).toBe(204);
    expect(body).toHaveLength(0);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-allow-methods")).toBe("GET, HEAD, OPTIONS");
    expect(headers.get("access-control-allow-headers")).toBe("*");
  });

  it.each(["POST", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND"])(
    "%s is 405 with Allow (RFC 9110, 15.5.6)",
    async (method) => {
      for (const target of ["/object/1", "/nothing", "/context", "/health"]) {
        const answer = await raw(
          service.port,
          `${method} ${target} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
        );
        expectProblem(answer, 405, "method-not-allowed");
        expect(answer.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
      }
    },
  );

  it("a GET with a body is answered, and so is the request after it", async () => {
    const request = "GET /object/1 HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody";
    const last = "GET /object/1.nt HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    const { status, headers, body } = await raw(service.port, request + last);
    expect(status).toBe(200);
    const first = Number(headers.get("content-length"));
    expect(parseAnswer(body.subarray(first)).headers.get("content-type")).toBe("application/n-triples");
  });
});

describe("the server answers", () => {
  it("414 for a path that is too long (RFC 9110, 15.5.15)", async () => {
    expectProblem(await rawGet(service.port, `/${"a".repeat(8_000)}`), 414, "uri-too-long");
    expectProblem(await rawGet(service.port, `/${"a".repeat(7_999)}`), 404, "not-found");
  });

  it("431 for headers that are too large (RFC 6585, 5)", async () => {
    expectProblem(await rawGet(service.port, "/object/1", `X: ${"a".repeat(40_000)}\r\n`), 431, "headers-too-large");
  });

  it.each([
    ["no HTTP", "nonsense\r\n\r\n"],
    ["a space in the path", "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["two lengths", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"],
    ["a length and chunks", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"],
    ["no Host", "GET /object/1 HTTP/1.1\r\n\r\n"],
    ["two Hosts", "GET /object/1 HTTP/1.1\r\nHost: x\r\nhOST: y\r\n\r\n"],
    ["HTTP/2.0 in the request line", "GET /object/1 HTTP/2.0\r\nHost: x\r\n\r\n"],
    ["HTTP/0.9 in the request line", "GET /object/1 HTTP/0.9\r\nHost: x\r\n\r\n"],
    ["HTTP/1.2 in the request line", "GET /object/1 HTTP/1.2\r\nHost: x\r\n\r\n"],
    ["a bare line feed in a header", "GET / HTTP/1.1\r\nHost: x\nX: y\r\n\r\n"],
  ])("400 for %s", async (_what, request) => {
    expectProblem(await raw(service.port, request), 400, "malformed");
  });

  it.each([
    [
      "a request follows one that closes the connection",
      ["GET /object/1 HTTP/1.1\r\nConnection: close", "GET /health HTTP/1.1"],
      [200],
    ],
    ["a request follows one of HTTP/1.0", ["GET /search/all HTTP/1.0", "GET /health HTTP/1.0"], [200]],
    [
      "the next request is malformed",
      ["GET /object/1 HTTP/1.1", "GET /search/all HTTP/1.1", "GET / HTTP/3.0"],
      [200, 200, 400],
    ],
    [
      "the body of the next is",
      [
        "GET /object/1 HTTP/1.1",
        "POST /reconcile HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked",
        "z",
      ],
      [200, 400],
    ],
  ])("answers whole requests in their order when %s", async (_what, requests, statuses) => {
    const socket = connect(service.port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write(requests.map((each) => `${each}\r\nHost: x\r\n\r\n`).join(""));
    const answers = String(Buffer.concat(await socket.toArray()));
    expect([...answers.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status))).toEqual(statuses);
  });

  it.each([
    ...'###|a b|user@localhost|localhost:abc|localhost/path|[::1|[x]|local"host|<x>|a\\b|%zz|x:80?y|x:80, x:80'.split(
      "|",
    ),
  ])("400 for the Host %s (RFC 9112, 3.2)", async (host) => {
    const head = (name: string) => `GET /object/1 HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`;
    expectProblem(await raw(service.port, head(host)), 400, "malformed");
  });

  it.each(["", "x", "x:80", "x:", "[::1]", "[::1]:3000", "127.0.0.1:3000", "xn--mnchen-3ya.example", "a_b.example"])(
    "a request with the Host %s",
    async (host) => {
      const head = `GET /object/1 HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      expect((await raw(service.port, head)).status).toBe(200);
    },
  );

  it.each([
    ["an unknown method", "BREW / HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["CONNECT", "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n\r\n"],
    ["CONNECT with a path", "CONNECT / HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["an unknown transfer coding", "GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: foo, chunked\r\n\r\n0\r\n\r\n"],
  ])("501 for %s (RFC 9110, 9.1; RFC 9112, 6.1)", async (_what, request) => {
    expectProblem(await raw(service.port, request), 501, "not-implemented");
  });

  it("a request by HTTP/1.0 without a Host", async () => {
    expect((await raw(service.port, "GET /object/1 HTTP/1.0\r\n\r\n")).status).toBe(200);
  });

  it("408 for a client that does not finish its head in time", async () => {
    const impatient = await serviceForTest({ headTimeout: 200 });
    expectProblem(await raw(impatient.port, "GET /object/1 HTTP/1.1\r\nHost:"), 408, "timeout");
  });

  it("408 for a body that trickles in, however often a byte arrives", async () => {
    const impatient = await serviceForTest({ requestTimeout: 300 });
    const head = "POST /reconcile HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n";
    let dribbling: NodeJS.Timeout | undefined;
    using _ = { [Symbol.dispose]: () => clearInterval(dribbling) };
    const answer = raw(impatient.port, `${head}Content-Length: 1000\r\n\r\n`, (socket) => {
      dribbling = setInterval(() => socket.write("q"), 20);
    });
    expectProblem(await answer, 408, "timeout");
  });

  it.each([
    [201, { state: "published", summary: { created: 1 } }],
    [408, { state: "interrupted", problem: SILENT }],
  ])("a PUT as long as it waits for other loads, before which its body is not read: %s", async (status, outcome) => {
    const done = { ...outcome, load: "1", records: [] } as unknown as HttpLoad;
    const take = () => ({ lines: new PassThrough(), ended: sleep(100, done) });
    const tokens = [{ name: "t", hash: digest("t").toString("hex"), may: ["load"] as const, created: "" }];
    const loads = { take, maxBytes: 2 ** 20, isFull: false } as unknown as Loads;
    const loading = { loads, tokens: () => tokens, parameters: new Set<string>(), problemOf: () => undefined };
    const { port } = await serviceForTest({ requestTimeout: 1, loading });
    const head =
      "Host: x\r\nAuthorization: Bearer t\r\nContent-Type: application/ld+json\r\nContent-Length: 1000\r\n\r\n";
    expect((await raw(port, `PUT /object/new HTTP/1.1\r\n${head}`)).status).toBe(status);
  });

  it("a refused body on, so that a client that sends all of it before it reads gets the answer", async () => {
    const socket = connect(service.port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    const body = Buffer.alloc(8 * 2 ** 20);
    socket.write(`POST /reconcile HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`);
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject).write(body, (error) => (error ? reject(error) : resolve()));
    });
    expect(String(Buffer.concat(await socket.toArray()))).toMatch(/^HTTP\/1.1 415 /);
  });

  it("a refused body for a limited time", async () => {
    const { port } = await serviceForTest({ requestTimeout: 50 });
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    socket.write("POST /reconcile HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n");
    expect(String(Buffer.concat(await socket.toArray()))).toMatch(/^HTTP\/1.1 415 /);
    const dribbling = setInterval(() => socket.write("q"), 5);
    onTestFinished(() => clearInterval(dribbling));
    await once(socket, "close").catch(() => {});
    expect(socket.closed).toBe(true);
  });

  it("a client only as long as it reads", async () => {
    const impatient = await serviceForTest({ idleTimeout: 200 });
    const closed = await new Promise<boolean>((resolve) => {
      const socket = connect(impatient.port, "127.0.0.1");
      socket.on("close", () => resolve(true));
      socket.on("error", () => resolve(true));
    });
    expect(closed).toBe(true);
  });

  it.each(["/images", "/dumps"])("a client of a file in %s only as long as it reads", async (folder) => {
    // The first request for a file loads Express, which may take longer than the limit.
    await rawGet(service.port, "/images/girl.svg");
    const directory = temporaryFolder(onTestFinished);
    mkdirSync(join(directory, "of"));
    const file = join(directory, "of/file");
    writeFileSync(file, "");
    truncateSync(file, 2 ** 26);
    const options = { images: directory, dumps: directory, idleTimeout: 1_000, closeTimeout: 600_000 };
    const impatient = await serviceForTest(options);
    const socket = connect(impatient.port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write(`GET ${folder}/of/file HTTP/1.1\r\nHost: x\r\n\r\n`);
    const [head] = await once(socket, "data");
    expect(String(head)).toMatch(/^HTTP\/1\.1 200 /);
    socket.pause();
    // Resolves when no answer is pending any more.
    await impatient.server.close();
  });
});

it("a disk error in the middle of a file ends the answer, and is reported", async () => {
  const images = temporaryFolder(onTestFinished);
  writeFileSync(join(images, "picture.bin"), Buffer.alloc(2 ** 20));
  const { port, reported } = await serviceForTest({ images });
  const error = Object.assign(new Error("EIO: i/o error, read"), { code: "EIO" });
  const { read } = fs;
  const reading = vi.spyOn(fs, "read").mockImplementation(((...given: unknown[]) => {
    if (given[4] === 0) return Reflect.apply(read, fs, given);
    (given[5] as (error: Error) => void)(error);
  }) as never);
  onTestFinished(() => reading.mockRestore());
  const { status, body } = await rawGet(port, "/images/picture.bin");
  expect(status).toBe(200);
  expect(body.length).toBeLessThan(2 ** 20);
  expect(reported).toEqual([error]);
});

/** A store whose reads fail while `broken.now` is set. */
function breakable<T extends object>(store: T, broken: { now: boolean }): T {
  return new Proxy(store, {
    get: (target, name, receiver) => {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof member === "object" && member !== null) return breakable(member, broken);
      if (typeof member !== "function") return member;
      return (...parameters: unknown[]) => {
        if (broken.now) throw new Error("MDB_CORRUPTED in /secret/directory");
        return (member as (...parameters: unknown[]) => unknown).apply(target, parameters);
      };
    },
  });
}

describe("a store that follows another", () => {
  it("says how long ago it was in step, and is not ready when that is too long ago", async () => {
    const directory = temporaryFolder(onTestFinished);
    const copy = await serviceForTest({ directory, maxLag: 60 });
    const lag = async (): Promise<unknown> => JSON.parse((await rawGet(copy.port, "/ready")).body.toString()).lag;
    expect(await lag()).toBeUndefined();
    mkdirSync(join(directory, "follow"));
    const inStep = (name: string, seconds: number): void =>
      writeFileSync(
        join(directory, "follow", `${name}.json`),
        JSON.stringify({ inStep: new Date(Date.now() - seconds * 1_000) }),
      );
    // A first visit is not over yet; or a disk was full, or somebody edited the file.
    for (const text of ["{}", "", '{"inStep": 5', "null"]) {
      writeFileSync(join(directory, "follow", "other.json"), text);
      const { status: first, body: told } = await rawGet(copy.port, "/ready");
      const never = { lag: null, detail: "Last in step with its source: never." };
      expect([first, JSON.parse(told.toString())]).toEqual([503, expect.objectContaining(never)]);
    }
    inStep("one", 5);
    inStep("other", 30);
    expect([30, 31]).toContain(await lag());
    inStep("other", 90);
    const { status, body } = await rawGet(copy.port, "/ready");
    expect([status, JSON.parse(body.toString()).detail]).toEqual([
      503,
      expect.stringMatching(/in step .* 9[01] s ago/),
    ]);
    expect((await rawGet(copy.port, "/object/1")).status).toBe(200);
  });
});

/** An access log that tells only the first status that it is to count. */
function counting() {
  const seen = new EventEmitter();
  const answered: AccessLog["answered"] = (_, status) => seen.emit("counted", status);
  const watch = { keeps: () => {}, named: (answer: unknown) => answer, answered } as unknown as AccessLog;
  return { counted: once(seen, "counted"), watch };
}

it("a file whose client leaves in the middle is counted", async () => {
  const { counted, watch } = counting();
  const watched = await serviceForTest({ watch });
  truncateSync(join(watched.images, "girl.svg"), 50_000_000);
  const socket = connect(watched.port, "127.0.0.1");
  socket.write("GET /collection/images/girl.svg HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(socket, "readable");
  socket.destroy();
  expect([await counted, watched.reported]).toEqual([[200], []]);
});

describe("a failure", () => {
  it.each([
    ["leaves while it sends its body", "Content-Length: 9\r\n\r\nq"],
    ["sends a malformed body", "Transfer-Encoding: chunked\r\n\r\nz\r\n"],
  ])("is not of the service if a client %s: that counts as 499", async (_what, sent) => {
    const { counted, watch } = counting();
    const watched = await serviceForTest({ watch });
    const socket = connect(watched.port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    const head = "POST /reconcile HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n";
    socket.write(head + sent, () => setTimeout(() => socket.destroy(), 50));
    expect([await counted, watched.reported]).toEqual([[499], []]);
  });

  it("of the store is 503 with Retry-After, and never 404", async () => {
    const broken = { now: true };
    const failing = await serviceForTest({ store: breakable(service.store, broken) });
    for (const target of [
      "/object/1",
      "/nothing",
      "/object/1.ttl",
      "/ready",
      "/",
      "/entity?uri=urn:a",
      "/images/none",
    ]) {
      const answer = await rawGet(failing.port, target);
      expectProblem(answer, 503, "unavailable");
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(answer.body.toString()).not.toContain("MDB_CORRUPTED");
    }
    expect(failing.reported).toHaveLength(7);
    // Paths that need no store still answer.
    for (const target of ["/context", "/problems", "/images/girl.svg"]) {
      expect((await rawGet(failing.port, target)).status).toBe(200);
    }
    broken.now = false;
    expect((await rawGet(failing.port, "/object/1")).status).toBe(200);
  });

  it("of the store's own facts, beside the records, is 503 too", async () => {
    const hasFileNames = (): never => {
      throw new EntryDamagedError("store", "facts");
    };
    const store = new Proxy(service.store, {
      get: (target, name) => (name === "hasFileNames" ? hasFileNames : Reflect.get(target, name)),
    });
    const failing = await serviceForTest({ store });
    expectProblem(await rawGet(failing.port, "/object/1"), 503, "unavailable");
    expect(failing.reported).toHaveLength(1);
  });

  it("of a writer is 500, and does not reveal the cause", async () => {
    const documents: RenderSettings["documents"] = {
      document: () => {
        throw new TypeError("secret");
      },
      text: () => undefined,
      expanded: () => {
        throw new Error("secret");
      },
    };
    const failing = await serviceForTest({ representationMakers: writtenBy(documents) });
    const expanded = 'Accept: application/ld+json;profile="http://www.w3.org/ns/json-ld#expanded"\r\n';
    for (const headers of ["", expanded]) {
      const answer = await rawGet(failing.port, "/object/1", headers);
      expectProblem(answer, 500, "internal");
      expect(answer.body.toString()).not.toContain("secret");
    }
    expect(failing.reported).toHaveLength(2);
    expect((await rawGet(failing.port, "/object/1.ttl")).status).toBe(200);
  });
});

function promiseOf<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Representations whose default waits for `release`; `begun` resolves when it is first asked for. */
function heldDocuments() {
  const release = promiseOf<void>();
  const begun = promiseOf<void>();
  const jsonld: RepresentationMaker = (settings) => {
    const { writeEncoded: _, ...made } = REPRESENTATIONS.jsonld!(settings);
    return {
      ...made,
      write: async (...of) => {
        begun.resolve();
        await release.promise;
        return made.write(...of);
      },
    };
  };
  return { representationMakers: { ...REPRESENTATIONS, jsonld }, release: release.resolve, begun: begun.promise };
}

describe("a store that is withdrawn", () => {
  const request = "GET /object/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

  it("stays until answers under way are finished; all others are 503 until a store is published again", async () => {
    const { representationMakers, release, begun } = heldDocuments();
    const held = await serviceForTest({ representationMakers });
    const underWay = raw(held.port, request);
    const idle = connect(held.port, "127.0.0.1");
    await begun;
    const withdrawn = held.server.withdraw();
    const order: string[] = [];
    void withdrawn.then(() => order.push("withdrawn"));
    expectProblem(await rawGet(held.port, "/object/1"), 503, "unavailable");
    expectProblem(await rawGet(held.port, "/ready"), 503, "unavailable");
    expectProblem(await raw(held.port, "nonsense\r\n\r\n"), 400, "malformed");
    // A probe may have the path of the base URL, which not every proxy strips.
    for (const path of ["/health", "/collection/health", "/health?from=probe"])
      expect([path, (await rawGet(held.port, path)).status]).toEqual([path, 200]);
    order.push("released");
    release();
    expect((await underWay).status).toBe(200);
    await withdrawn;
    expect(order).toEqual(["released", "withdrawn"]);
    held.server.publish(serverOptions({ store: held.store }));
    expect((await rawGet(held.port, "/object/1")).status).toBe(200);
    // A client that stayed connected throughout is answered, too.
    const answered = new Promise((resolve) => idle.once("data", resolve));
    idle.write(request);
    expect(String(await answered)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("does not wait forever for answers under way", async () => {
    const { representationMakers, release, begun } = heldDocuments();
    const held = await serviceForTest({ representationMakers, closeTimeout: 300 });
    onTestFinished(() => release());
    const underWay = raw(held.port, request);
    underWay.catch(() => {});
    await begun;
    await held.server.withdraw();
    await expect(underWay).rejects.toThrow("no end of the head");
  });
});

describe("closing", () => {
  it("finishes answers under way, refuses later requests with 503, and accepts no new connections", async () => {
    const { representationMakers, release, begun } = heldDocuments();
    const closing = await startService({ representationMakers });
    const request = "GET /object/1 HTTP/1.1\r\nHost: x\r\n\r\n";
    const socket = connect(closing.port, "127.0.0.1", () => socket.write(request));
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(chunk));
    const ended = new Promise((resolve) => socket.on("close", resolve));
    await begun;
    const closed = closing.server.close();
    const arrived = new Promise((resolve) => subscribe("http.server.request.start", resolve));
    socket.write(request);
    await arrived;
    release();
    await ended;
    const { status, headers, body } = parseAnswer(Buffer.concat(chunks));
    expect(status).toBe(200);
    const rest = parseAnswer(body.subarray(Number(headers.get("content-length"))));
    expectProblem(rest, 503, "unavailable");
    expect(rest.headers.get("retry-after")).toBe("5");
    expect(rest.headers.get("connection")).toBe("close");
    await closed;
    await expect(raw(closing.port, request)).rejects.toThrow("ECONNREFUSED");
    await closing.store.close();
  });

  it("does not wait for connections that have sent nothing, such as a browser's spare ones", async () => {
    const closing = await startService({ closeTimeout: 60_000 });
    const spare = connect(closing.port, "127.0.0.1");
    const ended = once(spare.resume(), "close");
    await (await fetch(`${closing.origin}/object/1`)).text();
    await closing.stop();
    await ended;
  });

  it("does not wait forever for answers", async () => {
    const { representationMakers, begun } = heldDocuments();
    const stuck = await startService({ representationMakers, closeTimeout: 300 });
    const waiting = raw(stuck.port, "GET /object/1 HTTP/1.1\r\nHost: x\r\n\r\n");
    waiting.catch(() => {});
    await begun;
    await stuck.stop();
    await expect(waiting).rejects.toThrow();
  });
});

describe("behind a trusted proxy", () => {
  const OTHER = "http://other.museum.example/collection";
  const ADDRESSES = "Forwarded, X-Forwarded-Host, X-Forwarded-Proto";
  const asked = (at: Service, host: string) =>
    rawGet(at.port, "/object/1", `X-Forwarded-Host: ${host}\r\nX-Forwarded-Proto: http\r\n`, "inner");

  it("Vary names the headers that decide between several base URLs, whatever the answer", async () => {
    const several = await serviceForTest({ trustProxy: true, otherBaseUrls: [OTHER] });
    const vary = `Accept, Accept-Encoding, Accept-Profile, ${ADDRESSES}`;
    for (const host of ["data.museum.example", "other.museum.example"]) {
      const { status, headers } = await asked(several, host);
      expect([status, headers.get("vary")], host).toEqual([200, vary]);
    }
    for (const target of ["/object/1.html", "/context", "/activity", "/person/9", "/nothing", "/object/gone"]) {
      expect((await rawGet(several.port, target)).headers.get("vary"), target).toMatch(ADDRESSES);
    }
  });

  it("Vary does not name them when there is one base URL", async () => {
    const one = await serviceForTest({ trustProxy: true });
    expect((await asked(one, "data.museum.example")).headers.get("vary")).not.toContain("Forwarded");
  });
});

it("a server does not listen on a port that is taken", async () => {
  const { store, port } = service;
  const second = createServer(serverOptions({ store }));
  await expect(second.listen(port)).rejects.toThrow("EADDRINUSE");
});
