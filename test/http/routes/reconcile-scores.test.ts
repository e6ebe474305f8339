/** Scores: how well names and records agree with a query. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agreement, similarity } from "../../../src/http/routes/search/reconcile-scores.js";
import { cellValues, columnsOf, valueWords } from "../../../src/http/routes/search/reconcile-values.js";
import type { RecordGraph } from "../../../src/rdf/record-graph.js";
import { SAMPLE } from "../../data/sample.js";
import { graphOf, type JsonObject, readingAt } from "../../jsonld/documents.js";
import { forAll, runsOf } from "../../properties.js";

function object(more: JsonObject): RecordGraph {
  return graphOf({ id: "urn:object", type: "HumanMadeObject", ...more });
}

const spanning = (begin: string, end: string, more: JsonObject = {}): RecordGraph =>
  object({
    produced_by: {
      type: "Production",
      timespan: { type: "TimeSpan", begin_of_the_begin: begin, end_of_the_end: end, ...more },
    },
  });

describe("agreement", () => {
  it("compares years in any form with a time span, and words with the span's own", () => {
    const graph = spanning("1761-01-01T00:00:00Z", "1761-12-31T23:59:59Z", { _label: "das Jahr 1761" });
    const at = (value: string, path = "produced_by/timespan"): number => agreement(graph, path)(value);
    for (const value of ["1761", "1761-01-01", "ca. 1761", "1760s", "between 1757 and 1767", "Das Jahr 1761"])
      expect([value, at(value)]).toEqual([value, 1]);
    expect([at("1762"), at("c. 1768"), at("1768"), at("1861"), at("undated"), at(" ")]).toEqual([
      0.5, 0.5, -1, -1, 0, 0,
    ]);
    expect(at("1761", "produced_by/timespan/begin_of_the_begin")).toBe(1);
    expect(at("1761", "destroyed_by/timespan")).toBe(0);
    const worded = object({
      produced_by: { type: "Production", timespan: { type: "TimeSpan", _label: "c. 1621" } },
    });
    expect(agreement(worded, "produced_by/timespan")("1621")).toBe(1);
    expect(agreement(worded, "produced_by/timespan")("1521")).toBe(-1);
  });

  it("reads years before the year 1 of ISO 8601, and spans without a beginning or an end", async () => {
    const path = "produced_by/timespan";
    const at = (graph: RecordGraph, ...values: string[]) => values.map((value) => agreement(graph, path)(value));
    const bowl = spanning("-0449-01-01T00:00:00Z", "-0449-12-31T23:59:59Z");
    expect(at(bowl, "450 BC", "-0449", "-0449-01-01T00:00:00Z", "450 av. J.-C.", "-0450")).toEqual([1, 1, 1, 1, 0.5]);
    expect(at(bowl, "450", "0449-01-01", "AD 450")).toEqual([-1, -1, -1]);
    const axe = spanning("-2500000-01-01T00:00:00Z", "-9999-12-31T23:59:59Z");
    expect(at(axe, "100000 BC", "-100000", "5000 BC")).toEqual([1, 1, -1]);
    const timed = (bounds: JsonObject) => object({ produced_by: { timespan: { type: "TimeSpan", ...bounds } } });
    const later = await timed({ begin_of_the_begin: "1600-01-01T00:00:00Z" });
    expect(at(later, "1600 or later", "1650", "1500")).toEqual([1, 1, -1]);
    const earlier = await timed({ end_of_the_end: "1700-12-31T23:59:59Z" });
    expect(at(earlier, "1700 or earlier", "1650", "1800")).toEqual([1, 1, -1]);
  });

  it("takes cells such as “before 1700” as all earlier or later years", () => {
    const graph = spanning("1650-01-01T00:00:00Z", "1660-12-31T23:59:59Z");
    const at = (value: string): number => agreement(graph, "produced_by/timespan")(value);
    expect(["before 1700", "vor 1700", "avant 1700", "after 1600", "na 1600", "1600 or later"].map(at)).toEqual(
      Array(6).fill(1),
    );
    expect(["before 1600", "after 1700", "1700 or later", "from 1700 to 1710", "vor Chr. 500"].map(at)).toEqual(
      Array(5).fill(-1),
    );
    const ancient = spanning("-0600-01-01T00:00:00Z", "-0590-12-31T23:59:59Z");
    expect(agreement(ancient, "produced_by/timespan")("vor 450 v. Chr.")).toBe(1);
  });

  it("takes an entity without a name for no contradiction of a name, but of another IRI", async () => {
    const by = await object({
      produced_by: { type: "Production", carried_out_by: [{ id: "urn:maker", type: "Person" }] },
    });
    const at = (value: string): number => agreement(by, "produced_by/carried_out_by")(value);
    expect([at("Rembrandt"), at("urn:maker"), at("urn:other")]).toEqual([0, 1, -1]);
  });

  it("never finds a contradiction between a record and its own cells", () => {
    const read = readingAt("http://x/");
    for (const { document, endpoint } of SAMPLE.values()) {
      const graph = read(document);
      for (const { id } of columnsOf(endpoint)) {
        const agrees = agreement(graph, id);
        for (const value of cellValues(graph, id))
          for (const written of new Set([valueWords(value), String(Object.values(value)[0])]))
            if (agrees(written) < 0) expect([graph.iri, id, written]).toBeUndefined();
      }
    }
  });

  it("compares numbers with units", () => {
    const unit = { id: "urn:cm", type: "MeasurementUnit", _label: "centimetres" };
    const graph = object({
      dimension: [
        { type: "Dimension", value: 44.5, unit },
        { type: "Dimension", value: 39, unit },
        { type: "Dimension", _label: "no number" },
      ],
    });
    const at = (value: string): number => agreement(graph, "dimension")(value);
    for (const value of ["44.5 cm", "44,5", "445 mm", "44.5 x 39 cm", "H 44.5 cm, W 39 cm", "17.52 in"])
      expect([value, at(value)]).toEqual([value, 1]);
    for (const value of ["17 1/2 in.", "17½ × 15⅜ in.", "17-1/2 x 15 3/8 inches"])
      expect([value, at(value)]).toEqual([value, 1]);
    expect([at("44.5 x 39 cm (17 1/2 x 15 3/8 in.)"), at("44.5 x 39 cm (7 1/2 x 5 3/8 in.)")]).toEqual([1, 0.5]);
    const deep = object({ dimension: [{ type: "Dimension", lower_value_limit: 3, upper_value_limit: 5, unit }] });
    const inDepth = ["3–5 cm", "4 cm", "30 mm", "6 cm"].map((value) => agreement(deep, "dimension")(value));
    expect(inDepth).toEqual([1, 1, 1, -1]);
    expect([at("44.5 x 12 cm"), at("12 cm"), at("44.5 m"), at("unknown")]).toEqual([0.5, -1, -1, 0]);
    const long = object({ dimension: [{ type: "Dimension", value: 1044.5, unit }] });
    const written = [
      "1,044.5 cm",
      "1.044,5 cm",
      "1'044.5",
      "10,445 mm",
      "10.445 m",
      "1044.5 x 3",
      "1,044.5 x 3,2",
      "1.044 cm",
    ];
    expect(written.map((value) => agreement(long, "dimension")(value))).toEqual([1, 1, 1, 1, 1, 0.5, 0.5, 1]);
    expect(["1.0445 cm", "1,044.5 mm"].map((value) => agreement(long, "dimension")(value))).toEqual([-1, -1]);
    expect(at("445 constructor")).toBe(at("445 pieces"));
  });

  it("compares parts of names, inverted names and IRIs", () => {
    const maker = { id: "urn:rotari", type: "Person", _label: "Pietro Rotari after Antonio Balestra" };
    const graph = object({
      _label: "A title",
      produced_by: { type: "Production", carried_out_by: [maker] },
      identified_by: [{ type: "Identifier", content: "1926.281" }],
      made_of: [{ id: "urn:oil", type: "Material", _label: "oil paint" }],
    });
    const at = (value: string, path = "produced_by/carried_out_by"): number => agreement(graph, path)(value);
    expect([at("pietro rotari after antonio balestra"), at("urn:rotari"), at("urn:other")]).toEqual([1, 1, -1]);
    for (const value of ["Rotari", "Balestra, Antonio", "P. Rotari", "Rotary"]) expect(at(value)).toBeGreaterThan(0.6);
    expect([at("Antonio Canaletto"), at("Rembrandt")]).toEqual([0, -1]);
    expect([at("1926.281", "identified_by/Identifier"), at("1926.999", "identified_by/Identifier")]).toEqual([1, -1]);
    expect(at("inv. 1926.281", "identified_by/Identifier")).toBe(0.9);
    expect(at("Rotari (1707–1762)")).toBe(0.9);
    // A record may lack materials and titles, so another value contradicts nothing.
    expect([at("marble", "made_of"), at("Another", "identified_by/Name"), at("Oil", "made_of")]).toEqual([0, 0, 0.9]);
    expect(agreement(graph, "made_of")("oil paint")).toBe(1);
  });
});

describe("similarity", () => {
  it("is 1 for words in another order, and less for initials, typing errors and extra words", () => {
    expect(similarity("Vermeer, Johannes", "Johannes Vermeer")).toBe(1);
    expect(similarity("Night Watch", "The Night Watch")).toBe(1);
    const less = ["Johanes Vermeer", "J. Vermeer", "Vermeer", "Jan Steen"].map((each) =>
      similarity(each, "Johannes Vermeer"),
    );
    expect(less).toEqual([...less].sort((a, b) => b - a));
    expect(less[0]).toBeLessThan(1);
    expect(similarity("the", "")).toBe(0);
  });

  it("is between 0 and 1, is symmetric, and is 0 or 1 for a text and itself", () => {
    const texts = fc.string({ unit: "grapheme", maxLength: 30 });
    forAll([texts, texts], runsOf(200), (one, other) => {
      const found = similarity(one, other);
      expect(found).toBeGreaterThanOrEqual(0);
      expect(found).toBeLessThanOrEqual(1.000001);
      expect(similarity(other, one)).toBeCloseTo(found, 9);
      expect([0, 1]).toContain(Math.round(similarity(one, one) * 1e9) / 1e9);
    });
  });
});
