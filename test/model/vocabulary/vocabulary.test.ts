import { describe, expect, it } from "vitest";
import {
  CLASS_NAMES,
  camelCase,
  classIri,
  className,
  expandIri,
  isScoped,
  PROPERTY_NAMES,
  propertyIri,
} from "../../../src/model/vocabulary/vocabulary.js";

const CRM = "http://www.cidoc-crm.org/cidoc-crm/";

describe("expandIri", () => {
  it("replaces the prefix by its namespace", () => {
    expect(expandIri("crm:P1_is_identified_by")).toBe(`${CRM}P1_is_identified_by`);
    expect(expandIri("la:Set")).toBe("https://linked.art/ns/terms/Set");
  });

  it.each(["P1_is_identified_by", "aat:300033618", ":x", "", "crmx"])(
    "refuses %j, whose prefix the vocabulary does not have",
    (iri) => {
      expect(() => expandIri(iri)).toThrow(new RangeError(`${iri} has no prefix of the vocabulary`));
    },
  );
});

describe("terms", () => {
  it("have an IRI, from which classes can be found again", () => {
    for (const term of CLASS_NAMES) expect(className(classIri(term))).toBe(term);
  });

  it("are unique, classes and properties together", () => {
    const terms: string[] = [...CLASS_NAMES, ...PROPERTY_NAMES];
    expect(new Set(terms).size).toBe(terms.length);
  });

  it("missing from the vocabulary have no IRI", () => {
    expect(classIri("Painting")).toBeUndefined();
    expect(className(`${CRM}E999_Painting`)).toBeUndefined();
    expect(propertyIri("painted_by")).toBeUndefined();
  });
});

it("terms are scoped if they stand for different IRIs", () => {
  expect(["part", "member_of", "identified_by", ""].map(isScoped)).toEqual([true, true, false, false]);
});

it("terms become parts of relations' names in camel case", () => {
  expect(["carried_out_by", "_label", "part"].map(camelCase)).toEqual(["carriedOutBy", "Label", "part"]);
});

describe("propertyIri", () => {
  it.each([
    ["Place", "part_of", "crm:P89_falls_within"],
    ["HumanMadeObject", "part_of", "crm:P46i_forms_part_of"],
    ["Type", "part_of", "skos:broader"],
    ["Person", "member_of", "crm:P107i_is_current_or_former_member_of"],
    ["Set", "member_of", "la:member_of"],
    ["Set", "member", "la:has_member"],
    ["Set", "identified_by", "crm:P1_is_identified_by"],
  ])("on %s reads %s as %s", (onClass, term, iri) => {
    expect(propertyIri(term, onClass)).toBe(expandIri(iri));
  });

  it("is undefined for a scoped term without a class that scopes it", () => {
    expect(propertyIri("part_of")).toBeUndefined();
    expect(propertyIri("part", "Encounter")).toBeUndefined();
    expect(propertyIri("part", "Set")).toBeUndefined();
  });
});
