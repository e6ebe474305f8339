/** The server's side of the query editor: who gets its page, and the data for it. */

import { describe, expect, it } from "vitest";
import { Addresses } from "../../../src/http/entity/addresses.js";
import { DEFAULT_SITE, navigation, Site } from "../../../src/http/pages/site.js";
import { editorFiles, editorPage } from "../../../src/http/sparql/editor.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import { startedForAll } from "../../started.js";
import { BASE, labelled, startSmallSparqlService } from "./service.js";

const CRM = "http://www.cidoc-crm.org/cidoc-crm/";

const service = startedForAll(() => {
  const editor = {
    page: editorPage(new Site(new Addresses({ baseUrl: BASE }), DEFAULT_SITE, navigation({ sparql: true }))),
    files: editorFiles(DEFAULT_MODEL, BASE),
  };
  return startSmallSparqlService([labelled("object/a")], { editor });
});

const ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

describe("the parameter format", () => {
  const typeOf = async (query: string, format: string, accept = ACCEPT): Promise<string | null> => {
    const asked = new URLSearchParams({ query, format });
    const [got, posted] = await Promise.all([
      fetch(`${service.url}?${asked}`, { headers: { Accept: accept } }),
      fetch(service.url, { method: "POST", body: asked, headers: { Accept: accept } }),
    ]);
    const type = got.headers.get("content-type");
    expect([posted.status, posted.headers.get("content-type")]).toEqual([got.status, type]);
    return type;
  };

  it("takes precedence over Accept, even for browsers", async () => {
    expect(await typeOf("ASK {}", "csv")).toBe("text/csv; charset=utf-8");
    expect(await typeOf("SELECT * {}", "xml", "text/csv")).toBe("application/sparql-results+xml");
    expect(await typeOf("DESCRIBE <urn:a>", "nt")).toBe("application/n-triples");
    const headers = { "Content-Type": "application/sparql-query" };
    const direct = await fetch(`${service.url}?format=tsv`, { method: "POST", body: "ASK {}", headers });
    expect(direct.headers.get("content-type")).toBe("text/tab-separated-values; charset=utf-8");
  });

  it("takes the names and media types that SPARQLWrapper sends", async () => {
    const types = ["turtle", "xml", "json", "text/turtle", "application/ld+json,application/x-json+ld"];
    expect(await Promise.all(types.map((format) => typeOf("DESCRIBE <urn:a>", format, "*/*")))).toEqual([
      "text/turtle; charset=utf-8",
      "application/rdf+xml",
      "application/ld+json",
      "text/turtle; charset=utf-8",
      "application/ld+json",
    ]);
    expect(await typeOf("ASK {}", "text/tab-separated-values")).toBe("text/tab-separated-values; charset=utf-8");
    expect((await fetch(`${service.url}?query=ASK{}&format=application/pdf`)).status).toBe(400);
  });

  it("has no effect on results without that form, and is refused with a list if unknown", async () => {
    expect(await typeOf("DESCRIBE <urn:a>", "csv")).toBe("text/turtle; charset=utf-8");
    expect(await typeOf("ASK {}", "", "*/*")).toBe("application/sparql-results+json");
    const refused = await fetch(`${service.url}?query=ASK{}&format=pdf`);
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain(
      "There is no format pdf; the formats are json, xml, csv, tsv, ttl, nt, nq, trig, rdf, jsonld.",
    );
  });
});

describe("the editor", () => {
  it("is what browsers get, and no other clients", async () => {
    const page = await fetch(service.url, { headers: { Accept: ACCEPT } });
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = page.headers.get("content-security-policy");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toContain("unsafe");
    expect((await fetch(service.url)).headers.get("content-type")).toContain("text/turtle");
  });

  it("and the endpoint's description have entity tags, which answer 304", async () => {
    for (const accept of [ACCEPT, "text/turtle", "application/ld+json"]) {
      const tag = (await fetch(service.url, { headers: { accept } })).headers.get("etag") ?? "none";
      const again = await fetch(service.url, { headers: { accept, "if-none-match": tag } });
      expect([accept, again.status]).toEqual([accept, 304]);
    }
  });

  it("opens for a link with a query, for which programs get the answer", async () => {
    const link = `${service.url}?query=${encodeURIComponent("ASK {}")}`;
    const typeFor = async (accept: string): Promise<string | null> =>
      (await fetch(link, { headers: { Accept: accept } })).headers.get("content-type");
    expect(await typeFor(ACCEPT)).toBe("text/html; charset=utf-8");
    expect(await typeFor("*/*")).toBe("application/sparql-results+json");
    expect(await typeFor("application/sparql-results+xml, text/html;q=0.5")).toBe("application/sparql-results+xml");
  });

  it("has the query of a link and its graphs in a form, escaped", async () => {
    const asked = new URLSearchParams({ query: "\nASK {} # </textarea>", "named-graph-uri": "urn:a&b" });
    const page = await (await fetch(`${service.url}?${asked}`, { headers: { Accept: ACCEPT } })).text();
    expect(page).toContain(`autocomplete="off">\n\nASK {} # &lt;/textarea&gt;</textarea>`);
    expect(page).toContain('<input type="hidden" name="named-graph-uri" value="urn:a&amp;b">');
    expect(await (await fetch(service.url, { headers: { Accept: ACCEPT } })).text()).toContain("GROUP BY ?class");
  });

  it("has the classes and properties of the field tables, and the examples for this base URL", async () => {
    const data = (await (await fetch(`${service.url}/editor.json`)).json()) as {
      classes: string[];
      properties: string[];
      examples: { text: string; uses: string[]; parameter?: { value: string } }[];
    };
    expect(data.classes).toContain(`${CRM}E22_Human-Made_Object`);
    expect(data.properties).toContain(`${CRM}P45_consists_of`);
    expect(data.properties.length).toBeGreaterThan(50);
    expect(data.examples.length).toBe(24);
    expect(JSON.stringify(data.examples)).not.toContain("localhost");
    for (const { text, uses, parameter } of data.examples) {
      expect(uses.length).toBeGreaterThan(0);
      if (parameter !== undefined) expect(text).toContain(`<${parameter.value}>`);
      expect(text).toMatch(/\bLIMIT \d+|GROUP BY \?(?:class|property)|COUNT\(\*\)/);
    }
  });
});
