/** The sample collection shows the whole data model: it uses every row of the field tables. */
import { describe, expect, test } from "vitest";
import { ENDPOINTS } from "../../src/model/tables/endpoints.js";
import type { Field, FieldName } from "../../src/model/tables/fields.js";
import type { StructureName } from "../../src/model/tables/names.js";
import { PROVENANCE_PARTS, REFERENCE_FIELDS, STRUCTURES, structureNamed } from "../../src/model/tables/structures.js";
import { SAMPLE, valuesOf } from "./sample.js";
import { walk } from "./walk.js";

const records = [...SAMPLE.values()];
const nodes = records.flatMap(walk);

/** The properties that nodes of each table have in all records together. */
const used = new Map<string, Set<string>>();
for (const { table, node } of nodes) {
  const properties = used.get(table) ?? new Set();
  for (const property of Object.keys(node)) properties.add(property);
  used.set(table, properties);
}

/** Rows but those of an institution, which the sample need not use. */
function shared(fields: readonly Field[]): readonly Field[] {
  return fields.filter(({ own }) => own !== true);
}

/** The rows of a table that no record uses. */
function unused(table: string, fields: readonly Field[]): FieldName[] {
  return shared(fields)
    .map(({ property }) => property)
    .filter((property) => !used.get(table)?.has(property));
}

describe("the sample uses every row of", () => {
  test.each(ENDPOINTS.map(({ name, fields }) => [name, fields] as const))(
    "the table of endpoint %s",
    (name, fields) => {
      expect(unused(`endpoint ${name}`, fields)).toEqual([]);
    },
  );

  test.each(
    [...STRUCTURES.values()].filter(({ name }) => !sharesRows(name)).map(({ name, fields }) => [name, fields] as const),
  )("the table of structure %s", (name, fields) => {
    const rows = fields.filter(({ specified }) => specified);
    expect(unused(`structure ${name}`, rows)).toEqual([]);
  });

  test("the table of references", () => {
    expect(unused("reference", REFERENCE_FIELDS)).toEqual([]);
  });

  test("the tables of activities together, and each of these structures", () => {
    expect(missingOf(ACTIVITIES)).toEqual([]);
  });

  test("the tables of provenance parts together, and each of these parts", () => {
    expect(missingOf(PROVENANCE_PARTS)).toEqual([]);
  });

  test("Linked Art's additions to structures, on at least one structure", () => {
    const structures = [...STRUCTURES.values()];
    const added = structures.flatMap(({ fields }) => shared(fields).filter(({ specified }) => !specified));
    const missing = added
      .map(({ property }) => property)
      .filter((property) => !structures.some(({ name }) => used.get(`structure ${name}`)?.has(property)));
    expect([...new Set(missing)]).toEqual([]);
  });
});

describe("the sample uses every class of", () => {
  test("concepts, events and provenance", () => {
    for (const { name, classes } of ENDPOINTS) {
      const found = records.filter(({ endpoint }) => endpoint === name).map(({ document }) => document.type);
      for (const each of classes) expect(found, `${name} of class ${each}`).toContain(each);
    }
  });
});

describe("among the records are", () => {
  const all = (property: string) =>
    nodes.flatMap(({ node }) => valuesOf(node, property)).filter((v) => typeof v === "string");

  test("places with points, with polygons and with GeoJSON", () => {
    for (const form of ["POINT(", "POLYGON((", '{"type": "Point"']) {
      expect(
        all("defined_by").filter((geometry) => geometry.startsWith(form)),
        form,
      ).not.toEqual([]);
    }
  });

  test("names in several scripts", () => {
    const names = nodes.filter(({ table }) => table === "structure Name").map(({ node }) => String(node.content));
    for (const script of ["Latin", "Greek", "Han", "Katakana", "Arabic"]) {
      expect(
        names.some((name) => new RegExp(`\\p{Script=${script}}`, "u").test(name)),
        script,
      ).toBe(true);
    }
  });

  test("a set of sets, a group in a group, and hierarchies of places, concepts, texts and events", () => {
    for (const [endpoint, property] of NESTED) {
      const nested = records.filter(
        (record) => record.endpoint === endpoint && record.document[property] !== undefined,
      );
      expect(
        nested.map(({ path }) => path),
        `${endpoint} ${property}`,
      ).not.toEqual([]);
    }
  });

  test("dates before the common era", () => {
    expect(all("begin_of_the_begin").some((date) => date.startsWith("-"))).toBe(true);
  });
});

const NESTED = [
  ["set", "member_of"],
  ["group", "member_of"],
  ["place", "part_of"],
  ["concept", "broader"],
  ["text", "part_of"],
  ["event", "part_of"],
] as const;

/** The structures that share a row of properties in section 2.15, or that it says are like these. */
const ACTIVITIES: readonly StructureName[] = [
  "Activity",
  "Creation",
  "Formation",
  "Dissolution",
  "Birth",
  "Death",
  "Production",
  "Destruction",
  "PartRemoval",
  "Modification",
  "Encounter",
  "Acquisition",
];

function sharesRows(name: StructureName): boolean {
  return ACTIVITIES.includes(name) || PROVENANCE_PARTS.some((part) => part === name);
}

/** The structures of a family that no record has, and the rows that no structure of the family uses. */
function missingOf(family: readonly StructureName[]): string[] {
  const tables = family.map(structureNamed);
  const absent = family.filter((name) => !used.has(`structure ${name}`));
  const rows = new Set(tables.flatMap(({ fields }) => shared(fields).map(({ property }) => property)));
  const unusedRows = [...rows].filter((row) => !family.some((name) => used.get(`structure ${name}`)?.has(row)));
  return [...absent, ...unusedRows];
}
