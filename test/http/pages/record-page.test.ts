/** The page of a record: dates in the museum's words, events and sums told once, equal rows joined, everything named. */
import { describe, expect, it } from "vitest";
import { descriptionOf } from "../../../src/http/pages/description.js";
import { entityParts } from "../../../src/http/pages/entity-page.js";
import type { Json } from "../../../src/rdf/record-graph.js";
import { graphOf, type JsonObject } from "../../jsonld/documents.js";
import { timeSpan } from "../../jsonld/parts.js";
import { ALONE, brokenParagraphs, missingFrom, pageOf, plain, toldBy } from "./told.js";

const BASE = "http://localhost";
const AAT = "http://vocab.getty.edu/aat";

function object(more: JsonObject): JsonObject {
  return { id: `${BASE}/object/1`, type: "HumanMadeObject", _label: "Cup", ...more };
}

function span(begin: string, end: string, said?: string): JsonObject {
  return timeSpan(begin, end, said === undefined ? {} : { _label: said });
}

const ANNA = { id: `${BASE}/person/anna`, type: "Person", _label: "Anna" };
const BERTA = { id: `${BASE}/person/berta`, type: "Person", _label: "Berta" };
const PROVENANCE = [{ id: `${AAT}/300055863`, type: "Type", _label: "Provenance Activity" }];

function pageOfDocument(document: JsonObject, history: readonly JsonObject[] = []): string {
  const graph = graphOf(document);
  const page = pageOf(graph, { history: history.map((each) => descriptionOf(graphOf(each))) });
  expect(missingFrom(page, graph)).toEqual([]);
  return page;
}

/** The rows of facts at the top of a page. */
function glanceOf(page: string): string[] {
  const glance = /<dl class="rows glance">(.*?)<\/dl>/s.exec(page)?.[1] ?? "";
  return glance.split("</div>").flatMap((row) => plain(toldBy(row.replaceAll("<dd>", "<dd>| ")).text) || []);
}

const byline = (page: string): string => plain(toldBy(/<p class="byline".*?<\/p>/s.exec(page)?.[0] ?? "").text);

describe("the head", () => {
  const produced_by = { type: "Production", carried_out_by: [ANNA] };

  it.each<[string, JsonObject, string]>([
    ["the museum's own words", span("1727-01-01", "1737-12-31", "c. 1732"), "Anna, c. 1732"],
    [
      "the page's words for a label without a number",
      span("1727-01-01", "1737-12-31", "Date"),
      "Anna, between 1727 and 1737",
    ],
    ["the page's words if the museum has none", span("1642-01-01", "1642-12-31"), "Anna, 1642"],
  ])("has the date in %s", (_, timespan, expected) => {
    const page = pageOfDocument(object({ produced_by: { ...produced_by, timespan } }));
    expect(byline(page)).toBe(expected);
  });

  it.each([
    ["en", "about 1665", "about 1665", "en"],
    ["nl", "omstreeks 1665", "omstreeks 1665", "nl"],
    ["fr", "entre 1664 et 1666", "omstreeks 1665", "nl"],
  ])("has the date in the words of the reader's language: %s", (language, date, wording, tag) => {
    const named = (notation: string, content: string): JsonObject => ({
      ...{ type: "Name", content },
      language: [{ type: "Language", notation }],
    });
    const identified_by = [named("nl", "omstreeks 1665"), named("en", "about 1665")];
    const timespan = { ...span("1664-01-01", "1666-12-31"), identified_by };
    const graph = graphOf(object({ produced_by: { ...produced_by, timespan } }));
    const page = pageOf(graph, { site: ALONE.site.for({ languages: [language] }) });
    expect(byline(page)).toBe(`Anna, ${date}`);
    expect(/<div class="when">(.*?)<\/div>/.exec(page)?.[1]).toMatch(
      new RegExp(`^<bdi lang="${tag}">${wording}</bdi>`),
    );
    expect(missingFrom(page, graph)).toEqual([]);
  });

  it.each<[string, JsonObject, string]>([
    [
      "the page's words rather than those of another language",
      span("1830-01-01", "1832-12-31"),
      "between 1830 and 1832",
    ],
    ["words of no language", { ...span("1830-01-01", "1832-12-31"), content: "Tenpō 1" }, "Tenpō 1"],
    [
      "words of another language, which are marked, if there are no others",
      { type: "TimeSpan" },
      `<span lang="ja">天保元年頃</span>`,
    ],
  ])("has the date in %s", (_, { content, ...bounds }, expected) => {
    const japanese = { type: "Name", content: "天保元年頃", language: [{ type: "Language", notation: "ja" }] };
    const names = content === undefined ? [japanese] : [japanese, { type: "Name", content }];
    const timespan = { ...bounds, identified_by: names };
    const page = pageOfDocument(object({ produced_by: { ...produced_by, timespan } }));
    expect(page).toContain(`<p class="byline" dir="auto">Anna, ${expected}</p>`);
  });

  it.each([
    ["marked, in another language", {}, `<span lang="ja">天保元年頃 –</span>`],
    ["not marked, if only one date is in another language", span("1860-01-01", "1860-12-31"), "天保元年頃 – 1860"],
  ])("has a life that is %s", (_, end, expected) => {
    const language = [{ type: "Language", notation: "ja" }];
    const name = { type: "Name", content: "天保元年頃", language };
    const born = { type: "Birth", timespan: { type: "TimeSpan", identified_by: [name] } };
    const died = { type: "Death", timespan: { type: "TimeSpan", ...end } };
    const person = { id: `${BASE}/person/1`, type: "Person", _label: "Hiroshige" };
    expect(pageOfDocument({ ...person, born, died })).toContain(`<p class="byline" dir="auto">${expected}</p>`);
  });

  it.each([
    ["without a label that is no date", { _label: "Death of Anna" }, "1606 –"],
    [
      "with the record's own words",
      { identified_by: [{ type: "Name", content: "after the war" }] },
      "1606 – after the war",
    ],
  ])("has a life %s", (_, end, expected) => {
    const born = { type: "Birth", timespan: span("1606-01-01", "1606-12-31", "Birth of Anna") };
    const died = { type: "Death", timespan: { type: "TimeSpan", ...end } };
    expect(byline(pageOfDocument({ ...ANNA, born, died }))).toBe(expected);
  });

  it("has a life whose end cannot be taken for a year before Christ", async () => {
    const lived = async (born: string, died: string) => {
      const event = (type: string, year: string) => ({ type, timespan: span(`${year}-01-01`, `${year}-12-31`) });
      const person = { id: `${BASE}/person/1`, type: "Person", _label: "Augustus" };
      return byline(
        pageOfDocument({
          ...{ ...person, born: event("Birth", born), died: event("Death", died) },
        }),
      );
    };
    expect([await lived("-0062", "0014"), await lived("-0105", "-0042"), await lived("1606", "1669")]).toEqual([
      "63 BC – AD 14",
      "106 BC – 43 BC",
      "1606 – 1669",
    ]);
  });

  it("of a record without a name says what it is", () => {
    const page = pageOfDocument({ id: `${BASE}/object/1`, type: "HumanMadeObject" });
    expect(page).toContain(">Unnamed object</h1>");
  });

  it("is set smaller when the name is long", () => {
    const name = "A true and faithful account ".repeat(5);
    expect(pageOfDocument(object({ _label: name }))).toContain(`<h1 dir="auto" class="long">${name}</h1>`);
    expect(pageOfDocument(object({ _label: "Short" }))).toContain('<h1 dir="auto">Short</h1>');
  });

  it("says of an event that it is one, and adds its class only if that is more specific", async () => {
    const kindOf = async (type: string) => {
      const page = pageOfDocument({ id: `${BASE}/event/1`, type, _label: "A show" });
      return /<p class="kind">(.*?)<\/p>/.exec(page)?.[1];
    };
    expect([await kindOf("Activity"), await kindOf("Period")]).toEqual(["Event", "Event · Period"]);
  });
});

describe("rows at a glance", () => {
  it("leave out blank texts, and are not there if all of them are blank", () => {
    const name = (content: string): JsonObject => ({ type: "Name", content });
    const number = (content: string): JsonObject => ({ type: "Identifier", content });
    expect(glanceOf(pageOfDocument(object({ identified_by: [number(" "), number("A 1")] })))).toEqual(["Number | A 1"]);
    const page = pageOfDocument(object({ identified_by: [name(""), name("Cup"), name("\u00a0"), number("")] }));
    expect(glanceOf(page)).toEqual([]);
    expect(page.match(/<dt>Name<\/dt>.*?<\/div>/s)?.[0].match(/<dd>/g)).toHaveLength(1);
  });

  it("show a file by its name as people read it", () => {
    const at = (id: string): JsonObject => ({ id, type: "DigitalObject" });
    const files = ["https://files.example/a/View%20of%20K%C3%B6ln.jpg", "https://files.example/100%/"];
    const page = pageOfDocument({ ...object({}), type: "DigitalObject", access_point: files.map(at) });
    expect(glanceOf(page)).toEqual(["Available at | View of Köln.jpg | 100%"]);
  });

  it("are joined when locations are the same, and when keeper and owner are", () => {
    const museum = { id: `${BASE}/group/museum`, type: "Group", _label: "Museum" };
    const hall = { id: `${BASE}/place/hall`, type: "Place", _label: "Hall" };
    const depot = { id: `${BASE}/place/depot`, type: "Place", _label: "Depot" };
    const keeping = { current_owner: [museum], current_custodian: [museum], current_permanent_custodian: [museum] };
    const same = pageOfDocument(object({ ...keeping, current_location: hall, current_permanent_location: hall }));
    expect(glanceOf(same)).toEqual(["Location | Hall", "Owner and keeper | Museum"]);
    const other = pageOfDocument(object({ ...keeping, current_location: hall, current_permanent_location: depot }));
    expect(glanceOf(other)).toEqual(["Location | Hall", "Permanent location | Depot", "Owner and keeper | Museum"]);
  });

  it("show nationality, occupation and gender apart from other kinds", () => {
    const kind = (id: string, label: string, meta?: string): Json => ({
      id: `${AAT}/${id}`,
      type: "Type",
      _label: label,
      ...(meta && { classified_as: [{ id: `${AAT}/${meta}`, type: "Type", _label: `Kind of ${label}` }] }),
    });
    const page = pageOfDocument({
      id: `${BASE}/person/1`,
      type: "Person",
      _label: "Somebody",
      classified_as: [
        kind("1", "Dutch", "300379842"),
        kind("2", "Painter", "300263369"),
        kind("3", "Male", "300055147"),
        kind("4", "Legend"),
      ],
    });
    expect(glanceOf(page)).toEqual(["Nationality | Dutch", "Occupation | Painter", "Gender | Male", "Kind | Legend"]);
  });
});

describe("the history", () => {
  const own = {
    type: "Acquisition",
    _label: "Purchase by Berta",
    timespan: span("1881-01-01", "1881-12-31", "1881"),
    transferred_title_from: [ANNA],
    transferred_title_to: [BERTA],
  };
  const guilder = { id: `${BASE}/concept/guilder`, type: "Currency", _label: "Dutch guilder" };
  const sale = (more: JsonObject = {}, to: JsonObject = BERTA): JsonObject => ({
    id: `${BASE}/provenance/sale`,
    type: "Activity",
    _label: "The sale of the cup",
    classified_as: PROVENANCE,
    timespan: span("1881-01-01", "1881-12-31"),
    part: [
      {
        type: "Acquisition",
        transferred_title_from: [ANNA],
        transferred_title_to: [to],
        transferred_title_of: [{ id: `${BASE}/object/1`, type: "HumanMadeObject" }],
      },
      {
        type: "Payment",
        paid_from: [BERTA],
        paid_to: [ANNA],
        paid_amount: { type: "MonetaryAmount", _label: "2 guilders", value: 2, currency: guilder },
      },
    ],
    ...more,
  });
  const timesOf = (page: string, words: RegExp): number => [...toldBy(page).text.matchAll(words)].length;

  it("tells an event once that two records describe, and links to the other record", () => {
    const page = pageOfDocument(object({ changed_ownership_through: [own] }), [sale()]);
    expect(page).toContain(`<a href="${BASE}/provenance/sale"><bdi>Purchase by Berta</bdi></a>`);
    expect(timesOf(page, /Ownership passed from Anna to Berta/g)).toBe(1);
    expect(toldBy(page).text).toContain("Berta paid 2 guilders to Anna.");
    expect(page).not.toContain("The sale of the cup");
  });

  it.each<[string, JsonObject]>([
    ["another year", sale({ timespan: span("1882-01-01", "1882-12-31") })],
    ["another party", sale({}, { id: `${BASE}/person/clara`, type: "Person", _label: "Clara" })],
  ])("tells both events when they have %s", (_, other) => {
    const page = pageOfDocument(object({ changed_ownership_through: [own] }), [other]);
    expect(page).toContain("The sale of the cup");
    expect(timesOf(page, /Ownership(?: of \S+(?: \S+){0,3})? passed/g)).toBe(2);
  });

  it("has a heading for a part that has only a label and a kind, such as a promise", () => {
    const kind = { id: `${AAT}/300435599`, type: "Type", _label: "Promise" };
    const promise = { type: "Activity", _label: "Word of Anna", classified_as: [kind] };
    const page = pageOfDocument(sale({ part: [promise] }));
    expect(page).toContain('<div class="told"><p class="what"><bdi>Word of Anna</bdi>');
  });

  it("names in its sentences what the record describes there, and describes it below them", () => {
    const fire = { type: "Event", _label: "The fire", timespan: span("1734-01-01", "1734-12-31") };
    const order = { type: "LinguisticObject", _label: "An order", content: "Burn it all.\nNow." };
    const destroyed_by = { type: "Destruction", caused_by: [fire], influenced_by: [order] };
    const page = pageOfDocument(object({ destroyed_by }));
    expect(brokenParagraphs(page)).toEqual([]);
    expect(toldBy(page).text).toContain("Destroyed because of The fire influenced by An order. Date 1734");
  });

  it("links no part that it shows to the part's address, which leads back here, but those elsewhere", () => {
    const right = (id: string) => ({
      id,
      type: "Right",
      _label: `Right ${id}`,
      identified_by: [{ type: "Name", content: "No loans" }],
    });
    const [own, elsewhere] = [`${BASE}/object/1#right`, "https://rights.example/1"];
    const page = pageOfDocument(object({ subject_to: [right(own), right(elsewhere)] }));
    expect(page).not.toContain(`href="${own}"`);
    expect(page).toContain(`<code>${own}</code>`);
    expect(page).toContain(`<a class="out" href="${elsewhere}">`);
  });

  it("tells sums once, in the record's words, linked to the currency", () => {
    const page = pageOfDocument(sale({ id: `${BASE}/provenance/2` }));
    expect(page).toContain(`<data value="2"><a class="out" href="${BASE}/concept/guilder">2 guilders</a></data>`);
    const plainSum = { type: "MonetaryAmount", value: 30_000, currency: guilder };
    const payment = { type: "Payment", paid_from: [BERTA], paid_amount: plainSum };
    const other = pageOfDocument(sale({ id: `${BASE}/provenance/3`, part: [payment] }));
    expect(toldBy(other).text).toContain("paid 30,000 Dutch guilder");
  });

  it.each<[string, number, string]>([
    ["30 cents", 0.3, "30 cents."],
    ["1,200 guilders", 1200, "1,200 guilders."],
    ["1.2 thousand guilders in 1882", 1200, "1.2 thousand guilders in 1882."],
    ["Hammer price, lot 12", 500.5, "500.5 Dutch guilder Hammer price, lot 12."],
    ["Fee", 500, "500 Dutch guilder Fee."],
  ])("tells the number of a sum unless its words do: %s", (_label, value, expected) => {
    const paid_amount = { type: "MonetaryAmount", _label, value, currency: guilder };
    const page = pageOfDocument(sale({ part: [{ type: "Payment", paid_from: [BERTA], paid_amount }] }));
    expect(toldBy(page).text).toContain(`Berta paid ${expected}`);
  });
});

describe("a reference without a label", () => {
  it.each<[string, JsonObject, string]>([
    [
      "an unnamed maker",
      { produced_by: { type: "Production", carried_out_by: [{ id: `${BASE}/x/1`, type: "Person" }] } },
      "x/1",
    ],
    ["an unnamed place", { current_location: { id: `${BASE}/x/2`, type: "Place" } }, "x/2"],
    ["an unnamed set", { member_of: [{ id: `${BASE}/x/3`, type: "Set" }] }, "x/3"],
  ])("is %s, linked", (words, more, end) => {
    const page = pageOfDocument(object(more));
    expect(page).toContain(`href="${BASE}/${end}">${words}</a>`);
    expect(toldBy(page).text).not.toContain(`${BASE}/${end}`);
  });

  it("is no class if it is a maker without an IRI", () => {
    const page = pageOfDocument(object({ produced_by: { type: "Production", carried_out_by: [{ type: "Person" }] } }));
    expect(toldBy(page).text).toContain("Made by an unnamed maker.");
  });

  it.each<[string, JsonObject]>([
    ["without an IRI", { type: "Language", notation: "ar" }],
    ["with one", { id: `${AAT}/300387843`, type: "Language", notation: "ar" }],
  ])("is its code if it has one: a language %s", (_, language) => {
    const text = { id: `${BASE}/text/1`, type: "LinguisticObject", _label: "Poem", language: [language] };
    expect(glanceOf(pageOfDocument(text))).toEqual(["Language | ar"]);
  });

  it("has the label of its record here", () => {
    const graph = graphOf(object({ current_location: { id: `${BASE}/x/2`, type: "Place" } }));
    const page = pageOf(graph, { labels: new Map([[`${BASE}/x/2`, "The hall"]]) });
    expect(page).toContain(`href="${BASE}/x/2">The hall</a>`);
  });

  it("is an address when nothing else is known of it", () => {
    const page = pageOfDocument(object({ current_location: { id: "urn:place:1", type: "Place" } }));
    expect(toldBy(page).text).toContain("urn:place:1");
  });
});

describe("the citation", () => {
  it("keeps the direction of a title from right to left", () => {
    const page = pageOfDocument(object({ _label: "مخطوطة (1203 هـ) – Codex 12" }));
    expect(page).toContain("<span data-copy>“<bdi>مخطوطة (1203 هـ) – Codex 12</bdi>”,");
  });
});

it("a long text is cut between characters", async () => {
  const text = (type: string, length: number, more: JsonObject = {}): JsonObject => {
    return { id: `urn:${type}`, type, content: `${"x".repeat(length - 1)}😀`, ...more };
  };
  const classified_as = [{ id: `${AAT}/300435416`, type: "Type", _label: "Description" }];
  const referred_to_by = [text("LinguisticObject", 300, { classified_as })];
  const graph = await graphOf(object({ referred_to_by, identified_by: [text("Name", 60)] }));
  const { summary, parts } = entityParts(graph, "object", ALONE);
  expect([summary, parts.terms].map((each) => each.isWellFormed())).toEqual([true, true]);
  expect(parts.terms).toContain(`>${"x".repeat(59)}<`);
});

describe("coordinates", () => {
  it.each([
    ["POINT(4.36 52.01)", "52.01° N, 4.36° E"],
    ["POINT(190.3 -10)", "10° S, 169.7° W"],
    ["POINT(-190.3 -10)", "10° S, 169.7° E"],
    ["POLYGON((170 -10, 190 -10, 190 10, 170 10, 170 -10))", "From 10° S, 170° E to 10° N, 170° W"],
    [
      "MULTIPOLYGON(((170 -10, 180 -10, 180 10, 170 -10)), ((-180 -10, -170 -10, -180 10, -180 -10)))",
      "From 10° S, 170° E to 10° N, 170° W",
    ],
    ["MULTIPOINT((-10 -5), (20 5))", "From 5° S, 10° W to 5° N, 20° E"],
    ["POLYGON((-180 -10, 180 -10, 180 10, -180 10, -180 -10))", "From 10° S, 180° W to 10° N, 180° E"],
  ])("are at most 180 degrees to the east or west: %s", (defined_by, expected) => {
    const page = pageOfDocument({ id: `${BASE}/place/1`, type: "Place", _label: "Atoll", defined_by });
    expect(toldBy(page).text).toContain(expected);
  });

  it.each([
    ["GEOMETRYCOLLECTION(POINT EMPTY, POINT(4 52))"],
    [
      '{"type": "FeatureCollection", "features": [{"geometry": null}, {"geometry": {"type": "Point", "coordinates": [4, 52]}}]}',
    ],
  ])("are drawn without the empty parts of a geometry: %s", (defined_by) => {
    const page = pageOfDocument({ id: `${BASE}/place/1`, type: "Place", _label: "Delft", defined_by });
    const drawn = /data-geometry="([^"]*)"/.exec(page)![1]!.replaceAll("&quot;", '"');
    expect(JSON.parse(drawn)).toEqual({
      type: "GeometryCollection",
      geometries: [{ type: "Point", coordinates: [4, 52] }],
    });
  });

  it("are not drawn if the geometry is empty", () => {
    const page = pageOfDocument({
      id: `${BASE}/place/1`,
      type: "Place",
      _label: "Nowhere",
      defined_by: "POLYGON EMPTY",
    });
    expect(page).not.toContain('class="map"');
  });
});
