/** EDM: each row of its mapping, the resources around an object, rights, and which records have it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Addresses } from "../../../src/http/entity/addresses.js";
import { describedAs } from "../../../src/http/representations/edm/described.js";
import { EDM_MAPPING } from "../../../src/http/representations/edm/mapping.js";
import { europeanaRights, NOT_EVALUATED } from "../../../src/http/representations/edm/rights.js";
import type { EdmSettings } from "../../../src/http/representations/representation.js";
import { classIri, propertyIri } from "../../../src/model/vocabulary/vocabulary.js";
import { RecordGraphBuilder } from "../../../src/rdf/record-graph.js";
import { RDF } from "../../../src/rdf/terms.js";
import { graphOf, type JsonObject } from "../../jsonld/documents.js";
import { fileAt, fromService, timeSpan } from "../../jsonld/parts.js";
import { BASE, publish, publishDocuments, type Service, startService } from "../service.js";
import { OBJECT_META } from "./object-meta.js";

const AAT = "http://vocab.getty.edu/aat/";
const type = (id: string, label = "a kind"): JsonObject => ({
  id: /^\d/.test(id) ? AAT + id : id,
  type: "Type",
  _label: label,
});
const statement = (kind: string, content: string): JsonObject => ({
  type: "LinguisticObject",
  classified_as: [type(kind)],
  content,
});
const named = (path: string, of: string, label = path): JsonObject => ({
  id: `${BASE}/${path}`,
  type: of,
  _label: label,
});
const record = (path: string, of: string, more: JsonObject): JsonObject => ({ ...named(path, of), ...more });
const right = (iri: string): JsonObject => ({ subject_to: [{ type: "Right", classified_as: [type(iri)] }] });
const file = (url: string, format: string): JsonObject => fileAt(url, { format });
const IIIF: JsonObject = {
  type: "DigitalObject",
  format: "image/jpeg",
  ...fromService("https://iiif.example/1", "http://iiif.io/api/image/3/level2.json"),
};
const HEIGHT: JsonObject[] = [
  {
    type: "Dimension",
    value: 12,
    classified_as: [type("300055644", "Height")],
    unit: { ...type("300379098", "cm"), type: "MeasurementUnit" },
  },
];
const NC = "https://creativecommons.org/licenses/by-nc/4.0/";

/** An object with a value for every row of the mapping. */
const WHOLE = record("object/whole", "HumanMadeObject", {
  classified_as: [type("300033618", "Painting")],
  identified_by: [
    { type: "Name", content: "Zicht & op <Delft>", language: [{ type: "Language", notation: "nl" }] },
    { type: "Name", content: "View of Delft", language: [{ type: "Language", notation: "en" }] },
    { type: "Name", content: "Delft", language: [{ type: "Language", notation: "en" }] },
    { type: "Identifier", content: "92 <b>" },
  ],
  referred_to_by: [
    statement("300435416", "A <b>town</b>."),
    { ...statement("300435416", "<p>Caf&eacute; &amp; port</p>"), format: "text/html" },
    { ...statement("300435416", "before <1900>"), format: "text/plain" },
    statement("300435429", "oil on canvas"),
    statement("300435430", "96 × 115 cm"),
    statement("300435438", "Bought in 1822"),
    statement("300435434", "Nobody's"),
  ],
  equivalent: [{ id: "http://www.wikidata.org/entity/Q1", type: "HumanMadeObject" }],
  produced_by: {
    type: "Production",
    timespan: timeSpan("1660", "1661", {
      identified_by: [
        { type: "Name", content: "omstreeks 1660", language: [{ type: "Language", notation: "nl" }] },
        { type: "Name", content: "about 1660", language: [{ type: "Language", notation: "en" }] },
      ],
    }),
    part: [
      {
        type: "Production",
        carried_out_by: [
          named("person/vermeer", "Person"),
          { type: "Person", _label: "A pupil" },
          { id: `${BASE}/person/nobody`, type: "Person" },
        ],
        took_place_at: [named("place/delft", "Place")],
        technique: [type("300178675", "painting")],
        during: [named("event/golden", "Period")],
      },
    ],
  },
  encountered_by: [{ type: "Encounter", timespan: timeSpan("1822", "1822") }],
  used_for: [{ type: "Activity", classified_as: [type("300054686")], carried_out_by: [named("group/press", "Group")] }],
  made_of: [type("300014078", "canvas")],
  part_of: [named("object/pair", "HumanMadeObject")],
  member_of: [named("set/all", "Set")],
  current_location: named("place/delft", "Place"),
  carries: [
    {
      type: "LinguisticObject",
      language: [{ id: `${AAT}300388256`, type: "Language" }],
      about: [type("300008375", "towns")],
    },
  ],
  shows: [named("visual/view", "VisualItem")],
  representation: [
    { type: "VisualItem", digitally_shown_by: [IIIF, file("https://files.example/walk.mp4", "video/mp4")] },
  ],
});

const DOCUMENTS: readonly JsonObject[] = [
  WHOLE,
  record("visual/view", "VisualItem", {
    represents: [named("place/delft", "Place"), named("person/vermeer", "Person")],
    about: [named("group/press", "Group")],
    ...right(NC),
  }),
  record("object/film", "HumanMadeObject", {
    representation: [
      { type: "VisualItem", digitally_shown_by: [file("https://files.example/film", "Video/MP4; codecs=avc1")] },
    ],
  }),
  record("object/loud", "HumanMadeObject", {
    representation: [{ type: "VisualItem", digitally_shown_by: [file("https://files.example/loud", "IMAGE/JPEG")] }],
  }),
  record("object/apart", "HumanMadeObject", {
    representation: [named("visual/apart", "VisualItem")],
    ...right(NC),
  }),
  record("visual/apart", "VisualItem", {
    digitally_shown_by: [
      {
        ...file("https://files.example/apart.mp4", "video/mp4"),
        ...right("http://rightsstatements.org/vocab/InC/1.0/"),
      },
    ],
    ...right(NC),
  }),
  record("digital/file", "DigitalObject", {
    ...file("https://files.example/view.jpg", "image/jpeg"),
    digitally_shows: [named("visual/view", "VisualItem")],
    ...right("https://rightsstatements.org/page/InC/1.0/?language=en"),
  }),
  record("person/vermeer", "Person", {
    identified_by: [
      { type: "Name", content: "Johannes Vermeer" },
      { type: "Name", content: "Jan Vermeer" },
    ],
    classified_as: [
      { ...type("300189559", "Male"), classified_as: [type("300055147")] },
      { ...type("300025136", "Painter"), classified_as: [type("300263369")] },
    ],
    born: {
      type: "Birth",
      timespan: timeSpan("1632", "1632"),
      took_place_at: [named("place/delft", "Place", "Delft")],
    },
    died: {
      type: "Death",
      timespan: timeSpan("1675", "1675"),
      took_place_at: [named("place/delft", "Place", "Delft")],
    },
    equivalent: [{ id: "http://viaf.org/viaf/1", type: "Person" }],
  }),
  record("group/press", "Group", {
    formed_by: { type: "Formation", timespan: timeSpan("1800", "1800") },
    dissolved_by: { type: "Dissolution", timespan: timeSpan("1900", "1900") },
  }),
  record("place/delft", "Place", {
    defined_by: "POINT(4.3571 52.0116)",
    part_of: [named("place/holland", "Place")],
    referred_to_by: [statement("300435416", "A town")],
    equivalent: [{ id: "http://sws.geonames.org/1/", type: "Place" }],
  }),
  record("event/golden", "Period", { timespan: timeSpan("1588", "1672") }),
  record("concept/town", "Type", { broader: [type("300000000")], equivalent: [type("300008375")] }),
  record("object/plain", "HumanMadeObject", {
    dimension: HEIGHT,
    classified_as: [{ id: `${BASE}/concept/town`, type: "Type" }],
  }),
  record("object/web", "HumanMadeObject", {
    subject_of: [
      {
        type: "LinguisticObject",
        digitally_carried_by: [
          { ...file("https://museum.example/view", "text/html"), classified_as: [type("300264578", "Web Page")] },
        ],
      },
    ],
    carries: [{ type: "LinguisticObject", language: [{ type: "Language", notation: "la" }] }],
    ...right("https://creativecommons.org/publicdomain/mark/1.0/"),
  }),
];

let service: Service;
let set: Service;
beforeAll(async () => {
  const edm: EdmSettings = {
    dataProvider: "Mauritshuis",
    provider: "A portal",
    language: "nl",
    rights: "http://rightsstatements.org/vocab/InC/1.0/",
  };
  [service, set] = await Promise.all([startService({}), startService({ edm })]);
  const graphs = DOCUMENTS.map(graphOf);
  for (const { store } of [service, set]) await publish(store, graphs);
});
afterAll(() => Promise.all([service.stop(), set.stop()]));

async function edm(path: string, from = service): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${from.port}/${path}.edm.rdf`);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([
    200,
    'application/rdf+xml;profile="http://www.europeana.eu/schemas/edm/"',
  ]);
  return await answer.text();
}

/** The texts and resources of all elements of a name. */
function values(document: string, element: string): readonly string[] {
  const found = document.matchAll(
    new RegExp(`<${element}(?: xml:lang="[a-z]+")?(?: rdf:resource="([^"]*)"/>|>([^<]*)</)`, "g"),
  );
  return [...found].map(([, iri, text]) => iri ?? text!);
}

describe("EDM", () => {
  it("has a value for each element of the mapping", async () => {
    const all = [await edm("object/whole"), await edm("object/plain")].join("\n");
    const elements = new Set(Object.values(EDM_MAPPING).flatMap((rows) => rows.map(({ to }) => to as string)));
    expect([...elements].filter((element) => values(all, element).length === 0)).toEqual([]);
  });

  it("states of the object what its record states", async () => {
    const document = await edm("object/whole");
    const said = (element: string) => values(document, element);
    expect(document).toContain('<dc:title xml:lang="nl">Zicht &amp; op &lt;Delft&gt;</dc:title>');
    expect(said("dcterms:alternative")).toEqual(["Delft"]);
    expect(said("dc:description")).toEqual(["A town.", "Café &amp; port", "before &lt;1900&gt;"]);
    expect(said("dc:identifier")).toContain("92 &lt;b&gt;");
    expect(said("dc:creator")).toEqual([`${BASE}/person/vermeer`, "A pupil"]);
    expect(said("dcterms:medium")).toEqual(["oil on canvas", `${AAT}300014078`]);
    expect(said("dc:subject")).toEqual([`${BASE}/person/vermeer`, `${BASE}/group/press`, `${AAT}300008375`]);
    expect(said("dc:language")).toEqual(["nl"]);
    expect(said("dcterms:spatial")).toEqual([`${BASE}/place/delft`]);
    expect(said("edm:begin")).toEqual(["1660", "1822", "1588"]);
  });

  it("describes each entity that it names once, from that entity's record", async () => {
    const document = await edm("object/whole");
    const [agent] = /<edm:Agent rdf:about="[^"]*vermeer">[\s\S]*?<\/edm:Agent>/.exec(document)!;
    expect(values(agent!, "skos:prefLabel")).toEqual(["Johannes Vermeer"]);
    expect(values(agent!, "skos:altLabel")).toEqual(["Jan Vermeer"]);
    expect(["rdaGr2:dateOfBirth", "rdaGr2:placeOfDeath"].map((name) => values(agent!, name))).toEqual([
      ["1632"],
      ["Delft"],
    ]);
    const [span] = /<edm:TimeSpan rdf:about="[^"]*#time-1">[\s\S]*?<\/edm:TimeSpan>/.exec(document)!;
    expect(span).toContain('<skos:prefLabel xml:lang="nl">omstreeks 1660</skos:prefLabel>');
    expect(span).toContain('<skos:prefLabel xml:lang="en">about 1660</skos:prefLabel>');
    expect(document.match(/<edm:Place /g)).toHaveLength(1);
    expect(document).not.toContain("person/nobody");
  });

  it("names what it names without a label as the records here do, and a record without a name as the object does", async () => {
    const bare = ({ _label: _, ...rest }: JsonObject): JsonObject => rest;
    const maker = {
      ...named("person/x", "Person"),
      born: { type: "Birth", took_place_at: [bare(named("place/y", "Place"))] },
    };
    const nameless = bare(record("group/z", "Group", { member_of: [named("group/all", "Group")] }));
    const makers = [bare(named("person/x", "Person")), named("group/z", "Group", "Z in the object")];
    await publishDocuments(
      service.store,
      ...[maker, nameless, record("place/y", "Place", { part_of: [named("place/all", "Place")] })],
      record("object/bare", "HumanMadeObject", {
        produced_by: { type: "Production", carried_out_by: makers },
        // The text is elsewhere.
        referred_to_by: [{ id: `${BASE}/text/t`, type: "LinguisticObject", classified_as: [type("300435430")] }],
        dimension: HEIGHT,
      }),
    );
    const document = await edm("object/bare");
    expect(values(document, "skos:prefLabel")).toEqual(["person/x", "Z in the object"]);
    expect(values(document, "rdaGr2:placeOfBirth")).toEqual(["place/y"]);
    expect(values(document, "dcterms:extent")).toEqual(["Height: 12 cm"]);
  });

  it("has its files, whose own rights take precedence", async () => {
    const document = await edm("object/whole");
    expect(values(document, "edm:isShownBy")).toEqual(["https://iiif.example/1/full/max/0/default.jpg"]);
    expect(values(document, "edm:object")).toEqual(["https://iiif.example/1/full/!900,900/0/default.jpg"]);
    expect(values(document, "edm:hasView")).toEqual([
      "https://files.example/view.jpg",
      "https://files.example/walk.mp4",
    ]);
    expect(document).toContain('<svcs:Service rdf:about="https://iiif.example/1">');
    expect(values(document, "edm:rights")).toEqual([
      "http://rightsstatements.org/vocab/InC/1.0/",
      "http://rightsstatements.org/vocab/InC/1.0/",
    ]);
    expect(values(document, "edm:type")).toEqual(["IMAGE"]);
  });

  it("has the files that only the record of its picture describes, whose own rights take precedence", async () => {
    const document = await edm("object/apart");
    expect(values(document, "edm:isShownBy")).toEqual(["https://files.example/apart.mp4"]);
    expect(values(document, "edm:rights")).toEqual(["http://rightsstatements.org/vocab/InC/1.0/"]);
    expect(values(document, "edm:type")).toEqual(["VIDEO"]);
  });

  it("numbers time-spans in time that grows with their number alone", async () => {
    const builder = new RecordGraphBuilder(`${BASE}/object/dated`);
    const [root, type] = [builder.iri(`${BASE}/object/dated`), builder.iri(RDF.type)];
    const [date, span] = [builder.literal("1650-01-01T00:00:00Z"), builder.iri(classIri("TimeSpan"))];
    const [found, dated, begin] = ["encountered_by", "timespan", "begin_of_the_begin"].map((term) =>
      builder.iri(propertyIri(term, term === "timespan" ? "Encounter" : undefined)!),
    ) as [number, number, number];
    const most = 12_000;
    for (let at = 0; at < most; at++) {
      const [encounter, time] = [builder.blank(`e${at}`), builder.blank(`t${at}`)];
      builder.add(root, found, encounter);
      builder.add(encounter, dated, time);
      builder.add(time, type, span);
      builder.add(time, begin, date);
    }
    const context = { store: service.store, addresses: new Addresses({ baseUrl: BASE }), languages: [] };
    const { around } = await describedAs(
      { graph: builder.build(), meta: OBJECT_META },
      context,
      AAT.slice(0, -1),
      "urn:place",
    );
    expect([around.length, around[0]?.iri, around.at(-1)?.iri]).toEqual([
      most,
      "urn:place#time-1",
      `urn:place#time-${most}`,
    ]);
  });

  it("knows media types in any case of letters (RFC 9110, 8.3.1)", async () => {
    const [film, loud] = [await edm("object/film"), await edm("object/loud")];
    expect([film, loud].flatMap((each) => values(each, "edm:type"))).toEqual(["VIDEO", "IMAGE"]);
    expect(values(film, "edm:isShownBy")).toEqual(["https://files.example/film"]);
    expect(values(loud, "edm:object")).toEqual(["https://files.example/loud"]);
  });

  it("links to the page that the record names, or to the page here, and has the type TEXT for what is read", async () => {
    const web = await edm("object/web");
    expect(values(web, "edm:isShownAt")).toEqual(["https://museum.example/view"]);
    expect(values(web, "edm:rights")).toEqual(["http://creativecommons.org/publicdomain/mark/1.0/"]);
    expect(values(web, "edm:type")).toEqual(["TEXT"]);
    expect(values(await edm("object/whole"), "edm:isShownAt")).toEqual([`${BASE}/object/whole.html`]);
  });

  it("states what the settings say when records say nothing", async () => {
    const [without, given] = [await edm("object/plain"), await edm("object/plain", set)];
    expect(values(without, "edm:rights")).toEqual([NOT_EVALUATED]);
    expect(values(without, "dcterms:extent")).toEqual(["Height: 12 cm"]);
    expect(values(given, "edm:rights")).toEqual(["http://rightsstatements.org/vocab/InC/1.0/"]);
    expect(given).toContain('<edm:dataProvider xml:lang="nl">Mauritshuis</edm:dataProvider>');
    expect(values(given, "edm:provider")).toEqual(["A portal"]);
  });

  it("exists for objects only, and changes when a record that it names changes", async () => {
    expect((await fetch(`http://127.0.0.1:${service.port}/person/vermeer.edm.rdf`)).status).toBe(404);
    const tag = async () => (await fetch(`http://127.0.0.1:${service.port}/object/whole.edm.rdf`)).headers.get("etag");
    const before = await tag();
    expect(await tag()).toBe(before);
    await publishDocuments(service.store, record("event/golden", "Period", { timespan: timeSpan("1588", "1700") }));
    expect(await tag()).not.toBe(before);
    expect(values(await edm("object/whole"), "edm:end")).toContain("1700");
  });
});

describe("rights", () => {
  it.each([
    ["https://creativecommons.org/licenses/by/4.0/", "http://creativecommons.org/licenses/by/4.0/"],
    ["http://creativecommons.org/licenses/by-sa/3.0/nl/deed.nl", "http://creativecommons.org/licenses/by-sa/3.0/nl/"],
    [
      "https://www.creativecommons.org/publicdomain/zero/1.0/legalcode",
      "http://creativecommons.org/publicdomain/zero/1.0/",
    ],
    ["https://rightsstatements.org/page/NoC-OKLR/1.0/?language=en", "http://rightsstatements.org/vocab/NoC-OKLR/1.0/"],
    ["http://rightsstatements.org/vocab/InC/1.0", "http://rightsstatements.org/vocab/InC/1.0/"],
    ["http://rightsstatements.org/vocab/UND/1.0/", undefined],
    ["https://creativecommons.org/licenses/by/4.0/nl/", undefined],
    ["https://museum.example/rights", undefined],
  ])("are written as Europeana writes them: %s", (given, written) => {
    expect(europeanaRights(given)).toBe(written);
  });
});
