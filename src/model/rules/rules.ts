/** The rules that follow from the field tables, for endpoints and for groups of structures. Each becomes one SHACL shape, whose IRI is in the validator's results. */
import { groupBy } from "../../base/entries.js";
import type { ModelSettings } from "../settings.js";
import { COMMON_FIELDS, ENDPOINTS, endpointNamed } from "../tables/endpoints.js";
import { type Field, fieldIri, irisOfRows, isBinding, leadsTo } from "../tables/fields.js";
import { ACTIVITIES, type EndpointName, type StructureName } from "../tables/names.js";
import { PROVENANCE_PARTS, REFERENCE_FIELDS, STRUCTURES, structureNamed } from "../tables/structures.js";
import type { ClassName } from "../vocabulary/classes.js";
import { messageOf } from "./messages.js";
import type { Demand, Rule, RuleSet, Severity } from "./rule.js";

/** Structures that are values of the same properties, so that one set of rules describes them all. */
interface StructureGroup extends Pick<RuleSet, "name" | "title" | "section"> {
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
interface GroupRow {
  readonly field: Field;
  readonly classes: readonly ClassName[];
}

/** The rows that the structures of a group have for each property, in the order of their tables. */
function groupRows({ structures }: StructureGroup): ReadonlyMap<string, readonly GroupRow[]> {
  const rows = structures
    .map(structureNamed)
    .flatMap(({ classes, fields }) => fields.map((field) => ({ field, classes })));
  return groupBy(rows, ({ field }) => field.property);
}

/** The property that leads from a structure of a group to its parts in the same group. */
function groupRepeats({ structures }: StructureGroup): string | undefined {
  const [first] = structures.map(structureNamed);
  const part = first!.fields.find(({ property, range }) => property === "part" && leadsTo(range, structures));
  return part === undefined ? undefined : fieldIri("part", first!.classes[0]!);
}

/** The properties whose rows are wanted, in all tables. */
function targetsOf(isTarget: (field: Field) => boolean): readonly string[] {
  return [...irisOfRows([...ENDPOINTS, ...STRUCTURES.values()], isTarget)];
}

/** The last part of a rule's name, where it is not the kind of demand. Demands with the same word never apply to one property. */
const ASPECTS: Readonly<Partial<Record<Demand["kind"], string>>> = {
  literal: "value",
  node: "value",
  type: "value",
  address: "value",
};

interface Place {
  readonly set: string;
  readonly title: string;
  readonly section: string;
  /** The class by which property terms become IRIs. */
  readonly onClass: ClassName;
}

/** The rules for the records of an endpoint. */
export function endpointRules(name: EndpointName, model: ModelSettings): RuleSet {
  const { title, section, classes, fields, absent, closed } = endpointNamed(name);
  const place: Place = { set: name, title, section, onClass: classes[0]! };
  const rules = fields.flatMap((row) => {
    const at = COMMON_FIELDS.includes(row) ? { ...place, section: "2.2" } : place;
    if (row.property === "type") return [...typeRules(at, row), rule(at, row, { kind: "type", classes }, "Violation")];
    return [...presenceRules(at, row, model), ...valueRules(at, row), ...idRules(at, row)];
  });
  for (const row of absent) rules.push(rule(place, row, { kind: "absence" }, "Violation"));
  if (closed) {
    const properties = fields.flatMap(({ property }) => fieldIri(property, place.onClass) ?? []);
    const meaning = "The properties of the table, and no others.";
    rules.push(nodeRule(`${name}.closed`, title, "2.1", { kind: "closed", properties }, meaning));
  }
  const set: RuleSet = { name, title, section, rules, targets: [] };
  return name === "provenance"
    ? { ...set, nested: { path: fieldIri("part", place.onClass)!, set: groupRules(PART_GROUP, model) } }
    : set;
}

/** The rules for all structures and for references. Each set applies to the values of its targets, in records of any endpoint. */
export function structureRules(model: ModelSettings): readonly RuleSet[] {
  return [...GROUPS.map((group) => groupRules(group, model)), referenceRules()];
}

/** The rule for records of every endpoint: a limit of the service, since the tools that read documents have limits, too. */
export function nestingRule(): Rule {
  const meaning = "How deep structures may be nested.";
  return nodeRule("record.nesting", "record", "2.15", { kind: "nesting", most: 64 }, meaning);
}

/** A rule about a node as a whole. @param title the phrase for the node in messages */
function nodeRule(name: string, title: string, section: string, demand: Demand, meaning: string): Rule {
  const message = messageOf(demand, "", title, "Violation");
  return { name, severity: "Violation", property: undefined, path: undefined, demand, meaning, section, message };
}

/** The rules for a record whose class belongs to no endpoint (specification, section 4). */
export function recordRules(): RuleSet {
  const classes = [...new Set(ENDPOINTS.flatMap((endpoint) => endpoint.classes))];
  const place: Place = { set: "record", title: "record", section: "4", onClass: classes[0]! };
  const row = COMMON_FIELDS.find(({ property }) => property === "type")!;
  const rules = [
    rule(place, row, { kind: "presence" }, "Violation"),
    rule(place, row, { kind: "type", classes }, "Violation"),
  ];
  return { name: "record", title: place.title, section: place.section, rules, targets: [] };
}

/** The rules that demand exactly one `type`. Which types are allowed depends on the range of the property that leads to the node. */
function typeRules(place: Place, row: Field): readonly Rule[] {
  return [rule(place, row, { kind: "presence" }, "Violation"), rule(place, row, { kind: "count" }, "Violation")];
}

function presenceRules(place: Place, row: Field, { vocabBase }: ModelSettings, when?: readonly ClassName[]) {
  const { requirement, range, includes } = row;
  if (includes !== undefined)
    return [rule(place, row, { kind: "includes", iri: `${vocabBase}/${includes}` }, "Violation", when)];
  if (requirement === "optional" || range.kind === "iri" || range.kind === "context") return [];
  return [rule(place, row, { kind: "presence" }, requirement === "required" ? "Violation" : "Warning", when)];
}

function valueRules(place: Place, row: Field): readonly Rule[] {
  const { range, datatype, requirement, when, notBefore } = row;
  if (range.kind === "context") return [];
  if (range.kind === "iri")
    return requirement === "required" ? [rule(place, row, { kind: "address" }, "Violation")] : [];
  const demands: Demand[] = datatype === "array" ? [] : [{ kind: "count" }];
  demands.push(valueDemand(row));
  if (range.kind === "literal" && range.literal === "geometry") demands.push({ kind: "geometry" });
  if (when !== undefined) demands.push({ kind: "usable", classes: when });
  const rules = demands.map((demand) => rule(place, row, demand, isBinding(row) ? "Violation" : "Warning"));
  // The specification does not order timestamps.
  return notBefore === undefined ? rules : [...rules, rule(place, row, { kind: "order", notBefore }, "Warning")];
}

/** What a field demands of each of its values. */
export function valueDemand({ range }: Pick<Field, "range">): Demand {
  switch (range.kind) {
    case "literal":
      return { kind: "literal", literal: range.literal };
    case "structure":
      return { kind: "class", classes: [...new Set(range.structures.flatMap((each) => structureNamed(each).classes))] };
    case "reference":
    case "concept":
      return range.classes === "any" ? { kind: "node", named: false } : { kind: "class", classes: range.classes };
    default:
      return { kind: "node", named: range.kind === "term" };
  }
}

/** The rules that demand an id of the references of the record's own entity. References within structures may lack it (2.1). */
function idRules(place: Place, row: Field): readonly Rule[] {
  const { range, unnamedWith } = row;
  if (range.kind !== "reference" && range.kind !== "concept") return [];
  const path = unnamedWith && range.classes !== "any" ? fieldIri(unnamedWith, range.classes[0]!) : undefined;
  const unless = path === undefined ? {} : { unless: { property: unnamedWith!, path } };
  return [rule(place, row, { kind: "id", ...unless }, "Violation")];
}

/** The rules for a group. Demands on values apply to all its structures; presence is demanded only of those whose table demands it. */
function groupRules(group: StructureGroup, model: ModelSettings): RuleSet {
  const { name, title, section, structures } = group;
  const place: Place = { set: name, title, section, onClass: structureNamed(structures[0]!).classes[0]! };
  const rules = [...groupRows(group)].flatMap(([property, rows]) => {
    const [{ field }] = rows as readonly [GroupRow];
    if (property === "type") return typeRules(place, field);
    const at = { ...place, onClass: rows[0]!.classes[0]! };
    return [
      ...groupPresenceRules(at, rows, structures.length, model),
      ...valueRules(at, merged(rows)),
      ...(group === PART_GROUP && rows.length < structures.length ? [partUsableRule(at, rows)] : []),
    ];
  });
  const repeats = groupRepeats(group);
  // A `part` leads from one structure to the next.
  const isTarget = ({ property, range }: Field): boolean => property !== "part" && leadsTo(range, structures);
  const targets = group === PART_GROUP ? [] : targetsOf(isTarget);
  return { name, title, section, rules, targets, ...(repeats === undefined ? {} : { repeats }) };
}

function groupPresenceRules(place: Place, rows: readonly GroupRow[], structures: number, model: ModelSettings) {
  const byDemand = groupBy(rows, ({ field }) => field.includes ?? field.requirement);
  return [...byDemand.values()].flatMap((alike) => {
    const when = alike.length === structures ? undefined : alike.flatMap(({ classes }) => classes);
    return presenceRules(place, alike[0]!.field, model, when);
  });
}

/** The rows of several structures for one property, as one row. It counts as specified if any of them is. */
function merged(rows: readonly GroupRow[]): Field {
  const fields = rows.map(({ field }) => field);
  const structures = fields.flatMap(({ range }) => (range.kind === "structure" ? range.structures : []));
  const [first] = fields as [Field];
  return {
    ...first,
    specified: fields.some(({ specified }) => specified),
    range: first.range.kind === "structure" ? { kind: "structure", structures: [...new Set(structures)] } : first.range,
  };
}

/** The rule for properties that are listed for only one class of parts. The specification forbids only transfers of title on others (2.5). */
function partUsableRule(place: Place, rows: readonly GroupRow[]): Rule {
  const { field, classes } = rows[0]!;
  const elsewhere = structureNamed("Acquisition").fields.find(({ property }) => property === field.property);
  const severity = elsewhere?.when === undefined ? "Warning" : "Violation";
  return rule(place, field, { kind: "usable", classes }, severity);
}

/** The rules for references (2.1), which apply wherever an entity is referred to. */
function referenceRules(): RuleSet {
  const place: Place = { set: "reference", title: "reference", section: "2.1", onClass: "HumanMadeObject" };
  const rules = REFERENCE_FIELDS.flatMap((row) => {
    if (row.property === "type") return typeRules(place, row);
    return row.property === "_label" ? valueRules(place, row) : [];
  });
  const targets = targetsOf((field) => isBinding(field) && ["reference", "concept"].includes(field.range.kind));
  return { name: "reference", title: place.title, section: place.section, rules, targets };
}

function rule(place: Place, row: Field, demand: Demand, severity: Severity, when?: readonly ClassName[]): Rule {
  const { set, title, section, onClass } = place;
  const { property, meaning } = row;
  return {
    name: `${set}.${property}.${ASPECTS[demand.kind] ?? demand.kind}`,
    severity,
    property,
    path: demand.kind === "address" ? undefined : fieldIri(property, onClass),
    demand,
    ...(when === undefined ? {} : { when }),
    meaning,
    section: row.own === true ? undefined : section,
    message: messageOf(demand, property, title, severity, when),
  };
}
