import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { languageOfLabel, sortForm } from "../../src/search/label-order.js";
import { openSearchedForLoading } from "../../src/search/open.js";
import { InvalidCursorError } from "../../src/store/errors.js";
import { publish } from "../http/service.js";
import { CONTEXT_URI, graphOf, type JsonObject } from "../jsonld/documents.js";
import { temporaryFolder } from "../temporary-folder.js";

const BASE = "http://localhost";

function named(at: number, label: string, language?: JsonObject): JsonObject {
  const name = { type: "Name", content: label, ...(language && { language: [language] }) };
  return {
    "@context": CONTEXT_URI,
    id: `${BASE}/object/${at}`,
    type: "HumanMadeObject",
    _label: label,
    identified_by: [name],
  };
}

const DUTCH = { id: "http://vocab.getty.edu/aat/300388256", type: "Language" };
const GERMAN = { id: `${BASE}/concept/german`, type: "Language", notation: "de" };

describe("the form of a label", () => {
  it.each([
    ["\u201cThe Kiss\u201d", undefined, "kiss"],
    ["[A] Study (unfinished)", undefined, "study unfinished"],
    ["De Nachtwacht", "nl", "nachtwacht"],
    ["'t Hooft", "nl-BE", "hooft"],
    ["De Kooning", undefined, "de kooning"],
    ["Die Kuss", "en", "die kuss"],
    ["L'Atelier", "fr", "atelier"],
    ["The", undefined, "the"],
    ["Der Sturm", "xx", "der sturm"],
  ])("%s (%s) is %s", (label, language, form) => {
    expect(sortForm(label, () => language)).toBe(form);
  });

  it("depends on the language of the name that is the label", () => {
    expect(languageOfLabel(graphOf(named(1, "De Kus", DUTCH)), "De Kus")).toBe("nl");
    expect(languageOfLabel(graphOf(named(1, "Der Kuss", GERMAN)), "Der Kuss")).toBe("de");
    expect(languageOfLabel(graphOf(named(1, "The Kiss")), "The Kiss")).toBeUndefined();
    expect(languageOfLabel(graphOf(named(1, "The Kiss", DUTCH)), "Another")).toBeUndefined();
    const unknown = { id: `${BASE}/concept/constructor`, type: "Language" };
    expect(languageOfLabel(graphOf(named(1, "The Kiss", unknown)), "The Kiss")).toBeUndefined();
  });
});

describe("a list by label", () => {
  const directory = temporaryFolder();
  let store: Awaited<ReturnType<typeof openSearchedForLoading>>;
  const labels = ["The zebra", "\u201cAnemone\u201d", "Der Apfel", "7 apples", "Mount Fuji", "The mill", "Ωmega"];

  beforeAll(async () => {
    store = await openSearchedForLoading({ directory });
    await publish(
      store,
      await Promise.all(
        labels.map((label, at) => graphOf(named(at, label, label.startsWith("Der") ? GERMAN : undefined))),
      ),
    );
  });
  afterAll(async () => {
    await store.close();
  });

  const list = async (from?: string, limit = 10) => store.search.find({ endpoint: "object" }, { from, limit });

  it("ignores punctuation and articles", async () => {
    const { items } = await list();
    expect(items.map(({ label }) => label)).toEqual([
      "7 apples",
      "\u201cAnemone\u201d",
      "Der Apfel",
      "The mill",
      "Mount Fuji",
      "The zebra",
      "Ωmega",
    ]);
  });

  it("gives the first letters of labels, and begins at a letter, with cursors on and back", async () => {
    const letters = await store.search.letters({ endpoint: "object" });
    expect(letters.map(({ letter, records }) => `${letter}${records}`)).toEqual(["71", "a2", "m2", "z1", "ω1"]);
    const { items, next, previous } = await list("m", 2);
    expect(items.map(({ label }) => label)).toEqual(["The mill", "Mount Fuji"]);
    const after = await store.search.find({ endpoint: "object" }, { after: next, limit: 1 });
    expect(after.items[0]!.label).toBe("The zebra");
    const before = await store.search.find({ endpoint: "object" }, { before: previous, limit: 1 });
    expect(before.items[0]!.label).toBe("Der Apfel");
    // Nothing precedes the whole list.
    for (const from of ["", "7"]) expect(await list(from, 2)).toMatchObject({ previous: undefined, total: 7 });
    expect((await list("zz")).items.map(({ label }) => label)).toEqual(["Ωmega"]);
  });

  it("begins at a letter only in a search that is sorted by label", async () => {
    const apples = { text: "ap", sort: "label" } as const;
    expect((await store.search.find(apples, { from: "ap", limit: 9 })).items.map(({ label }) => label)).toEqual([
      "Der Apfel",
    ]);
    expect(await store.search.letters({ text: "apples" })).toEqual([]);
    await expect(store.search.find({ text: "apples" }, { from: "a", limit: 9 })).rejects.toThrow(InvalidCursorError);
    expect(await store.search.letters({ endpoint: "object", sort: "date" })).toEqual([]);
  });
});
