/** Records that keep each rule, and records that break only that rule, made from the rules and the field tables. */
import type { Rule, RuleSet } from "../../src/model/rules/rule.js";
import { endpointRules, GROUPS, nestingRule, PART_GROUP, structureRules } from "../../src/model/rules/rules.js";
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import { ENDPOINTS, endpointNamed } from "../../src/model/tables/endpoints.js";
import { type Field, fieldIri } from "../../src/model/tables/fields.js";
import type { EndpointName, StructureName } from "../../src/model/tables/names.js";
import { STRUCTURES, structureNamed } from "../../src/model/tables/structures.js";
import type { ClassName } from "../../src/model/vocabulary/classes.js";
import { classIri, propertyIri } from "../../src/model/vocabulary/vocabulary.js";
import { iri, literal, RDF, type Term, XSD } from "../../src/rdf/terms.js";
import { ANOTHER_CLASS, breakers, leastDemanding } from "./breakers.js";
import { add, type Node, OTHER, RECORD, soundRecord, soundValue, structureNode, without } from "./nodes.js";

/** A record to validate for an endpoint, with the rules that it breaks. */
export interface Case {
  readonly name: string;
  readonly endpoint: EndpointName | null;
  readonly record: Node;
  /** The names of the rules. */
  readonly breaks: readonly string[];
}

/** The cases of all rules: a record that keeps each rule, and one for each way to break it. */
export function allCases(): readonly Case[] {
  return [
    ...ENDPOINTS.flatMap(({ name }) => endpointCases(name)),
    ...[...GROUPS, PART_GROUP].flatMap(groupCases),
    ...referenceCases(),
    ...recordCases(),
  ];
}

function endpointCases(name: EndpointName): readonly Case[] {
  const { classes, fields } = endpointNamed(name);
  const set = endpointRules(name, DEFAULT_MODEL);
  const sound = classes.map((className) => ({
    name: `${name}: a sound ${className}`,
    endpoint: name,
    record: soundRecord(name, className),
    breaks: [],
  }));
  const kept = fields.flatMap((field) => {
    const className = field.when?.[0] ?? classes[0]!;
    if (["context", "iri", "class"].includes(field.range.kind)) return [];
    const record = soundRecord(name, className);
    if (field.requirement === "optional") add(record, fieldIri(field.property, className)!, soundValue(field));
    return [{ name: `${name}: ${field.property} as it should be`, endpoint: name, record, breaks: [] }];
  });
  const broken = set.rules.flatMap((rule) => {
    const className = classes.find((each) =>
      rule.demand.kind === "usable" ? !rule.demand.classes.includes(each) : isFor(rule, fields, each),
    )!;
    return breakers(rule, fields).map(({ how, apply }) => {
      const record = soundRecord(name, className);
      apply(record);
      // The second class is not one that the endpoint allows.
      const also = rule.name.endsWith(".type.count") ? [`${name}.type.value`] : [];
      return { name: `${rule.name}: ${how}`, endpoint: name, record, breaks: [rule.name, ...also] };
    });
  });
  return [...sound, ...kept, ...broken];
}

function isFor({ property }: Rule, fields: readonly Field[], className: ClassName): boolean {
  const field = fields.find((each) => each.property === property);
  return field?.when === undefined || field.when.includes(className);
}

type Group = (typeof GROUPS)[number];

function groupCases(group: Group): readonly Case[] {
  const set = group === PART_GROUP ? endpointRules("provenance", DEFAULT_MODEL).nested!.set : setNamed(group.name);
  const sound = group.structures.flatMap((name) => {
    const { fields, classes } = structureNamed(name);
    return fields.flatMap((field) => {
      if (["context", "iri", "class"].includes(field.range.kind)) return [];
      const { endpoint, record, node } = hostOf(name);
      if (field.requirement === "optional") add(node, fieldIri(field.property, classes[0]!)!, soundValue(field));
      return [{ name: `${name}: ${field.property} as it should be`, endpoint, record, breaks: [] }];
    });
  });
  const broken = set.rules.flatMap((rule) => {
    const name = structureFor(rule, group);
    const { fields } = structureNamed(name);
    return breakers(rule, fields.some(({ property }) => property === rule.property) ? fields : fieldsOf(group)).map(
      ({ how, apply }) => {
        const { endpoint, record, node } = hostOf(name);
        apply(node);
        return { name: `${rule.name}: ${how}`, endpoint, record, breaks: [rule.name] };
      },
    );
  });
  return [...sound, ...broken];
}

function fieldsOf({ structures }: Group): readonly Field[] {
  return structures.flatMap((name) => structureNamed(name).fields);
}

function setNamed(name: string): RuleSet {
  return structureRules(DEFAULT_MODEL).find((set) => set.name === name)!;
}

/** A structure on which a rule can be broken, preferably one that requires few properties. */
function structureFor({ demand, when, property }: Rule, { structures }: Group): StructureName {
  return leastDemanding(structures).find((name) => {
    const { classes, fields } = STRUCTURES.get(name)!;
    const [className] = classes as readonly [ClassName];
    if (demand.kind === "usable") return !demand.classes.includes(className);
    if (when !== undefined) return when.includes(className);
    return fields.some((field) => field.property === property);
  })!;
}

/** A place for a structure: an endpoint's sound record that has one, and the structure's node in it. */
function hostOf(name: StructureName): { endpoint: EndpointName; record: Node; node: Node } {
  const ways: {
    endpoint: EndpointName;
    fields: readonly { property: string; on: StructureName }[];
    at: readonly Field[];
    className: ClassName;
  }[] = ENDPOINTS.map((endpoint) => ({
    endpoint: endpoint.name,
    fields: [],
    at: endpoint.fields,
    className: endpoint.classes.at(-1)!,
  }));
  for (const way of ways) {
    for (const field of way.at) {
      if (field.range.kind !== "structure" || field.property === "type") continue;
      if (field.when !== undefined && !field.when.includes(way.className)) continue;
      for (const each of field.range.structures) {
        const fields = [...way.fields, { property: fieldIri(field.property, way.className)!, on: each }];
        if (each === name) return built(way.endpoint, fields);
        const { fields: at, classes } = structureNamed(each);
        if (fields.length < 4) ways.push({ endpoint: way.endpoint, fields, at, className: classes[0]! });
      }
    }
  }
  throw new Error(`no table has a place for ${name}`);
}

function built(
  endpoint: EndpointName,
  fields: readonly { property: string; on: StructureName }[],
): { endpoint: EndpointName; record: Node; node: Node } {
  const record = soundRecord(endpoint, endpointNamed(endpoint).classes.at(-1)!);
  let node = record;
  for (const { property, on } of fields) {
    const next = structureNode(on);
    // The existing classification may be the one that decides the record's endpoint, so another is added to it.
    if (property !== CLASSIFIED_AS) without(node, property);
    add(node, property, next);
    node = next;
  }
  return { endpoint, record, node };
}

const CLASSIFIED_AS = propertyIri("classified_as")!;

function referenceCases(): readonly Case[] {
  const record = (...statements: Node["statements"]): Node => {
    const sound = soundRecord("object");
    add(sound, fieldIri("member_of", "HumanMadeObject")!, { iri: `${OTHER}0`, statements });
    return sound;
  };
  const type: Node["statements"][number] = [RDF.type, iri(classIri("Set")!)];
  const label = (text: Term): Node["statements"][number] => [fieldIri("_label", "Set")!, text];
  const cases: [string, Node["statements"], string | undefined][] = [
    ["without a label", [type], undefined],
    ["without a type", [], "type.presence"],
    ["of two types", [type, [RDF.type, ANOTHER_CLASS]], "type.count"],
    ["with a number for a label", [type, label(literal("12", XSD.integer))], "_label.value"],
    ["with two labels", [type, label(literal("a", XSD.string)), label(literal("b", XSD.string))], "_label.count"],
  ];
  return cases.map(([name, statements, rule]) => ({
    name: `reference ${name}`,
    endpoint: "object",
    record: record(...statements),
    breaks: rule === undefined ? [] : [`reference.${rule}`],
  }));
}

function recordCases(): readonly Case[] {
  const nested = (depth: number): Node => {
    const record = soundRecord("object");
    for (let step = 0, node = record; step < depth; step++) {
      const name: Node = { statements: [[RDF.type, iri(classIri("Name")!)]] };
      add(name, propertyIri("content")!, literal("A", XSD.string));
      add(node, propertyIri(step === 0 ? "identified_by" : "part", "Name")!, name);
      node = name;
    }
    return record;
  };
  return [
    {
      name: "a record without a type",
      endpoint: null,
      record: { iri: RECORD, statements: [[fieldIri("_label", "Place")!, literal("A", XSD.string)]] },
      breaks: ["record.type.presence"],
    },
    {
      name: "a record of no endpoint",
      endpoint: null,
      record: { iri: RECORD, statements: [[RDF.type, ANOTHER_CLASS]] },
      breaks: ["record.type.value"],
    },
    { name: "a record that is nested as deep as may be", endpoint: "object", record: nested(64), breaks: [] },
    {
      name: "a record that is nested too deeply",
      endpoint: "object",
      record: nested(65),
      breaks: [nestingRule().name],
    },
  ];
}
