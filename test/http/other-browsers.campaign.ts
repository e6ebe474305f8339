/** Every kind of page in Firefox and in WebKit: accessible, no wider than the window, and with all that scripts add. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { IS_SHORT } from "../extent.js";
import { startedForAll } from "../started.js";
import { AXE, serveSite } from "./pages/browsing.js";
import { KINDS } from "./pages/kinds.js";
import { type BrowserWindow, OTHER_BROWSERS } from "./pages/other-browsers.js";

const CHECK = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 200)).join(" | ")))`;

describe.each(OTHER_BROWSERS)("pages in %s (skipped where it is not installed)", (_, openWindow) => {
  const site = startedForAll(serveSite);
  let window: BrowserWindow;

  describe.skipIf(openWindow === undefined).each(IS_SHORT ? [500] : [500, 1_280])("%i pixels wide", (width) => {
    beforeAll(async () => {
      window = await openWindow!(width);
    });
    afterAll(() => window?.close());

    it("are accessible, silent and no wider than the window", async () => {
      for (const path of KINDS) {
        await window.open(site.base + path.replace("BASE", encodeURIComponent(site.base)));
        await window.evaluate(`(() => { ${AXE} })()`);
        expect(await window.evaluate(CHECK), path).toEqual([]);
        expect(await window.evaluate("document.documentElement.scrollWidth <= innerWidth"), path).toBe(true);
      }
      expect(window.complaints.filter((complaint) => !complaint.includes("404"))).toEqual([]);
    });

    it("offer names for what is typed", async () => {
      await window.open(`${site.base}/place/netherlands`);
      await window.type("input[role=combobox]", "Rem");
      await expect.poll(() => window.evaluate("document.querySelectorAll('[role=option]').length")).toBeGreaterThan(0);
      await window.press("ArrowDown");
      await window.press("Enter");
      await expect.poll(() => window.evaluate("location.search")).toBe("?text=Rembrandt");
    });

    it("enlarge a picture in a dialog, which Escape and the back button close", async () => {
      await window.open(`${site.base}/digital/chi-rho-page`);
      const dialogs = (): Promise<unknown> => window.evaluate("document.querySelectorAll('dialog[open]').length");
      for (const close of [() => window.press("Escape"), () => window.back()]) {
        await window.click("figure a");
        await expect.poll(() => window.evaluate("document.querySelectorAll('.viewer canvas').length")).toBe(1);
        await close();
        await expect.poll(dialogs).toBe(0);
      }
      expect(await window.evaluate("location.pathname")).toBe("/digital/chi-rho-page");
    });

    it("draw maps", async () => {
      await window.open(`${site.base}/place/delft`);
      const drawn = (what: string) => window.evaluate(`document.querySelectorAll('${what}').length`);
      await expect.poll(() => drawn(".map path.land")).toBe(1);
      await expect.poll(() => drawn(".map path.own, .map path.other")).toBe(2);
    });

    it("have an editor for queries, and show results", async () => {
      await window.open(`${site.base}/sparql`);
      await expect.poll(() => window.evaluate("document.body.dataset.ready")).toBe("true");
      await window.click("#query");
      await expect.poll(() => window.evaluate("document.querySelectorAll('.CodeMirror').length")).toBe(1);
      await window.click(".yasqe_queryButton");
      await expect.poll(() => window.evaluate("document.querySelectorAll('.yasr table tr').length")).toBeGreaterThan(5);
    });
  });
});
