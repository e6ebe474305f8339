/** The endpoint over HTTP: ways to send a query, formats, refusals, limits, CORS. */

import { connect } from "node:net";
import { brotliCompressSync, deflateSync, gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { QueryEngine, QueryResult, RefusalReason } from "../../../src/query/engine.js";
import { endless, refusing, ScriptedEngine } from "../../query/scripted-engine.js";
import { startedForAll } from "../../started.js";
import { raw, rawGet } from "../service.js";
import { labelled, type SparqlServer, serveSparql, startSmallSparqlService } from "./service.js";

const service = startedForAll(() =>
  startSmallSparqlService(
    [..."abcdefgh"].map((name) => labelled(`object/${name}`)),
    { rows: 15 },
  ),
);

const NAMES = "SELECT ?o { ?s <http://www.w3.org/2000/01/rdf-schema#label> ?o } ORDER BY ?o LIMIT 2";
const get = (query: string, headers: Record<string, string> = {}, more = "") =>
  fetch(`${service.url}?query=${encodeURIComponent(query)}${more}`, { headers });
const post = (body: string, type: string | undefined, more = "") =>
  fetch(`${service.url}${more}`, {
    method: "POST",
    body: Buffer.from(body),
    headers: type === undefined ? {} : { "Content-Type": type },
  });

describe("a query", () => {
  it("can be sent by GET, in a form and directly, and its answer names the sequence number that it reflects", async () => {
    const answers = [
      await get(NAMES),
      await post(new URLSearchParams({ query: NAMES }).toString(), "application/x-www-form-urlencoded"),
      await post(NAMES, "application/sparql-query; charset=UTF-8"),
      await post(`\uFEFF${NAMES}`, "application/sparql-query; charset=utf8"),
      await post(new URLSearchParams({ query: `\uFEFF${NAMES}` }).toString(), "application/x-www-form-urlencoded"),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe("application/sparql-results+json");
      expect(answer.headers.get("vitrine-sequence")).toBe("8");
      const { results } = (await answer.json()) as { results: { bindings: { o: { value: string } }[] } };
      expect(results.bindings.map(({ o }) => o.value)).toEqual(["object/a", "object/b"]);
    }
  });

  it.each([
    [NAMES, undefined, "application/sparql-results+json"],
    [NAMES, "*/*", "application/sparql-results+json"],
    [NAMES, "application/json", "application/json"],
    [NAMES, "text/csv;q=0.5, application/sparql-results+xml;q=0.9", "application/sparql-results+xml"],
    [NAMES, "text/csv", "text/csv; charset=utf-8"],
    [NAMES, "text/tab-separated-values, */*;q=0.1", "text/tab-separated-values; charset=utf-8"],
    [NAMES, "text/turtle, application/sparql-results+json;q=0.2", "application/sparql-results+json"],
    ["ASK {}", "application/xml", "application/xml"],
    ["DESCRIBE <object/a>", undefined, "text/turtle; charset=utf-8"],
    ["DESCRIBE <object/a>", "application/rdf+xml", "application/rdf+xml"],
    ["CONSTRUCT WHERE { ?s ?p 'object/a' }", "application/ld+json, */*;q=0.8", "application/ld+json"],
    ["CONSTRUCT WHERE { ?s ?p 'object/a' }", "application/n-quads", "application/n-quads"],
    ["CONSTRUCT WHERE { ?s ?p 'object/a' }", "application/trig", "application/trig; charset=utf-8"],
    ["CONSTRUCT WHERE { ?s ?p 'object/a' }", "application/n-triples", "application/n-triples"],
  ])("%.12s with Accept: %s is answered as %s", async (query, accept, type) => {
    const { status, headers, body } = await rawGet(
      service.port,
      `/sparql?query=${encodeURIComponent(query)}`,
      accept === undefined ? "" : `Accept: ${accept}\r\n`,
    );
    expect([status, headers.get("content-type")]).toEqual([200, type]);
    expect(body.toString()).toMatch(/object\/a|true/);
  });

  it.each([
    ["SELECT * { ?s ?p }", 400, "query-malformed"],
    ["ASK {} ASK {}", 400, "query-malformed"],
    ["DELETE WHERE { ?s ?p ?o }", 403, "read-only"],
    ["SELECT * { ?s ?p ?o }", 422, "result-too-large"],
  ])("%s is refused with %i %s", async (query, status, name) => {
    const answer = await get(query);
    const told = (await answer.json()) as { type: string; position?: object };
    expect([answer.status, told.type]).toEqual([status, `http://data.museum.example/problems/${name}`]);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(told.position !== undefined).toBe(name === "query-malformed");
  });

  it.each([
    ["application/sparql-update", "DELETE WHERE { ?s ?p ?o }", 403],
    ["application/x-www-form-urlencoded", "update=CLEAR+ALL", 403],
    ["application/x-www-form-urlencoded", "que=ASK+{}", 400],
    ["application/x-www-form-urlencoded", "query=ASK+{}&query=ASK+{}", 400],
    ["text/plain", "ASK {}", 415],
    [undefined, "ASK {}", 415],
    ["application/sparql-query; charset=utf-16", "ASK {}", 415],
    ["application/sparql-query", `ASK {} #${"x".repeat(1_048_576)}`, 413],
  ])("posted as %s %.30s is refused with %#", async (type, body, status) => {
    expect((await post(body, type)).status).toBe(status);
  });

  it("names no graph by an empty parameter, as forms send it", async () => {
    const answer = await fetch(`${service.url}?${new URLSearchParams({ query: "ASK {}", "default-graph-uri": "" })}`);
    expect(answer.status).toBe(200);
  });

  it.each(["place/delft", "not an iri <>"])(
    "about the graph %j, which is no absolute IRI, is refused",
    async (graph) => {
      for (const name of ["default-graph-uri", "named-graph-uri"]) {
        const answer = await fetch(`${service.url}?${new URLSearchParams({ query: "ASK {}", [name]: graph })}`);
        const { detail } = (await answer.json()) as { detail: string };
        expect([answer.status, detail]).toEqual([400, expect.stringMatching(`^${name} must be an absolute IRI; `)]);
      }
    },
  );

  const result = (): QueryResult => ({
    body: (async function* () {
      yield Buffer.from("{}");
    })(),
    kind: "truth",
    sequence: 1,
    bytes: 2,
    release: () => {},
  });

  it("is answered with the number of records that the index lacks, if any", async () => {
    const engine = new ScriptedEngine(async () => result());
    const lacking = await serveSparql(service.there, engine);
    const ask = async () => (await fetch(`${lacking.url}?query=ASK%7B%7D`)).headers;
    expect((await ask()).get("vitrine-left-out")).toBeNull();
    engine.state = { state: "ready", done: 7, total: 9, leftOut: ["urn:a", "urn:b"] };
    const headers = await ask();
    expect(headers.get("vitrine-left-out")).toBe("2");
    await lacking.stop();
  });

  it("posted in a coding is read within the same limits, and an unknown coding is refused with the known ones", async () => {
    const send = (coding: string, body: Buffer) =>
      fetch(service.url, {
        method: "POST",
        headers: { "content-type": "application/sparql-query", "content-encoding": coding },
        body,
      });
    const query = Buffer.from("ASK {}");
    const coded = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync };
    for (const [coding, compress] of Object.entries(coded)) {
      const status = async (body: Buffer) => (await send(coding, body)).status;
      expect([coding, await status(compress(query))]).toEqual([coding, 200]);
      expect([coding, await status(compress(Buffer.alloc(2_000_000, " ")))]).toEqual([coding, 413]);
      expect([coding, await status(query)]).toEqual([coding, 400]);
      const cut = compress(Buffer.from("ASK { ?s ?p 'something that takes several bytes' }")).subarray(0, -4);
      expect([coding, await status(cut)]).toEqual([coding, 400]);
    }
    for (const coding of ["foo", "gzip, br"]) {
      const refused = await send(coding, query);
      expect([refused.status, refused.headers.get("accept-encoding")]).toEqual([415, "gzip, br, deflate"]);
    }
    const untyped = await post("ASK {}", "text/plain");
    expect(untyped.headers.get("accept")).toBe("application/sparql-query, application/x-www-form-urlencoded");
  });

  it("that is not UTF-8, or too long without Content-Length, is refused", async () => {
    const head = "POST /sparql HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/sparql-query\r\n";
    const wrong = Buffer.concat([Buffer.from(`${head}Content-Length: 2\r\n\r\n`), Buffer.from([0xff, 0xfe])]);
    expect((await raw(service.port, wrong)).status).toBe(400);
    const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
    expect((await raw(service.port, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(17)}`)).status).toBe(413);
  });

  it.each([
    [
      "SELECT ('a\\u000Bb' AS ?x) {}",
      "application/sparql-results+xml",
      'XML has no character U+000B, found in "a\\u000bb".',
    ],
    ["CONSTRUCT { <urn:s> <urn:p> '\\u0001' } {}", "application/rdf+xml", "XML has no character U+0001"],
    ["CONSTRUCT { <urn:s> <urn:p#> 'x' } {}", "application/rdf+xml", "the property <urn:p#>"],
  ])("%s is not answered as %s, which cannot express it", async (query, accept, reason) => {
    const answer = await get(query, { Accept: accept });
    expect([answer.status, ((await answer.json()) as { detail: string }).detail]).toEqual([
      406,
      expect.stringContaining(reason),
    ]);
    expect((await get(query)).status).toBe(200);
  });

  it("can have escaped characters anywhere, and a carriage return survives in XML", async () => {
    const answer = await get("SELECT \\u003Fs { \\u0042IND('a\\u000D\\u0027' AS ?s) }", {
      Accept: "application/sparql-results+xml",
    });
    expect(await answer.text()).toContain("<literal>a&#xD;&apos;</literal>");
  });

  it("is refused with the formats when the client accepts none, and with the methods for other methods", async () => {
    const answer = await get("ASK {}", { Accept: "image/png" });
    expect(answer.status).toBe(406);
    expect(await answer.json()).toMatchObject({ results: expect.arrayContaining(["text/csv"]) });
    const put = await fetch(`${service.url}?query=ASK%7B%7D`, { method: "PUT" });
    expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, HEAD, POST, OPTIONS"]);
  });

  it("is answered compressed on request", async () => {
    const long = "SELECT * { ?s ?p ?o } LIMIT 15";
    const head = "Accept-Encoding: gzip\r\n";
    const { headers, body } = await rawGet(service.port, `/sparql?query=${encodeURIComponent(long)}`, head);
    expect(headers.get("content-encoding")).toBe("gzip");
    expect(JSON.parse(gunzipSync(body).toString()).results.bindings).toHaveLength(15);
  });

  it("may come from any web page, as preflight and headers say", async () => {
    const preflight = await fetch(service.url, { method: "OPTIONS", headers: { Origin: "https://elsewhere.example" } });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-methods")).toContain("POST");
    expect(preflight.headers.get("access-control-allow-headers")).toContain("Authorization");
    expect((await get("ASK {}")).headers.get("access-control-expose-headers")).toBe("*");
    const entity = await fetch(service.url.replace("sparql", "object/a"), { method: "OPTIONS" });
    expect(entity.headers.get("access-control-allow-methods")).not.toContain("POST");
  });
});

describe("the endpoint", () => {
  it("is in /ready with the state of its index", async () => {
    const ready = await fetch(service.url.replace("sparql", "ready"));
    expect(await ready.json()).toEqual({ index: { state: "ready", done: 16, total: 16, sequence: 8 } });
  });

  const ask = (server: SparqlServer, headers: Record<string, string> = {}) =>
    fetch(`${server.url}?query=ASK%7B%7D`, { headers });

  /** Serve the same records with another engine while `work` runs. */
  async function serving<T>(
    engine: QueryEngine,
    options: Parameters<typeof serveSparql>[2],
    work: (server: SparqlServer) => Promise<T>,
  ): Promise<T> {
    const server = await serveSparql(service.there, engine, options);
    await using _ = { [Symbol.asyncDispose]: () => server.stop() };
    return await work(server);
  }

  it.each<[RefusalReason, number, string, string | null]>([
    ["malformed", 400, "query-malformed", null],
    ["update", 403, "read-only", null],
    ["not-acceptable", 406, "not-acceptable", null],
    ["too-many-rows", 422, "result-too-large", null],
    ["too-many-bytes", 422, "result-too-large", null],
    ["too-many-waiting", 429, "too-many-requests", "5"],
    ["timeout", 504, "query-timeout", null],
    ["too-large", 422, "query-too-large", null],
    ["no-graphs", 422, "no-named-graphs", null],
    ["damaged", 503, "unavailable", "5"],
    ["unreachable", 503, "unavailable", "5"],
    ["busy", 503, "index-busy", "5"],
    ["no-index", 501, "no-index", null],
  ])("answers a query refused as %s with %i %s", async (reason, status, name, retryAfter) => {
    const ended: string[] = [];
    const report = (message: string) => void ended.push(message);
    await serving(refusing(reason, "For this."), { report }, async (server) => {
      const answer = await ask(server);
      const told = (await answer.json()) as { type: string; detail: string };
      expect([answer.status, told.type]).toEqual([status, `http://data.museum.example/problems/${name}`]);
      expect(told.detail).toContain(reason === "not-acceptable" ? "" : "For this.");
      expect(answer.headers.get("retry-after")).toBe(retryAfter);
    });
    // Only queries that cost a process, or met damage, are reported.
    expect(ended).toEqual(/timeout|too-large|damaged/.test(reason) ? ["a query was stopped: For this."] : []);
  });

  it("says in /ready that its index does not fit, while entities are still answered", async () => {
    const engine = refusing("no-index", "It does not fit.");
    engine.state = { state: "too large", done: 0, total: 16, detail: "16 triples" };
    await serving(engine, {}, async (server) => {
      const ready = await fetch(server.url.replace("sparql", "ready"));
      expect(await ready.json()).toMatchObject({ index: { state: "too large" } });
      expect((await fetch(server.url.replace("sparql", "object/a"))).status).toBe(200);
    });
  });

  it("requires its token when one is set", async () => {
    await serving(service.index, { token: "secret" }, async (server) => {
      const refused = await ask(server);
      expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="sparql"']);
      expect((await ask(server, { Authorization: "Bearer wrong" })).status).toBe(401);
      expect((await ask(server, { Authorization: "Bearer secret" })).status).toBe(200);
      expect((await ask(server, { Authorization: "bearer  secret" })).status).toBe(200);
    });
  });

  // A closed browser tab, two queries at once, a body that nobody reads.
  const posted =
    "POST /sparql HTTP/1.1\r\nHost: x\r\nContent-Type: application/sparql-query\r\nContent-Length: 6\r\n\r\nASK {}";
  const unread = "GET /sparql?query=ASK%7B%7D HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n";
  it.each([
    ["after a query", posted, 1],
    ["after two queries at once", posted.repeat(2), 2],
    ["after a query with half a body", unread + "a".repeat(1_000_000), 1],
  ])("aborts the queries of a client that hangs up %s", async (_, bytes, queries) => {
    const engine = endless();
    await serving(engine, {}, async (server) => {
      const socket = connect(server.port, "127.0.0.1", () => socket.write(bytes));
      socket.on("error", () => {});
      await engine.whenAsked(queries);
      socket.destroy();
      const givenUp = engine.asked.map(
        ({ signal }) => signal!.aborted || new Promise((resolve) => signal!.addEventListener("abort", resolve)),
      );
      await Promise.all(givenUp);
      expect(server.reported).toEqual([]);
    });
  });
});
