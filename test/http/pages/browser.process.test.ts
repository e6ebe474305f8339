/** A few pages in a narrow window in the dark; the campaign `browsers` looks at every kind in all. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PREVIEW_SIZE } from "../../../src/http/routes/search/reconcile-preview.js";
import { areSound, CHROMIUM, isUnharmed, type Site, startSite } from "./browsing.js";

describe.skipIf(CHROMIUM === undefined)("pages in a browser (skipped: there is no Chromium)", () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite(["person/rembrandt", "place/netherlands"]);
  });
  afterAll(() => site?.stop());

  it("are accessible, silent and no wider than the window", () =>
    areSound(site, { colorScheme: "dark", width: 320 }, ["/", "/person/rembrandt", "/place/netherlands"]));

  it("offer what is called as one types, with its kind and dates", () =>
    site.visit({}, async (page, complaints) => {
      await page.goto(`${site.base}/search/all`);
      const field = page.locator(".find input");
      await field.pressSequentially("Rem");
      const offered = page.locator("#suggestions option").first();
      await offered.waitFor({ state: "attached" });
      expect(await offered.getAttribute("value")).toBe("Rembrandt");
      expect(await offered.textContent()).toBe("Rembrandt (Person: Dutch, Painter, 1606 – 1669, Leiden)");
      expect(complaints).toEqual([]);
    }));

  it("fit the frame of a preview, whatever the record", () =>
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

  it("do no harm with hostile data, and look closer at images of a IIIF service", () => isUnharmed(site));
});
