/** The query editor in a real browser, with all that it needs from this machine alone. */
import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { editorFiles, editorPage } from "../../../src/http/sparql/editor.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import { BASE, labelled, type SparqlTestService, startSparqlService } from "./service.js";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path));

let service: SparqlTestService;
beforeAll(async () => {
  const editor = { page: editorPage, files: editorFiles(DEFAULT_MODEL, BASE) };
  service = await startSparqlService([labelled("object/a"), labelled("object/b")], { editor });
});
afterAll(() => service.stop());

describe("the editor", () => {
  it("is what a browser gets, and nobody else", async () => {
    const browser = { Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
    const page = await fetch(service.url, { headers: browser });
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("content-security-policy")).toContain("connect-src 'self'");
    expect((await fetch(service.url)).headers.get("content-type")).toContain("text/turtle");
  });

  it("knows the classes and properties of the field tables, and the examples at this address", async () => {
    const data = (await (await fetch(`${service.url}/editor.json`)).json()) as {
      classes: string[];
      properties: string[];
      examples: { text: string }[];
    };
    expect(data.classes).toContain("http://www.cidoc-crm.org/cidoc-crm/E22_Human-Made_Object");
    expect(data.properties).toContain("http://www.cidoc-crm.org/cidoc-crm/P45_consists_of");
    expect(data.properties.length).toBeGreaterThan(50);
    expect(data.examples.length).toBeGreaterThanOrEqual(15);
    expect(JSON.stringify(data.examples)).not.toContain("localhost");
  });
});

describe.skipIf(CHROMIUM === undefined)("the editor in Chromium (skipped where it is not installed)", () => {
  let browser: Browser;
  let page: Page;
  const errors: string[] = [];
  const elsewhere: string[] = [];
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM!, args: ["--no-sandbox"] });
    page = await browser.newPage();
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("request", (request) => {
      if (!request.url().startsWith(`http://127.0.0.1:${service.port}/`) && !request.url().startsWith("data:")) {
        elsewhere.push(request.url());
      }
    });
    await page.goto(service.url);
    await page.waitForSelector("body[data-ready]");
  });
  afterAll(() => browser?.close());

  it("shows the examples and answers the one that is chosen", async () => {
    expect(await page.locator("#examples button").count()).toBeGreaterThanOrEqual(15);
    await page.locator('[data-example="records-per-class"]').click();
    await page.waitForSelector(".yasr table td");
    expect(await page.locator(".yasr table").first().innerText()).toContain("Document");
  });

  it("completes the classes of the model", async () => {
    const text = "PREFIX crm: <http://www.cidoc-crm.org/cidoc-crm/>\\nSELECT * { ?s a crm:E22 }";
    await page.evaluate(`window.yasgui.getTab().setQuery("${text}"); null`);
    await page.locator(".CodeMirror").first().click();
    await page.keyboard.press("Control+End");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Control+Space");
    await page.waitForFunction('document.body.innerText.includes("E22_Human-Made_Object")');
  });

  it("needs nothing from elsewhere and throws nothing", () => {
    expect([errors, elsewhere]).toEqual([[], []]);
  });
});
