/** Many clients at once, some rude, and queries that break their process: dereferencing and other answers are not affected. */
import { connect } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MAX_TIMER } from "../../../src/base/timer.js";
import type { EndpointOptions } from "../../../src/http/sparql/endpoint.js";
import { untilReady } from "../../../src/query/waiting.js";
import { until } from "../../cli/built.js";
import { ScriptedEngine } from "../../query/scripted-engine.js";
import { startedForAll } from "../../started.js";
import { labelled, type SparqlServer, serveSparql, startSparqlService } from "./service.js";

/** Two processes for all tests, which do not follow the change log meanwhile: that would delay queries. */
const INDEX = { processes: 2, waiting: { queue: 200, queueOfClient: 16 }, followInterval: MAX_TIMER };

/** Servers of the same records, each with limits of its own. */
const others: SparqlServer[] = [];
/** The service of all tests. It trusts proxies, so that each test has clients of its own. */
const service = startedForAll(() => {
  const records = Array.from({ length: 200 }, (_, at) => labelled(`object/${at}`));
  return startSparqlService(records, { trustProxy: true, rows: 1_000_000 }, INDEX);
});
beforeEach(() => until(() => service.index.workerNumbers().length === 2));
afterEach(async () => {
  for (const other of others.splice(0)) {
    await other.stop();
    expect(other.reported).toEqual([]);
  }
  expect(service.reported.splice(0)).toEqual([]);
});

async function another(options: Partial<EndpointOptions>, idleTimeout = 60_000): Promise<SparqlServer> {
  const other = await serveSparql(service.there, service.index, { trustProxy: true, ...options }, { idleTimeout });
  others.push(other);
  return other;
}

const CARTESIAN = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }";

const ask = (query: string, client: string, { url }: SparqlServer = service, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: "POST",
    body: query,
    headers: { "Content-Type": "application/sparql-query", "X-Forwarded-For": client, ...headers },
  });

/** A query as an HTTP request. */
function posted(query: string, client: string): string {
  const head = `POST /sparql HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${client}\r\nContent-Type: application/sparql-query\r\n`;
  return `${head}Content-Length: ${query.length}\r\n\r\n${query}`;
}

/** Send a query and hang up. */
function hangUp(query: string, client: string): Promise<void> {
  return new Promise((gone) => {
    const socket = connect(service.port, "127.0.0.1", () => {
      socket.write(posted(query, client), () => socket.destroy());
    });
    socket.on("error", () => {});
    socket.on("close", () => gone());
  });
}

/** Ask, and ask again if clients that hung up have cost the processes that ran their queries, as on a slow machine. */
async function answered(query: string, client: string): Promise<Response> {
  for (;;) {
    const answer = await ask(query, client, service, { Accept: "text/csv" });
    if (answer.status !== 503) return answer;
    await answer.arrayBuffer();
    await untilReady(service.index);
  }
}

/** Queries that are refused, each with its possible statuses. */
const RUDE: readonly (readonly [query: string, statuses: readonly number[]])[] = [
  ["SELECT * {", [400]],
  ["\u0000\uffff", [400]],
  [`SELECT * ${"{".repeat(50_000)}${"}".repeat(50_000)}`, [400]],
  [`SELECT (1${"+1".repeat(30_000)} AS ?n) {}`, [400, 422]],
  [`SELECT * { VALUES ?x { ${"1 ".repeat(20_000)} } }`, [422]],
  [`ASK { ?s ?p "${"x".repeat(1_500_000)}" }`, [413]],
  [`SELECT * { ${"?s ?p ?o OPTIONAL { ".repeat(2_000)}${"}".repeat(2_000)} }`, [400, 422]],
];

describe("queries of several clients", () => {
  it("are all answered, whatever other clients do", async () => {
    const work: Promise<void>[] = [];
    for (let number = 0; number < 100; number++) {
      const client = `192.0.2.${number % 8}`;
      if (number % 9 === 4) work.push(hangUp("SELECT * { ?s ?p ?o } LIMIT 900", client));
      else {
        const self = `<http://data.museum.example/object/${number}>`;
        const query = `SELECT ?label { ${self} <http://www.w3.org/2000/01/rdf-schema#label> ?label }`;
        work.push(
          answered(query, client).then(async (answer) => {
            expect([answer.status, await answer.text()]).toEqual([200, `label\r\nobject/${number}\r\n`]);
          }),
        );
      }
    }
    await Promise.all(work);
  });

  it("that are malformed, huge or nested too deeply are refused, and the next is answered", async () => {
    const few = await another({ rows: 1_000 });
    for (const [query, statuses] of RUDE) {
      const answer = await ask(query, "192.0.2.1", few);
      expect(statuses, `${query.slice(0, 40)}: ${await answer.text()}`).toContain(answer.status);
      expect((await answered("ASK { ?s ?p ?o }", "192.0.2.2")).status).toBe(200);
    }
  });
});

/** Ask for a long answer (14 MB, more than sockets buffer), and read none of it. Resolves to the connection, to be closed. */
function askSilently(
  query: string,
  client: string,
  { port }: SparqlServer,
): Promise<{ destroy(): void; readonly closed: Promise<void> }> {
  return new Promise((asked, failed) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(posted(query, client));
    });
    socket.on("error", () => {});
    const closed = new Promise<void>((gone) => socket.once("close", () => gone()));
    socket.once("readable", () => asked({ destroy: () => socket.destroy(), closed }));
    socket.once("close", () => failed(new Error("closed without an answer")));
  });
}

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** The bytes outside V8's heap that are still in use, whatever ran in this process before. */
function externalBytes(): number {
  collectGarbage();
  return process.memoryUsage().external;
}

const LONG = "SELECT ?a ?c ?d ?f { ?a ?b ?c . ?d ?e ?f } LIMIT 60000";

describe("clients that do not read", () => {
  it("cost no memory for their answer, and hold up no other client", async () => {
    const before = externalBytes();
    const silent = await askSilently(LONG, "192.0.2.1", service);
    // Its answer is not sent yet, so other queries of this client wait, and those of others do not.
    const states: string[] = [];
    const same = ask("ASK {}", "192.0.2.1").then(({ status }) => states.push(`same ${status}`));
    const other = await ask("ASK {}", "192.0.2.2");
    states.push(`other ${other.status}`);
    expect(externalBytes() - before).toBeLessThan(7 * 2 ** 20);
    silent.destroy();
    await same;
    expect(states).toEqual(["other 200", "same 200"]);
  });

  it("are disconnected, and their next query is answered", async () => {
    const impatient = await another({ rows: 1_000_000 }, 500);
    const silent = await askSilently(LONG, "192.0.2.1", impatient);
    expect((await ask("ASK {}", "192.0.2.1")).status).toBe(200);
    // Data in the buffers of the client's side keeps it from noticing.
    silent.destroy();
    await silent.closed;
  });

  it("are refused a result that is too large", async () => {
    const answer = await ask(LONG, "192.0.2.1", await another({ rows: 60_000, bytes: 2 ** 20 }));
    expect([answer.status, ((await answer.json()) as { detail: string }).detail]).toEqual([
      422,
      expect.stringContaining("more than 1,048,576 bytes"),
    ]);
  });
});

describe("a client with many queries", () => {
  it("is asked to wait, and makes no other client wait", async () => {
    // As long as it does not read an answer, its other queries wait.
    const silent = await askSilently(LONG, "192.0.2.1", service);
    const statuses: string[] = [];
    const { queueOfClient } = INDEX.waiting;
    const asked = Array.from({ length: queueOfClient + 50 }, async () => {
      const { status, headers } = await ask("SELECT * { ?s ?p ?o }", "192.0.2.1");
      statuses.push(status === 429 ? `429, ${headers.get("retry-after")} s` : String(status));
    });
    await expect.poll(() => statuses).toHaveLength(50);
    expect((await ask("ASK {}", "192.0.2.2")).status).toBe(200);
    silent.destroy();
    await Promise.all(asked);
    expect(statuses).toEqual([...Array(50).fill("429, 5 s"), ...Array(queueOfClient).fill("200")]);
  });
});

describe("an endless query", () => {
  it("does not stop answers for entities and other queries, and ends with its client", async () => {
    const before = service.index.workerNumbers();
    // A query that reaches the engine runs at once, since a process is idle.
    const engine = new ScriptedEngine(({ request, ...asking }) => service.index.query(request, asking));
    const other = await serveSparql(service.there, engine, { trustProxy: true });
    others.push(other);
    const socket = connect(other.port, "127.0.0.1", () => socket.write(posted(CARTESIAN, "192.0.2.1").repeat(2)));
    socket.on("error", () => {});
    await engine.whenAsked(1);
    for (let number = 0; number < 100; number++) {
      const answer = await fetch(service.url.replace("sparql", `object/${number}`));
      expect(answer.status).toBe(200);
      await answer.arrayBuffer();
    }
    expect((await ask("ASK { ?s ?p ?o }", "192.0.2.2")).status).toBe(200);
    expect(service.index.workerNumbers()).toEqual(before);
    socket.destroy();
    const ended = () => before.filter((number) => !service.index.workerNumbers().includes(number));
    await until(() => ended().length > 0 && service.index.workerNumbers().length === 2);
    // The second query sent with it is not run later: that would end the other process, too.
    expect((await ask("ASK {}", "192.0.2.1")).status).toBe(200);
    expect(ended()).toHaveLength(1);
  });

  it("ends at its deadline, and the next is answered", async () => {
    const before = service.index.workerNumbers();
    const answer = await ask(CARTESIAN, "192.0.2.1", await another({ timeout: 300 }));
    expect(answer.status).toBe(504);
    expect((await ask("ASK { ?s ?p ?o }", "192.0.2.1")).status).toBe(200);
    expect(before.filter((number) => service.index.workerNumbers().includes(number))).toHaveLength(1);
  });
});
