/** A few pages in a narrow window in the dark; the campaign `browsers` looks at every kind in all. */
import { afterAll, beforeAll, describe, it } from "vitest";
import { areSound, CHROMIUM, isUnharmed, looksCloser, type Site, startSite } from "./browsing.js";

describe.skipIf(CHROMIUM === undefined)("pages in a browser (skipped: there is no Chromium)", () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite(["person/rembrandt", "place/netherlands", "digital/chi-rho-page"]);
  });
  afterAll(() => site?.stop());

  it("are accessible, silent and no wider than the window", () =>
    areSound(site, { colorScheme: "dark", width: 320 }, ["/", "/person/rembrandt", "/place/netherlands"]));

  it("show their pictures closer", () => looksCloser(site, "/digital/chi-rho-page"));

  it("do no harm with hostile data, and look closer at images of a IIIF service", () => isUnharmed(site));
});
