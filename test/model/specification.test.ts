import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { COMMON_FIELDS, ENDPOINTS } from "../../src/model/tables/endpoints.js";
import type { Field } from "../../src/model/tables/fields.js";
import type { StructureName } from "../../src/model/tables/names.js";
import { PROVENANCE_PART_STRUCTURES, structureNamed } from "../../src/model/tables/structures.js";
import { ABSENT, isAbsent, SPECIFICATION } from "./corpus.js";

/** The identifiers under `{vocab_base}` of "provenance (history of ownership)" and "promise". */
const PROVENANCE = "300055863";
const PROMISE = "300435599";

/** A Markdown table: its column names, and its rows by column. */
interface MarkdownTable {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, string>>[];
}

function cells(line: string): string[] {
  return line
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());
}

/** The tables of each numbered section. */
function tablesBySection(markdown: string): Map<string, MarkdownTable[]> {
  const sections = new Map<string, MarkdownTable[]>();
  for (const section of markdown.split(/^#{2,3} /m)) {
    const tables = section.match(/(^\|.*\|\n)+/gm) ?? [];
    const parsed = tables.map((table) => {
      const [header, , ...lines] = table.trim().split("\n");
      const columns = cells(header!);
      const rows = lines.map((line) => Object.fromEntries(cells(line).map((cell, at) => [columns[at]!, cell])));
      return { columns, rows };
    });
    sections.set(section.split(/[ \n]/, 1)[0]!.replace(/\.$/, ""), parsed);
  }
  return sections;
}

function plain(cell: string): string {
  return cell.replaceAll("`", "");
}

/** The rows of the specification's table, in the form of the model's fields. */
function asSpecified({ rows }: MarkdownTable) {
  return rows.map((row) => ({
    property: plain(row.Property!),
    datatype: row.Datatype,
    requirement: row.Requirement!.toLowerCase(),
  }));
}

function asModelled(fields: readonly Field[]) {
  const specified = fields.filter(({ own }) => own !== true);
  return specified.map(({ property, datatype, requirement }) => ({ property, datatype, requirement }));
}

/** The fields that a row of 2.15 lists, each with the datatype that its parenthesis implies, `string` without one. */
function listedFields(text: string): { property: string; datatype: string }[] {
  return [...text.matchAll(/`(\w+)`(?: = `\w+`)?(?: and `(\w+)`)?(?: \(([^)]*)\))?/g)].flatMap(
    ([, one, other, hint]) => {
      const datatype = /^array/.test(hint ?? "")
        ? "array"
        : /^number/.test(hint ?? "")
          ? "number"
          : /^reference/.test(hint ?? "")
            ? "object"
            : "string";
      return [one, other].filter((property) => property !== undefined).map((property) => ({ property, datatype }));
    },
  );
}

describe.skipIf(isAbsent(SPECIFICATION))(`the specification's tables ${ABSENT}`, () => {
  const sections = isAbsent(SPECIFICATION) ? new Map() : tablesBySection(readFileSync(SPECIFICATION, "utf8"));
  const table = (section: string, at = 0): MarkdownTable => sections.get(section)![at]!;

  it("2.2 is the table of common properties", () => {
    expect(asModelled(COMMON_FIELDS)).toEqual(asSpecified(table("2.2")));
  });

  it.each(ENDPOINTS.map((endpoint) => [endpoint.section, endpoint.title, endpoint] as const))(
    "%s is the table of %s",
    (section, _title, { name, fields }) => {
      const own = asSpecified(table(section));
      const common = asSpecified(table("2.2")).filter(
        ({ property }) => name !== "visual" || property !== "representation",
      );
      const expected = [
        ...common.map((row) => own.find(({ property }) => property === row.property) ?? row),
        ...own.filter(({ property }) => !common.some((row) => row.property === property)),
      ];
      // 2.1: Place's schema requires `_label`, whatever the table says.
      if (name === "place") expected.find(({ property }) => property === "_label")!.requirement = "required";
      expect(asModelled(fields)).toEqual(expected);
    },
  );

  it.each(ENDPOINTS.map((endpoint) => [endpoint.section, endpoint] as const))(
    "%s has structures and references where the table says so",
    (section, { fields }) => {
      for (const row of [...table("2.2").rows, ...table(section).rows]) {
        const field = fields.find(({ property }) => property === plain(row.Property!));
        if (field === undefined) continue;
        const { kind } = field.range;
        const meaning = row.Meaning!;
        if (/^(One reference|References) /.test(meaning))
          expect(["reference", "concept"], row.Property).toContain(kind);
        else if (/structures?\b/.test(meaning)) expect(["structure", "entity"], row.Property).toContain(kind);
      }
    },
  );

  it("4 names the endpoints, their classes and their sections", () => {
    const expected = table("4").rows.map((row) => ({
      title: row.Endpoint,
      classes: [...row["Response `type` value"]!.matchAll(/`([A-Za-z]+)`/g)].map(([, name]) => name),
      section: row["Response shape"],
    }));
    expect(ENDPOINTS.map(({ title, classes, section }) => ({ title, classes: [...classes], section }))).toEqual(
      expected,
    );
  });

  it("2.14 says for which classes a property is usable", () => {
    const event = ENDPOINTS.find(({ name }) => name === "event")!;
    for (const row of table("2.14").rows) {
      const usable = row["Usable when `type` is"]!;
      const { when } = event.fields.find(({ property }) => property === plain(row.Property!))!;
      expect(when ?? "all", row.Property).toEqual(usable === "all" ? "all" : plain(usable).split(", "));
    }
  });

  it("2.5 has further properties of an Acquisition, only on that class", () => {
    const { fields } = structureNamed("Acquisition");
    for (const row of asSpecified(table("2.5", 1))) {
      const field = fields.find(({ property }) => property === row.property)!;
      expect(asModelled([field])).toEqual([row]);
      expect(field).toMatchObject({ when: ["Acquisition"], specified: true });
    }
  });

  it("2.6 has the Digital Service structure", () => {
    const fields = structureNamed("DigitalService").fields.filter(({ specified }) => specified);
    expect(asModelled(fields)).toEqual(asSpecified(table("2.6", 1)));
  });

  it("2.13 has the properties of every part and those of each class of parts", () => {
    const ofEveryPart = asSpecified(table("2.13", 1));
    const ofClasses = table("2.13", 2).rows;
    for (const structure of PROVENANCE_PART_STRUCTURES) {
      const own = ofClasses
        .filter((row) => /`(\w+)`/.exec(row["Part `type`"]!)![1] === structure.classes[0])
        .map((row) => ({ property: plain(row.Property!), requirement: row.Requirement!.toLowerCase() }));
      const specified = asModelled(structure.fields);
      expect(specified.map(({ property }) => property)).toEqual([
        ...new Set([...ofEveryPart, ...own].map(({ property }) => property)),
      ]);
      for (const row of [
        ...ofEveryPart.filter(({ property }) => !own.some((each) => each.property === property)),
        ...own,
      ]) {
        expect(specified.find(({ property }) => property === row.property)).toMatchObject(row);
      }
    }
    const classes = PROVENANCE_PART_STRUCTURES.flatMap((structure) => structure.classes);
    expect(classes).toEqual([...new Set(ofClasses.map((row) => /`(\w+)`/.exec(row["Part `type`"]!)![1]))]);
  });

  it("2.13 gives parts arrays of references, except one amount and one place", () => {
    for (const row of table("2.13", 2).rows) {
      const isSingle = /^(A Monetary Amount|One reference)/.test(row.Meaning!);
      const field = PROVENANCE_PART_STRUCTURES.flatMap(({ fields }) => fields).find(
        ({ property }) => property === plain(row.Property!),
      )!;
      expect(field.datatype, row.Property).toBe(isSingle ? "object" : "array");
    }
  });

  it("2.13 marks provenance records and promises by a classification", () => {
    const provenance = ENDPOINTS.find(({ name }) => name === "provenance")!.fields;
    expect(table("2.13").rows.find((row) => row.Meaning!.includes(`/${PROVENANCE}`))?.Property).toBe("`classified_as`");
    expect(provenance.find(({ property }) => property === "classified_as")?.includes).toBe(PROVENANCE);
    expect(table("2.13", 2).rows.find((row) => row.Meaning!.includes(`/${PROMISE}`))?.Property).toBe("`classified_as`");
    const { fields } = structureNamed("PromisePart");
    expect(fields.find(({ property }) => property === "classified_as")?.includes).toBe(PROMISE);
  });

  it("2.13 has the Right structure", () => {
    expect(asModelled(structureNamed("Right").fields)).toEqual(asSpecified(table("2.13", 3)));
  });

  const NAMES_OF_STRUCTURES: Readonly<Record<string, readonly StructureName[]>> = {
    "Type (classification)": ["Type"],
    Name: ["Name"],
    Identifier: ["Identifier"],
    Statement: ["Statement"],
    Language: ["Language"],
    TimeSpan: ["TimeSpan"],
    Dimension: ["Dimension"],
    "Relationship Assignment": ["RelationshipAssignment"],
    "Activity, Creation, Formation, Dissolution, Birth, Death, Production": [
      "Activity",
      "Creation",
      "Formation",
      "Dissolution",
      "Birth",
      "Death",
      "Production",
    ],
  };

  it("2.15 has these structures", () => {
    expect(table("2.15").rows.map((row) => row.Structure)).toEqual(Object.keys(NAMES_OF_STRUCTURES));
  });

  it.each(Object.entries(NAMES_OF_STRUCTURES))("2.15 lists the fields of %s", (title, names) => {
    const listed = listedFields(table("2.15").rows.find((row) => row.Structure === title)!.Fields!);
    for (const name of names) {
      const fields = structureNamed(name).fields.filter(({ specified }) => specified);
      expect(fields.map(({ property }) => property).sort()).toEqual(listed.map(({ property }) => property).sort());
      for (const { property, datatype } of listed) {
        // Without a hint in the list, a field is a string only if its range is a literal.
        const field = fields.find((each) => each.property === property)!;
        if (datatype !== "string" || field.range.kind === "literal") expect(field.datatype, property).toBe(datatype);
      }
    }
  });
});
