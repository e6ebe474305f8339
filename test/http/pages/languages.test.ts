/** Pages in several languages: chosen by the client's languages or by the address, from complete files of words. */

import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { Parser } from "htmlparser2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Addresses } from "../../../src/http/entity/addresses.js";
import { chosenLanguage, wantedLanguages } from "../../../src/http/message/headers/negotiate.js";
import { PROBLEMS } from "../../../src/http/message/problems/problems.js";
import { vocabularyTerm } from "../../../src/http/pages/description.js";
import { NOTHING, trusted } from "../../../src/http/pages/markup.js";
import { Site } from "../../../src/http/pages/site.js";
import { SHIPPED, wordsOfLanguages } from "../../../src/http/pages/words/languages.js";
import { ENGLISH_WORDS, fill, Words } from "../../../src/http/pages/words/words.js";
import { editorPage } from "../../../src/http/sparql/editor.js";
import { REFERRING_PROPERTIES, RELATIONS } from "../../../src/model/relations.js";
import { FIELD_TABLES } from "../../../src/model/tables/endpoints.js";
import { propertyIri } from "../../../src/model/vocabulary/vocabulary.js";
import type { Json } from "../../../src/rdf/record-graph.js";
import { FACETS } from "../../../src/store/search.js";
import { SAMPLE } from "../../data/sample.js";
import { readingAt } from "../../jsonld/documents.js";
import { temporaryFolder } from "../../temporary-folder.js";
import { BASE, DOCUMENTS, publish, publishDocuments, startService } from "../service.js";
import { KINDS } from "./kinds.js";

/** A language whose words are the English ones, each marked. */
const MARKED = "cy";
/** The codes in records, which are the same in every language. */
const CODES = [...SAMPLE.values()].flatMap(({ text }) =>
  [...text.matchAll(/"notation": \[?\s*"([^"]*)"/g)].map(([, code]) => code!),
);

/** English words, each marked, with their placeholders left as they are. */
function marked(value: unknown): unknown {
  if (typeof value === "string") {
    return value.replace(/[^{}[\]]+(?![^{]*\})/g, (words) => (words.trim() === "" ? words : `⟦${words}⟧`));
  }
  return Object.fromEntries(Object.entries(value as object).map(([name, each]) => [name, marked(each)]));
}

/** A record whose own texts have marks of a different kind. */
function markedRecord(value: Json, name = ""): Json {
  if (Array.isArray(value)) return value.map((each) => markedRecord(each, name));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, markedRecord(each, key)]));
  }
  return typeof value === "string" && ["_label", "content"].includes(name) ? `«${value}»` : value;
}

/** The unmarked words of a page, except parts in another language, addresses, numbers and months. */
function unmarked(page: string, language: string, asked: readonly string[]): string[] {
  const texts: string[] = [];
  const languages: string[] = [];
  const parser = new Parser({
    onopentag(name, { lang, "aria-label": label, alt, title, "data-words": words, ...others }) {
      const own = lang ?? languages.at(-1) ?? "";
      languages.push(own);
      if (own !== language) return;
      if (name === "script") texts.push(...Object.values(JSON.parse(words ?? "{}") as Record<string, string>));
      // The title of a date has the date as the record has it.
      texts.push(label ?? "", alt ?? "", name === "time" ? "" : (title ?? ""), others.placeholder ?? "");
    },
    onclosetag: () => void languages.pop(),
    ontext(text) {
      if (languages.at(-1) === language) texts.push(text);
    },
  });
  parser.end(
    page
      .replace(/<script type="application\/ld\+json">.*?<\/script>/gs, "")
      .replace(/<(?:link|code)\b.*?(?:>|<\/code>)/gs, ""),
  );
  const months = new Intl.DateTimeFormat(language, { month: "long" });
  const known = [
    ...Array.from({ length: 12 }, (_, month) => months.format(Date.UTC(2003, month, 2))),
    // "a(c)" means "and" in Welsh.
    ...["a", "c"],
    // The names of formats, units and time zones are the same in all languages.
    ..."JSON-LD Turtle N-Triples RDF/XML schema.org IIIF EDM CSV JSON lines cm m % px UTC POLYGON".split(" "),
    ...CODES,
    ...asked,
  ];
  return texts
    .join("\n")
    .replace(/«[^«»]*»/g, " ")
    .replace(/⟦[^⟦⟧]*⟧/g, " ")
    .replace(/\{name\}|(?:[a-z]+\.)+[a-z]{2,3}\b|https?:\/\/\S+|\b[\w-]+(?:\/[\w.-]+)+/g, "")
    .split(/[\s,:;·()“”"–]+/)
    .filter((word) => /\p{L}/u.test(word) && !known.includes(word));
}

let service: Awaited<ReturnType<typeof startService>>;
const folder = temporaryFolder();

async function get(path: string, language = "en", accept = "text/html") {
  const answer = await fetch(`${service.origin}${path}`, {
    headers: { Accept: accept, "Accept-Language": language },
    redirect: "manual",
  });
  return { status: answer.status, headers: answer.headers, body: await answer.text() };
}

beforeAll(async () => {
  const file = join(folder, "cy.json");
  const words = { ...(marked(ENGLISH_WORDS.file) as object), language: "cy", locale: "cy", nouns: "small" };
  await writeFile(file, JSON.stringify(words));
  const languages = ["en", "nl", "de", "fr", file];
  service = await startService({ baseUrl: BASE, site: { title: "«Sample»", text: "«Thirty works.»", languages } });
  // The records whose pages are requested, and the records that name these.
  const asked = KINDS.map((path) => path.slice(1));
  const records = [...SAMPLE.values()].filter(
    ({ path, text }) => asked.includes(path) || asked.some((each) => text.includes(`"${each}"`)),
  );
  expect(records.length).toBeGreaterThan(50);
  const documents = records.map(({ document, path }) => ({
    ...(markedRecord(document as Json) as object),
    id: `${BASE}/${path}`,
  }));
  const others = DOCUMENTS.map(({ id }) => String(id));
  await publish(service.store, documents.map(readingAt(`${BASE}/`)), others);
});
afterAll(async () => {
  await service?.stop();
});

describe("the words of a language", () => {
  it.each([...SHIPPED, "es"])(
    "join pieces to a list as in %s, whatever they begin with and however many there are",
    (locale) => {
      const words = new Words({ ...ENGLISH_WORDS.file, locale });
      const list = new Intl.ListFormat(locale, { type: "conjunction" });
      for (const begin of ["<bdi>", "isla "]) {
        for (const count of [0, 1, 2, 3, 5, 32, 33]) {
          const pieces = Array.from({ length: count }, (_, at) => trusted(`${begin}${at}`));
          for (let times = 0; times < 2; times++) expect(words.list(pieces)).toBe(list.format(pieces));
        }
      }
    },
  );

  it("begin a line with the capital letter of the language", () => {
    const { file } = ENGLISH_WORDS;
    const turkish = { ...file, locale: "tr", record: { ...file.record, unnamedHead: "isimsiz {kind}" } };
    expect(new Words(turkish).unnamed("object")).toMatch(/^İsimsiz /);
  });

  it.each(["fa", "fa-u-nu-arabext-ca-persian", "fa-u-nu-latn"])(
    "write all numbers in the same digits: %s",
    (locale) => {
      const words = new Words({ ...ENGLISH_WORDS.file, locale });
      const written = [words.number(12_345), words.decimal("12345", true), words.decimal("44.5", false)];
      expect(written).toEqual(["12,345", "12,345", "44.5"]);
      expect(words.dates.day(9, 3, "1820")).toBe("9 مارس 1820");
    },
  );

  it("say centuries and decades before our era as records do", () => {
    const words = ENGLISH_WORDS;
    const century = ["1600", "1", "-99", "-699"].map((value) => words.facetValue("century", value));
    expect(century).toEqual(["1600 to 1699", "1 to 99", "100 to 1 BC", "700 to 601 BC"]);
    const decade = ["1920", "0", "-40"].map((value) => words.facetValue("decade", value));
    expect(decade).toEqual(["1920s", "1 BC to AD 9", "41 to 32 BC"]);
  });

  it("keep a placeholder that has no value", () => {
    for (let times = 0; times < 2; times++) expect(fill("{a}, {b}{a}.", { a: "x" })).toBe("x, {b}x.");
  });
});

describe("a page in another language", () => {
  const paths = [
    ...KINDS.filter((path) => !/hostile|sparql/.test(path)),
    `/reconcile/preview?id=BASE/person/rembrandt`,
  ];

  it.each(paths)("has no word that is missing from the file of words: %s", async (path) => {
    const target = path.replace("BASE", encodeURIComponent(BASE));
    const { body, headers } = await get(`/collection${target}`, MARKED);
    expect([headers.get("content-language"), headers.get("vary")?.includes("Accept-Language")]).toEqual([MARKED, true]);
    expect(body).toContain('<html lang="cy">');
    expect(unmarked(body, MARKED, target.split(/[/?&=]/)).join(" ")).toBe("");
  });

  it("has no such word around the query editor, which is English itself", () => {
    const languages = [...SHIPPED, join(folder, "cy.json")];
    const page = editorPage(new Site(new Addresses({ baseUrl: BASE }), { title: "«Sample»", languages }, []));
    const content = page(MARKED);
    expect([content.vary, content.headers?.slice(0, 2)]).toEqual(["Accept-Language", ["Content-Language", MARKED]]);
    expect(unmarked(String(content.body), MARKED, [])).toEqual([]);
  });

  it("runs from right to left in a language that is written so, also in an institution's own frame", async () => {
    const file = join(folder, "he.json");
    await writeFile(file, JSON.stringify({ ...ENGLISH_WORDS.file, language: "he", locale: "en" }));
    const frame = '<html lang="en">{{title}} {{head}} {{site}} {{navigation}} {{content}}';
    await writeFile(join(folder, "frame.html"), frame);
    for (const theme of [undefined, folder]) {
      const settings = { title: "Sample", languages: [file, "en"], ...(theme !== undefined && { theme }) };
      const site = new Site(new Addresses({ baseUrl: BASE }), settings, []);
      const shown = (tag: string) => site.for({ languages: [tag] }).page({ title: "", address: BASE }, NOTHING).body;
      expect(shown("he")).toContain('<html lang="he" dir="rtl">');
      expect(shown("en")).toContain('<html lang="en">');
    }
  });

  it("is in the chosen one of two languages that only their regions tell apart", async () => {
    const languages = ["pt-BR", "pt-PT"].map((tag) => join(folder, `${tag}.json`));
    for (const file of languages) {
      await writeFile(file, JSON.stringify({ ...ENGLISH_WORDS.file, language: basename(file, ".json"), locale: "pt" }));
    }
    const site = new Site(new Addresses({ baseUrl: BASE }), { title: "Sample", languages }, []);
    for (const tag of ["pt-BR", "pt-PT"]) {
      const chosen = site.for(wantedLanguages(chosenLanguage(tag.toLowerCase())));
      expect(chosen.words.language).toBe(tag);
      expect(chosen.link("/browse/object")).toBe(`/browse/object?lang=${tag}`);
    }
  });

  it.each([
    ["nl", "nl", "Bladeren"],
    ["de-AT, en;q=0.5", "de", "Stöbern"],
    ["sv, fr;q=0.4", "fr", "Parcourir"],
    ["sv", "en", "Browse"],
    ["", "en", "Browse"],
  ])("for a client that wants %j is in %s", async (wanted, language, word) => {
    for (const path of ["/collection/", "/collection/object/night-watch", "/collection/nothing"]) {
      const { body, headers } = await get(path, wanted);
      expect([path, headers.get("content-language")]).toEqual([path, language]);
      expect(body).toContain(`<html lang="${language}">`);
      expect(body).toContain(`#browse">${word}</a>`);
    }
  });

  it("follows its address, whatever the browser wants, and so do the pages that it links to", async () => {
    const { body, headers } = await get("/collection/object/night-watch?lang=de", "fr");
    expect(headers.get("vary")).toBe("Accept, Accept-Encoding, Accept-Profile");
    expect([headers.get("content-language"), headers.get("content-location")]).toEqual([
      "de",
      `${BASE}/object/night-watch.html?lang=de`,
    ]);
    const located = await get("/collection/object/night-watch.html?lang=de", "nl");
    expect(located.headers.get("etag")).toBe(headers.get("etag"));
    const turtle = await get("/collection/object/night-watch.ttl?lang=de", "fr");
    expect(turtle.headers.get("content-location")).toBe(`${BASE}/object/night-watch.ttl`);
    expect(body).toContain('<link rel="canonical" href="http://data.museum.example/collection/object/night-watch">');
    const links = [...body.matchAll(/<a (?:[^>]* )?href="(\/[^"]*)"/g)].map(([, href]) => href!);
    const pages = links.filter((href) => !/\.\w+$|\/images\/|lang=(?:en|nl|fr|cy)$/.test(href));
    expect(pages.length).toBeGreaterThan(30);
    for (const page of pages) expect(page).toMatch(/[?&]lang=de(?:#|$)/);
    for (const page of [pages[0]!, pages.find((each) => each.includes("/person/"))!]) {
      expect((await get(page.split("#")[0]!, "fr")).body).toContain('<html lang="de">');
    }
    const list = await get("/collection/search/all?text=rembrandt&lang=nl", "fr");
    expect(list.body).toContain('<input type="hidden" name="lang" value="nl">');
    expect(list.body).toMatch(/href="\/collection\/search\/all\?text=rembrandt&amp;sort=label&amp;lang=nl"/);
    expect(list.body).toContain('hreflang="de" lang="de" href="/collection/search/all?text=rembrandt&amp;lang=de"');
  });

  it("is kept by a redirect, and by the links of an error", async () => {
    for (const path of ["object/night-watch/?lang=nl", "object/night-watch?utm_source=x&lang=nl"]) {
      const { status, headers } = await get(`/collection/${path}`, "fr");
      expect([status, headers.get("location")]).toEqual([301, "/collection/object/night-watch?lang=nl"]);
    }
    const search = await get("/collection/search?text=van+gogh&lang=de", "fr");
    expect(search.headers.get("location")).toBe("/collection/search/all?text=van%20gogh&lang=de");
    const lost = await get("/collection/no/such?lang=de", "fr");
    expect(lost.body).toContain('<a href="/collection/problems/not-found?lang=de">Was das bedeutet</a>');
  });

  it("leaves answers that are not pages as they are", async () => {
    const plain = await get("/collection/search/all?text=rembrandt", "nl", "application/json");
    const chosen = await get("/collection/search/all?lang=nl&text=rembrandt", "fr", "application/json");
    expect(chosen.body).toBe(plain.body);
    const turtle = await get("/collection/object/night-watch?lang=nl", "fr", "text/turtle");
    expect([turtle.status, turtle.headers.get("vary")?.includes("Language")]).toEqual([200, false]);
  });

  it("has an entity tag of its own, which answers 304", async () => {
    const path = "/collection/object/night-watch";
    const tags = await Promise.all(
      ["nl", "de", "nl, en"].map(async (each) => (await get(path, each)).headers.get("etag")),
    );
    tags.push((await get(`${path}?lang=nl`)).headers.get("etag"));
    expect(new Set(tags).size).toBe(4);
    const headers = { Accept: "text/html", "Accept-Language": "nl", "If-None-Match": tags[0]! };
    expect((await fetch(service.origin + path, { headers })).status).toBe(304);
  });

  it("gives way to a record whose IRI has the parameter", async () => {
    const id = `${BASE}/object/of?lang=nl`;
    await publishDocuments(service.store, { id, type: "Type", _label: "Of that IRI" });
    const { body, headers } = await get("/collection/object/of?lang=nl", "fr");
    expect(headers.get("content-language")).toBe("fr");
    expect(body).toContain("Of that IRI");
    const [, link] = /hreflang="de" lang="de" href="([^"]*)"/.exec(body)!;
    const german = await get(link!.replace("&amp;", "&"), "fr");
    expect([german.status, german.headers.get("content-language")]).toEqual([200, "de"]);
    expect((await get("/collection/object/of?lang=xx", "fr")).status).toBe(404);
  });

  it("follows the address of a record that is not under the base URL, too", async () => {
    const id = "https://elsewhere.example/type";
    await publishDocuments(service.store, { id, type: "Type", _label: "Elsewhere" });
    const path = `/collection/entity?uri=${encodeURIComponent(id)}`;
    const { body } = await get(path, "fr");
    const [, link] = /hreflang="nl" lang="nl" href="([^"]*)"/.exec(body)!;
    expect(link).toBe(`${path}&amp;lang=nl`);
    for (const address of [`${path}&lang=nl`, `/collection/entity?lang=nl&uri=${encodeURIComponent(id)}`]) {
      const dutch = await get(address, "fr");
      expect([dutch.status, dutch.headers.get("content-language")]).toEqual([200, "nl"]);
      expect(dutch.headers.get("vary")).not.toContain("Language");
    }
  });

  it("leaves a language in the IRI of a record to the IRI, also without escapes", async () => {
    const id = "https://elsewhere.example/type?lang=nl";
    await publishDocuments(service.store, { id, type: "Type", _label: "Elsewhere in Dutch" });
    const { status, headers } = await get(`/collection/entity?uri=${id}`, "fr");
    expect([status, headers.get("content-language")]).toEqual([200, "fr"]);
  });

  it("lists records by their name in that language, if they have one", async () => {
    const id = `${BASE}/object/spoken`;
    const name = (content: string, notation: string) => ({
      type: "Name",
      content,
      language: [{ id: `${BASE}/concept/${notation}`, type: "Language", notation: [notation] }],
    });
    const document = {
      id,
      type: "HumanMadeObject",
      _label: "Spoken of",
      identified_by: [name("Spoken of", "en"), name("Waarover gesproken wordt", "nl")],
    };
    await publishDocuments(service.store, document);
    const titles = async (language: string) => {
      const { body } = await get("/collection/search/all?name=Spoken%20of&view=table", language);
      return [...body.matchAll(/<th scope="row"><a[^>]*><bdi(.*?)<\/bdi>/g)].map(([, title]) => title);
    };
    expect(await titles("nl")).toEqual([">Waarover gesproken wordt"]);
    expect(await titles("de")).toEqual([">Spoken of"]);
    expect(await titles("de, nl;q=0.5")).toEqual([' lang="nl">Waarover gesproken wordt']);
  });
});

describe("a file of words", () => {
  const write = async (words: object | string) => {
    const file = join(folder, "words.json");
    await writeFile(file, typeof words === "string" ? words : JSON.stringify(words));
    return file;
  };

  it("adds words to a language that is shipped", async () => {
    const file = await write({
      language: "nl",
      page: { browse: "Snuffelen" },
      count: { records: { other: "{count}×" } },
    });
    const [english, dutch] = wordsOfLanguages(["en", file]);
    expect(english!.file.page.browse).toBe("Browse");
    expect([dutch!.file.page.browse, dutch!.file.page.search]).toEqual(["Snuffelen", "Zoeken"]);
    expect([dutch!.count("records", 1), dutch!.count("records", 12_000)]).toEqual(["1 beschrijving", "12.000×"]);
  });

  it("can start from a copy of a shipped file, which the service also serves", async () => {
    const { body, headers } = await get("/collection/assets/words/en.json");
    expect(headers.get("content-type")).toContain("application/json");
    expect(body).toBe(readFileSync("assets/words/en.json", "utf8"));
    const polish = { ...(JSON.parse(body) as object), language: "pl", locale: "pl" };
    const records = {
      one: "{count} rekord",
      few: "{count} rekordy",
      many: "{count} rekordów",
      other: "{count} rekordu",
    };
    const [words] = wordsOfLanguages([await write({ ...polish, count: { records } })]);
    expect([1, 3, 5].map((count) => words!.count("records", count))).toEqual(["1 rekord", "3 rekordy", "5 rekordów"]);
    expect((await get("/collection/assets/words/xx.json")).status).toBe(404);
  });

  it.each([
    ["cannot be read", "{"],
    ["is not a JSON object", "[]"],
    ["must name its language", { page: {} }],
    ["lacks the word name", { language: "it" }],
    [
      "lacks the word page.search",
      { ...ENGLISH_WORDS.file, language: "it", page: { ...ENGLISH_WORDS.file.page, search: undefined } },
    ],
    ["lacks the word count.records.other", { ...ENGLISH_WORDS.file, language: "it", count: { records: { one: "1" } } }],
    ["lacks the word count.records.other", { ...ENGLISH_WORDS.file, language: "it", count: { records: { few: "1" } } }],
    ["has the unknown word page.serach: did you mean search?", { language: "nl", page: { serach: "x" } }],
    ["has page, which must be an object", { language: "nl", page: "x" }],
    ["has page.search, which must be a text", { language: "nl", page: { search: 1 } }],
    ["has {yaer} in date.bc, which can have {year}", { language: "nl", date: { bc: "{yaer} v.Chr." } }],
    ["has {x} in page.search, which can have nothing", { language: "nl", page: { search: "{x}" } }],
    ['must have "small" or "capital" as nouns', { language: "nl", nouns: "big" }],
    ["has a language or locale that is not a language tag", { language: "nl", locale: "no locale" }],
    [
      "has a language or locale that is not a language tag",
      { ...ENGLISH_WORDS.file, language: "nl-bel", nouns: "small" },
    ],
  ])("is refused: it %s", async (problem, words) => {
    const file = await write(words);
    expect(() => wordsOfLanguages([file])).toThrow(`${file} ${problem}`);
  });

  it("is refused if it does not exist, is not shipped, or has the same language as another", async () => {
    expect(() => wordsOfLanguages(["none.json"])).toThrow("none.json cannot be read");
    expect(() => wordsOfLanguages(["it"])).toThrow("it is not one of en, nl, de, fr");
    const file = await write({ language: "nl" });
    expect(() => wordsOfLanguages(["nl", file])).toThrow("Two of the languages are nl");
  });
});

describe("the shipped words", () => {
  it.each(wordsOfLanguages().map(({ file }) => [file.language, file] as const))(
    "are complete in %s, and there are no others",
    async (_, file) => {
      // A file of a new language is checked completely.
      const own = join(folder, "own.json");
      await writeFile(own, JSON.stringify({ ...file, language: "it" }));
      expect(wordsOfLanguages([own])[0]!.file).toEqual({ ...file, language: "it" });
      const texts = (value: object, path = ""): [string, string][] =>
        Object.entries(value).flatMap(([name, each]): [string, string][] =>
          typeof each === "string" ? [[`${path}${name}`, each]] : texts(each as object, `${path}${name}.`),
        );
      const english = new Map(texts(ENGLISH_WORDS.file));
      const namesIn = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();
      expect(
        texts(file)
          .map(([name]) => name)
          .sort(),
      ).toEqual([...english.keys()].sort());
      for (const [name, text] of texts(file)) {
        expect([name, text.trim()]).toEqual([name, text]);
        expect([name, namesIn(text)]).toEqual([name, namesIn(english.get(name)!)]);
      }
    },
  );

  it("include every property, class, facet, relation and problem that pages name", () => {
    const { file } = ENGLISH_WORDS;
    const without = ["@context", "id", "type"];
    // The IRI of a term may depend on the class: the parts of a Right are its conceptual parts.
    const properties = FIELD_TABLES.flatMap(({ classes, fields }) =>
      fields.flatMap(({ property }) => [
        property,
        ...classes.flatMap((each) => vocabularyTerm(propertyIri(property, each) ?? property)),
      ]),
    );
    expect(
      [...new Set(properties)].filter((each) => !without.includes(each) && !Object.hasOwn(file.property, each)),
    ).toEqual([]);
    const classes = FIELD_TABLES.flatMap((table) => table.classes);
    expect(classes.filter((each) => !Object.hasOwn(file.class, each))).toEqual([]);
    expect(FACETS.filter((each) => !Object.hasOwn({ ...file.property, ...file.facet }, each))).toEqual([]);
    // Those of 2.16 that are in no table.
    const incoming = ["carried_by", "shown_by", "digitally_carried_by", "digitally_shown_by"];
    expect(incoming.filter((each) => !Object.hasOwn(file.property, each))).toEqual([]);
    const referring = [...REFERRING_PROPERTIES.values(), ...incoming];
    expect(referring.filter((each) => !Object.hasOwn(file.referring, each))).toEqual([]);
    expect(RELATIONS.map(({ name }) => ENGLISH_WORDS.relation(name, "X")).filter((each) => each.includes(":"))).toEqual(
      [],
    );
    expect(Object.keys(PROBLEMS)).toEqual(Object.keys(file.problem));
  });
});
