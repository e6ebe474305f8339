/** The query editor in a real browser, which needs nothing from other machines. */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Addresses } from "../../../src/http/entity/addresses.js";
import { DEFAULT_SITE, navigation, Site } from "../../../src/http/pages/site.js";
import { editorFiles, editorPage } from "../../../src/http/sparql/editor.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import { blank, iri, literal, RDF, RDFS_LABEL } from "../../../src/rdf/terms.js";
import { recordOf } from "../../query/records.js";
import { startedForAll } from "../../started.js";
import { BASE, startSmallSparqlService } from "./service.js";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path));
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const CRM = "http://www.cidoc-crm.org/cidoc-crm/";

/** Results of SELECT as JSON. */
interface Bindings {
  readonly results: { readonly bindings: readonly Readonly<Record<string, { readonly value: string }>>[] };
}

/** A record with only a name and a label. */
function named(path: string) {
  const self = iri(`${BASE}/${path}`);
  return recordOf(self.value, [
    [self, iri(RDF.type), iri(`${CRM}E22_Human-Made_Object`)],
    [self, iri(RDFS_LABEL), literal(path)],
    [self, iri(`${CRM}P1_is_identified_by`), blank("name")],
    [blank("name"), iri(`${CRM}P190_has_symbolic_content`), literal(path)],
  ]);
}

const service = startedForAll(() => {
  const editor = {
    page: editorPage(new Site(new Addresses({ baseUrl: BASE }), DEFAULT_SITE, navigation({ sparql: true }))),
    files: editorFiles(DEFAULT_MODEL, BASE),
  };
  return startSmallSparqlService([named("object/a"), named("object/b")], { editor });
});

describe.skipIf(CHROMIUM === undefined)("the editor in Chromium (skipped where it is not installed)", () => {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const complaints: string[] = [];
  const elsewhere: string[] = [];
  /** The bodies of the queries that were sent. */
  let sent: URLSearchParams[] = [];

  async function opened(path = "", options: Parameters<Browser["newContext"]>[0] = {}): Promise<void> {
    await context?.close();
    context = await browser.newContext(options);
    await visit(path);
  }

  /** Open another page in the same browser, with what was stored before, and start YASGUI. */
  async function visit(path: string): Promise<void> {
    await look(path);
    await page.waitForSelector("body[data-ready]");
    await page.locator("#query, .yasgui").first().click();
    await page.waitForSelector(".yasgui .tabsList");
  }

  /** Open a page without touching it. */
  async function look(path = ""): Promise<void> {
    page = await context.newPage();
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      if (/Content Security Policy/.test(message.text())) complaints.push(message.text());
    });
    page.on("request", (asked) => {
      if (!asked.url().startsWith(`http://127.0.0.1:${service.port}/`) && !asked.url().startsWith("data:")) {
        elsewhere.push(asked.url());
      }
      if (asked.method() === "POST") sent.push(new URLSearchParams(asked.postData() ?? ""));
    });
    await page.goto(service.url + path);
  }

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM!, args: ["--no-sandbox"] });
    await opened();
  });
  afterAll(() => browser?.close());
  beforeEach(() => {
    sent = [];
  });

  async function violations(): Promise<unknown> {
    await page.evaluate(AXE);
    return page.evaluate(
      "axe.run(document, { resultTypes: ['violations'] }).then((all) => all.violations.map(({ id, nodes }) => [id, nodes[0]?.html]))",
    );
  }

  /** Run a query, wait for an element of its result, and return the result's text. */
  async function ask(text: string, shown = ".yasr table td"): Promise<string> {
    await page.evaluate('document.querySelector(".yasr_results").replaceChildren()');
    await page.evaluate(`window.yasgui.getTab().setQuery(${JSON.stringify(text)}); null`);
    await page.evaluate("window.yasgui.getTab().query(); null");
    await page.waitForSelector(shown);
    return page.locator(".yasr_results").innerText();
  }

  describe("before it is touched", () => {
    let loaded: string[] = [];
    async function looked(options: Parameters<Browser["newContext"]>[0] = {}, path = ""): Promise<void> {
      loaded = [];
      await context.close();
      context = await browser.newContext(options);
      context.on("request", (asked) => loaded.push(asked.url().replace(/.*\//, "")));
      await look(path);
    }

    it.each([1_200, 390])(
      "is a text field, whose text and caret YASGUI keeps, in a window of %d pixels",
      async (width) => {
        await looked({ viewport: { width, height: 844 } });
        await page.waitForSelector("body[data-ready]");
        expect(loaded.filter((name) => /yasgui|tabs/.test(name))).toEqual([]);
        await page.evaluate(`{
        window.shift = 0;
        const add = (list) => { for (const { value } of list.getEntries()) window.shift += value; };
        new PerformanceObserver(add).observe({ type: "layout-shift" });
      }`);
        await page.locator("#query").fill("ASK {\n}");
        await page.keyboard.press("ArrowLeft");
        await page.waitForSelector(".yasgui .tabsList");
        await page.keyboard.type("?s");
        expect(await page.evaluate("window.yasgui.getTab().getQuery()")).toBe("ASK {\n?s}");
        expect(await page.locator(".tabsList .tab").count()).toBe(1);
        await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100)))");
        expect(await page.evaluate("window.shift")).toBe(0);
        // YASGUI saves its query when it loses focus; the next visit shows it without a touch.
        await page.keyboard.press("Tab");
        await look();
        await page.waitForSelector(".yasgui .tabsList");
        expect(await page.evaluate("window.yasgui.getTab().getQuery()")).toBe("ASK {\n?s}");
      },
    );

    it("runs its query in YASGUI", async () => {
      await looked();
      await page.locator("#editor form button").click();
      await page.locator(".yasr table", { hasText: "crm:E22_Human-Made_Object" }).waitFor();
    });

    it("is accessible, light and dark", async () => {
      for (const colorScheme of ["light", "dark"] as const) {
        await looked({ colorScheme });
        await page.waitForSelector("body[data-ready]");
        expect(await violations()).toEqual([]);
      }
    });

    it("answers without scripts, in the chosen format", async () => {
      const graph = `${BASE}/object/a`;
      await looked({ javaScriptEnabled: false }, `?query=SELECT+*+{+?s+a+?c+}&default-graph-uri=${graph}`);
      expect(await page.locator("#query").inputValue()).toBe("SELECT * { ?s a ?c }");
      await page.locator("select").selectOption("json");
      await Promise.all([page.waitForURL(/sparql$/), page.locator("#editor button").click()]);
      const { results } = JSON.parse(await page.locator("body").innerText()) as Bindings;
      expect(results.bindings.map(({ s }) => s?.value)).toEqual([graph]);
    });

    it("answers when YASGUI does not load", async () => {
      await looked();
      await page.waitForSelector("body[data-ready]");
      await page.route("**/yasgui.js", (route) => route.abort());
      const [answer] = await Promise.all([
        page.waitForResponse((got) => got.url() === service.url && got.request().isNavigationRequest()),
        page.locator("#editor form button").click(),
      ]);
      expect([answer.request().method(), answer.headers()["content-type"]]).toEqual(["POST", "application/xml"]);
    });
    afterAll(() => opened());
  });

  it("shows the examples that have results in the collection, and runs the chosen one once", async () => {
    await page.locator("summary").click();
    expect(await page.locator('[data-example="payments"]').isVisible()).toBe(false);
    await page.locator('[data-example="records-per-class"]').click();
    await page.waitForSelector(".yasr table td");
    expect(await page.locator(".yasr table").first().innerText()).toContain("crm:E22_Human-Made_Object");
    expect(sent).toHaveLength(1);
  });

  it("fills in an existing value, and accepts another", async () => {
    await page.locator("summary").click();
    await page.locator('[data-example="record"]').click();
    await page.locator(".yasr table", { hasText: "object/" }).waitFor();
    const suggested = await page.locator("#parameter input").inputValue();
    expect([`${BASE}/object/a`, `${BASE}/object/b`]).toContain(suggested);
    expect(await page.locator("#values option").count()).toBe(2);
    const other = suggested.endsWith("a") ? `${BASE}/object/b` : `${BASE}/object/a`;
    await page.locator("#parameter input").fill(other);
    await page.locator("#parameter button").click();
    await page.locator(".yasr table", { hasText: other }).waitFor();
    await page.locator("#parameter input").fill("http://x/> { ?a ?b ?c } } #");
    await page.locator("#parameter button").click();
    await page.locator(".yasr table", { hasText: "No data" }).waitFor();
    expect(await page.evaluate("window.yasgui.getTab().getQuery()")).toContain(
      "<http://x/%3E%20%7B%20?a%20?b%20?c%20%7D%20%7D%20#>",
    );
  });

  it("says in plain words what is wrong with a query", async () => {
    const told = await ask("SELECT * {\n  ?s ?p }", ".problem");
    expect(told).toMatch(/Malformed query \(400\)\s+line 2, column 9: found "}", expected/);
    expect(told).not.toContain('"type"');
  });

  it("shows numbers as numbers, texts as they are, and the columns of the query", async () => {
    await ask('SELECT ?b ?a ?c { VALUES (?a ?b ?c) { (10 "{{a}} <b>x</b>"@en "1"^^<urn:d>) (9 "y" "2") } }');
    const head = await page.locator(".yasr thead th").allInnerTexts();
    expect(head.map((text) => text.trim())).toEqual(["#", "b", "a", "c"]);
    expect(await page.locator(".yasr tbody tr").first().locator("td").allInnerTexts()).toEqual([
      "1",
      "{{a}} <b>x</b>en",
      "10",
      "1urn:d",
    ]);
    await page.locator(".yasr thead th").nth(2).click();
    const numbers = page.locator(".yasr tbody .number");
    await expect.poll(async () => (await numbers.allInnerTexts()).slice(0, 2)).toEqual(["9", "10"]);
  });

  it("gives every column room beside a long text, and cuts no number", async () => {
    await opened("", { viewport: { width: 1_200, height: 740 } });
    await ask(`SELECT ?day ?n ?text { VALUES (?day ?n ?text) { ("2020-01-01" 123456 "${"long ".repeat(200)}") } }`);
    await page.waitForSelector(".yasr .ellipseTable");
    const cut = "[...document.querySelectorAll('.yasr td > div')].map((cell) => cell.scrollWidth > cell.clientWidth)";
    expect(await page.evaluate(cut)).toEqual([false, false, false, true]);
  });

  it("shows a solution without variables as a row", async () => {
    expect(await ask("SELECT * {}")).toContain("Showing 1 to 1 of 1 entry");
  });

  it("keeps a wide table within its page, and fills a window that has become wider", async () => {
    await opened("", { viewport: { width: 1_200, height: 740 } });
    const names = Array.from({ length: 30 }, (_, at) => `("a value" AS ?name${at})`);
    await ask(`SELECT ${names.join(" ")} {}`);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(1_200);
    await page.setViewportSize({ width: 700, height: 740 });
    await ask("SELECT * { ?s ?p ?o }");
    await page.setViewportSize({ width: 1_200, height: 740 });
    const missing =
      "document.querySelector('.yasr_results').clientWidth - document.querySelector('.yasr table').offsetWidth";
    await expect.poll(() => page.evaluate(missing)).toBeLessThanOrEqual(0);
  });

  it("hides the problem of a query while the next one runs", async () => {
    await ask("SELECT * { ?s ?p }", ".problem");
    let answer = () => {};
    await page.route(/sparql$/, async (route) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      await route.continue();
    });
    await page.evaluate("window.yasgui.getTab().setQuery('ASK {}'); void window.yasgui.getTab().query()");
    await expect.poll(() => page.locator(".problem").isVisible()).toBe(false);
    expect(await page.locator(".problem").count()).toBe(1);
    answer();
    await page.locator(".booleanResult").waitFor();
    await page.unroute(/sparql$/);
  });

  it("keeps the chosen language in the links of results", async () => {
    await opened(`?lang=en&query=${encodeURIComponent(`SELECT * { VALUES ?x { <${BASE}/object/a> } }`)}`);
    const link = page.locator(".yasr tbody a");
    expect(await link.getAttribute("href")).toBe(`entity?uri=${encodeURIComponent(`${BASE}/object/a`)}&lang=en`);
    expect(page.url()).toBe(`${service.url}?lang=en`);
    await opened();
  });

  it("has no text under its buttons", async () => {
    await page.evaluate(`window.yasgui.getTab().setQuery("# ${"word ".repeat(90)}"); null`);
    const boxOf = (selector: string) => page.locator(selector).first().boundingBox();
    // The editor measures and wraps a new text some time after it is set.
    const overlap = async (): Promise<number> => {
      const [buttons, line] = [await boxOf(".yasqe_buttons"), await boxOf(".CodeMirror-line")];
      return line!.x + line!.width - buttons!.x;
    };
    await expect.poll(overlap).toBeLessThanOrEqual(0);
  });

  it("says that a graph is empty", async () => {
    expect(await ask("CONSTRUCT { ?s ?p ?o } { ?s ?p ?o . FILTER(false) }", ".yasr table")).toContain(
      "No data available",
    );
    expect(await ask("ASK {}", ".booleanResult")).toContain("True");
  });

  it("links results to entities here, and to addresses elsewhere", async () => {
    await ask(
      `SELECT * { VALUES ?x { <${BASE}/object/a> <http://elsewhere.example/1> <urn:isbn:1> <javascript:alert(1)> } }`,
    );
    const links = await page.locator(".yasr tbody a").evaluateAll((all) => all.map((a) => a.getAttribute("href")));
    expect(links).toEqual([
      `entity?uri=${encodeURIComponent(`${BASE}/object/a`)}`,
      `entity?uri=${encodeURIComponent("http://elsewhere.example/1")}`,
      "http://elsewhere.example/1",
    ]);
    const [answer] = await Promise.all([page.waitForResponse(/entity/), page.locator(".yasr tbody a").first().click()]);
    expect(answer.status()).toBeLessThan(400);
    await opened();
  });

  it("shows no markup from data", async () => {
    const iris = [
      "http://x/'style='position:fixed;inset:0;opacity:0",
      "http://x/'onclick='alert(1)",
      "http://x/&quot;/a",
    ];
    const text = `SELECT ?iri ?text { VALUES (?iri ?text) { ${iris
      .map(
        (value) =>
          `(<${value}> '''<img src=x onerror=alert(1)><a style="position:fixed">${value.replace("'", "\\'")}''')`,
      )
      .join(" ")} } }`;
    const shown = await ask(text);
    for (const value of iris) expect(shown).toContain(value);
    const attributes = await page
      .locator(".yasr tbody td *")
      .evaluateAll((all) => [...new Set(all.flatMap((one) => one.getAttributeNames()))].sort());
    expect(attributes).toEqual(["class", "href", "rel", "target", "title"]);
    const away = await page.locator(".yasr a.source").evaluateAll((all) => all.map((a) => a.getAttribute("title")));
    expect(away).toEqual(iris.map((value) => `${value}, where it is from`));
  });

  it("takes from a link a query and its graphs, and nothing else", async () => {
    const evil =
      "endpoint=http%3A%2F%2Fevil.example%2F%3Bid%3E%2Ftmp%2Fx&requestMethod=GET&args=1&tabTitle=T&outputSettings=%7B";
    const headers = `headers=${encodeURIComponent(JSON.stringify({ "X-Evil": "'; id #" }))}`;
    const query = "SELECT * { ?s ?p ?o } # $(id) 'x'";
    const graphs = { "default-graph-uri": `${BASE}/object/a`, "named-graph-uri": `${BASE}/object/b` };
    const parameters = new URLSearchParams({ query, ...graphs });
    for (const link of [`?${parameters}&${evil}&${headers}`, `#${parameters}&${evil}&${headers}`]) {
      sent = [];
      await opened(link);
      await page.waitForSelector(".yasr table td");
      expect(sent.map(String)).toContain(String(parameters));
      expect(await page.evaluate("window.yasgui.getTab().getName()")).toBe("Query 1");
      expect(await page.evaluate("window.yasgui.getTab().getShareableLink()")).toBe(`${service.url}?${parameters}`);
      const curl = (await page.evaluate("window.yasgui.getTab().getYasqe().getAsCurlString()")) as string;
      const shell = `curl() { printf '%s\\n' "$@"; }; ${curl}`;
      expect(execFileSync("sh", ["-c", shell]).toString()).toBe(`${service.url}\n--data\n${parameters}\n`);
    }
    // A link's query is one tab, even when the link is opened again, and the tabs stay with this endpoint.
    await visit(`?${parameters}`);
    expect(await page.locator(".tabsList .tab").count()).toBe(2);
    expect(await page.evaluate("window.yasgui.getTab().getEndpoint()")).toBe(service.url);
  });

  it("completes the classes of the model, and declares a prefix once", async () => {
    await opened();
    await page.evaluate('window.yasgui.getTab().setQuery(""); null');
    await page.locator(".CodeMirror").first().click();
    await page.keyboard.type("SELECT * { ?s a crm:E22");
    await page.keyboard.press("Control+Space");
    await page.locator(".CodeMirror-hints", { hasText: "crm:E22_Human-Made_Object" }).waitFor();
    const text = (await page.evaluate("window.yasgui.getTab().getQuery()")) as string;
    expect(text.match(/PREFIX crm:/g)).toHaveLength(1);
  });

  it("can be left with Tab", async () => {
    await page.keyboard.press("Escape");
    await page.locator(".CodeMirror").first().click();
    await page.keyboard.press("Tab");
    expect(
      await page.evaluate('document.activeElement.closest(".CodeMirror-code, .CodeMirror > div > textarea") === null'),
    ).toBe(true);
  });

  it.each([
    ["light", [1_200, 360]],
    ["dark", [1_200]],
  ] as const)("fits a %s screen of %j pixels", async (colorScheme, widths) => {
    await opened("", { colorScheme });
    for (const width of widths) {
      await page.setViewportSize({ width, height: 740 });
      await ask("SELECT * { ?subject ?predicate ?object }");
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    }
    const ground = await page.evaluate("getComputedStyle(document.body).backgroundColor");
    expect(ground).toBe(colorScheme === "dark" ? "rgb(23, 21, 18)" : "rgb(250, 248, 244)");
    expect(await violations()).toEqual([]);
  });

  it("has buttons that do not cover text on a phone", async () => {
    await opened("", { viewport: { width: 390, height: 844 } });
    const [buttons, lines] = await Promise.all(
      [".yasqe_buttons", ".CodeMirror-lines"].map((each) => page.locator(each).first().boundingBox()),
    );
    expect(buttons!.y + buttons!.height).toBeLessThanOrEqual(lines!.y);
  });

  it("shows the labels of entities before their IRIs", async () => {
    await ask(`SELECT * { VALUES ?x { <${BASE}/object/a> <http://elsewhere.example/1> } }`);
    await page.locator(".yasr td .label", { hasText: "object/a" }).waitFor();
    expect(await page.locator(".yasr td .label").count()).toBe(1);
  });

  it("requests nothing from elsewhere and throws nothing", () => {
    expect([complaints, elsewhere]).toEqual([[], []]);
  });
});
