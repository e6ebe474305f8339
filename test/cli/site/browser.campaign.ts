/** A site in a browser: its search, and how accessible every kind of its pages is. */
import { describe, expect, it } from "vitest";
import { areSound, CHROMIUM } from "../../http/pages/browsing.js";
import { KINDS } from "../../http/pages/kinds.js";
import { startedForAll } from "../../started.js";
import { browsedSite } from "./browsed-site.js";

const READY = "body[data-ready]";

describe.skipIf(CHROMIUM === undefined)("a site in a browser (skipped: there is no Chromium)", () => {
  const site = startedForAll(browsedSite);

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
      const facets = page.locator(".skip[href='#results'] + .facets");
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

  it("finds what has the rarest words where nothing has all, and says so", () =>
    site.visit({}, async (page, complaints) => {
      await page.goto(`${site.base}/search/?text=kiss klimt vermeer`);
      await page.waitForSelector(READY);
      expect(await page.locator(".results p").first().textContent()).toBe(
        "Results for kiss klimt: there is nothing for “kiss klimt vermeer”.",
      );
      expect(await page.locator(".cards a").allTextContents()).toContain("The Kiss");
      await page.goto(`${site.base}/search/?text=kiss 1665`);
      await page.waitForSelector(READY);
      expect(await page.locator("h1").textContent()).toBe("Nothing was found for “kiss 1665”");
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
