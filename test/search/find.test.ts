/** Searches: their hits, and the order of these. */

import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { classIri } from "../../src/model/vocabulary/vocabulary.js";
import { IndexSearch } from "../../src/search/find.js";
import { termNumber } from "../../src/search/properties.js";
import { SEARCH_FILE } from "../../src/search/schema.js";
import { Sqlite } from "../../src/search/sqlite.js";
import { meantText } from "../../src/search/years.js";
import { InvalidCursorError } from "../../src/store/errors.js";
import type { SearchQuery, WindowQuery } from "../../src/store/search.js";
import { SearchedStore, stagedOf } from "./searched-store.js";

const searched = new SearchedStore();
const { publish, find } = { publish: searched.publish.bind(searched), find: searched.find.bind(searched) };

describe("a search", () => {
  it("finds whole values first, then beginnings, words, incomplete words, makers, and words of any text", async () => {
    await publish({
      "urn:text": { label: "A portrait", statements: ["Painted after a model by Rembrandt"] },
      "urn:made": { label: "Night", maker: "urn:m Rembrandt" },
      "urn:begun": { label: "Jan Rembrandtsz" },
      "urn:word": { label: "Portrait of Rembrandt" },
      "urn:prefix": { label: "Rembrandt van Rijn" },
      "urn:whole": { label: "Z", names: ["REMBRANDT"] },
      "urn:other": { label: "Rubens" },
    });
    const order = ["urn:whole", "urn:prefix", "urn:word", "urn:begun", "urn:made", "urn:text"];
    expect(await find({ text: "rembrandt" })).toEqual(order);
    expect(await find({ name: "Rémbrandt!" })).toEqual(order.slice(0, -2));
    const { items, total } = await searched.search.find({ text: "rembrandt" }, { limit: 10 });
    expect(items.map(({ rank }) => rank)).toEqual(["value", "prefix", "words", "word prefix", "maker", "text"]);
    expect(items[0]).toMatchObject({ label: "Z", endpoint: "object", classes: [classIri("HumanMadeObject")] });
    expect(total).toBe(6);
  });

  it("finds records by the names of what they refer to, also after these change", async () => {
    const made = { label: "Night", maker: "urn:m Rembrandt" };
    await publish({ "urn:a": made, "urn:m": { label: "Rijn", names: ["Harmenszoon"], endpoint: "person" } });
    expect(await find({ text: "harmenszoon" })).toEqual(["urn:m", "urn:a"]);
    await publish({ "urn:m": { label: "Rijn", names: ["Leiden"], endpoint: "person" } });
    expect(await find({ text: "harmenszoon" })).toEqual([]);
    expect(await find({ text: "leiden night" })).toEqual(["urn:a"]);
    await publish({}, ["urn:m"]);
    expect(await find({ text: "leiden" })).toEqual([]);
    expect(await find({ text: "rembrandt" })).toEqual(["urn:a"]);
  });

  it("counts a record once, whichever of its numbers begin with the text", async () => {
    await publish({ "urn:a": { identifiers: ["1937.1", "1937.1.a", "Bä 1"] }, "urn:b": { identifiers: ["1937.2"] } });
    const countOf = async (identifier: string) => (await searched.search.find({ identifier }, { limit: 1 })).total;
    expect(await Promise.all(["1937", "1937.1", "b"].map(countOf))).toEqual([2, 1, 1]);
  });

  it("for any of many targets, or none of them, is one statement, which does not grow with their number", async () => {
    const targets = Array.from({ length: 40 }, (_, at) => `urn:t${at}`);
    const one = (target: string) => ({ refers: { made_of: [target] } });
    await publish({
      ...Object.fromEntries(targets.map((target) => [`${target}/o`, one(target)])),
      "urn:x": one("urn:y"),
    });
    const relations = [...targets, "urn:unknown"].map((target) => ({ property: "made_of", target }));
    expect(await find({ relations })).toEqual(targets.map((target) => `${target}/o`).sort());
    expect(await find({ relations: relations.map((each) => ({ ...each, isNot: true })) })).toEqual(["urn:x"]);
    expect(await find({ relations: relations.slice(-1) })).toEqual([]);
    const sqlite = new Sqlite(join(searched.directory, SEARCH_FILE));
    const lengthFor = (count: number): number => {
      const some = targets.slice(0, count).map((target) => ({ property: termNumber("made_of")!, target, isNot: true }));
      return new IndexSearch(sqlite, { relations: some }).ids.sql.length;
    };
    expect(lengthFor(40)).toBe(lengthFor(2));
    sqlite.close();
  });

  it("puts entities with more referrers first", async () => {
    await publish({
      "urn:a": { label: "Jan Steen", endpoint: "person" },
      "urn:b": { label: "Jan Steen", endpoint: "person" },
      "urn:1": { label: "One", maker: "urn:b" },
      "urn:2": { label: "Two", maker: "urn:b" },
    });
    expect((await find({ text: "jan steen", endpoint: "person" }))[0]).toBe("urn:b");
    expect((await find({ text: "steen", endpoint: "person" }))[0]).toBe("urn:b");
    await publish({ "urn:3": { label: "Three", maker: "urn:a" } }, ["urn:1", "urn:2"]);
    expect((await find({ text: "jan steen", endpoint: "person" }))[0]).toBe("urn:a");
  });

  it("puts people before an event of exactly this name that has fewer referrers, on all pages", async () => {
    const shown = { used_specific_object: ["urn:o"] };
    await publish({
      "urn:e": { label: "Vermeer", endpoint: "event", refers: shown },
      "urn:w": { label: "Vermeer" },
      "urn:p": { label: "Johannes Vermeer", endpoint: "person" },
      "urn:q": { label: "Vermeer, Jan", endpoint: "person" },
      "urn:r": { label: "Vermeer Reinstalled" },
      "urn:1": { label: "One", maker: "urn:p" },
      "urn:2": { label: "Two", maker: "urn:p" },
      "urn:3": { label: "Three", maker: "urn:q" },
    });
    const order = ["urn:w", "urn:p", "urn:q", "urn:e", "urn:r", "urn:1", "urn:2", "urn:3"];
    expect((await find({ text: "vermeer" })).slice(0, 5)).toEqual(order.slice(0, 5));
    for (const isBackward of [false, true])
      expect((await searched.walk({ text: "vermeer" }, 2, isBackward)).sort()).toEqual([...order].sort());
    expect(await find({ name: "vermeer", endpoint: "event" })).toEqual(["urn:e"]);
    await publish({
      "urn:x": { label: "X", refers: { part_of: ["urn:e"] } },
      "urn:y": { label: "Y", refers: { part_of: ["urn:e"] } },
    });
    expect((await find({ text: "vermeer" })).slice(0, 3)).toEqual(["urn:w", "urn:e", "urn:q"]);
  });

  it("puts people before what only begins with their name, if more refers to them or it is their surname", async () => {
    await publish({
      "urn:house": { label: "Monet's Garden" },
      "urn:monet": { label: "Claude Monet", endpoint: "person" },
      "urn:lilies": { label: "Lilies", maker: "urn:monet" },
      "urn:ghost": { label: "Manet's Ghost" },
      "urn:manet": { label: "Édouard Manet", names: ["Manet, Édouard"], endpoint: "person" },
    });
    expect((await find({ text: "monet" })).slice(0, 2)).toEqual(["urn:monet", "urn:house"]);
    expect((await find({ text: "manet" })).slice(0, 2)).toEqual(["urn:manet", "urn:ghost"]);
  });

  it("puts an object before the image that it shows, also with words of the maker", async () => {
    const maker = "urn:k Klimt";
    await publish({
      "urn:a": { label: "The Kiss", endpoint: "visual", maker },
      "urn:b": { label: "The Kiss", maker, refers: { shows: ["urn:a"] }, statements: ["Oil on canvas"] },
    });
    for (const text of ["the kiss", "kiss", "klimt kiss"])
      expect(await find({ text }), text).toEqual(["urn:b", "urn:a"]);
  });

  it("takes a letter with a full stop for an initial, although a text has that letter", async () => {
    await publish({
      "urn:w": { label: "Winslow Homer", endpoint: "person" },
      "urn:t": { label: "Letter", statements: ["From W. S. to Homer"] },
    });
    for (const text of ["W. Homer", "Homer, W.", "w. homer"])
      expect(await find({ text }), text).toEqual(["urn:w", "urn:t"]);
    expect(await find({ text: "w homer" })).toEqual(["urn:t"]);
  });

  it("finds records by a year of their span, by their IRI and by its end", async () => {
    await publish({
      "https://a.example/12345": { label: "One", years: ["1885", "1890"] },
      "https://a.example/6": { label: "Two", years: ["1889", "1889"] },
      "https://a.example/x": { label: "Three", years: ["1700", "1900"] },
    });
    expect(await find({ text: "1889" })).toEqual(["https://a.example/6", "https://a.example/12345"]);
    expect(await find({ text: "1700" })).toEqual(["https://a.example/x"]);
    expect(await find({ text: "https://a.example/x" })).toEqual(["https://a.example/x"]);
    expect(await find({ text: "12345" })).toEqual(["https://a.example/12345"]);
    expect(await find({ text: "1234" })).toEqual([]);
  });

  it("counts a record that is found by its IRI alone, and takes no other text for what was meant", async () => {
    await publish({
      "https://a.example/1937.1.2.c": { label: "Saint James", years: ["1500", "1510"] },
      "https://a.example/other": { label: "No. 2: Chair", years: ["1937", "1937"], identifiers: ["1"] },
    });
    for (const text of ["1937.1.2.c", "https://a.example/1937.1.2.c"]) {
      const { items, total, meant } = await searched.search.find({ text }, { limit: 5 });
      expect([items.map(({ iri }) => iri), total, meant]).toEqual([["https://a.example/1937.1.2.c"], 1, undefined]);
      expect(await find({ text, sort: "label" })).toEqual(["https://a.example/1937.1.2.c"]);
      expect(await find({ text, ends: 1400 })).toEqual([]);
      const { values } = await searched.search.facets({ text }, ["century"], 5);
      expect(values).toMatchObject([{ value: "1500", records: 1 }]);
    }
  });

  it("puts the record whose IRI ends in an accession number before those with words of it, and after those with the number", async () => {
    await publish({
      "https://a.example/1916.1872.b": { label: "Medal" },
      "https://a.example/words": { label: "1872: a B, 1916" },
      "https://a.example/long": { label: "No. 1916.1872.b (reverse)" },
      "https://a.example/number": { label: "Coin", identifiers: ["1916.1872.b"] },
    });
    const found = (await find({ text: "1916.1872.b" })).map((iri) => iri.replace("https://a.example/", ""));
    expect([found.slice(0, 2), found.slice(2).sort()]).toEqual([
      ["number", "1916.1872.b"],
      ["long", "words"],
    ]);
    expect(await find({ text: "1916.1872.b", sort: "label" })).toHaveLength(4);
  });

  it("finds words of statements in HTML, and no tags and entities", async () => {
    const statements = [
      "<p class='x'>A <b>strong</b>hold of caf&eacute;s</p><style>h1 {}</style><SCRIPT type='x'>if (1 < 2) boo();</SCRIPT >",
    ];
    await publish({
      "urn:html": { label: "1", statements, format: "text/html" },
      "urn:plain": { label: "2", statements: ["<class>"] },
    });
    expect(await find({ text: "stronghold cafés" })).toEqual(["urn:html"]);
    for (const text of ["p", "b", "eacute", "h1", "boo"]) expect(await find({ text, isAsWritten: true })).toEqual([]);
    expect(await find({ text: "class" })).toEqual(["urn:plain"]);
  });

  it("finds identifiers by the whole or the beginning, ignoring punctuation, width and case", async () => {
    await publish({
      "urn:a": { label: "a", identifiers: ["SK-C-5"] },
      "urn:b": { label: "b", identifiers: ["SK-C-50"] },
      "urn:c": { label: "SK C 5" },
    });
    expect(await find({ identifier: "sk.c.5" })).toEqual(["urn:a", "urn:b"]);
    expect(await find({ identifier: "ＳＫ－Ｃ－５" })).toEqual(["urn:a", "urn:b"]);
    expect(await find({ text: "SK-C-5" })).toEqual(["urn:a", "urn:c", "urn:b"]);
    expect(await find({ name: "SK-C-5" })).toEqual(["urn:c"]);
  });

  it("finds a record with very many names by its number and by the end of its IRI", async () => {
    const names = Array.from({ length: 100 }, (_, at) => `Variant ${at}`);
    await publish({ "urn:ulan:500115588": { names, identifiers: ["A-1"] }, "urn:b": { names: ["A-1"] } });
    expect(await find({ identifier: "A-1" })).toEqual(["urn:ulan:500115588"]);
    expect(await find({ text: "500115588", isAsWritten: true })).toEqual(["urn:ulan:500115588"]);
  });

  it("combines texts, classes, endpoints and relations, and ignores classifications of names", async () => {
    const [person, activity, type] = ["Person", "Activity", "Type"].map((name) => classIri(name)!);
    await publish({
      "urn:a": { label: "Night", maker: "urn:m", type: "urn:t" },
      "urn:b": { label: "Night", maker: "urn:n", type: "urn:t", identifiers: ["1"] },
      "urn:c": { label: "Day", maker: "urn:m" },
      "urn:p": { label: "Night", endpoint: "person", names: ["Night"], type: "urn:u" },
    });
    const by = (property: string, target: string): SearchQuery => ({ relations: [{ property, target }] });
    expect(await find({ name: "night" })).toEqual(["urn:a", "urn:b", "urn:p"]);
    expect(await find({ name: "night", endpoint: "person" })).toEqual(["urn:p"]);
    expect(await find({ name: "night", classes: [person!] })).toEqual(["urn:p"]);
    expect(await find({ classes: [person!] })).toEqual(["urn:p"]);
    // Records of these endpoints have one of several classes.
    await publish({ "urn:e": { label: "Eve", endpoint: "event" }, "urn:k": { label: "Kind", endpoint: "concept" } });
    expect(await find({ classes: [person!, activity!] })).toEqual(["urn:e", "urn:p"]);
    expect(await find({ classes: [type!, classIri("Material")!] })).toEqual(["urn:k"]);
    expect(await find({ classes: ["urn:no-class"] })).toEqual([]);
    expect(await find({ name: "night", ...by("carried_out_by", "urn:m") })).toEqual(["urn:a"]);
    expect(await find({ name: "night", identifier: "1" })).toEqual(["urn:b"]);
    expect(await find(by("carried_out_by", "urn:m"))).toEqual(["urn:c", "urn:a"]);
    expect(await find(by("classified_as", "urn:t"))).toEqual(["urn:a", "urn:b"]);
    expect(await find(by("classified_as", "urn:t/nested"))).toEqual([]);
    expect(await find(by("part_of", "urn:t"))).toEqual([]);
    // Values of one property are alternatives, whatever stands between them.
    const [m, t, n] = [by("carried_out_by", "urn:m"), by("classified_as", "urn:t"), by("carried_out_by", "urn:n")];
    expect(await find({ relations: [m, t, n].flatMap(({ relations = [] }) => relations) })).toEqual(["urn:a", "urn:b"]);
    expect(await find({})).toHaveLength(6);
    expect(await find({ endpoint: "place" })).toEqual([]);
  });

  it("lists labels in the order of their first 40 characters, also from one on, and those of referrers of 16", async () => {
    const labels = [
      "Camera Work: Still Life with Pears",
      "Camera Work: Stirling Castle",
      "The Camera Work",
      "Zebra 🦓".repeat(9),
    ];
    const work = (label: string) => ({ label, maker: "urn:m" });
    await publish(Object.fromEntries(labels.map((label, at) => [`urn:${labels.length - at}`, work(label)])));
    expect(await find({})).toEqual(["urn:2", "urn:4", "urn:3", "urn:1"]);
    const relations = [{ property: "carried_out_by", target: "urn:m" }];
    const from = async (query: SearchQuery) =>
      (await searched.search.find(query, { limit: 2, from: "camera work still life" })).items.map(({ iri }) => iri);
    expect(await from({})).toEqual(["urn:4", "urn:3"]);
    expect((await from({ relations })).toSorted()).toEqual(["urn:3", "urn:4"]);
    expect(await find({ relations, text: "zebra" })).toEqual(["urn:1"]);
    await publish({}, ["urn:1"]);
    expect(await find({ relations, endpoint: "object" })).toHaveLength(3);
  });

  it("understands misspellings, inverted names, initials, life dates, abbreviations and umlauts, and says what was searched for instead", async () => {
    await publish({
      "urn:v": { label: "Johannes Vermeer", endpoint: "person" },
      "urn:r": { label: "Rembrandt van Rijn", endpoint: "person" },
      "urn:m": { label: "Madonna and Child" },
      "urn:w": { label: "Water Lilies", identifiers: ["670"] },
      "urn:d": { label: "Albrecht Dürer", endpoint: "person" },
      "urn:k": { label: "Kaethe Moeller", endpoint: "person" },
      "urn:s": { label: "Saint Peter at Mount Sinai" },
    });
    const searchedFor = async (text: string): Promise<(string | undefined)[]> => {
      const { items, meant: other } = await searched.search.find({ text }, { limit: 3 });
      return [...items.map(({ iri }) => iri), other && meantText(other)];
    };
    expect(await searchedFor("rembrant")).toEqual(["urn:r", "rembrandt"]);
    expect(await searchedFor("Madona and child")).toEqual(["urn:m", "madonna and child"]);
    expect(await searchedFor("water lillies")).toEqual(["urn:w", "water lilies"]);
    expect(await searchedFor("waterlilies")).toEqual(["urn:w", "water lilies"]);
    expect(await searchedFor("Ma donna and child")).toEqual(["urn:m", "madonna and child"]);
    expect(await searchedFor("Johanes Vermeer")).toEqual(["urn:v", "johannes vermeer"]);
    expect(await searchedFor("Vermeer, Johannes")).toEqual(["urn:v", undefined]);
    expect((await searchedFor("Johannes Vermeer (1632-1675)"))[0]).toBe("urn:v");
    expect((await searchedFor("Johanes Vermeer (1632–1675)"))[0]).toBe("urn:v");
    expect((await searchedFor("Johannes Vermeer (1632-)"))[0]).toBe("urn:v");
    expect(await searchedFor("J Vermeer")).toEqual(["urn:v", "j… vermeer"]);
    expect((await searchedFor("inv. 670"))[0]).toBe("urn:w");
    for (const text of ["Dürer", "Durer", "Duerer", "Albrecht Duerer"])
      expect(await searchedFor(text)).toEqual(["urn:d", undefined]);
    expect((await searchedFor("Käthe Möller"))[0]).toBe("urn:k");
    for (const text of ["St. Peter", "saint peter", "Mt. Sinai", "sain", "moun"])
      expect(await searchedFor(text)).toEqual(["urn:s", undefined]);
    // `mount` may be the beginning of another word, and `saint` is inflected.
    await publish({ "urn:l": { label: "Mountain Lake" }, "urn:a": { names: ["All Saints"], language: "en" } });
    for (const text of ["mountai", "lake mount"]) expect(await searchedFor(text)).toContain("urn:l");
    for (const text of ["saints", "all saint", "saint"]) expect(await searchedFor(text)).toContain("urn:a");
    expect(await searchedFor("mount")).toEqual(["urn:s", "urn:l", undefined]);
    // But `st` is the beginning of another word only if it is written so.
    await publish({ "urn:t": { label: "Story" } });
    expect(await searchedFor("st")).toContain("urn:t");
    for (const text of ["saint", "saint p"]) expect(await searchedFor(text)).not.toContain("urn:t");
    // A text of many words that no record has is in another language.
    await publish({ "urn:o": { label: "Orchard Meadow Sunset Village Thatched Cottage Haystack" } });
    expect(await searchedFor("orchrd meadw sunst villge thatchd cottge")).toHaveLength(2);
    expect(await searchedFor("orchrd meadw sunst villge thatchd cottge haystck")).toEqual([undefined]);
    // A word of four letters is too short to be corrected.
    expect(await searchedFor("rijm")).toEqual([undefined]);
    await publish({}, ["urn:r"]);
    expect(await searchedFor("rembrant")).toEqual([undefined]);
    await publish({ "urn:n": { label: "Night", maker: "urn:x Whistler" } });
    expect(await searchedFor("whisler")).toEqual(["urn:n", "whistler"]);
    // Initials are those of names, also of makers; a digit is none.
    expect(await searchedFor("night, W.")).toEqual(["urn:n", undefined]);
    expect(await searchedFor("night, M.")).toEqual(["urn:n", "night"]);
    expect(await searchedFor("6 lilies")).toEqual([undefined]);
  });

  it("makes no difference between names with and without the signs of romanization, Arabic marks and digits, and soft hyphens", async () => {
    const labels = [
      "Riżā-yi ʿAbbāsī",
      "Qurʼān",
      "Hawaiʻi",
      "Gogolʹ",
      "محمـــد",
      "ٱلله",
      "رحمٰن",
      "ISL.٤٥",
      "Kunst\u00adhistorisches Museum",
    ];
    await publish(Object.fromEntries(labels.map((label) => [`urn:${label}`, { label }])));
    const typed = ["abbasi", "quran", "Hawaii", "Gogol", "محمد", "الله", "رحمن", "ISL.45", "kunsthistorisches"];
    for (const [at, label] of labels.entries())
      for (const text of [typed[at]!, label])
        expect(await find({ text, isAsWritten: true }), text).toEqual([`urn:${label}`]);
    await publish({ "urn:ayn": { label: "ʿ" } });
    expect(await find({ text: "ʿ" })).toEqual(["urn:ayn"]);
  });

  it("reflects changes and deletions", async () => {
    await publish({ "urn:a": { label: "One", names: ["Alpha"] }, "urn:b": { label: "Two", names: ["Alpha Beta"] } });
    await publish({ "urn:a": { label: "One", names: ["Gamma"] } }, ["urn:b"]);
    expect(await find({ text: "alpha" })).toEqual([]);
    expect(await find({ text: "gamma" })).toEqual(["urn:a"]);
    await publish({ "urn:a": { label: "Another", names: ["Gamma"], endpoint: "person" } });
    expect(await find({ text: "gamma", endpoint: "object" })).toEqual([]);
    expect(await find({ text: "gamma", endpoint: "person" })).toEqual(["urn:a"]);
  });

  it("never finds a held record", async () => {
    await publish({ "urn:a": { label: "Secret" } });
    const stage = await searched.store.stage();
    await stage.put({ ...stagedOf("urn:a", { label: "Secret" }), hold: "name" });
    await stage.publish();
    expect(await find({ text: "secret" })).toEqual([]);
    expect(await find({})).toEqual([]);
  });

  it("refuses invalid cursors", async () => {
    await publish({ "urn:a": { label: "a" } });
    for (const after of ["x", "AAAA", "_____________________________", "BQ", "WzFd", "W3t9XQ"]) {
      await expect(searched.search.find({ name: "a" }, { after, limit: 1 })).rejects.toThrow(InvalidCursorError);
    }
  });

  it("takes special characters literally", async () => {
    await publish({ "urn:a": { label: "???" }, "urn:b": { label: 'He said "no"' }, "urn:c": { label: "東京" } });
    expect(await find({ text: "???" })).toEqual(["urn:a"]);
    expect(await find({ text: '"no" OR (names : * ^', isAsWritten: true })).toEqual([]);
    expect(await find({ text: '"no"' })).toEqual(["urn:b"]);
    expect(await find({ text: "京" })).toEqual(["urn:c"]);
    await publish({ "urn:d": { label: "Vitruvius", years: ["-0080", "-0015"] } });
    expect(await find({ text: "-" })).toEqual([]);
    expect(await find({ text: "\0" })).toHaveLength(4);
  });
});

describe("the order of hits", () => {
  afterEach(() => void vi.useRealTimers());

  it("is by year however far it is, with those without one last", async () => {
    await publish({
      "urn:a": { label: "Undated" },
      "urn:b": { label: "Axe", years: ["-1500000", "-300000"] },
      "urn:c": { label: "Meteorite", years: ["-4500000000", "-4500000000"] },
      "urn:d": { label: "Far ahead", years: ["99999999", "99999999"] },
      "urn:e": { label: "Vase", years: ["-0500", "-0400"] },
    });
    const dated = ["urn:b", "urn:c", "urn:e", "urn:d"];
    expect(await find({ sort: "date" })).toEqual([...dated, "urn:a"]);
    expect(await find({ sort: "-date" })).toEqual(["urn:d", "urn:e", "urn:b", "urn:c", "urn:a"]);
    expect(await find({ begins: -400_000, ends: -350_000 })).toEqual(["urn:b"]);
  });

  it("is natural by accession number or else first identifier, and chronological by change", async () => {
    const numbers = ["1919.9", "1919.55", "1919.055.2", "b 7", "B-10", "0012"];
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 1) });
    await publish(
      Object.fromEntries(numbers.map((number) => [`urn:${number}`, { label: "X", identifiers: [number] }])),
    );
    vi.setSystemTime(Date.UTC(2026, 0, 2));
    await publish({
      "urn:none": { label: "Without", identifiers: [""] },
      "urn:two": { label: "Two", identifiers: ["", "3", "1"] },
    });
    vi.setSystemTime(Date.UTC(2026, 0, 9));
    const all = [
      "urn:two",
      "urn:0012",
      "urn:1919.9",
      "urn:1919.55",
      "urn:1919.055.2",
      "urn:b 7",
      "urn:B-10",
      "urn:none",
    ];
    expect(await find({ sort: "number" })).toEqual(all);
    expect(await searched.walk({ sort: "number", endpoint: "object" }, 3)).toEqual(all);
    expect(await searched.walk({ sort: "number", text: "x" }, 2, true)).toEqual(all.slice(1, -1));
    expect((await find({ sort: "-changed" })).slice(0, 2)).toEqual(["urn:two", "urn:none"]);
    expect((await searched.walk({ sort: "changed" }, 3)).slice(-2)).toEqual(["urn:two", "urn:none"]);
    expect(await find({ changed: "week" })).toEqual(["urn:two", "urn:none"]);
    expect(await find({ changed: "day" })).toEqual([]);
    expect(await find({ changed: "month" })).toHaveLength(8);
    expect(await find({ changed: "2026-01-02" })).toHaveLength(2);
  });
});

describe("the reasons of a hit", () => {
  const reasons = async (query: SearchQuery): Promise<unknown> => {
    const { items } = await searched.search.find(query, { limit: 10, hasReasons: true });
    return Object.fromEntries(
      items.map(({ iri, reasons: all }) => [iri, all!.map(({ field, words }) => `${field}: ${words}`)]),
    );
  };

  it("are the fields that contain words of the search, whole, incomplete or inflected, or the whole value", async () => {
    await publish({
      "urn:whole": { label: "Night Watch", statements: ["Night."] },
      "urn:many": { names: ["Watches by night"], language: "en", maker: "urn:m Watchman" },
      "urn:made": { label: "Day", maker: "urn:m Nighting Watchman" },
      "urn:said": { label: "Dawn", statements: ["The night watch"], type: "urn:t" },
    });
    expect(await reasons({ text: "night watch" })).toEqual({
      "urn:whole": ["names: night watch"],
      "urn:many": ["names: night,watch"],
      "urn:said": ["texts: night,watch"],
    });
    expect(await reasons({ text: "watchman night" })).toEqual({
      "urn:many": ["names: night", "makers: watchman"],
      "urn:made": ["makers: watchman,night"],
    });
    expect(await reasons({ name: "watch" })).toMatchObject({ "urn:whole": ["names: watch"] });
    expect(await reasons({ text: "night", sort: "label" })).toMatchObject({
      "urn:whole": ["names: night", "texts: night"],
    });
    expect(await reasons({ text: "urn:said" })).toEqual({ "urn:said": ["iri: urn:said"] });
    const { items } = await searched.search.find({}, { limit: 1, hasReasons: true });
    expect(items[0]).not.toHaveProperty("reasons");
  });
});

describe("the relations of Linked Art", () => {
  it("are counted and listed by label, page by page", async () => {
    await publish({
      "urn:b": { label: "B", maker: "urn:m" },
      "urn:a": { label: "A", maker: "urn:m" },
      "urn:c": { label: "C", maker: "urn:n" },
    });
    const { search } = searched;
    const related = async (window: WindowQuery) => {
      const found = await search.find({ related: { relation: "objectProducedByAgent", iri: "urn:m" } }, window);
      return { ...found, items: found.items.map(({ iri }) => iri) };
    };
    const first = await related({ after: "", limit: 1 });
    expect([first.items, first.total]).toEqual([["urn:a"], 2]);
    const second = await related({ after: first.next!, limit: 1 });
    expect([second.items, second.next]).toEqual([["urn:b"], undefined]);
    const back = await related({ before: second.previous!, limit: 1 });
    expect(back.items).toEqual(["urn:a"]);
  });
});
