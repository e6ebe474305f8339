/** Words that are found by their inflected forms in the language of the record. */
import { describe, expect, it } from "vitest";
import { LANGUAGE_CODES } from "../../src/model/vocabulary/languages.js";
import { STEMMED, signOf, stemOf, stemsOf } from "../../src/search/stems.js";
import { SearchedStore } from "./searched-store.js";

const searched = new SearchedStore();
const { publish, find } = { publish: searched.publish.bind(searched), find: searched.find.bind(searched) };

describe("stems", () => {
  it("are those of Snowball, followed by a sign that no word has, a different one for each language", () => {
    expect(["paintings", "painting"].map((word) => stemOf(word, "en"))).toEqual(["paint", "paint"]);
    expect(["schilderijen", "schilderij"].map((word) => stemOf(word, "nl"))).toEqual(["schilderij", "schilderij"]);
    expect([...stemsOf("paintings", ["en", "xx"])]).toEqual([`paint${signOf("en")}`]);
    expect([...stemsOf("paint", ["en"]), ...stemsOf("1889", ["en"]), ...stemsOf("as", ["en"])]).toEqual([]);
    const signs = STEMMED.map(signOf);
    expect(new Set(signs).size).toBe(STEMMED.length);
    for (const sign of signs) expect(sign).toMatch(/^\p{Co}$/u);
  });
});

describe("languages named by the AAT alone", () => {
  it("have valid codes, and are all those of stems and more", () => {
    const codes = [...LANGUAGE_CODES.values()];
    expect(Intl.getCanonicalLocales(codes)).toEqual([...new Set(codes)]);
    expect(codes).toEqual(expect.arrayContaining([...STEMMED, "ar", "he", "zh", "pl", "uk"]));
    for (const identifier of LANGUAGE_CODES.keys()) expect(identifier).toMatch(/^3003(?:8|9)\d{4}$/);
  });
});

describe("a search", () => {
  it("finds exact words first, then inflected ones, in the languages that records state", async () => {
    await publish({
      "urn:many": { names: ["Four landscapes with windmills"], language: "en" },
      "urn:one": { names: ["Landscape with a windmill"], language: "en" },
      "urn:huis": { label: "Boeken", names: ["Het boek van Vermeer"], language: "nl" },
      "urn:none": { names: ["Drawings of windmills"] },
    });
    expect(await find({ text: "windmills landscapes" })).toEqual(["urn:many", "urn:one"]);
    expect((await find({ name: "landscapes windmill" })).sort()).toEqual(["urn:many", "urn:one"]);
    expect((await find({ text: "windmilling" })).sort()).toEqual(["urn:many", "urn:one"]);
    expect(await find({ text: "boeken vermeer" })).toEqual(["urn:huis"]);
    expect(await find({ text: "boekje vermeer", isAsWritten: true })).toEqual([]);
    expect(await find({ identifier: "windmilling" })).toEqual([]);
  });

  it("finds records by inflected names of what they refer to, until no record states the language", async () => {
    await publish({
      "urn:t": { label: "etchings", names: ["etchings"], endpoint: "concept", language: "en" },
      "urn:a": { label: "Night", type: "urn:t" },
    });
    expect(await find({ text: "night etching" })).toEqual(["urn:a"]);
    expect(await find({ text: "etched night" })).toEqual(["urn:a"]);
    await publish({ "urn:t": { label: "etchings", endpoint: "concept" } });
    expect(await find({ text: "etched night", isAsWritten: true })).toEqual([]);
  });

  it("finds records by names of what they refer to that only got or lost a language", async () => {
    const concept = { names: ["etchings"], endpoint: "concept" } as const;
    const others = { "urn:a": { label: "Night", type: "urn:t" }, "urn:b": { names: ["Days"], language: "en" } };
    await publish({ "urn:t": concept, ...others });
    expect(await find({ text: "etched night", isAsWritten: true })).toEqual([]);
    await publish({ "urn:t": { ...concept, language: "en" } });
    expect(await find({ text: "etched night", isAsWritten: true })).toEqual(["urn:a"]);
    await publish({ "urn:t": concept });
    expect(await find({ text: "etched night", isAsWritten: true })).toEqual([]);
  });
});
