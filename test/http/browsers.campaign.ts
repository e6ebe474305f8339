/** Every kind of page in a real browser: accessible, by keyboard, at every width and in both colour schemes, silent, at home on this machine, and unharmed by hostile data. */
import { describe, expect, it } from "vitest";
import { PREVIEW_SIZE } from "../../src/http/routes/search/reconcile.js";
import { htmlForm } from "../../src/validate/report/html.js";
import { Tally } from "../../src/validate/report/tally.js";
import type { Result } from "../../src/validate/results.js";
import { IS_SHORT } from "../extent.js";
import { startedForAll } from "../started.js";
import { areSound, CHROMIUM, drawsMaps, isUnharmed, looksCloser, startSite, type Window } from "./pages/browsing.js";
import { KINDS } from "./pages/kinds.js";

const WIDTHS = [320, 390, 1_280, 1_920];
const LANGUAGES = ["en", "nl", "de", "fr"];
const WINDOWS: readonly Window[] = WIDTHS.flatMap((width) =>
  LANGUAGES.flatMap((locale): Window[] => [
    { colorScheme: "light", width, locale },
    { colorScheme: "dark", width, locale },
  ]),
);
/** The narrowest window, dark and with the longest words, and the widest, light: one stylesheet has both colours and widths. */
const SHORT: readonly Window[] = [
  { colorScheme: "dark", width: 320, locale: "de" },
  { colorScheme: "light", width: 1_920, locale: "fr" },
];

describe.skipIf(CHROMIUM === undefined)("pages in a browser (skipped: there is no Chromium)", () => {
  const site = startedForAll(startSite);

  it.each(IS_SHORT ? SHORT : WINDOWS)(
    "are accessible, silent and no wider than the window: $colorScheme, $width, $locale",
    (window) => areSound(site, window, KINDS),
  );

  it("can be used with the keyboard alone", async () => {
    await site.visit({}, async (page) => {
      await page.goto(`${site.base}/object/night-watch`);
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
      await page.waitForURL(`${site.base}/person/rembrandt`);
      expect(await page.locator("h1").textContent()).toBe("Rembrandt");
    });
  });

  it("fit the frame of a preview, whatever the record is", () =>
    site.visit({ viewport: PREVIEW_SIZE }, async (page, complaints) => {
      for (const path of ["person/rembrandt", "place/netherlands", "object/hostile"]) {
        const id = encodeURIComponent(`${site.base}/${path}`);
        await page.goto(`${site.base}/reconcile/preview?id=${id}`);
        const size = await page.evaluate(
          "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]",
        );
        expect([path, size]).toEqual([path, [PREVIEW_SIZE.width, PREVIEW_SIZE.height]]);
      }
      expect(complaints).toEqual([]);
    }));

  it("enlarge their pictures", () => looksCloser(site, "/digital/chi-rho-page"));

  it("say in the page's language that a picture cannot be shown", () =>
    site.visit({ locale: "nl" }, async (page) => {
      await page.goto(`${site.base}/digital/chi-rho-page`);
      // The small picture is there; the large one is not.
      await page.route(/\/(images|iiif)\//, (route) => route.abort());
      await page.locator("figure a").first().click();
      await page.locator(".viewer .stage", { hasText: "kan nu niet worden getoond" }).waitFor();
    }));

  it("draw maps", () => drawsMaps(site, "/place/delft", "/place/netherlands"));

  it("draw coasts beyond the date line", () =>
    site.visit({}, async (page) => {
      await page.goto(`${site.base}/place/hawaii`);
      const coasts = page.locator(".map path.land");
      await expect.poll(async () => (await coasts.getAttribute("d"))?.length).toBeGreaterThan(50);
    }));

  it("show places far from each other, and areas that are too small to draw, in a narrow window, too", () =>
    site.visit({ viewport: { width: 320, height: 800 } }, async (page) => {
      await page.goto(`${site.base}/event/journey`);
      const places = page.locator(".map").getByRole("link");
      await expect.poll(() => places.count()).toBe(2);
      const map = (await page.locator(".map").boundingBox())!;
      for (const place of await places.all()) {
        const { x, width } = (await place.boundingBox())!;
        expect([width > 8, x > map.x, x + width < map.x + map.width]).toEqual([true, true, true]);
      }
    }));

  it("are not harmed by hostile data, and enlarge images of a IIIF service", () => isUnharmed(site));

  it("draw places on a map, whose controls are buttons", async () => {
    await site.visit({}, async (page, complaints) => {
      await page.goto(`${site.base}/place/mount-fuji`);
      await page.locator(".map.drawn path[stroke-width='2']").waitFor();
      await page.locator(".map").getByRole("button", { name: "Zoom in" }).press("Enter");
      expect(complaints).toEqual([]);
    });
  });

  it("of validation reports are no wider than a narrow window, whatever breaks a rule", () =>
    site.visit({ viewport: { width: 320, height: 800 } }, async (page) => {
      const result: Result = {
        ...{ severity: "Violation", path: "timespan/begin_of_the_begin", focus: null, property: null, component: null },
        ...{
          message: `${"z".repeat(200)} is no date`,
          rule: "http://localhost/shapes#timespan.begin_of_the_begin.value",
        },
        value: `"${"z".repeat(500)}"`,
      };
      const iri = `http://localhost/event/${"x".repeat(200)}`;
      const record = { iri, endpoint: "event", label: "y".repeat(200), identifiers: [], source: "x:1" } as const;
      const [form, tally] = [htmlForm(), new Tally()];
      form.record({ ...record, results: [result] }, 0);
      tally.add({ ...record, results: [result] });
      await page.setContent(form.tail({ records: 1, invalid: 1 }, 1, tally.rules()));
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    }));

  it("are complete without JavaScript", async () => {
    await site.visit({ javaScriptEnabled: false }, async (page) => {
      await page.goto(`${site.base}/place/netherlands`);
      expect(await page.locator(".map svg path").count()).toBe(1);
      await page.goto(`${site.base}/object/night-watch`);
      expect(await page.locator(".timeline > li").count()).toBeGreaterThan(8);
      expect(await page.locator("img").first().getAttribute("alt")).toBe("Drawing after the Night Watch");
      await page.goto(`${site.base}/`);
      expect(await page.locator(".endpoints a").count()).toBe(12);
    });
  });
});
