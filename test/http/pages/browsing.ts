/** Pages in a real browser: a site of the sample and a hostile record, visits to it, and checks that every page must pass. */

import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect } from "vitest";
import { Addresses } from "../../../src/http/entity/addresses.js";
import { navigation, Site } from "../../../src/http/pages/site.js";
import { createServer } from "../../../src/http/server/server.js";
import { editorFiles, editorPage } from "../../../src/http/sparql/editor.js";
import { SparqlEndpoint } from "../../../src/http/sparql/endpoint.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import { openSearchedForLoading } from "../../../src/search/open.js";
import { SAMPLE } from "../../data/sample.js";
import { freePort } from "../../free-port.js";
import { CONTEXT_URI, type JsonObject, readingAt } from "../../jsonld/documents.js";
import { fromService } from "../../jsonld/parts.js";
import { type Listening, listening } from "../../listening.js";
import { InProcessIndex } from "../../query/in-process-index.js";
import { publish, serverOptions } from "../service.js";

/** The path of Chromium; without it, `undefined`, and tests that need it are skipped. */
export const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path));
/** The script of axe, which finds what is not accessible. */
export const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const HOSTILE = '"><img src=x onerror=document.title="harmed"><script>document.title="harmed"</script>';

/** A part that has a part, and so on. */
function nested(depth: number, type: string): JsonObject {
  return { type, _label: `Depth ${depth}`, ...(depth > 1 && { part: [nested(depth - 1, type)] }) };
}

/** A record whose labels and statements contain markup, with a wide table, parts within parts, and an image of a IIIF service. */
export function hostileRecord(iiif: string): JsonObject {
  return {
    "@context": CONTEXT_URI,
    id: "object/hostile",
    type: "HumanMadeObject",
    _label: `${HOSTILE} \u202Etxet desrever ${"Donaudampfschifffahrt".repeat(40)}`,
    classified_as: [{ id: "javascript:document.title='harmed'", type: "Type", _label: HOSTILE }],
    identified_by: [{ type: "Identifier", content: HOSTILE }],
    produced_by: {
      type: "Production",
      carried_out_by: [{ id: "urn:maker", type: "Person", _label: "Donaudampfschifffahrt".repeat(40) }],
      part: [nested(8, "Production")],
    },
    referred_to_by: [
      { type: "LinguisticObject", content: HOSTILE },
      {
        type: "LinguisticObject",
        format: "text/html",
        content: `<p onclick="x()">Kept${HOSTILE}<style>*{display:none}</style></p><table><tr>${"<td>Column</td>".repeat(40)}</tr></table>`,
      },
    ],
    part: [nested(12, "HumanMadeObject")],
    representation: [
      {
        type: "VisualItem",
        digitally_shown_by: [
          {
            type: "DigitalObject",
            _label: HOSTILE,
            ...fromService(iiif),
          },
        ],
      },
    ],
  };
}

/** A record whose words are all nearly as wide as a column of a list. */
const WORDY: JsonObject = {
  "@context": CONTEXT_URI,
  id: "object/wordy",
  type: "HumanMadeObject",
  _label: "Landschaftsbild",
  classified_as: [{ id: "urn:kind", type: "Type", _label: "Landschaftsbild" }],
  identified_by: [{ type: "Identifier", content: "1895,0122.714-5" }],
  produced_by: {
    type: "Production",
    carried_out_by: [{ id: "urn:researcher", type: "Person", _label: "Naturforscherin" }],
    timespan: { type: "TimeSpan", identified_by: [{ type: "Name", content: "Silvesternacht" }] },
  },
};

/** A place beyond the date line, with its coasts around it. */
const HAWAII: JsonObject = {
  "@context": CONTEXT_URI,
  id: "place/hawaii",
  type: "Place",
  _label: "Hawaii",
  defined_by: "POINT(203.2 20.8)",
};

/** A house, whose area is less than a pixel of a map, and a journey from it to the other side of the world. */
const HOUSE: JsonObject = {
  "@context": CONTEXT_URI,
  id: "place/house",
  type: "Place",
  _label: "House",
  defined_by: "POLYGON((4.36 52.01, 4.361 52.01, 4.361 52.011, 4.36 52.01))",
};
const JOURNEY: JsonObject = {
  "@context": CONTEXT_URI,
  id: "event/journey",
  type: "Event",
  _label: "Journey",
  took_place_at: [HOUSE, HAWAII].map(({ id, type, _label }) => ({ id, type, _label }) as JsonObject),
};

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** A IIIF Image service of one pixel (Image API 2.1, level 0). */
function imageService(): Promise<Listening> {
  return listening((request, response) => {
    response.setHeader("Access-Control-Allow-Origin", "*");
    if (!request.url!.endsWith("/info.json")) return response.setHeader("Content-Type", "image/png").end(PIXEL);
    const id = `http://${request.headers.host}${request.url!.replace("/info.json", "")}`;
    response.setHeader("Content-Type", "application/json");
    return response.end(
      JSON.stringify({
        "@context": "http://iiif.io/api/image/2/context.json",
        "@id": id,
        protocol: "http://iiif.io/api/image",
        width: 900,
        height: 600,
        profile: ["http://iiif.io/api/image/2/level2.json"],
      }),
    );
  });
}

/** A service and a browser that visits it. */
export interface BrowsedSite {
  readonly base: string;
  /** Open a page. `complaints` collects the browser's errors and dialogs, and its requests to other machines. */
  visit(options: BrowserContextOptions, look: (page: Page, complaints: string[]) => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

/** Serve these records of the sample and the hostile record, and start a browser. */
export async function startSite(paths?: readonly string[]): Promise<BrowsedSite> {
  const { base, stop } = await serveSite(paths);
  return browse(base, stop);
}

/** Serve these records of the sample and the hostile record. */
export async function serveSite(paths: readonly string[] = [...SAMPLE.keys()]) {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-pages-"));
  const images = await imageService();
  const iiif = `${images.url}/iiif/one`;
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const store = await openSearchedForLoading({ directory: join(folder, "store") });
  const own = [hostileRecord(iiif), WORDY, HAWAII, HOUSE, JOURNEY];
  const documents = [...paths.map((path) => SAMPLE.get(path)!.document), ...own];
  await publish(store, documents.map(readingAt(`${base}/`)));
  const site = { title: "The sample", text: "Thirty works of art.\n\nAnd who made them." };
  const engine = new InProcessIndex(store);
  const editor = {
    page: editorPage(new Site(new Addresses({ baseUrl: base }), site, navigation({ sparql: true, store }))),
    files: editorFiles(DEFAULT_MODEL, base),
  };
  const limits = { timeout: 60_000, rows: 10_000, bytes: 2 ** 26 };
  const sparql = new SparqlEndpoint({ engine, base, ...limits, editor });
  const index = () => engine.state;
  const server = createServer(serverOptions({ store, baseUrl: base, images: "data/images", site, sparql, index }));
  await server.listen(port);
  const stop = async (): Promise<void> => {
    await server.close();
    await images.stop();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { base, stop };
}

/** Start a browser for the site at an address. @param close stops the site */
export async function browse(base: string, close: () => Promise<void>): Promise<BrowsedSite> {
  const browser = await chromium.launch({ executablePath: CHROMIUM!, args: ["--no-sandbox"] });
  return {
    base,
    async visit(of, look) {
      await using context = await browser.newContext(of);
      const page = await context.newPage();
      await look(page, complaintsOf(page));
    },
    async stop() {
      await browser.close();
      await close();
    },
  };
}

/** The errors and dialogs of a browser on a page, and its requests to other machines. */
function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("pageerror", ({ message }) => complaints.push(message));
  page.on("console", (message) => {
    // The browser itself logs a status of 404.
    if (message.type() === "error" && !message.text().includes("404")) complaints.push(message.text());
  });
  page.on("request", (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (hostname !== "127.0.0.1" && protocol.startsWith("http")) complaints.push(`asked ${request.url()}`);
  });
  page.on("dialog", (dialog) => {
    complaints.push(dialog.message());
    void dialog.dismiss();
  });
  return complaints;
}

async function violations(page: Page): Promise<string[]> {
  // The content security policy allows no foreign script, so axe is injected through the debugger.
  await page.evaluate(AXE);
  const found = await page.evaluate("axe.run(document, { resultTypes: ['violations'] })");
  const { violations: list } = found as { violations: { id: string; nodes: { html: string }[] }[] };
  return list.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`);
}

export interface Window {
  readonly colorScheme: "light" | "dark";
  readonly width: number;
  /** The browser's language. Default: English. */
  readonly locale?: string;
}

/** Check that pages are accessible, silent, and no wider than the window. */
export async function areSound(
  { visit, base }: BrowsedSite,
  { width, locale = "en", ...colours }: Window,
  paths: readonly string[],
) {
  await visit({ ...colours, locale, viewport: { width, height: 800 } }, async (page, complaints) => {
    for (const path of paths) {
      await page.goto(base + path.replace("BASE", encodeURIComponent(base)), { waitUntil: "networkidle" });
      if (/^\/sparql$|^\/search\/\?/.test(path)) await page.waitForSelector("body[data-ready]");
      expect(await page.evaluate("document.documentElement.lang"), path).toBe(locale);
      expect(await violations(page), path).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth"), path).toBeLessThanOrEqual(width);
      expect(complaints, path).toEqual([]);
      complaints.length = 0;
    }
  });
}

/** Check that the search field offers names for what is typed, also without accents, by keys and pointer, and that the search finds them. */
export async function isCompleted({ visit, base }: BrowsedSite): Promise<void> {
  await visit({}, async (page, complaints) => {
    await page.goto(`${base}/place/netherlands`, { waitUntil: "networkidle" });
    const field = page.getByRole("combobox");
    const offered = page.getByRole("option");
    await field.pressSequentially("Rem");
    await offered.first().waitFor();
    expect(await offered.first().textContent()).toBe("Rembrandt Person: Dutch, Painter, 1606 – 1669, Leiden");
    expect(await field.getAttribute("aria-expanded")).toBe("true");
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    expect([await offered.count(), await field.inputValue()]).toEqual([0, "Rem"]);
    await field.pressSequentially("b");
    await offered.first().waitFor();
    await page.keyboard.press("ArrowDown");
    const marked = await field.getAttribute("aria-activedescendant");
    expect(await page.locator(`#${marked}[aria-selected="true"]`).count()).toBe(1);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/search\/all\?text=Rembrandt/);
    expect(await page.locator("h1").textContent()).toBe("“Rembrandt”");
    await page.waitForLoadState("networkidle");
    await field.fill("durer");
    await offered.filter({ hasText: "Albrecht Dürer" }).click();
    await page.waitForURL(/\/search\/all\?text=Albrecht\+D%C3%BCrer/);
    expect(complaints).toEqual([]);
  });
}

/** Check that hostile data do no harm, not even when an image of a IIIF service is enlarged. */
export async function isUnharmed({ visit, base }: BrowsedSite): Promise<void> {
  await visit({}, async (page, complaints) => {
    await page.goto(`${base}/object/hostile`, { waitUntil: "networkidle" });
    expect(await page.title()).not.toBe("harmed");
    expect(await page.locator('a[href^="javascript"], [onclick], [onerror], main style, main script').count()).toBe(0);
    expect(await page.locator("text=Kept").count()).toBe(1);
    await page.getByRole("button", { name: "Zoom in" }).click();
    await page.locator(".viewer canvas").first().waitFor();
    await page.getByRole("button", { name: "Closer" }).click();
    await page.waitForLoadState("networkidle");
    expect(await page.title()).not.toBe("harmed");
    expect(complaints).toEqual([]);
  });
}

/** Check that a picture that does not load leaves neither a frame nor a link or a button to enlarge it. */
export async function isFailed({ visit, base }: BrowsedSite): Promise<void> {
  await visit({}, async (page) => {
    await page.route(/default\.jpg$/, (route) => route.abort());
    await page.goto(`${base}/object/hostile`, { waitUntil: "networkidle" });
    await page.locator("figure .failed").waitFor({ state: "attached" });
    await expect.poll(() => page.locator("figure :is(a, img, button):visible").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Zoom in" }).count()).toBe(0);
  });
}

/** Check that a picture that is clicked twice is closed once. */
export async function isClosed({ visit, base }: BrowsedSite): Promise<void> {
  await visit({}, async (page) => {
    await page.goto(`${base}/object/hostile`, { waitUntil: "networkidle" });
    await page.evaluate("for (const _ of [1, 2]) document.querySelector('.pictures figure a').click()");
    await page.locator(".viewer .openseadragon-canvas").waitFor();
    await page.goBack();
    await page.locator(".viewer").waitFor({ state: "detached" });
    await expect.poll(() => page.evaluate("history.state")).toBe(null);
  });
}

/** Check that a picture opens in a dialog, by mouse and keyboard, in the service's own tiles, and that Escape and the back button close it. */
export async function looksCloser({ visit, base }: BrowsedSite, path: string): Promise<void> {
  await visit({}, async (page, complaints) => {
    await page.goto(base + path, { waitUntil: "networkidle" });
    const isFocused = (selector: string) => page.evaluate(`document.activeElement.matches('${selector}')`);
    const dialog = page.getByRole("dialog", { name: "Drawing after the Chi Rho page" });
    await page.locator("figure a").first().focus();
    await page.keyboard.press("Enter");
    await page.locator(".viewer canvas").first().waitFor();
    await expect.poll(() => isFocused("dialog .openseadragon-canvas")).toBe(true);
    expect(await violations(page)).toEqual([]);
    const near = page.waitForResponse((answer) => /\/\d+,\d+,512,512\/512,512\/0\/default\.jpg$/.test(answer.url()));
    await page.keyboard.down("+");
    expect((await near).status()).toBe(200);
    await page.keyboard.up("+");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => isFocused("figure a")).toBe(true);
    await page.getByRole("button", { name: "Zoom in" }).click();
    await dialog.waitFor();
    await page.goBack();
    await dialog.waitFor({ state: "detached" });
    expect([page.url(), complaints]).toEqual([base + path, []]);
  });
  await visit({ javaScriptEnabled: false }, async (page) => {
    await page.goto(base + path);
    await page.locator("figure a").first().click();
    expect(page.url()).toBe(`${base}/images/chi-rho-page.svg`);
  });
}

/** Check that a map without tiles has coasts, borders, the place itself and the places that its record names, which link to their pages. */
export async function drawsMaps({ visit, base }: BrowsedSite, path: string, other: string): Promise<void> {
  await visit({}, async (page, complaints) => {
    await page.goto(base + path, { waitUntil: "networkidle" });
    // A busy browser draws some time after it has what it draws.
    for (const each of ["land", "border", "own", "other"])
      await expect.poll(() => page.locator(`.map path.${each}`).count()).toBe(1);
    const drawn = await page.locator(".map path.land").getAttribute("d");
    expect(drawn!.length).toBeGreaterThan(1_000);
    expect(complaints).toEqual([]);
    await page.locator(".map path.other").dispatchEvent("click");
    await page.waitForURL(base + other);
    await page.goto(base + path, { waitUntil: "networkidle" });
    expect(await violations(page)).toEqual([]);
    await page.locator(".map").getByRole("link").first().focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(base + other);
  });
}

/** The words of up to nine letters, in headings and what is chosen, that are not on one line. */
const BROKEN_WORDS = `[...document.querySelectorAll("h1, h2, .entries bdi, .chosen li")].flatMap((element) => {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const broken = [];
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    for (const { 0: word, index } of text.data.matchAll(/(?<!\\S)\\w{1,9}(?!\\S)/g)) {
      const range = new Range();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(word);
    }
  }
  return broken;
})`;

/** Check that a page is no wider than a narrow window for whoever has letters twice as large, and does not break its words. */
export async function areEnlarged({ visit, base }: BrowsedSite, paths: readonly string[]): Promise<void> {
  await visit({ viewport: { width: 320, height: 800 } }, async (page) => {
    const content = "addEventListener('DOMContentLoaded', () => { document.documentElement.style.fontSize = '200%'; })";
    await page.addInitScript({ content });
    for (const path of paths) {
      await page.goto(base + path);
      expect(
        await page.evaluate(
          "[getComputedStyle(document.documentElement).fontSize, document.documentElement.scrollWidth]",
        ),
        path,
      ).toEqual(["32px", 320]);
      expect(await page.evaluate(BROKEN_WORDS), path).toEqual([]);
    }
  });
}

/** Check that a list cuts long titles, and shows the kind in place of pictures that do not load. */
export async function isEven({ visit, base }: BrowsedSite): Promise<void> {
  await visit({}, async (page) => {
    await page.route(/\.svg|default\.jpg/, (route) => route.abort());
    await page.goto(`${base}/search/object?view=grid`, { waitUntil: "networkidle" });
    const kinds = page.locator(".frame .aside");
    const cards = await page.locator(".cards li").count();
    expect(cards).toBeGreaterThan(0);
    await expect.poll(() => kinds.filter({ visible: true }).count()).toBe(cards);
    await expect.poll(() => page.locator(".cards img:visible").count()).toBe(0);
    const heights = await page.locator(".cards li").evaluateAll((all) => all.map((card) => card.clientHeight));
    expect(Math.max(...heights)).toBeLessThan(600);
  });
}

/** Check that a printed list is without what one can only click, and that maps are printed as by day. */
export async function isPrinted({ visit, base }: BrowsedSite): Promise<void> {
  await visit({ colorScheme: "dark" }, async (page) => {
    await page.goto(`${base}/search/object?view=table`);
    const tools = page.locator(".tools, .facets, .chosen a, .downloads, .languages, .find");
    expect(await tools.filter({ visible: true }).count()).toBeGreaterThan(4);
    await page.emulateMedia({ media: "print" });
    expect(await tools.filter({ visible: true }).count()).toBe(0);
    const colours = "['--land', '--sea'].map((name) => getComputedStyle(document.body).getPropertyValue(name))";
    expect(await page.evaluate(colours)).toEqual(["#f6f2e9", "#dfe7ea"]);
  });
}
