/** A SPARQL endpoint elsewhere, and how its answers about itself and about queries are understood. */
import type { RequestListener } from "node:http";
import { buffer } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import type { QueryEngine } from "../../../src/query/engine.js";
import { openEngine } from "../../../src/query/open.js";
import { XSD } from "../../../src/rdf/terms.js";
import { listeningForTest } from "../../listening.js";
import { turnsDuring } from "../../turns.js";
import { request } from "../records.js";

const ALL = "SELECT * { ?s ?p ?o }";
const NO_LIMIT = Number.POSITIVE_INFINITY;

describe("an endpoint elsewhere", () => {
  /** An engine that answers by this function, until the test ends. */
  async function answering(answer: RequestListener): Promise<QueryEngine> {
    const url = `${await listeningForTest(answer)}/`;
    const engine = openEngine({ kind: "endpoint", url, credentials: { token: "secret" } });
    onTestFinished(() => engine.close());
    return engine;
  }
  const asking = { client: "a", timeout: 10_000 };

  it.each([
    [400, "malformed"],
    [401, "unreachable"],
    [404, "unreachable"],
    [429, "busy"],
    [503, "busy"],
    [504, "timeout"],
  ])("that answers %i is understood: %s", async (status, reason) => {
    const message = "Virtuoso 37000 Error";
    const repeated = "\n\nSPARQL query:\ndefine input:default-graph-uri <urn:vitrine:records> ASK {}";
    const engine = await answering((_, response) => response.writeHead(status).end(message + repeated));
    await expect(engine.query(request("ASK {}"), asking)).rejects.toMatchObject({ reason, message });
  });

  it("is asked for JSON where a client wants TSV, since not every engine writes the terms of RDF there", async () => {
    const term = { type: "literal", value: 'a\t"b"\n', lang: "en" };
    const bindings: Record<string, object>[] = [{ y: term }, { constructor: { type: "uri", value: "urn:x" } }];
    const result = { head: { vars: ["constructor", "y"] }, results: { bindings } };
    const engine = await answering(({ headers }, response) =>
      response.writeHead(200, { "content-type": headers.accept! }).end(JSON.stringify(result)),
    );
    const formats = { results: "tsv", graph: undefined } as const;
    for (const rows of [2, NO_LIMIT]) {
      const { body } = await engine.query(request(ALL, { formats, rows }), asking);
      expect(String(await buffer(body))).toBe('?constructor\t?y\n\t"a\\t\\"b\\"\\n"@en\n<urn:x>\t\n');
    }
    const refused = engine.query(request(ALL, { formats, rows: 1 }), asking);
    await expect(refused).rejects.toMatchObject({ reason: "too-many-rows" });
  });

  it("is asked for JSON where a client wants XML, since Virtuoso writes there what no reader of XML accepts", async () => {
    const written = async (value: string, datatype: string) => {
      const bindings = [{ y: { type: "literal", value, datatype }, x: { type: "bnode", value: "b" } }, {}];
      const result = { head: { vars: ["x", "y"] }, results: { bindings } };
      const engine = await answering(({ headers }, response) =>
        response.writeHead(200, { "content-type": headers.accept! }).end(JSON.stringify(result)),
      );
      const formats = { results: "xml", graph: undefined } as const;
      return String(await buffer((await engine.query(request(ALL, { formats }), asking)).body));
    };
    expect(await written("<b>&\r", "urn:t")).toMatch(
      '<head><variable name="x"/><variable name="y"/></head><results><result><binding name="x"><bnode>b</bnode></binding>' +
        '<binding name="y"><literal datatype="urn:t">&lt;b&gt;&amp;&#xD;</literal></binding></result><result></result></results>',
    );
    await expect(written("a\vb", XSD.string)).rejects.toMatchObject({
      reason: "not-acceptable",
      message: expect.stringContaining("U+000B"),
    });
  });

  it("is given one base with a query, since Virtuoso takes no second", async () => {
    const sent: (string | null)[] = [];
    const engine = await answering(async (incoming, response) => {
      sent.push(new URLSearchParams((await buffer(incoming)).toString()).get("query"));
      response.writeHead(200, { "content-type": incoming.headers.accept! }).end('{"head":{},"boolean":true}');
    });
    const queries = ["ASK { <a> ?p ?o }", "# mine\nbase <urn:x> ASK {}", "BASE <x/> ASK {}"];
    for (const query of queries) await engine.query(request(query, { base: "urn:base:" }), asking);
    expect(sent).toEqual([
      "BASE <urn:base:> ASK { <a> ?p ?o }",
      "# mine\nbase <urn:x> ASK {}",
      "BASE <urn:base:> BASE <x/> ASK {}",
    ]);
  });

  it.each([
    ["S1T00 Error SR171: Transaction timed out", "timeout"],
    ["22012 Error SR084: Division by 0.", "malformed"],
    ["S0022 Error SQ200: No column t.", "malformed"],
    ["40001 Error SR172: Transaction deadlocked", "unreachable"],
  ])("that reports in Virtuoso's words %s is understood", async (words, reason) => {
    const engine = await answering((_, response) => response.writeHead(500).end(`Virtuoso ${words}`));
    await expect(engine.query(request("ASK {}"), asking)).rejects.toMatchObject({ reason });
  });

  it.each(['{"results": {"bindings": [{"x": {"value": "abc', '{"results": {"bindings": [{}'])(
    "whose answer breaks off as %s is refused",
    async (text) => {
      const engine = await answering(({ headers }, response) =>
        response.writeHead(200, { "content-type": headers.accept! }).end(text),
      );
      await expect(engine.query(request(ALL), asking)).rejects.toMatchObject({ reason: "unreachable" });
    },
  );

  it.each([
    ["INSERT DATA { <urn:a> <urn:b> <urn:c> }", "update"],
    ["ASK { SERVICE SILENT <http://localhost/> { ?s ?p ?o } }", "malformed"],
    ["ASK { FILTER(<bif:exec>('select 1')) }", "malformed"],
    ["ASK { FILTER(<http://www.w3.org/2001/XMLSchema#nosuch>('1')) }", "malformed"],
    ["ASK { FILTER(CONTAINS('x', 'y') }", "malformed"],
  ])("is not sent %s", async (query, reason) => {
    let requests = 0;
    const engine = await answering((_, response) => {
      requests++;
      response.writeHead(500).end();
    });
    await expect(engine.query(request(query), asking)).rejects.toMatchObject({ reason });
    expect(requests).toBe(0);
  });

  it("is not sent a query that takes long to read, which meanwhile keeps nobody waiting", async () => {
    let requests = 0;
    const engine = await answering(({ headers }, response) => {
      requests++;
      response.writeHead(200, { "content-type": headers.accept! }).end('{"head":{},"boolean":true}');
    });
    // Each name has an IRI for each declaration of its prefix.
    const query = `${"PREFIX a:<b> ".repeat(20_000)} ASK { ${"a: a: a: . ".repeat(20_000)} }`;
    let refused: unknown;
    const turns = await turnsDuring(async () => {
      refused = await engine.query(request(query), { client: "a", timeout: 500 }).catch((error) => error);
    });
    expect(refused).toMatchObject({ reason: "timeout", message: "The query took longer than 0.5 seconds." });
    expect(requests).toBe(0);
    expect(turns).toBeGreaterThan(10);
    const gone = new AbortController();
    const left = engine.query(request(query), { ...asking, signal: gone.signal });
    gone.abort();
    await expect(left).rejects.toMatchObject({ reason: "busy" });
    expect(await engine.query(request("ASK {}"), asking)).toMatchObject({ kind: "truth" });
  });

  it("that does not answer is reported as unreachable", async () => {
    const engine = await answering((incoming, response) => {
      const isKnown = incoming.headers.authorization === "Bearer secret";
      response.writeHead(isKnown ? 200 : 401, { "content-type": "application/sparql-results+json; charset=utf-8" });
      response.end('{"head":{},"boolean":true}');
    });
    expect(await engine.query(request("ASK {}"), asking)).toMatchObject({ kind: "truth", sequence: undefined });
    await engine.close();
    await expect(engine.query(request("ASK {}"), asking)).rejects.toMatchObject({ reason: "busy" });
    const gone = openEngine({ kind: "endpoint", url: "http://127.0.0.1:9/" });
    await expect(gone.query(request("ASK {}"), asking)).rejects.toMatchObject({ reason: "unreachable" });
    expect(gone.state).toMatchObject({ state: "unreachable", detail: expect.any(String) });
  });

  it("answers others after queries that took too long, here or behind a proxy", async () => {
    const engine = await answering(async (incoming, response) => {
      const query = new URLSearchParams((await buffer(incoming)).toString()).get("query")!;
      if (query.includes("urn:proxy")) response.writeHead(504).end();
      if (!query.includes("urn:fast")) return;
      response.writeHead(200, { "content-type": incoming.headers.accept! }).end('{"head":{},"boolean":true}');
    });
    for (const slow of ["urn:slow", "urn:proxy"]) {
      for (let count = 0; count < 4; count++) {
        const late = engine.query(request(`ASK { <${slow}> ?p ?o }`), { ...asking, timeout: 100 });
        await expect(late).rejects.toMatchObject({ reason: "timeout" });
      }
    }
    expect(await engine.query(request("ASK { <urn:fast> ?p ?o }"), asking)).toMatchObject({ kind: "truth" });
  });

  it("has its answer passed on as it comes, is stopped when nobody waits, and gives an error when it breaks off", async () => {
    const more: (() => void)[] = [];
    const closed: string[] = [];
    const engine = await answering((incoming, response) => {
      response.on("close", () => closed.push("closed"));
      response.writeHead(200, { "content-type": "text/csv" });
      response.write("a\r\n");
      incoming.resume();
      more.push(() => response.destroy());
    });
    const formats = { results: "csv", graph: undefined } as const;
    const flowing = request(ALL, { rows: NO_LIMIT, bytes: NO_LIMIT, formats });
    const given = new AbortController();
    const { body } = await engine.query(flowing, { ...asking, signal: given.signal });
    const read = (async () => {
      for await (const piece of body) {
        expect(Buffer.from(piece).toString()).toBe("a\r\n");
        given.abort();
      }
    })();
    await expect(read).rejects.toMatchObject({ reason: "busy", message: "The query was given up." });
    const late = engine.query(request(ALL, { formats }), { ...asking, timeout: 200 });
    await expect(late).rejects.toMatchObject({ reason: "timeout" });
    const cut = await engine.query(flowing, asking);
    more.at(-1)!();
    await expect(buffer(cut.body)).rejects.toThrow();
    expect(closed.length).toBeGreaterThan(1);
  });
});
