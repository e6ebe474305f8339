import { describe, expect, it } from "vitest";
import { DEFAULT_MODEL } from "../../../src/model/settings.js";
import {
  COMMON_FIELDS,
  ENDPOINTS,
  endpointNamed,
  endpointOf,
  FIELD_TABLES,
  isEntityClass,
} from "../../../src/model/tables/endpoints.js";
import { type Field, fieldIri } from "../../../src/model/tables/fields.js";
import { ENDPOINT_NAMES, endpointNumber, endpointNumbered } from "../../../src/model/tables/names.js";
import { STRUCTURES, structureNamed } from "../../../src/model/tables/structures.js";
import type { ClassName } from "../../../src/model/vocabulary/classes.js";
import { PROPERTY_ROWS } from "../../../src/model/vocabulary/properties.js";
import { CLASS_NAMES, classIri } from "../../../src/model/vocabulary/vocabulary.js";
import { ABSENT, documents, isAbsent, MUSEUMS, OFFICIAL } from "../corpus.js";

const AAT = DEFAULT_MODEL.vocabBase;

function endpointOfClass(name: ClassName, ...classifications: string[]) {
  return endpointOf([classIri(name)], classifications, AAT);
}

describe("endpointOf", () => {
  it("finds the endpoint of each class that section 4 names, and none for other classes", () => {
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

  it("takes a Period classified as provenance for one, too, which the rules then refuse, but not an object", () => {
    expect(endpointOfClass("Period", `${AAT}/300055863`)).toBe("provenance");
    expect(endpointOfClass("HumanMadeObject", `${AAT}/300055863`)).toBe("object");
  });

  it("looks for the classification under the configured vocabulary base", () => {
    const activity = [classIri("Activity")];
    expect(endpointOf(activity, ["https://terms.example/300055863"], "https://terms.example")).toBe("provenance");
    expect(endpointOf(activity, [`${AAT}/300055863`], "https://terms.example")).toBe("event");
  });

  it("uses the first of several classes that has an endpoint", () => {
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

  it("close only Place, which also requires its label", () => {
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

it("endpoints are numbered from 1, and 0 stands for none", () => {
  expect(ENDPOINT_NAMES.map(endpointNumber)).toEqual(ENDPOINT_NAMES.map((_, at) => at + 1));
  for (const name of ENDPOINT_NAMES) expect(endpointNumbered(endpointNumber(name))).toBe(name);
  expect([null, "none" as const].map(endpointNumber)).toEqual([0, 0]);
  expect([0, ENDPOINT_NAMES.length + 1].map(endpointNumbered)).toEqual([null, null]);
});

const rows = FIELD_TABLES.flatMap(({ classes, fields }) => fields.map((field) => ({ classes, field })));
/** Whether a field is an institution's own, which these tests leave out. */
const isOwn = ({ own }: Field): boolean => own === true;

describe("field tables", () => {
  it("have only properties that the vocabulary has for the table's classes", () => {
    for (const { classes, field } of rows) {
      const stated = field.property !== "@context" && field.property !== "id";
      for (const each of classes) expect(fieldIri(field.property, each) !== undefined, field.property).toBe(stated);
    }
  });

  it("have each property once, and never two properties with the same IRI", () => {
    for (const { classes, fields } of FIELD_TABLES) {
      const properties = fields.map(({ property }) => property);
      expect(new Set(properties).size).toBe(properties.length);
      for (const each of classes) {
        const iris = properties.map((property) => fieldIri(property, each)).filter((iri) => iri !== undefined);
        expect(new Set(iris).size, each).toBe(iris.length);
      }
    }
  });

  it("agree on the datatype of a property", () => {
    const datatypes = new Map<string, Set<string>>();
    for (const { field } of rows) {
      datatypes.set(field.property, (datatypes.get(field.property) ?? new Set()).add(field.datatype));
    }
    expect([...datatypes].filter(([, all]) => all.size > 1)).toEqual([]);
  });

  it("give nodes to properties whose terms stand for references, and literals to the others", () => {
    const kinds = new Map<string, string>(PROPERTY_ROWS.map(([term, , kind]) => [term, kind]));
    for (const { field } of rows) {
      const kind = kinds.get(field.property) ?? (field.property.match(/^(part|member)/) ? "reference" : undefined);
      if (kind === undefined) continue;
      const { range } = field;
      const expected =
        range.kind === "term"
          ? "term"
          : range.kind !== "literal"
            ? "reference"
            : range.literal === "timestamp"
              ? "dateTime"
              : "literal";
      expect(kind, field.property).toBe(expected);
      expect(field.datatype === "array" || field.datatype === "object").toBe(expected === "reference");
    }
  });

  it("limit a row to classes of its table", () => {
    for (const { classes, field } of rows) {
      for (const each of field.when ?? []) expect(classes, field.property).toContain(each);
    }
  });

  it("refer to existing structures, and every structure is referred to", () => {
    const reached = new Set(
      rows.flatMap(({ field }) => (field.range.kind === "structure" ? field.range.structures : [])),
    );
    expect([...reached].sort()).toEqual([...STRUCTURES.keys()].sort());
    for (const name of reached) expect(structureNamed(name).name).toBe(name);
  });

  it("are the specification's, except for optional properties of structures", () => {
    for (const { fields } of ENDPOINTS) expect(fields.every((field) => field.specified || isOwn(field))).toBe(true);
    const beyond = rows.filter(({ field }) => !field.specified && !isOwn(field));
    expect(beyond.every(({ field }) => field.requirement === "optional")).toBe(true);
  });
});
