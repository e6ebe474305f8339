import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { yearsIn, yearsText } from "../../src/search/years.js";
import { runsOf } from "../extent.js";

describe("the years of a text", () => {
  it.each([
    ["1761", 1761, 1761],
    ["1761-01-01T00:00:00Z", 1761, 1761],
    ["12.3.1761", 1761, 1761],
    ["c. 1621", 1621, 1621],
    ["between 1727 and 1737", 1727, 1737],
    ["1727-37", 1727, 1737],
    ["1727–1737", 1727, 1737],
    ["1880s", 1880, 1889],
    ["1900s", 1900, 1999],
    ["17th century", 1601, 1700],
    ["XVIe siècle", 1501, 1600],
    ["siglo XIX", 1801, 1900],
    ["16. Jahrhundert", 1501, 1600],
    ["14e eeuw", 1301, 1400],
    ["5th century BC", -499, -400],
    ["1960's", 1960, 1969],
    ["early 20th c", 1901, 2000],
    ["450 BC", -449, -449],
    ["500-450 BCE", -499, -449],
    ["AD 775", 775, 775],
  ])("of %j are %i to %i", (text, first, last) => {
    expect(yearsIn(text)).toMatchObject({ first, last });
  });

  it.each(["", "undated", "44.5 cm", "5 cents", "I cannot", "1761.25", "12 Main Street", "2008,3008.1"])(
    "are none in %j",
    (text) => {
      expect(yearsIn(text)).toBeUndefined();
    },
  );

  it.each([
    ["photograph 1920s", "photograph"],
    ["portrait of a lady, early 16th century", "portrait of a lady, early"],
    ["vase 5th century B.C.", "vase"],
    ["Vermeer (c. 1660-65)", "Vermeer ( )"],
    ["paysage du XVIe siècle", "paysage du"],
  ])("leave of %j %j", (text, rest) => {
    expect(yearsIn(text)!.rest.trim()).toBe(rest);
  });

  it.each([
    [1906, 1906, "1906"],
    [1501, 1600, "1501 to 1600"],
    [-700, -601, "701 to 602 BC"],
    [-99, 50, "100 BC to AD 50"],
    [0, 0, "1 BC"],
  ])("%i to %i are written as %s", (first, last, text) => {
    expect(yearsText(first, last, " to ")).toBe(text);
  });

  it("begin before they end, whatever the text", () => {
    const words = [
      "1",
      "19",
      "192",
      "1920",
      "s",
      "th",
      " ",
      "   ",
      "c",
      "ca. ",
      "century",
      "xvi",
      "iiii",
      "e",
      "-",
      "/",
      ".",
      "b.c.",
      "siglo ",
    ];
    const text = fc.array(fc.constantFrom(...words), { maxLength: 120 }).map((each) => each.join(""));
    fc.assert(
      fc.property(text, (whole) => {
        const { first, last, rest } = yearsIn(whole) ?? { first: 0, last: 0, rest: "" };
        expect(first <= last && rest.length <= whole.length).toBe(true);
      }),
      runsOf(10_000),
    );
  });
});
