import { describe, expect, it } from "vitest";
import { embeds } from "../../src/model/embedding.js";
import { FIELD_TABLES } from "../../src/model/tables/endpoints.js";
import { fieldIri } from "../../src/model/tables/fields.js";
import type { ClassName } from "../../src/model/vocabulary/classes.js";
import { classIri, isScoped, propertyIri } from "../../src/model/vocabulary/vocabulary.js";

function embedsIn(subject: ClassName, property: string, ...objects: ClassName[]): boolean {
  return embeds(
    propertyIri(property, subject)!,
    [classIri(subject)],
    objects.map((each) => classIri(each)),
  );
}

describe("embeds", () => {
  it.each([
    ["HumanMadeObject", "produced_by", "Production"],
    ["HumanMadeObject", "identified_by", "Name"],
    ["HumanMadeObject", "referred_to_by", "LinguisticObject"],
    ["HumanMadeObject", "classified_as", "Type"],
    ["HumanMadeObject", "made_of", "Material"],
    ["Dimension", "unit", "MeasurementUnit"],
    ["Person", "carried_out", "Activity"],
    ["Activity", "part", "Activity"],
    ["Name", "part", "Name"],
  ] as const)("is true for structures and concepts: %s, %s, %s", (subject, property, object) => {
    expect(embedsIn(subject, property, object)).toBe(true);
  });

  it.each([
    ["HumanMadeObject", "current_owner", "Group"],
    ["HumanMadeObject", "part_of", "HumanMadeObject"],
    ["HumanMadeObject", "subject_of", "LinguisticObject"],
    ["LinguisticObject", "part", "LinguisticObject"],
    ["Type", "broader", "Type"],
    ["Production", "carried_out_by", "Person"],
    ["Set", "members_exemplified_by", "HumanMadeObject"],
    ["Place", "equivalent", "Place"],
  ] as const)("is false for entities that are referred to: %s, %s, %s", (subject, property, object) => {
    expect(embedsIn(subject, property, object)).toBe(false);
  });

  it("is true for nodes that are referred to but can have no record of their own", () => {
    expect(embedsIn("AttributeAssignment", "assigned", "Production")).toBe(true);
    expect(embedsIn("AttributeAssignment", "assigned", "Person")).toBe(false);
    expect(embedsIn("AttributeAssignment", "assigned", "Production", "Activity")).toBe(false);
  });

  it("depends only on the class if no table has the property", () => {
    expect(embeds("https://example.org/property", [], [classIri("Person")])).toBe(false);
    expect(embeds("https://example.org/property", [], ["https://example.org/Class"])).toBe(true);
    expect(embeds(propertyIri("identified_by")!, [], [])).toBe(true);
  });

  it("relies on tables that agree whether a property's values are embedded", () => {
    const decided = new Map<string, boolean>();
    for (const { classes, fields } of FIELD_TABLES) {
      for (const { property, range } of fields) {
        if (!["structure", "concept", "reference", "entity"].includes(range.kind)) continue;
        for (const each of classes) {
          const key = `${isScoped(property) ? each : ""} ${fieldIri(property, each)}`;
          const embedded = range.kind === "structure" || range.kind === "concept";
          expect(decided.get(key) ?? embedded, `${each} ${property}`).toBe(embedded);
          decided.set(key, embedded);
        }
      }
    }
  });
});
