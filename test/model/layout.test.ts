import { describe, expect, it } from "vitest";
import { fieldForm, fieldOrder, isNumberProperty, standsAlone } from "../../src/model/layout.js";
import { endpointNamed, FIELD_TABLES } from "../../src/model/tables/endpoints.js";
import { CLASS_NAMES, PROPERTY_NAMES, propertyIri } from "../../src/model/vocabulary/vocabulary.js";

/** The properties that the tables give a class. */
function tabled(className: string): ReadonlySet<string> {
  const tables = FIELD_TABLES.filter(({ classes }) => classes.some((each) => each === className));
  return new Set(tables.flatMap(({ fields }) => fields.map(({ property }) => property)));
}

describe("fieldOrder", () => {
  it("follows the endpoint's table", () => {
    for (const name of ["place", "object", "person", "concept", "event"] as const) {
      const { classes, fields } = endpointNamed(name);
      const properties = fields.map(({ property }) => property).filter((each) => propertyIri(each, classes[0]));
      const order = fieldOrder(classes[0]!).filter((property) => properties.some((each) => each === property));
      expect(order, name).toEqual(properties);
    }
  });

  it("begins with the label and the other common properties, in structures too", () => {
    expect(fieldOrder("Name").slice(0, 8)).toEqual([
      "_label",
      "classified_as",
      "identified_by",
      "referred_to_by",
      "content",
      "language",
      "part",
      "assigned_by",
    ]);
  });

  it("merges the tables of a class that is record and structure", () => {
    const order = fieldOrder("Activity");
    for (const property of tabled("Activity")) {
      if (propertyIri(property, "Activity") !== undefined) expect(order).toContain(property);
    }
    expect(order.indexOf("technique")).toBeLessThan(order.indexOf("part"));
  });

  it("has the class's own properties before all others", () => {
    for (const className of CLASS_NAMES) {
      const own = tabled(className);
      const isOwn = fieldOrder(className).map((property) => own.has(property));
      expect(isOwn.lastIndexOf(true), className).toBeLessThan(isOwn.includes(false) ? isOwn.indexOf(false) : 1000);
    }
  });

  it("has one term for every property that the vocabulary has for the class", () => {
    for (const className of [...CLASS_NAMES, "", "Painting"]) {
      const iris = fieldOrder(className).map((property) => propertyIri(property, className));
      const all = PROPERTY_NAMES.map((property) => propertyIri(property, className)).filter((iri) => iri !== undefined);
      expect(iris).toHaveLength(new Set(iris).size);
      expect(new Set(iris), className).toEqual(new Set(all));
    }
  });

  it("has the field table's term when several stand for one IRI", () => {
    const collisions = CLASS_NAMES.flatMap((className) => {
      const iris = PROPERTY_NAMES.map((property) => propertyIri(property, className));
      return [...new Set(iris)].flatMap((iri) => {
        const rivals = PROPERTY_NAMES.filter((_, at) => iris[at] === iri);
        if (iri === undefined || rivals.length === 1) return [];
        const named = fieldOrder(className).filter((property) => rivals.some((each) => each === property));
        const own = rivals.filter((property) => tabled(className).has(property));
        if (own.length > 0) expect(named).toEqual(own);
        return [`${className}: ${rivals.join(", ")} -> ${named}`];
      });
    });
    expect(collisions).toEqual([
      "Right: conceptual_part, part -> part",
      "Right: conceptually_part_of, part_of -> part_of",
      ...["Type", "Language", "Material", "MeasurementUnit"].flatMap((each) => [
        `${each}: narrower, part -> part`,
        `${each}: broader, part_of -> broader`,
      ]),
      "PropositionalObject: conceptual_part, part -> part",
      "PropositionalObject: conceptually_part_of, part_of -> conceptually_part_of",
      "Currency: narrower, part -> part",
      "Currency: broader, part_of -> broader",
    ]);
  });
});

describe("fieldForm", () => {
  it.each([
    ["current_permanent_custodian", "array"],
    ["held_or_supported_by", "single"],
    ["formed_by", "single"],
    ["moved_to", "single"],
    ["part_of", "array"],
    ["value", "single"],
    ["_label", "single"],
    ["destroyed", undefined],
    ["painted_by", undefined],
  ] as const)("of %s is %s", (property, form) => {
    expect(fieldForm(property)).toBe(form);
  });

  it("is array exactly when the tables say array", () => {
    for (const { fields } of FIELD_TABLES) {
      for (const { property, datatype } of fields) {
        if (property === "@context" || property === "id" || property === "type") continue;
        expect(fieldForm(property), property).toBe(datatype === "array" ? "array" : "single");
      }
    }
  });
});

it("number properties and classes with a context of their own are known", () => {
  const properties = ["value", "lower_value_limit", "_label", "@context", "painted_by"];
  expect(properties.map(isNumberProperty)).toEqual([true, true, false, false, false]);
  expect(["DigitalService", "DigitalObject", "Service", ""].map(standsAlone)).toEqual([true, false, false, false]);
  expect(["@context", "id", "type"].map(fieldForm)).toEqual([undefined, undefined, undefined]);
});
