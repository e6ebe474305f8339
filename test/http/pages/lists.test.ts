/** Lists over HTTP: the entries in grid and table, pages, orders, letters, facets, and empty lists. */
import { beforeAll, describe, expect, it } from "vitest";
import { VIEWS } from "../../../src/http/pages/entries.js";
import type { JsonObject } from "../../jsonld/documents.js";
import { fromService, timeSpan } from "../../jsonld/parts.js";
import { BASE, publishDocuments, serviceForAll } from "../service.js";

const AAT = "http://vocab.getty.edu/aat";
const VERMEER = `${BASE}/person/vermeer`;
const IMAGES = "https://images.example/iiif";

const LOUVRE = { id: "urn:louvre", type: "Group", _label: "Louvre" };
const PRADO = { id: "urn:prado", type: "Group", _label: "Prado" };
const MAKER = { id: VERMEER, type: "Person", _label: "Johannes Vermeer" };

function kind(id: string, label: string, meta?: string): JsonObject {
  const classified = meta === undefined ? {} : { classified_as: [{ id: `${AAT}/${meta}`, type: "Type" }] };
  return { id: `${AAT}/${id}`, type: "Type", _label: label, ...classified };
}

function object(path: string, label: string, more: JsonObject = {}): JsonObject {
  return { id: `${BASE}/object/${path}`, type: "HumanMadeObject", _label: label, ...more };
}

function made(by: JsonObject, year: number, said?: string): JsonObject {
  const timespan = timeSpan(String(year), String(year), said === undefined ? {} : { _label: said });
  return { produced_by: { type: "Production", carried_out_by: [by], timespan } };
}

const PICTURED: JsonObject = {
  representation: [{ type: "VisualItem", digitally_shown_by: [{ type: "DigitalObject", ...fromService(IMAGES) }] }],
};

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

const service = serviceForAll();

beforeAll(async () => {
  const documents: JsonObject[] = [
    object("milkmaid", "The Milkmaid", {
      ...made(MAKER, 1660, "about 1660"),
      ...PICTURED,
      classified_as: [kind("300033618", "Painting", "300435443"), kind("300133025", "Artwork")],
      identified_by: [{ type: "Identifier", content: "SK-A-2344" }],
    }),
    object("twin-1", "Portrait", { ...made(MAKER, 1650), current_owner: [LOUVRE] }),
    object("twin-2", "Portrait", { ...made(MAKER, 1650), current_owner: [PRADO] }),
    object("by-nobody", "Cup", {
      ...made({ id: `${BASE}/person/unknown`, type: "Person" }, 1700),
      referred_to_by: [{ type: "LinguisticObject", content: "Not by Johannis" }],
    }),
    object("by-known", "Plate", {
      ...made({ id: `${BASE}/person/known`, type: "Person" }, 1710),
      referred_to_by: [{ type: "LinguisticObject", content: "Never washed" }],
    }),
    {
      id: VERMEER,
      type: "Person",
      _label: "Johannes Vermeer",
      identified_by: [
        {
          type: "Name",
          content: "Jan Vermeer",
          language: [{ id: `${AAT}/300388256`, type: "Language", _label: "Dutch" }],
        },
      ],
      classified_as: [
        kind("300111175", "Dutch", "300379842"),
        kind("300025136", "Painter", "300263369"),
        kind("300189559", "Male", "300055147"),
      ],
    },
    { id: `${BASE}/person/known`, type: "Person", _label: "Potter of the plate" },
    ...Array.from({ length: 104 }, (_, at) =>
      object(`letter-${at}`, `${LETTERS[at % 26]}${"abcd"[Math.floor(at / 26)]}`, made(MAKER, 1800 + at)),
    ),
  ];
  await publishDocuments(service.store, ...documents);
});

async function read(path: string, language = "en"): Promise<string> {
  const headers = { accept: "text/html", "accept-language": language };
  const response = await fetch(`http://127.0.0.1:${service.port}${path}`, { headers });
  expect([path, response.status]).toEqual([path, 200]);
  return response.text();
}

/** The text of markup. */
function textOf(markup: string): string {
  return markup
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

function rowsOf(page: string): string[] {
  return [...page.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row]) => textOf(row!));
}

describe("a list", () => {
  it("shows title, maker, date in the museum's words, kind and number in a table", async () => {
    const rows = rowsOf(await read("/search/object?text=milkmaid&view=table"));
    expect(rows).toEqual([
      "Title Maker Date Kind Number",
      "The Milkmaid Johannes Vermeer about 1660 Painting SK-A-2344",
    ]);
    const people = rowsOf(await read("/search/person?view=table"));
    expect(people).toContain("Johannes Vermeer Dutch, Painter");
  });

  it("shows small pictures with sizes in a grid, loaded lazily, from hosts that the policy names", async () => {
    const response = await fetch(`http://127.0.0.1:${service.port}/search/object?text=milkmaid`, {
      headers: { accept: "text/html" },
    });
    const page = await response.text();
    const [image] = /<img[^>]*>/.exec(page)!;
    expect(image).toContain(`src="${IMAGES}/full/!400,400/0/default.jpg"`);
    expect(image).toMatch(/ width="\d+" height="\d+" loading="lazy"/);
    expect(response.headers.get("content-security-policy")).toContain("https://images.example");
  });

  it("says where a record was found when the list does not show it", async () => {
    const [, row] = rowsOf(await read("/search/object?text=washed&view=table"));
    expect(row).toBe("Plate Found in: texts Potter of the plate 1710");
    expect(await read("/search/object?text=vermeer&view=table")).not.toContain("Found in");
  });

  it("never has two entries that look the same", async () => {
    const rows = rowsOf(await read("/search/object?text=portrait&view=table"));
    expect(rows.slice(1)).toEqual(["Portrait Johannes Vermeer 1650 twin-1", "Portrait Johannes Vermeer 1650 twin-2"]);
  });

  it("takes the name of a maker without a label from the maker's record, or says unnamed", async () => {
    const plate = rowsOf(await read("/search/object?text=plate&view=table"));
    expect(plate[1]).toBe("Plate Potter of the plate 1710");
    const cup = rowsOf(await read("/search/object?text=cup&view=table"));
    expect(cup[1]).toBe("Cup unnamed maker 1700");
  });

  it("changes with the records", async () => {
    expect(rowsOf(await read("/search/object?text=plate&view=table"))[1]).toContain("Potter");
    const potter = { id: `${BASE}/person/known`, type: "Person", _label: "Somebody else" };
    await publishDocuments(service.store, potter);
    expect(rowsOf(await read("/search/object?text=plate&view=table"))[1]).toContain("Somebody else");
  });

  it("can begin at any letter, and says which page that is", async () => {
    const first = await read("/browse/object");
    const letters = /<nav class="letters".*?<\/nav>/s.exec(first)![0];
    expect(textOf(letters).replaceAll(" ", "")).toBe(LETTERS);
    const [, address] = /<a rel="nofollow" href="\/collection([^"]*)">S<\/a>/.exec(letters)!;
    const page = await read(address!.replaceAll("&amp;", "&"));
    expect(page).toContain("122 records, page 3 of 3");
    expect(page.match(/<a aria-current="true"[^>]*>[A-Z]<\/a>/g)).toEqual([expect.stringContaining(">S</a>")]);
    expect(rowsOf(page)[1]).toMatch(/^Sa /);
    expect(page).toMatch(/rel="prev nofollow"/);
    // All records are sorted by label, too, whatever they are.
    expect(rowsOf(await read("/search/all?from=s&view=table"))[1]).toMatch(/^S/i);
    expect(await read("/search/object?text=portrait")).not.toContain('class="letters"');
  });

  it("links to the first, previous, next and last page", async () => {
    const words = (page: string) => textOf(/<nav class="pages".*?<\/nav>/s.exec(page)![0].replaceAll("</a>", " "));
    const first = await read("/browse/object");
    expect(words(first)).toBe("First Next Last");
    const [, next] = /rel="next nofollow" href="\/collection([^"]*)"/.exec(first)!;
    const second = await read(next!.replaceAll("&amp;", "&"));
    expect(second).toContain("page 2 of 3");
    expect(words(second)).toBe("First Previous Next Last");
    const last = await read("/search/object?page=last");
    expect(last).toContain("page 3 of 3");
    expect(words(last)).toBe("First Previous");
  });

  it("has the order and view that the address says", async () => {
    const page = await read("/search/object?text=portrait&sort=date&view=table");
    expect(page).toMatch(/aria-current="true" rel="nofollow" href="[^"]*sort=date">Oldest first/);
    expect(page).toMatch(/aria-current="true" rel="nofollow" href="[^"]*view=table">Table/);
    expect(page).toMatch(/href="[^"]*text=portrait&amp;sort=date&amp;view=grid">Grid/);
    const wrong = await fetch(`http://127.0.0.1:${service.port}/search/object?view=pile`, {
      headers: { accept: "text/html" },
    });
    expect(wrong.status).toBe(400);
  });

  it("has facets beside it, and links that remove chosen values", async () => {
    const page = await read(
      `/search/object?text=vermeer&carriedOutBy=${encodeURIComponent(VERMEER)}&begin=1600&end=1699`,
    );
    expect(page).toMatch(
      /<a class="skip" href="#results">Skip to content<\/a>\n<details class="facets">.* id="results"/s,
    );
    const chosen = /<ul class="chosen">.*?<\/ul>/s.exec(page)![0];
    expect(textOf(chosen)).toBe("Kind of record Objects × Period 1600 to 1699 × Maker Johannes Vermeer ×");
    for (const [asked, label] of [
      ["begin=-99&end=0", "100 to 1 BC"],
      ["begin=1665&end=1665", "1665"],
      ["begin=-99&end=14", "100 BC to AD 14"],
      ["end=-99", "to 100 BC"],
    ] as const)
      expect(textOf(await read(`/search/all?${asked}`)), asked).toContain(`Period ${label} ×`);
    expect(chosen).toMatch(
      /href="[^"]*\/search\/all\?text=vermeer&amp;carriedOutBy[^"]*" aria-label="Remove Kind of record: Objects"/,
    );
    expect(chosen).toMatch(
      /href="[^"]*\/search\/object\?text=vermeer&amp;begin=1600&amp;end=1699" aria-label="Remove Maker/,
    );
    const all = await read("/search/object");
    expect(all).toMatch(
      /<details class="facets">.*<h2>Period<\/h2>.*1600 to 1699<\/bdi><\/a> <span class="count">3<\/span>/s,
    );
    expect(all).toContain("<h2>Maker</h2>");
  });

  it("counts the other values of a facet as if the chosen one were not chosen", async () => {
    const makers = [`${BASE}/person/known`, VERMEER].map((iri) => `carriedOutBy=${encodeURIComponent(iri)}`);
    const page = await read(`/search/object?${makers[0]}`);
    expect(page).toContain("1 record<");
    const beside =
      /href="\/collection([^"]*)"><bdi>Johannes Vermeer<\/bdi><\/a> <span class="count">(\d+)<\/span>/.exec(page)!;
    expect(beside[1]!.replaceAll("&amp;", "&")).toBe(`/search/object?${makers.join("&")}`);
    expect(Number(beside[2])).toBe(107);
    expect(await read(`/search/object?${makers.join("&")}`)).toContain("108 records");
    // Another value that as many records have is a choice, too.
    expect(textOf(await read(`/search/object?currentOwner=${LOUVRE.id}`))).toContain("Owner Prado 1");
  });

  it("names a value without a record as the records that refer to it do, also if nothing is found by it", async () => {
    for (const narrowed of ["", "text=zzzqqq&", "not."])
      for (const name of ["currentOwner", "current_owner"])
        expect(textOf(await read(`/search/object?${narrowed}${name}=${LOUVRE.id}`))).toContain("Owner Louvre ×");
    expect(await read(`/referring?uri=${LOUVRE.id}&property=current_owner`)).toContain('<h1 dir="auto">Louvre: ');
    expect(textOf(await read("/search/object?currentOwner=urn:nothing"))).toContain("Owner urn:nothing ×");
  });

  it("names facet values in the language of the page, beside the list and when chosen", async () => {
    const narrowed = `/search/object?carriedOutBy=${encodeURIComponent(VERMEER)}`;
    for (const [language, name, facet] of [
      ["nl", "Jan Vermeer", "Vervaardiger"],
      ["en,nl;q=0.5", "Johannes Vermeer", "Maker"],
      ["it,nl;q=0.5", "Jan Vermeer", "Vervaardiger"],
    ] as const) {
      expect(await read("/search/object", language)).toMatch(new RegExp(`<h2>${facet}</h2>.*>${name}</bdi></a>`, "s"));
      const chosen = /<ul class="chosen">.*?<\/ul>/s.exec(await read(narrowed, language))![0];
      expect(textOf(chosen)).toContain(`${facet} ${name}`);
      expect(textOf(await read(`/search/all?under=${encodeURIComponent(VERMEER)}`, language))).toContain(`${name} ×`);
    }
  });

  it("names classes and dates of change in the language of the page", async () => {
    const page = await read("/search/object?changed=2026-01-31&type=HumanMadeObject&lang=fr");
    expect(page).toContain('<h1 dir="auto">Objets · 31 janvier 2026 ou après · Objet</h1>');
    const type = encodeURIComponent("http://www.cidoc-crm.org/cidoc-crm/E22_Human-Made_Object");
    expect(textOf(await read(`/search/all?type=${type}&lang=fr`))).toContain("Classe Objet ×");
  });

  it("says that nothing was found, and what to try", async () => {
    const page = await read("/search/object?text=zzzqqq");
    expect(page).toContain('<h1 dir="auto">Nothing was found for “zzzqqq”</h1>');
    expect(page).toContain('href="/collection/search/all?text=zzzqqq">Search the whole collection');
    expect(page).toContain('href="/collection/browse/person">People');
    expect(page).not.toContain("0 records");
  });

  it("suggests a word that very many more records have, in the language of the page", async () => {
    const page = await read("/search/object?text=johannis&sort=label&lang=de");
    expect(page).toContain("Cup");
    const near = "/collection/search/object?text=johannes&amp;sort=label&amp;lang=de";
    expect(page).toContain(`<p>Meinten Sie <a rel="nofollow" href="${near}"><em>johannes</em></a>?</p>`);
    expect(await read("/search/object?text=johannis+-saskia")).toContain(
      'href="/collection/search/object?text=johannes%20-saskia"',
    );
    expect(await read("/search/object?text=cup")).not.toContain("Did you mean");
    const json = await (await fetch(`${service.origin}/collection/search/object?text=johannis`)).json();
    expect(json).toMatchObject({ partOf: { label: { en: ["Did you mean johannes?"] } } });
  });

  it("of what mentions a record has names in the reader's language, which are marked", async () => {
    const french = { type: "Name", content: "Grande Exposition", language: [{ type: "Language", notation: "fr" }] };
    const place = { id: `${BASE}/place/wien`, type: "Place", _label: "Wien" };
    const event = { id: `${BASE}/event/fair`, type: "Event", _label: "Weltausstellung", took_place_at: [place] };
    await publishDocuments(service.store, place, { ...event, identified_by: [french] });
    const link = '<a href="/collection/event/fair';
    expect(await read("/place/wien")).toContain(`${link}"><bdi>Weltausstellung</bdi>`);
    const headers = { accept: "text/html", "accept-language": "en, fr" };
    const page = await fetch(`${service.origin}/collection/place/wien`, { headers });
    expect(await page.text()).toContain(`${link}"><bdi lang="fr">Grande Exposition</bdi>`);
  });

  it("has another tag when the language of a name on it changes", async () => {
    const place = { id: `${BASE}/place/hall`, type: "Place", _label: "Hall" };
    const event = { id: `${BASE}/event/salon`, type: "Event", _label: "Salon", took_place_at: [place] };
    const headers = { accept: "text/html", "accept-language": "nl, fr" };
    const tags = new Set<string | null>();
    for (const notation of ["nl", "fr"]) {
      const name = { type: "Name", content: "Salon", language: [{ type: "Language", notation }] };
      await publishDocuments(service.store, place, { ...event, identified_by: [name] });
      tags.add((await fetch(`${service.origin}/collection/place/hall`, { headers })).headers.get("etag"));
    }
    expect(tags.size).toBe(2);
  });

  it("names a facet value as the records that refer to it do, although a page has called it unnamed", async () => {
    const topic = { id: `${AAT}/1`, type: "Type", _label: "Topic" };
    const set = { id: `${BASE}/set/unnamed`, type: "Set", about: [topic] };
    const member = object("member", "Member", { member_of: [{ id: set.id, type: "Set", _label: "Gifts" }] });
    await publishDocuments(service.store, topic, set, member);
    const headers = { accept: "text/html", "accept-language": "nl" };
    const get = async (path: string) => (await fetch(`${service.origin}/collection${path}`, { headers })).text();
    expect(await get(`/entity?uri=${encodeURIComponent(topic.id)}`)).toContain("/set/unnamed");
    expect(textOf(await get("/search/object"))).toContain("Gifts 1");
  });

  it("of a relation names the relation and the entity", async () => {
    const page = await read(`/related/objectProducedByAgent?uri=${encodeURIComponent(VERMEER)}`);
    expect(page).toContain('<h1 dir="auto">Objects produced by Johannes Vermeer</h1>');
    expect(page).toContain('<a href="/collection/person/vermeer">Johannes Vermeer</a>');
    expect(page).toContain("107 records, page 1 of 3");
    expect(page).toContain('class="entries"');
  });

  it.each(VIEWS)("marks a date in another language than the page's: %s", async (view) => {
    const language = [{ type: "Language", notation: "ja" }];
    const timespan = { type: "TimeSpan", identified_by: [{ type: "Name", content: "天保元年頃", language }] };
    await publishDocuments(service.store, object("tenpo", "Tenpō", { produced_by: { type: "Production", timespan } }));
    expect(await read(`/search/object?text=tenpō&view=${view}`)).toContain(' lang="ja">天保元年頃</');
  });

  it("calls a record that has only a number by its kind and number, also among those that refer to another", async () => {
    const numbered = {
      identified_by: [{ type: "Identifier", content: "RP-7" }],
      made_of: [kind("300014078", "canvas")],
    };
    const place = { id: `${BASE}/place/p`, type: "Place", _label: "P" };
    await publishDocuments(
      service.store,
      place,
      object("numbered", "", { ...numbered, encountered_by: [{ type: "Encounter", took_place_at: [place] }] }),
    );
    expect(rowsOf(await read("/search/object?text=RP-7&view=table"))[1]).toBe("Object RP-7 RP-7");
    expect(await read("/place/p")).toContain('<a href="/collection/object/numbered"><bdi>Object RP-7</bdi></a>');
    const uri = encodeURIComponent(`${BASE}/object/numbered`);
    for (const list of [`/related/objectPartOfObject?uri=${uri}`, `/referring?uri=${uri}&property=part_of`])
      expect(await read(list)).toContain('<p><a href="/collection/object/numbered">Object RP-7</a></p>');
  });
});
