/** A record and a search in a narrow window in the dark; the campaign `browsers` looks at every kind in all. */
import { describe, it } from "vitest";
import { startedForAll } from "../../started.js";
import {
  areEnlarged,
  areSound,
  CHROMIUM,
  isClosed,
  isCompleted,
  isEven,
  isFailed,
  isPrinted,
  startSite,
} from "./browsing.js";

describe.skipIf(CHROMIUM === undefined)("pages in a browser (skipped: there is no Chromium)", () => {
  const site = startedForAll(() => startSite(["person/rembrandt", "person/albrecht-durer", "place/netherlands"]));

  it("are accessible, silent and no wider than the window", () =>
    areSound(site, { colorScheme: "dark", width: 320 }, ["/person/rembrandt", "/search/all?text=rembrandt&view=grid"]));

  it.each([720, 800, 1_000])("are no wider than %d pixels if words, tables or parts within parts are", (width) =>
    areSound(site, { colorScheme: "light", width }, [
      "/search/object?view=table",
      "/search/all?sort=label",
      "/object/hostile",
    ]),
  );

  it("are no wider with letters twice as large, and break no words", () =>
    areEnlarged(site, ["/person/rembrandt", "/search/all?text=rembrandt", "/search/object?view=table"]));

  it("offer to enlarge no picture that does not load", () => isFailed(site));

  it("close a picture once, although it was clicked twice", () => isClosed(site));

  it("have lists of even cards", () => isEven(site));

  it("have lists that are printed without what one can only click", () => isPrinted(site));

  it("complete what is typed into the search field", () => isCompleted(site));
});
