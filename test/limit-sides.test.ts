/** Limits from both sides: the limit itself is accepted, and one more is not. */
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { MAX_TARGET } from "../src/http/entity/addresses.js";
import { MAX_PARAMETERS } from "../src/http/message/body.js";
import { MAX_HEAD } from "../src/http/server/request-guards.js";
import { MAX_BODY } from "../src/http/sparql/endpoint.js";
import { DEFAULT_MODEL } from "../src/model/settings.js";
import { openStore } from "../src/store/open.js";
import { inFile } from "./cli/in-file.js";
import { run } from "./cli/run.js";
import { raw, serviceForTest } from "./http/service.js";
import { BASE, labelled, type SparqlTestService, startSmallSparqlService } from "./http/sparql/service.js";
import type { InProcessIndex } from "./query/in-process-index.js";
import { startedForAll } from "./started.js";
import { temporaryFolder } from "./temporary-folder.js";

const ROWS = 7;

describe("the limit of a request:", () => {
  const service = startedForAll(() =>
    startSmallSparqlService(
      Array.from({ length: 3 }, (_, at) => labelled(String(at))),
      { rows: ROWS },
    ),
  );

  const query = (text: string) => ({
    head: `POST /sparql HTTP/1.1\r\nHost: x\r\nContent-Type: application/sparql-query\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n`,
    text,
  });
  const get = (target: string, more = "") => `GET ${target} HTTP/1.1\r\nHost: x\r\n${more}Connection: close\r\n\r\n`;

  it.each<[string, number, number, (much: number) => string, number]>([
    ["path and query", MAX_TARGET, 414, (much) => get(`/${"a".repeat(much - 1)}`), 404],
    [
      "the head",
      MAX_HEAD,
      431,
      // The characters that do not count, such as line ends, are less than a hundredth.
      (much) =>
        get("/health", `X: ${"a".repeat(much > MAX_HEAD ? Math.ceil(much * 1.01) : Math.floor(much * 0.98))}\r\n`),
      200,
    ],
    [
      "a query",
      MAX_BODY,
      413,
      (much) => {
        const { head, text } = query(`ASK {} #${"x".repeat(much - 8)}`);
        return head + text;
      },
      200,
    ],
    [
      "parameters of a form",
      MAX_PARAMETERS,
      413,
      (much) => {
        const form = `${"a&".repeat(much - 1)}query=ASK+{}`;
        const type = "application/x-www-form-urlencoded";
        return `POST /sparql HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: ${form.length}\r\n\r\n${form}`;
      },
      200,
    ],
    [
      "rows of a result",
      ROWS,
      422,
      (much) => {
        const { head, text } = query(`SELECT * { VALUES ?x { ${"1 ".repeat(much)} } }`);
        return head + text;
      },
      200,
    ],
  ])("%s", async (_, most, beyond, request, within) => {
    expect((await raw(service.port, request(most))).status).toBe(within);
    expect((await raw(service.port, request(most + 1))).status).toBe(beyond);
  });
});

describe("the limit of time for", () => {
  /** Milliseconds, long enough for a client on the slowest machine. */
  const LIMIT = 60_000;
  /** Milliseconds for a client that never sends the rest, so that the test does not wait long. */
  const SHORT_LIMIT = 200;
  const PAUSE = 100;
  const form = "queries=%7B%22q%22%3A%7B%22query%22%3A%22Sun%22%7D%7D";
  const post = `POST /reconcile HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n`;

  it.each<[string, "headTimeout" | "requestTimeout", readonly [string, string]]>([
    ["a request's head", "headTimeout", ["GET /object/1 HTTP/1.1\r\nHost: x\r\n", "Connection: close\r\n\r\n"]],
    ["a whole request", "requestTimeout", [post + form.slice(0, 10), form.slice(10)]],
  ])("%s", async (_, setting, [first, rest]) => {
    const [patient, impatient] = [
      await serviceForTest({ [setting]: LIMIT }),
      await serviceForTest({ [setting]: SHORT_LIMIT }),
    ];
    const slow = await raw(patient.port, first, (socket) => {
      setTimeout(() => socket.write(rest), PAUSE);
    });
    expect(slow.status).toBe(200);
    // The rest never comes.
    expect((await raw(impatient.port, first)).status).toBe(408);
  });

  it("a connection without a request, at first and between two requests", async () => {
    const request = "GET /object/1 HTTP/1.1\r\nHost: x\r\n\r\n";
    const patient = await serviceForTest({ idleTimeout: LIMIT });
    const socket = connect(patient.port, "127.0.0.1");
    await sleep(PAUSE);
    for (let turn = 0; turn < 2; turn++) {
      socket.write(request);
      expect(String((await once(socket, "data"))[0])).toMatch(/^HTTP\/1\.1 200 /);
      await sleep(PAUSE);
    }
    socket.destroy();
    const impatient = await serviceForTest({ idleTimeout: SHORT_LIMIT });
    const silent = connect(impatient.port, "127.0.0.1");
    await once(silent.resume(), "close");
  });
});

describe("the limit of a result's bytes", () => {
  let service: SparqlTestService<InProcessIndex> | undefined;
  afterEach(() => service?.stop());

  it("counts them before compression", async () => {
    const target = `/sparql?query=${encodeURIComponent(`SELECT ?x { VALUES ?x { "${"y".repeat(900)}" } }`)}`;
    // A head of one character and a text of 900, each with a line end of two.
    const whole = 1 + 2 + 900 + 2;
    for (const [bytes, status] of [
      [whole, 200],
      [whole - 1, 422],
    ] as const) {
      service = await startSmallSparqlService([labelled("one")], { bytes });
      const answer = await fetch(service.url + target.slice("/sparql".length), { headers: { accept: "text/csv" } });
      expect([bytes, answer.status]).toEqual([bytes, status]);
      await service.stop();
      service = undefined;
    }
  });
});

describe("the limit of a record:", () => {
  const folder = temporaryFolder();

  const document = {
    "@context": DEFAULT_MODEL.contextUri,
    id: `${BASE}/place/${"1".repeat(60)}`,
    type: "Place",
    _label: "é".repeat(500),
  };

  async function load(name: string, ...options: readonly string[]) {
    const store = join(folder, name);
    const outcome = await run(["load", "-", "--format", "jsonl", "--store", store, ...options], {
      stdin: JSON.stringify(document),
    });
    return { ...outcome, store };
  }

  async function bytesStored(): Promise<number> {
    const { store: directory } = await load("whole");
    const store = await openStore({ directory });
    const { bytes } = (await store.find(document.id))!;
    await store.close();
    return bytes;
  }

  it.each<[string, () => number | Promise<number>]>([
    ["max-record-bytes", bytesStored],
    ["max-record-triples", () => 2],
    ["max-iri-bytes", () => document.id.length],
  ])("%s", async (option, mostOf) => {
    const most = await mostOf();
    const within = await load(`${option}-within`, ...inFile({ [option]: most }));
    expect([within.status, within.stderr]).toEqual([0, expect.stringContaining("1 created")]);
    const beyond = await load(`${option}-beyond`, ...inFile({ [option]: most - 1 }));
    expect([beyond.status, beyond.stderr]).toEqual([1, expect.stringContaining("record.limit")]);
  });
});
