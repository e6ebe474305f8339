/** Records as nodes: sound records made from the field tables, for tests to break. */
import { DEFAULT_MODEL } from "../../src/model/settings.js";
import { endpointNamed } from "../../src/model/tables/endpoints.js";
import { type Field, fieldIri } from "../../src/model/tables/fields.js";
import type { EndpointName, LiteralKind, StructureName } from "../../src/model/tables/names.js";
import { structureNamed } from "../../src/model/tables/structures.js";
import type { ClassName } from "../../src/model/vocabulary/classes.js";
import { classIri, propertyIri } from "../../src/model/vocabulary/vocabulary.js";
import { type RecordGraph, RecordGraphBuilder } from "../../src/rdf/record-graph.js";
import { iri, literal, RDF, type Term, XSD } from "../../src/rdf/terms.js";

/** A node and its statements. A node without an IRI is blank. */
export interface Node {
  iri?: string;
  statements: [property: string, value: Value][];
}

export type Value = Term | Node;

export const RECORD = "https://museum.example/record/1";
export const OTHER = "https://museum.example/other/";

/** The record graph of a record's node. */
export function graphOf(record: Node): RecordGraph {
  const builder = new RecordGraphBuilder(record.iri!);
  let blanks = 0;
  const numberOf = (value: Value): number => {
    if ("termType" in value) return builder.term(value);
    const number = value.iri === undefined ? builder.blank(`b${blanks++}`) : builder.iri(value.iri);
    for (const [property, object] of value.statements) {
      builder.add(number, builder.iri(property), numberOf(object));
    }
    return number;
  };
  numberOf(record);
  return builder.build();
}

/** A record of an endpoint that breaks no rule and has all required and recommended properties. */
export function soundRecord(name: EndpointName, className: ClassName = endpointNamed(name).classes[0]!): Node {
  const { fields } = endpointNamed(name);
  return filled(fields, className, RECORD);
}

function filled(fields: readonly Field[], className: ClassName, named?: string): Node {
  const node: Node = {
    statements: [[RDF.type, iri(classIri(className)!)]],
    ...(named === undefined ? {} : { iri: named }),
  };
  for (const field of fields) {
    const isUsable = field.when === undefined || field.when.includes(className);
    if (field.requirement === "optional" || !isUsable || field.property === "type") continue;
    if (field.range.kind === "context" || field.range.kind === "iri") continue;
    add(node, fieldIri(field.property, className)!, soundValue(field));
  }
  return node;
}

export function add(node: Node, property: string, value: Value): void {
  node.statements.push([property, value]);
}

export function without(node: Node, property: string): void {
  node.statements = node.statements.filter(([each]) => each !== property);
}

const LITERALS: Readonly<Record<LiteralKind, Term>> = {
  text: literal("A text", XSD.string),
  number: literal("4.5", XSD.decimal),
  timestamp: literal("-12000-01-01T00:00:00Z", XSD.dateTime),
  "media type": literal("image/svg+xml", XSD.string),
  geometry: literal("POLYGON ((4.1 52, 4.2 52, 4.2 52.5, 4.1 52))", XSD.string),
};

/** A value that keeps the rules of a table row. */
export function soundValue({ range, includes }: Pick<Field, "range" | "includes">, nth = 0): Value {
  if (includes !== undefined) return reference("Type", `${DEFAULT_MODEL.vocabBase}/${includes}`);
  switch (range.kind) {
    case "literal":
      return LITERALS[range.literal];
    case "structure":
      return structureNode(range.structures[0]!);
    case "concept":
    case "reference":
      return other(range.classes === "any" ? "HumanMadeObject" : range.classes[0]!, nth);
    case "entity":
      return other("HumanMadeObject", nth);
    default:
      return iri(propertyIri(nth === 0 ? "part_of" : "before", "Activity")!);
  }
}

export function structureNode(name: StructureName): Node {
  const { classes, fields } = structureNamed(name);
  const needsId = fields.some(({ property, requirement }) => property === "id" && requirement === "required");
  return filled(fields, classes[0]!, needsId ? `${OTHER}service` : undefined);
}

function other(className: ClassName, nth: number): Node {
  return reference(className, `${OTHER}${className}/${nth}`);
}

export function reference(className: ClassName, id: string): Node {
  return {
    iri: id,
    statements: [
      [RDF.type, iri(classIri(className)!)],
      [fieldIri("_label", className)!, literal("Other", XSD.string)],
    ],
  };
}
