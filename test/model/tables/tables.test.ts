import { describe, expect, it } from "vitest";
import { ENDPOINTS, FIELD_TABLES } from "../../../src/model/tables/endpoints.js";
import { type Field, fieldIri } from "../../../src/model/tables/fields.js";
import { STRUCTURES, structureNamed } from "../../../src/model/tables/structures.js";
import { PROPERTY_ROWS } from "../../../src/model/vocabulary/properties.js";

const rows = FIELD_TABLES.flatMap(({ classes, fields }) => fields.map((field) => ({ classes, field })));
/** What an institution may add is its own affair. */
const isOwn = ({ own }: Field): boolean => own === true;

describe("field tables", () => {
  it("name only properties that the vocabulary has for the table's classes", () => {
    for (const { classes, field } of rows) {
      const stated = field.property !== "@context" && field.property !== "id";
      for (const each of classes) expect(fieldIri(field.property, each) !== undefined, field.property).toBe(stated);
    }
  });

  it("have each property once, and two properties of one IRI never", () => {
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

  it("lead to structures that exist, and every structure is led to", () => {
    const reached = new Set(
      rows.flatMap(({ field }) => (field.range.kind === "structure" ? field.range.structures : [])),
    );
    expect([...reached].sort()).toEqual([...STRUCTURES.keys()].sort());
    for (const name of reached) expect(structureNamed(name).name).toBe(name);
  });

  it("are the specification's, but for what it does not show of structures", () => {
    for (const { fields } of ENDPOINTS) expect(fields.every((field) => field.specified || isOwn(field))).toBe(true);
    const beyond = rows.filter(({ field }) => !field.specified && !isOwn(field));
    expect(beyond.every(({ field }) => field.requirement === "optional")).toBe(true);
  });
});
