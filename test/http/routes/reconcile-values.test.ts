/** Columns for records, and their values in words. */
import { expect, it } from "vitest";
import {
  cellValues,
  columnNamed,
  columnsOf,
  describedBy,
  type ValueSettings,
  valueWords,
} from "../../../src/http/routes/search/reconcile-values.js";
import { ENDPOINTS } from "../../../src/model/tables/endpoints.js";
import type { RecordGraph } from "../../../src/rdf/record-graph.js";
import type { RecordMeta } from "../../../src/store/record.js";
import type { Store } from "../../../src/store/store.js";
import { SAMPLE } from "../../data/sample.js";
import { graphOf, type JsonObject, readingAt } from "../../jsonld/documents.js";
import { timeSpan } from "../../jsonld/parts.js";

const BASE = "http://data.museum.example/";

/** A record of the sample. */
const sample = (path: string): RecordGraph => readingAt(BASE)(SAMPLE.get(path)!.document);

function object(more: JsonObject): RecordGraph {
  return graphOf({ id: `${BASE}object/1`, type: "HumanMadeObject", ...more });
}

const wordsAt = (graph: RecordGraph, path: string, settings?: ValueSettings): string[] =>
  cellValues(graph, path, settings).map(valueWords);

it("the description of a record is cut between characters", async () => {
  const kind = { id: "urn:kind", type: "Type", _label: `${"x".repeat(199)}😀` };
  const meta = { endpoint: "object" } as RecordMeta;
  const graph = await object({ classified_as: [kind] });
  expect(await describedBy({} as Store, { graph, meta })).toBe(`Object: ${"x".repeat(199)}`);
});

const VERMEER = { id: `${BASE}person/johannes-vermeer`, name: "Johannes Vermeer" };

it("cells have values as a cataloguer writes them: dates in the record's words, numbers with unit and kind, entities with names", () => {
  const girl = sample("object/girl-with-a-pearl-earring");
  expect(cellValues(girl, "produced_by/timespan")).toEqual([{ str: "about 1665" }]);
  expect(cellValues(girl, "produced_by/timespan/begin_of_the_begin")).toEqual([{ date: "1664-01-01T00:00:00Z" }]);
  expect(wordsAt(girl, "produced_by/timespan/end_of_the_end")).toEqual(["1667-12-31"]);
  expect(wordsAt(girl, "dimension")).toEqual(["44.5 cm (height)", "39 cm (width)"]);
  expect(cellValues(girl, "dimension/value")).toEqual([{ float: 44.5 }, { float: 39 }]);
  expect(wordsAt(girl, "dimension/value")).toEqual(["44.5", "39"]);
  expect(cellValues(girl, "produced_by/carried_out_by")).toEqual([VERMEER]);
  expect(wordsAt(girl, "referred_to_by/300026687")[0]).toMatch(/^Bequest of/);
});

it("columns separate titles from numbers, and select values by the AAT number of a concept", () => {
  const girl = sample("object/girl-with-a-pearl-earring");
  expect(wordsAt(girl, "identified_by/Identifier")).toEqual(["670"]);
  expect(wordsAt(girl, "identified_by/Name")).toHaveLength(4);
  expect(wordsAt(girl, "dimension/300055644")).toEqual(["44.5 cm (height)"]);
  const vermeer = sample("person/johannes-vermeer");
  expect(wordsAt(vermeer, "classified_as/300379842")).toEqual(["Dutch"]);
  expect(wordsAt(vermeer, "classified_as/300379842")).not.toEqual(wordsAt(vermeer, "classified_as"));
});

it("settings decide the number of values, their language, and whether entities are texts", () => {
  const girl = sample("object/girl-with-a-pearl-earring");
  expect(wordsAt(girl, "identified_by/Name", { limit: 1 })).toEqual(["Girl with a Pearl Earring"]);
  expect(wordsAt(girl, "identified_by", { language: "nl" })).toEqual(["Meisje met de parel", "670"]);
  const maker = "produced_by/carried_out_by";
  expect(cellValues(girl, maker, { content: "id" })).toEqual([{ str: VERMEER.id }]);
  expect(cellValues(girl, maker, { content: "name" })).toEqual([{ str: VERMEER.name }]);
  expect(cellValues(girl, maker, { language: "ja" })).toEqual([VERMEER]);
});

it("time spans and dimensions without words get some, and makers are found in parts of a production", () => {
  const graph = object({
    produced_by: {
      type: "Production",
      timespan: timeSpan("1727", "1737"),
      part: [
        { type: "Production", carried_out_by: [{ type: "Person", _label: "Pietro Rotari" }] },
        { type: "Production", carried_out_by: [{ id: "urn:engraver", type: "Person" }] },
      ],
    },
    dimension: [
      { type: "Dimension", value: 1.5e1, unit: { id: "urn:cm", type: "MeasurementUnit", _label: "centimeters" } },
      { type: "Dimension", lower_value_limit: 2, upper_value_limit: 3 },
      { type: "Dimension" },
      { type: "Dimension", _label: "small" },
      { type: "Dimension", value: 123456789012345678n as unknown as number },
    ],
  });
  expect(wordsAt(graph, "produced_by/timespan")).toEqual(["between 1727 and 1737"]);
  expect(cellValues(graph, "produced_by/carried_out_by")).toEqual([
    { str: "Pietro Rotari" },
    { id: "urn:engraver", name: "urn:engraver" },
  ]);
  expect(wordsAt(graph, "dimension")).toEqual(["15 cm", "2–3", "small", "123456789012345678"]);
  expect(wordsAt(graph, "no_such/path")).toEqual([]);
});

it("statements that declare themselves HTML have no markup, and others stay as they are", () => {
  const content = '<p>The <i class="a">Night Watch</i></p>\n<p>is large.</p>';
  const graph = object({
    referred_to_by: [
      { type: "LinguisticObject", format: "text/html", content },
      { type: "LinguisticObject", content: "<untitled>\nand more" },
      {
        type: "LinguisticObject",
        format: "text/html",
        content: "<p>Caf&eacute;&nbsp;&#8220;Tom &amp; J&#x65;&quot;&lt;b&gt; AT&T &amp;lt; &bogus;",
      },
      { type: "LinguisticObject", format: "text/plain", content: "R&amp;D" },
    ],
  });
  expect(wordsAt(graph, "referred_to_by")).toEqual([
    "The Night Watch is large.",
    "<untitled>\nand more",
    'Café “Tom & Je"<b> AT&T &lt; &bogus;',
    "R&amp;D",
  ]);
});

it("columns have cataloguers' names, without jargon or repetitions", () => {
  const names = columnsOf("object").map(({ name }) => name);
  expect(names.slice(0, 5)).toEqual(["Label", "Title", "Inventory number", "Maker", "Date made"]);
  expect(columnsOf("person").map(({ name }) => name)).toEqual(
    expect.arrayContaining(["Name", "Birth date", "Death date", "Occupation", "Nationality"]),
  );
  expect(columnsOf("place").map(({ name }) => name)).not.toContain("Occupation");
  for (const { name: endpoint } of ENDPOINTS) {
    const columns = columnsOf(endpoint);
    for (const each of ["id", "name"] as const)
      expect(new Set(columns.map((column) => column[each])).size, endpoint).toBe(columns.length);
    for (const column of columns) expect(columnNamed(column.id, endpoint)).toEqual(column);
  }
  expect(columnNamed("produced_by/part/timespan").name).toBe("Making: parts: date");
  expect(columnNamed("constructor/__proto__").name).toContain("no property is called constructor");
  expect(columnNamed("Identifier").name).toContain("did you mean identified_by/Identifier?");
});
