import { describe, expect, it } from "vitest";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import {
  COMMON_FIELDS,
  ENDPOINTS,
  endpointNamed,
  endpointOf,
  isEntityClass,
} from "../../../src/model/tables/endpoints.js";
import { ENDPOINT_NAMES, endpointNumber, endpointNumbered } from "../../../src/model/tables/names.js";
import type { ClassName } from "../../../src/model/vocabulary/classes.js";
import { CLASS_NAMES, classIri } from "../../../src/model/vocabulary/vocabulary.js";
import { ABSENT, documents, isAbsent, MUSEUMS, OFFICIAL } from "../corpus.js";

const AAT = DEFAULT_MODEL.vocabBase;

function endpointOfClass(name: ClassName, ...classifications: string[]) {
  return endpointOf([classIri(name)], classifications, AAT);
}

describe("endpointOf", () => {
  it("finds the endpoint of each class that section 4 names, and of no other", () => {
    const found = CLASS_NAMES.map((name) => [name, endpointOfClass(name)]).filter(([, endpoint]) => endpoint);
    expect(Object.fromEntries(found)).toEqual({
      Place: "place",
      Set: "set",
      HumanMadeObject: "object",
      DigitalObject: "digital",
      Group: "group",
      Person: "person",
      LinguisticObject: "text",
      VisualItem: "visual",
      PropositionalObject: "abstract",
      Type: "concept",
      Material: "concept",
      Language: "concept",
      Currency: "concept",
      MeasurementUnit: "concept",
      Period: "event",
      Event: "event",
      Activity: "event",
    });
  });

  it("takes an Event or Activity classified as provenance for a provenance record", () => {
    const others = [`${AAT}/300054766`, `${AAT}/300055863`];
    expect(endpointOfClass("Activity", ...others)).toBe("provenance");
    expect(endpointOfClass("Event", ...others)).toBe("provenance");
    expect(endpointOfClass("Activity", `${AAT}/300054766`)).toBe("event");
  });

  it("takes a Period so classified for one too, which its rules then refuse, and leaves an object where it is", () => {
    expect(endpointOfClass("Period", `${AAT}/300055863`)).toBe("provenance");
    expect(endpointOfClass("HumanMadeObject", `${AAT}/300055863`)).toBe("object");
  });

  it("looks for the classification under the vocabulary base that was set", () => {
    const activity = [classIri("Activity")];
    expect(endpointOf(activity, ["https://terms.example/300055863"], "https://terms.example")).toBe("provenance");
    expect(endpointOf(activity, [`${AAT}/300055863`], "https://terms.example")).toBe("event");
  });

  it("goes by the first of several classes that has an endpoint", () => {
    expect(endpointOf([classIri("Actor"), classIri("Person"), classIri("Group")], [], AAT)).toBe("person");
    expect(endpointOf([], [], AAT)).toBeUndefined();
  });

  it.skipIf(isAbsent(OFFICIAL, MUSEUMS))(`has an endpoint for every document of the corpus ${ABSENT}`, () => {
    const counts = new Map<string, number>();
    for (const { type, classified_as = [] } of [...documents(OFFICIAL), ...documents(MUSEUMS)]) {
      const ids = (classified_as as { id: string }[]).map(({ id }) => id);
      const endpoint = endpointOfClass(type as ClassName, ...ids);
      counts.set(String(endpoint), (counts.get(String(endpoint)) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual(ENDPOINTS.map(({ name }) => name).sort());
  });
});

describe("ENDPOINTS", () => {
  it("are twelve, each under its own name", () => {
    expect(new Set(ENDPOINTS.map(({ name }) => name)).size).toBe(12);
    for (const endpoint of ENDPOINTS) expect(endpointNamed(endpoint.name)).toBe(endpoint);
  });

  it("compose the common properties with the exceptions of their sections, each property once", () => {
    for (const { name, fields } of ENDPOINTS) {
      const properties = fields.map(({ property }) => property);
      expect(new Set(properties).size, name).toBe(properties.length);
      const missing = COMMON_FIELDS.filter(({ property }) => !properties.includes(property));
      expect(missing.map(({ property }) => property)).toEqual(name === "visual" ? ["representation"] : []);
    }
  });

  it("close Place alone, which also requires its label", () => {
    expect(ENDPOINTS.filter(({ closed }) => closed).map(({ name }) => name)).toEqual(["place"]);
    const requiring = ENDPOINTS.filter(({ fields }) =>
      fields.some(({ property, requirement }) => property === "_label" && requirement === "required"),
    );
    expect(requiring.map(({ name }) => name)).toEqual(["place"]);
  });

  it("refer to Groups in member_of of Persons and Groups, else to Sets", () => {
    for (const { name, fields } of ENDPOINTS) {
      const { range } = fields.find(({ property }) => property === "member_of")!;
      const classes = name === "person" || name === "group" ? ["Group"] : ["Set"];
      expect(range, name).toEqual({ kind: "reference", classes });
    }
  });

  it("take their own classes in `type`", () => {
    for (const { classes, fields } of ENDPOINTS) {
      expect(fields.find(({ property }) => property === "type")?.range).toEqual({ kind: "class", classes });
      for (const each of classes) expect(isEntityClass(classIri(each))).toBe(true);
    }
  });
});

it("endpoints have the numbers of their places from 1 on, and none has 0", () => {
  expect(ENDPOINT_NAMES.map(endpointNumber)).toEqual(ENDPOINT_NAMES.map((_, at) => at + 1));
  for (const name of ENDPOINT_NAMES) expect(endpointNumbered(endpointNumber(name))).toBe(name);
  expect([null, "none" as const].map(endpointNumber)).toEqual([0, 0]);
  expect([0, ENDPOINT_NAMES.length + 1].map(endpointNumbered)).toEqual([null, null]);
});
