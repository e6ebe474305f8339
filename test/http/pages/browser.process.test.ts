/** Every kind of page in a real browser: accessible, by keyboard, narrow and dark, silent, at home on this machine, and unharmed by hostile data. */
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import { createRequire } from "node:module";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createServer, type Server } from "../../../src/http/server.js";
import { DocumentReader } from "../../../src/jsonld/documents.js";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import type { Json } from "../../../src/rdf/record-graph.js";
import { type EmbeddedStore, openForLoading } from "../../../src/store/embedded/embedded-store.js";
import { SAMPLE } from "../../data/sample.js";
import { shareOf } from "../../extent.js";
import { CONTEXT_URI, type JsonObject, settings, writer } from "../../jsonld/documents.js";
import { publish } from "../service.js";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path));
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** A page of each kind: the service's own, and of each endpoint the record that has most to show. */
const KINDS: readonly string[] = [
  "/",
  "/browse/object",
  "/no/such/record",
  "/problems",
  "/openapi.html",
  "/object/night-watch",
  "/visual/great-wave",
  "/text/divine-comedy",
  "/abstract/decree-of-memphis",
  "/digital/night-watch-717-gigapixel",
  "/person/rembrandt",
  "/group/mauritshuis",
  "/place/netherlands",
  "/event/operation-night-watch",
  "/provenance/girl-1881-des-tombe",
  "/set/mauritshuis-collection",
  "/concept/vellum",
  "/object/hostile",
];

const HOSTILE = '"><img src=x onerror=document.title="harmed"><script>document.title="harmed"</script>';

/** Labels and statements that would like to be more than text, and a IIIF service. */
function hostileRecord(iiif: string): JsonObject {
  return {
    "@context": CONTEXT_URI,
    id: "object/hostile",
    type: "HumanMadeObject",
    _label: `${HOSTILE} \u202Etxet desrever ${"Donaudampfschifffahrt".repeat(40)}`,
    classified_as: [{ id: "javascript:document.title='harmed'", type: "Type", _label: HOSTILE }],
    identified_by: [{ type: "Identifier", content: HOSTILE }],
    referred_to_by: [
      { type: "LinguisticObject", content: HOSTILE },
      {
        type: "LinguisticObject",
        format: "text/html",
        content: `<p onclick="x()">Kept${HOSTILE}<style>*{display:none}</style></p>`,
      },
    ],
    representation: [
      {
        type: "VisualItem",
        digitally_shown_by: [
          {
            type: "DigitalObject",
            _label: HOSTILE,
            digitally_available_via: [
              {
                type: "DigitalService",
                access_point: [{ id: iiif, type: "DigitalObject" }],
                conforms_to: [{ id: "http://iiif.io/api/image", type: "InformationObject" }],
              },
            ],
          },
        ],
      },
    ],
  };
}

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** A IIIF Image service of one pixel (Image API 2.1, level 0). */
function imageService(): HttpServer {
  return createHttpServer((request, response) => {
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

async function freePort(): Promise<number> {
  const probe = createSocketServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

describe.skipIf(CHROMIUM === undefined)("pages in a browser (skipped: there is no Chromium)", () => {
  let folder: string;
  let store: EmbeddedStore;
  let server: Server;
  let images: HttpServer;
  let browser: Browser;
  let base: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "vitrine-pages-"));
    images = imageService();
    await new Promise<void>((resolve) => images.listen(0, "127.0.0.1", resolve));
    const iiif = `http://127.0.0.1:${(images.address() as AddressInfo).port}/iiif/one`;
    const port = await freePort();
    base = `http://127.0.0.1:${port}`;
    store = await openForLoading(join(folder, "store"));
    const reader = new DocumentReader({ ...settings, baseUrl: `${base}/` });
    const documents = [...[...SAMPLE.values()].map(({ document }) => document as Json), hostileRecord(iiif)];
    await publish(store, await Promise.all(documents.map(async (document) => (await reader.read(document)).graph)));
    const options = { store, documents: writer, model: DEFAULT_MODEL, baseUrl: base, images: "data/images" };
    server = createServer({
      ...options,
      site: { title: "The sample", text: "Thirty works of art.\n\nAnd who made them." },
    });
    await server.listen(port);
    browser = await chromium.launch({ executablePath: CHROMIUM!, args: ["--no-sandbox"] });
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
    images?.close();
    await store?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** What a browser says and asks for while somebody looks at a page. */
  async function visit(
    options: BrowserContextOptions,
    look: (page: Page, complaints: string[]) => Promise<void>,
  ): Promise<void> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("pageerror", ({ message }) => complaints.push(message));
    page.on("console", (message) => {
      // The browser itself reports the status of a page that is not there.
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
    try {
      await look(page, complaints);
    } finally {
      await context.close();
    }
  }

  async function violations(page: Page): Promise<string[]> {
    // The policy lets no foreign script in, so axe comes in by the debugger.
    await page.evaluate(AXE);
    const found = await page.evaluate("axe.run(document, { resultTypes: ['violations'] })");
    const { violations: list } = found as { violations: { id: string; nodes: { html: string }[] }[] };
    return list.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`);
  }

  it.each([
    { colorScheme: "light", viewport: { width: 1_200, height: 900 } },
    { colorScheme: "dark", viewport: { width: 320, height: 700 } },
  ] as const)("are accessible, silent and no wider than the window: $colorScheme, $viewport.width", async (options) => {
    await visit(options, async (page, complaints) => {
      // Colours and widths are those of one stylesheet.
      for (const path of options.colorScheme === "light" ? KINDS : shareOf(KINDS, 3)) {
        await page.goto(base + path, { waitUntil: "networkidle" });
        expect(await violations(page), path).toEqual([]);
        const width = await page.evaluate("document.documentElement.scrollWidth");
        expect(width, path).toBeLessThanOrEqual(options.viewport.width);
        expect(complaints, path).toEqual([]);
        complaints.length = 0;
      }
    });
  });

  it("can be used by keyboard alone", async () => {
    await visit({}, async (page) => {
      await page.goto(`${base}/object/night-watch`);
      await page.keyboard.press("Tab");
      expect(await page.evaluate("document.activeElement.className")).toBe("skip");
      await page.keyboard.press("Enter");
      await page.keyboard.press("Tab");
      expect(await page.evaluate("document.activeElement.closest('main') !== null")).toBe(true);
      await page.locator(".vocabulary summary").focus();
      await page.keyboard.press("Enter");
      expect(await page.locator(".vocabulary .terms").first().isVisible()).toBe(true);
      await page.locator('.timeline a[href="/person/rembrandt"]').first().focus();
      await page.keyboard.press("Enter");
      await page.waitForURL(`${base}/person/rembrandt`);
      expect(await page.locator("h1").textContent()).toBe("Rembrandt");
    });
  });

  it("do no harm with hostile data, and look closer at images of a IIIF service", async () => {
    await visit({}, async (page, complaints) => {
      await page.goto(`${base}/object/hostile`, { waitUntil: "networkidle" });
      expect(await page.title()).not.toBe("harmed");
      expect(await page.locator('a[href^="javascript"], [onclick], [onerror], main style, main script').count()).toBe(
        0,
      );
      expect(await page.locator("text=Kept").count()).toBe(1);
      await page.getByRole("button", { name: "Zoom in" }).click();
      await page.locator(".viewer canvas").first().waitFor();
      await page.getByRole("button", { name: "Closer" }).click();
      await page.waitForLoadState("networkidle");
      expect(await page.title()).not.toBe("harmed");
      expect(complaints).toEqual([]);
    });
  });

  it("draw places on a map, whose controls are buttons", async () => {
    await visit({}, async (page, complaints) => {
      await page.goto(`${base}/place/mount-fuji`);
      await page.locator(".map.drawn path[stroke-width='2']").waitFor();
      await page.getByRole("button", { name: "Zoom in" }).press("Enter");
      expect(complaints).toEqual([]);
    });
  });

  it("are whole without JavaScript", async () => {
    await visit({ javaScriptEnabled: false }, async (page) => {
      await page.goto(`${base}/place/netherlands`);
      expect(await page.locator(".map svg path").count()).toBe(1);
      await page.goto(`${base}/object/night-watch`);
      expect(await page.locator(".timeline > li").count()).toBeGreaterThan(8);
      expect(await page.locator("img").first().getAttribute("alt")).toBe("Drawing after the Night Watch");
      await page.goto(`${base}/`);
      expect(await page.locator(".endpoints a").count()).toBe(12);
    });
  });
});
