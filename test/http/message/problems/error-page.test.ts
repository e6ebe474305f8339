/** Error pages over a real socket: who gets them, and that nothing in the path does harm. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Addresses } from "../../../../src/http/entity/addresses.js";
import { notFound } from "../../../../src/http/entity/entity-problems.js";
import { forReader } from "../../../../src/http/message/problems/error-page.js";
import { problem } from "../../../../src/http/message/problems/problems.js";
import { DEFAULT_SITE, Site } from "../../../../src/http/pages/site.js";
import { CONTEXT_URI } from "../../../jsonld/documents.js";
import { forAllAsync, runsOf } from "../../../properties.js";
import { BASE, rawGet, serviceForAll } from "../../service.js";

const BROWSER = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8\r\n";

const service = serviceForAll();

/** The elements of an error page; the empty name stands for the document type. */
const KNOWN = new Set([
  ..."link script header nav main article footer form label input button br".split(" "),
  "",
  "html",
  "head",
  "meta",
  "title",
  "body",
  "h1",
  "p",
  "small",
  "code",
  "a",
  "dl",
  "dt",
  "dd",
  "ul",
  "li",
]);

describe("an error", () => {
  it.each([
    ["no Accept header", ""],
    ["curl", "Accept: */*\r\n"],
    ["a harvester", "Accept: application/ld+json, */*;q=0.1\r\n"],
    ["a client that wants Turtle", "Accept: text/turtle\r\n"],
    ["a client that prefers data", "Accept: text/html;q=0.9, application/problem+json\r\n"],
  ])("is problem details for %s", async (_client, accept) => {
    const { status, headers, body } = await rawGet(service.port, "/nothing", accept);
    expect([status, headers.get("content-type")]).toEqual([404, "application/problem+json"]);
    expect(JSON.parse(body.toString())).toMatchObject({ status: 404, type: `${BASE}/problems/not-found` });
  });

  it.each([
    ["/nothing", 404, "No record describes"],
    ["/person/9", 404, `<a href="/collection/object/1">${BASE}/object/1</a>`],
    ["/object/gone", 410, "was deleted at"],
    ["/object/1.manifest.json", 404, `<dd><a href="/collection/object/1">${BASE}/object/1</a></dd>`],
    ["/%zz", 400, "two hexadecimal digits"],
    ["/entity", 400, "needs the IRI"],
    [`/${"a".repeat(9_000)}`, 414, "bytes: POST SPARQL queries."],
  ])("is a page for a browser: %.12s", async (path, expected, text) => {
    const { status, headers, body } = await rawGet(service.port, path, BROWSER);
    expect([status, headers.get("content-type")]).toEqual([expected, "text/html; charset=utf-8"]);
    expect(body.toString()).toContain(text);
    expect(Number(headers.get("content-length"))).toBe(body.length);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("vary")).toContain("Accept");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  });

  it("says once when a record was deleted", async () => {
    const html = (await rawGet(service.port, "/object/gone", BROWSER)).body.toString();
    expect(html.match(/\d{4}-\d\d-\d\dT/g)).toHaveLength(1);
  });

  it("says first, in a visitor's words, what has happened", async () => {
    const { body } = await rawGet(service.port, "/nothing", BROWSER);
    expect(body.toString()).toContain("<h1>Not found</h1>\n<p>There is nothing at this address.");
  });

  it("says of what other records mention that it has no record, and links to them here, wherever their IRIs are", async () => {
    const mentioned = String((await rawGet(service.port, "/person/9", BROWSER)).body);
    expect(mentioned).toContain("<h1>Not found</h1>\n<p>There is no record of this here, but others mention it.");
    expect(mentioned).not.toContain("P14_carried_out_by");
    const addresses = new Addresses({ baseUrl: BASE });
    const [iri, record] = ["https://elsewhere.example/person/1", "https://elsewhere.example/object/1"];
    const referrers = ["P14_carried_out_by", "P52_has_current_owner"].map((property) => ({ record, property }));
    const resolution = { kind: "unknown", referrers, fragments: [] } as const;
    const exchange = { request: { headers: { accept: "text/html" } }, target: "/entity" };
    const publication = { site: new Site(addresses, DEFAULT_SITE, []), representations: [] };
    const page = String(forReader(notFound(addresses, iri, resolution, "/entity"), exchange, publication).body);
    expect(page).toContain(
      `<ul><li><a href="/collection/entity?uri=${encodeURIComponent(record)}">${record}</a></li></ul>`,
    );
  });

  it.each([
    ["/object/pearl-earring?lang=zz", "pearl earring"],
    ["/object/pearl-earring.html?format=html&utm_source=x", "pearl earring"],
    ["/entity?uri=http%3A%2F%2Fx%2Fpearl%2520earring&lang=zz", "pearl earring"],
    ["/entity?uri=http://x/object?id=12", "12"],
    ["/object/pearl-earring.manifest.json", "pearl earring"],
  ])("offers a search for what was sought: %s", async (path, words) => {
    const { body } = await rawGet(service.port, path, BROWSER);
    expect(/Search for “(.*?)”/.exec(body.toString())?.[1]).toBe(words);
  });

  it("shows the line and the column of a fault in a query", () => {
    const members = { position: { line: 3, column: 20 } };
    const answer = problem(BASE, "query-malformed", "A bracket is missing.", { members });
    const publication = { site: new Site(new Addresses({ baseUrl: BASE }), DEFAULT_SITE, []), representations: [] };
    const exchange = { request: { headers: { accept: "text/html" } }, target: "/sparql" };
    expect(String(forReader(answer, exchange, publication).body)).toContain("<dt>position</dt>\n<dd>3 20</dd>");
  });

  it("shows no document among its members, and passages of code as such", () => {
    const site = new Site(new Addresses({ baseUrl: BASE }), DEFAULT_SITE, []);
    const members = {
      lastVersion: { url: `${BASE}/versions/1`, document: { "@context": CONTEXT_URI, _label: "Last" } },
    };
    const answer = problem(BASE, "gone", "It is in `lastVersion`.", { members });
    const publication = { site, representations: [] };
    const exchange = { request: { headers: { accept: "text/html" } }, target: "/object/gone" };
    const page = String(forReader(answer, exchange, publication).body);
    expect(page).toContain(`<dd><a href="/collection/versions/1">${BASE}/versions/1</a>`);
    expect(page).toContain("It is in <code>lastVersion</code>.");
    expect(page).not.toMatch(/Last<|linked\.art/);
  });

  it("links to the home page and to the documentation of its type", async () => {
    const { body } = await rawGet(service.port, "/nothing", BROWSER);
    expect(body.toString()).toContain('<a href="/collection/">Home</a>');
    expect(body.toString()).toContain(`<a href="/collection/search/all?text=nothing">Search for “nothing”</a>`);
    for (const path of ["/problems/not-found", "/problems"]) {
      expect(body.toString()).toContain(`<a href="/collection/problems/not-found">What this means</a>`);
      const read = await rawGet(service.port, path, BROWSER);
      expect(read.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(read.body.toString()).toContain(
        "No record describes the IRI. If records refer to it, <code>referrers</code>",
      );
      const data = await rawGet(service.port, path, "Accept: */*\r\n");
      expect(data.headers.get("content-type")).toBe("application/json");
    }
  });

  it("keeps the headers of the problem, and has no body for HEAD", async () => {
    const { port } = service;
    const post = await fetch(`http://127.0.0.1:${port}/object/1`, { method: "POST", headers: { accept: "text/html" } });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    expect(await post.text()).toContain("<h1>Method not allowed</h1>");
    const head = await fetch(`http://127.0.0.1:${port}/no`, { method: "HEAD", headers: { accept: "text/html" } });
    expect([head.status, await head.text()]).toEqual([404, ""]);
  });

  it("allows only the service's own styles and scripts", async () => {
    const { headers, body } = await rawGet(service.port, "/nothing", BROWSER);
    expect(body.toString()).not.toMatch(/<style|style=|<script>/);
    const policy = headers.get("content-security-policy")!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("style-src 'self'; script-src 'self'");
    expect(policy).not.toContain("unsafe");
  });

  it("never turns a path into markup", async () => {
    const markup = fc
      .array(fc.constantFrom("<", ">", '"', "'", "&", "script", "alert(1)", "/", "=", " ", "javascript:"), {
        minLength: 1,
        maxLength: 12,
      })
      .map((parts) => parts.join(""));
    await forAllAsync([markup], runsOf(1_000), async (text) => {
      const path = `/entity?uri=${encodeURIComponent(`http://x/${text}`)}`;
      const { body } = await rawGet(service.port, path, BROWSER);
      const content = body.toString();
      const elements = [...content.matchAll(/<\/?([a-z0-9]*)/gi)].map(([, name]) => name!.toLowerCase());
      expect(elements.filter((name) => !KNOWN.has(name))).toEqual([]);
      expect(elements.filter((name) => name === "script")).toHaveLength(2);
      expect(content).not.toMatch(/href="(?!https?:|\/|#main")/);
    });
  });
});
