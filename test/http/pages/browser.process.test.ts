/** A few pages in a narrow window in the dark; the campaign `browsers` looks at every kind in all. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PREVIEW_SIZE } from "../../../src/http/routes/search/reconcile.js";
import {
  areSound,
  type BrowsedSite,
  CHROMIUM,
  drawsMaps,
  isCompleted,
  isUnharmed,
  looksCloser,
  startSite,
} from "./browsing.js";

describe.skipIf(CHROMIUM === undefined)("pages in a browser (skipped: there is no Chromium)", () => {
  let site: BrowsedSite;
  beforeAll(async () => {
    site = await startSite(["person/rembrandt", "place/netherlands", "digital/chi-rho-page", "place/delft"]);
  });
  afterAll(() => site?.stop());

  it("are accessible, silent and no wider than the window", () =>
    areSound(site, { colorScheme: "dark", width: 320 }, [
      "/",
      "/person/rembrandt",
      "/place/netherlands",
      "/search/all?text=rembrandt&view=grid",
      "/search/all?view=table",
    ]));

  it("complete what is typed into the search field", () => isCompleted(site));

  it("show their pictures closer", () => looksCloser(site, "/digital/chi-rho-page"));

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

  it("draw maps", () => drawsMaps(site, "/place/delft", "/place/netherlands"));

  it("do no harm with hostile data, and look closer at images of a IIIF service", () => isUnharmed(site));
});
