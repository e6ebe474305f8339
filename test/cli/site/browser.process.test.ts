/** A site in a browser, under a path of a plain server that sends the content policy: its search, and how accessible its pages are. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../free-port.js";
import { areSound, type BrowsedSite, browse, CHROMIUM, hostileRecord } from "../../http/pages/browsing.js";
import { KINDS } from "../../http/pages/kinds.js";
import { inFile } from "../in-file.js";
import { run } from "../run.js";
import { plain } from "./hosts.js";

const READY = "body[data-ready]";

describe.skipIf(CHROMIUM === undefined)("a site in a browser (skipped: there is no Chromium)", () => {
  let site: BrowsedSite;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "vitrine-site-search-"));
    const port = await freePort();
    const base = `http://127.0.0.1:${port}/collection`;
    const hostile = join(folder, "hostile.json");
    writeFileSync(hostile, JSON.stringify(hostileRecord(`${base}/images/one`)));
    const [store, www] = [join(folder, "store"), join(folder, "www")];
    await run(["load", "data/records", hostile, "--store", store, "--on-invalid", "accept", "--base-url", `${base}/`]);
    await run(["dump", "--store", store]);
    const built = await run([
      ...["site", join(www, "collection"), "--store", store, "--images", "data/images"],
      ...inFile({ title: "A museum" }),
    ]);
    expect(built.stderr).toMatch(/^[\d,]+ files written/);
    const [, policy] = /Content-Security-Policy: (.*)/.exec(readFileSync(join(www, "collection/_headers"), "utf8"))!;
    const host = await plain(www, "/collection/", port, { "Content-Security-Policy": policy });
    site = await browse(base, async () => {
      await host.stop();
      rmSync(folder, { recursive: true });
    });
  });
  afterAll(() => site?.stop());

  it("finds records by their maker from any page, narrows them, and leads to them", () =>
    site.visit({}, async (page, complaints) => {
      await page.goto(`${site.base}/place/netherlands/`);
      await page.locator("#find").fill("Rembrandt");
      await page.keyboard.press("Enter");
      await page.waitForURL(`${site.base}/search/?text=Rembrandt`);
      await page.waitForSelector(READY);
      expect(await page.locator("h1").textContent()).toBe("“Rembrandt”");
      expect(await page.locator("#find").inputValue()).toBe("Rembrandt");
      const all = Number.parseInt((await page.getByRole("status").textContent())!, 10);
      const facets = page.locator(".facets");
      const maker = facets.locator("h2", { hasText: "Maker" }).locator("+ ul li", { hasText: "Rembrandt" });
      expect(await maker.locator(".count").textContent()).toBe("4");
      await maker.getByRole("link").click();
      await page.waitForURL(/carriedOutBy=Rembrandt/);
      await page.waitForSelector(READY);
      expect(await page.getByRole("status").textContent()).toBe("4 records");
      await facets.getByRole("link", { name: "Objects", exact: true }).click();
      await page.waitForURL(/endpoint=Objects/);
      await page.waitForSelector(READY);
      expect((await page.locator(".cards a").allTextContents()).sort()).toEqual([
        "The Night Watch",
        "The Storm on the Sea of Galilee",
      ]);
      expect(await page.locator(".cards img").count()).toBe(2);
      await page.getByRole("link", { name: "Remove Maker: Rembrandt" }).click();
      await page.waitForURL((url) => !url.search.includes("carriedOutBy"));
      await page.waitForSelector(READY);
      expect(all).toBeGreaterThan(Number.parseInt((await page.getByRole("status").textContent())!, 10));
      await page.getByRole("link", { name: "The Night Watch" }).first().click();
      await page.waitForURL(/\/collection\/object\/night-watch/);
      expect(await page.locator("h1").textContent()).toBe("The Night Watch");
      expect(complaints).toEqual([]);
    }));

  it("lists all records by title, more of them for a button, and says what is not found", () =>
    site.visit({}, async (page, complaints) => {
      await page.goto(`${site.base}/search/`);
      await page.waitForSelector(READY);
      expect(await page.locator("h1").textContent()).toBe("All records");
      const cards = page.locator(".cards li");
      const shown = await cards.count();
      const [first] = await cards.allTextContents();
      await page.getByRole("button", { name: "More" }).click();
      await expect.poll(() => cards.count()).toBe(2 * shown);
      expect(first).toContain("Abbey of Kells");
      await page.goto(`${site.base}/search/?text=zzzqqq`);
      await page.waitForSelector(READY);
      expect(await page.locator("h1").textContent()).toBe("Nothing was found for “zzzqqq”");
      expect(await page.locator(".ways a").count()).toBeGreaterThan(5);
      expect(complaints).toEqual([]);
    }));

  it("is not harmed by hostile data, and leads on without a script", async () => {
    await site.visit({}, async (page, complaints) => {
      await page.goto(`${site.base}/search/?text=harmed`);
      await page.waitForSelector(READY);
      expect(await page.locator(".cards li", { hasText: "onerror" }).count()).toBe(1);
      expect(await page.locator('a[href^="javascript"], [onerror], main script:not([data-words])').count()).toBe(0);
      expect([await page.title(), complaints]).toEqual(["“harmed” – A museum", []]);
    });
    await site.visit({ javaScriptEnabled: false }, async (page) => {
      await page.goto(`${site.base}/search/?text=rembrandt`);
      await page.getByRole("link", { name: "Objects", exact: true }).click();
      expect(await page.locator("h1").textContent()).toBe("Objects");
    });
  });

  it("leads on where the index cannot be read", () =>
    site.visit({}, async (page) => {
      await page.route("**/pagefind/**", (route) => route.abort());
      await page.goto(`${site.base}/search/?text=rembrandt`);
      await page.waitForSelector(READY);
      await page.getByRole("link", { name: "Objects", exact: true }).click();
      expect(await page.locator("h1").textContent()).toBe("Objects");
    }));

  it("is accessible, silent and no wider than the window on every kind of page", () => {
    const own = KINDS.filter((path) => !/search|related|sparql|no\/such|problems/.test(path));
    const searches = ["/search/?text=rembrandt", "/search/?text=zzzqqq"];
    return areSound(site, { colorScheme: "dark", width: 320 }, [...own, ...searches, "/dumps/"]);
  });
});
