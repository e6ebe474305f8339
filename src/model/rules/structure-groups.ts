/** Groups of structures: those in one group are values of the same properties, so one shape describes them all. */
import { entryOf } from "../../base/entries.js";
import { ENDPOINTS } from "../tables/endpoints.js";
import { type Field, fieldIri, irisOfRows, isBinding, leadsTo } from "../tables/fields.js";
import { ACTIVITIES, type StructureName } from "../tables/names.js";
import { PROVENANCE_PARTS, STRUCTURES, structureNamed } from "../tables/structures.js";
import type { ClassName } from "../vocabulary/classes.js";

export type GroupName =
  | ("type" | "name" | "statement" | "language" | "timespan" | "dimension")
  | ("currency" | "right" | "service" | "assignment" | "activity" | "part");

export interface StructureGroup {
  readonly name: GroupName;
  /** The phrase for such a node in messages. */
  readonly title: string;
  readonly section: string;
  readonly structures: readonly StructureName[];
}

/** The parts of a provenance record. They occur nowhere else, so the endpoint's rules lead to them. */
export const PART_GROUP: StructureGroup = {
  name: "part",
  title: "provenance part",
  section: "2.13",
  structures: PROVENANCE_PARTS,
};

const AMOUNTS = ["Dimension", "MonetaryAmount"] as const;

/** All other structures, in the order of the specification. */
export const GROUPS: readonly StructureGroup[] = [
  { name: "type", title: "Type", section: "2.15", structures: ["Type"] },
  { name: "name", title: "Name or Identifier", section: "2.15", structures: ["Name", "Identifier"] },
  { name: "statement", title: "Statement", section: "2.15", structures: ["Statement"] },
  { name: "language", title: "Language", section: "2.15", structures: ["Language"] },
  { name: "timespan", title: "TimeSpan", section: "2.15", structures: ["TimeSpan"] },
  { name: "dimension", title: "Dimension or Monetary Amount", section: "2.15", structures: AMOUNTS },
  { name: "currency", title: "Currency", section: "2.13", structures: ["Currency"] },
  { name: "right", title: "Right", section: "2.13", structures: ["Right"] },
  { name: "service", title: "Digital Service", section: "2.6", structures: ["DigitalService"] },
  { name: "assignment", title: "Relationship Assignment", section: "2.15", structures: ["RelationshipAssignment"] },
  { name: "activity", title: "activity structure", section: "2.15", structures: ACTIVITIES },
];

/** A row that some structures of a group have. */
export interface GroupRow {
  readonly field: Field;
  readonly classes: readonly ClassName[];
}

/** The rows that the structures of a group have for each property, in the order of their tables. */
export function groupRows({ structures }: StructureGroup): ReadonlyMap<string, readonly GroupRow[]> {
  const rows = new Map<string, GroupRow[]>();
  for (const name of structures) {
    const { classes, fields } = structureNamed(name);
    for (const field of fields) entryOf(rows, field.property, () => []).push({ field, classes });
  }
  return rows;
}

/** The properties whose values are structures of a group, wherever they occur, except `part`, which leads from one structure to the next. */
export function groupTargets({ structures }: StructureGroup): readonly string[] {
  return targets(({ property, range }) => property !== "part" && leadsTo(range, structures));
}

/** The property that leads from a structure of a group to its parts in the same group. */
export function groupRepeats({ structures }: StructureGroup): string | undefined {
  const [first] = structures.map(structureNamed);
  const part = first!.fields.find(({ property, range }) => property === "part" && leadsTo(range, structures));
  return part === undefined ? undefined : fieldIri("part", first!.classes[0]!);
}

/** The properties whose values are references, wherever they occur. */
export const REFERENCE_TARGETS: readonly string[] = targets(
  (field) => isBinding(field) && ["reference", "concept"].includes(field.range.kind),
);

function targets(isTarget: (field: Field) => boolean): readonly string[] {
  return [...irisOfRows([...ENDPOINTS, ...STRUCTURES.values()], isTarget)];
}
