/** Many clients at once, some rude, and queries that break what runs them: dereferencing and the other answers do not notice. */
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { timeUsed, until } from "../../cli/built.js";
import { labelled, type SparqlTestService, startSparqlService } from "./service.js";

let service: SparqlTestService;
afterEach(() => service.stop());

const records = (count: number) => Array.from({ length: count }, (_, at) => labelled(`object/${at}`));
const CARTESIAN = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }";

/** Ask as a client of its own: the service trusts what a proxy says. */
const ask = (query: string, client: string, headers: Record<string, string> = {}) =>
  fetch(service.url, {
    method: "POST",
    body: query,
    headers: { "Content-Type": "application/sparql-query", "X-Forwarded-For": client, ...headers },
  });

/** A query as it goes over the wire. */
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

/**
 * What resolves when an index process that idled has worked for a while: it has a query, since whatever else it finds to do
 * is done sooner.
 */
function running(number: number): () => Promise<void> {
  const before = timeUsed([number]);
  return () => until(() => timeUsed([number]) > before + 30);
}

/** Queries that are refused, each with the statuses that it may get. */
const RUDE: readonly (readonly [query: string, statuses: readonly number[]])[] = [
  ["SELECT * {", [400]],
  ["\u0000\uffff", [400]],
  [`SELECT * ${"{".repeat(50_000)}${"}".repeat(50_000)}`, [400]],
  [`SELECT (1${"+1".repeat(30_000)} AS ?n) {}`, [400, 422]],
  [`SELECT * { VALUES ?x { ${"1 ".repeat(20_000)} } }`, [422]],
  [`ASK { ?s ?p "${"x".repeat(1_500_000)}" }`, [413]],
  [`SELECT * { ${"?s ?p ?o OPTIONAL { ".repeat(2_000)}${"}".repeat(2_000)} }`, [400, 422]],
];

describe("a hundred queries of eight clients", () => {
  it("are all answered, whatever other clients do", async () => {
    service = await startSparqlService(
      records(200),
      { trustProxy: true },
      { processes: 2, queue: 200, queueOfClient: 200 },
    );
    const work: Promise<void>[] = [];
    for (let number = 0; number < 100; number++) {
      const client = `192.0.2.${number % 8}`;
      if (number % 9 === 4) work.push(hangUp("SELECT * { ?s ?p ?o } LIMIT 900", client));
      else {
        const self = `<http://data.museum.example/object/${number}>`;
        const query = `SELECT ?label { ${self} <http://www.w3.org/2000/01/rdf-schema#label> ?label }`;
        work.push(
          ask(query, client, { Accept: "text/csv" }).then(async (answer) => {
            expect([answer.status, await answer.text()]).toEqual([200, `label\r\nobject/${number}\r\n`]);
          }),
        );
      }
    }
    await Promise.all(work);
    expect(service.reported).toEqual([]);
  });

  it("that are malformed, huge or nested without end are refused, and the next is answered", async () => {
    service = await startSparqlService(records(20), { trustProxy: true });
    for (const [query, statuses] of RUDE) {
      const answer = await ask(query, "192.0.2.1");
      expect(statuses, `${query.slice(0, 40)}: ${await answer.text()}`).toContain(answer.status);
      await service.index.whenReady();
      expect((await ask("ASK { ?s ?p ?o }", "192.0.2.2")).status).toBe(200);
    }
    expect(service.reported).toEqual([]);
  });
});

/** Ask for a long answer, some 14 MB and so more than sockets hold, and read none of it. Resolves to what ends it. */
function askSilently(query: string, client: string): Promise<{ destroy(): void; readonly closed: Promise<void> }> {
  return new Promise((asked, failed) => {
    const socket = connect(service.port, "127.0.0.1", () => {
      socket.write(posted(query, client));
    });
    socket.on("error", () => {});
    const closed = new Promise<void>((gone) => socket.once("close", () => gone()));
    socket.once("readable", () => asked({ destroy: () => socket.destroy(), closed }));
    socket.once("close", () => failed(new Error("closed without an answer")));
  });
}

const LONG = "SELECT ?a ?c ?d ?f { ?a ?b ?c . ?d ?e ?f }";

describe("clients that do not read", () => {
  it("keep none of their answer in memory, hold up nobody else, and are cut", async () => {
    const limits = { rows: 1_000_000, trustProxy: true };
    service = await startSparqlService(records(120), limits, { followInterval: 60_000 }, { idleTimeout: 8_000 });
    const before = process.memoryUsage();
    const silent = await askSilently(LONG, "192.0.2.1");
    // Its answer is not out, so its client waits, and nobody else.
    const states: string[] = [];
    const same = ask("ASK {}", "192.0.2.1").then(({ status }) => states.push(`same ${status}`));
    const other = await ask("ASK {}", "192.0.2.2");
    states.push(`other ${other.status}`);
    const { external } = process.memoryUsage();
    expect(external - before.external).toBeLessThan(7 * 2 ** 20);
    await same;
    expect(states).toEqual(["other 200", "same 200"]);
    // What is left in the buffers of its own side keeps it from noticing.
    silent.destroy();
    await silent.closed;
    expect(service.reported).toEqual([]);
  });

  it("get more than a result may have refused", async () => {
    service = await startSparqlService(records(50), { rows: 1_000_000, bytes: 2 ** 20, trustProxy: true });
    const answer = await ask(LONG, "192.0.2.1");
    expect([answer.status, ((await answer.json()) as { detail: string }).detail]).toEqual([
      422,
      expect.stringContaining("more than 1,048,576 bytes"),
    ]);
  });
});

describe("a client with many queries", () => {
  it("is asked to wait, and makes nobody else wait", async () => {
    service = await startSparqlService(records(200), { trustProxy: true });
    const statuses = await Promise.all(
      Array.from({ length: 66 }, async () => {
        const { status, headers } = await ask("SELECT * { ?s ?p ?o }", "192.0.2.1");
        return status === 429 ? `429, ${headers.get("retry-after")} s` : String(status);
      }),
    );
    expect(new Set(statuses)).toEqual(new Set(["200", "429, 5 s"]));
    expect((await ask("ASK {}", "192.0.2.2")).status).toBe(200);
  });

  // What hangs up after it: a browser's tab, two queries in one go, a body that nobody reads.
  it.skipIf(process.platform !== "linux").each([
    ["after a query", () => posted(CARTESIAN, "192.0.2.1")],
    ["after two queries at once", () => posted(CARTESIAN, "192.0.2.1").repeat(2)],
    [
      "after a query with half a body",
      () =>
        `GET /sparql?query=${encodeURIComponent(CARTESIAN)} HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n${"a".repeat(1_000_000)}`,
    ],
  ])("ends what it asked when it hangs up %s", async (_, bytes) => {
    const limits = { timeout: 600_000, trustProxy: true };
    service = await startSparqlService(records(200), limits, { followInterval: 60_000 });
    const [number] = service.index.workerNumbers();
    const isRunning = running(number!);
    const socket = connect(service.port, "127.0.0.1", () => socket.write(bytes()));
    socket.on("error", () => {});
    await isRunning();
    const other = ask("ASK {}", "192.0.2.2");
    socket.destroy();
    expect((await other).status).toBe(200);
    expect(service.index.workerNumbers()).not.toContain(number);
    // Nothing that was asked so is run later.
    const [next] = service.index.workerNumbers();
    expect((await ask("ASK {}", "192.0.2.1")).status).toBe(200);
    expect(service.index.workerNumbers()).toEqual([next]);
  });
});

describe("a query that runs to its deadline", () => {
  it("lets entities be answered all the while, and a spare process answer other queries", async () => {
    service = await startSparqlService(records(500), { timeout: 6_000, trustProxy: true }, { processes: 2 });
    while (service.index.workerNumbers().length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    const events: string[] = [];
    const endless = ask(CARTESIAN, "192.0.2.1").then((answer) => events.push(`deadline ${answer.status}`));
    for (let number = 0; number < 100; number++) {
      const answer = await fetch(service.url.replace("sparql", `object/${number}`));
      expect(answer.status).toBe(200);
      await answer.arrayBuffer();
    }
    events.push("entities");
    expect((await ask("ASK { ?s ?p ?o }", "192.0.2.2")).status).toBe(200);
    events.push("another query");
    await endless;
    expect(events).toEqual(["entities", "another query", "deadline 504"]);
    expect((await ask("ASK { ?s ?p ?o }", "192.0.2.1")).status).toBe(200);
  });

  it.skipIf(process.platform !== "linux")("is not run when its client has gone before its turn", async () => {
    service = await startSparqlService(records(200), { timeout: 5_000, trustProxy: true }, { followInterval: 60_000 });
    const isRunning = running(service.index.workerNumbers()[0]!);
    const first = ask(CARTESIAN, "192.0.2.1");
    // So the others have to wait.
    await isRunning();
    await hangUp(CARTESIAN, "192.0.2.2");
    await hangUp(CARTESIAN, "192.0.2.3");
    expect((await first).status).toBe(504);
    await service.index.whenReady();
    // Had the others been run, they would have ended the process that answers now.
    const [number] = service.index.workerNumbers();
    expect((await ask("ASK { ?s ?p ?o }", "192.0.2.4")).status).toBe(200);
    expect(service.index.workerNumbers()).toEqual([number]);
  });
});
