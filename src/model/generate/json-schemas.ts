/** The JSON Schemas (2020-12) of the endpoints' documents, generated from the field tables. */
import type { JsonObject } from "../../rdf/record-graph.js";
import { standsAlone } from "../layout.js";
import { GROUPS } from "../rules/rules.js";
import { HTTP_ADDRESS, LITERAL_FORMS } from "../rules/shapes.js";
import type { ModelSettings } from "../settings.js";
import { endpointNamed } from "../tables/endpoints.js";
import { type Field, isBinding } from "../tables/fields.js";
import type { EndpointName, LiteralKind, StructureName } from "../tables/names.js";
import { REFERENCE_FIELDS, STRUCTURES, structureNamed } from "../tables/structures.js";
import type { ClassName } from "../vocabulary/classes.js";

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** Numbers that JSON cannot express: more than 15 digits, an exponent of three digits, negative zero and INF. */
const UNSAYABLE_NUMBER: JsonObject = {
  type: "string",
  pattern: "[0-9.]{16}|[Ee][+-]?[0-9]{3}|^-[0.]+([Ee]|$)|INF",
};

/** Where a table is used. This decides how its values are referred to. */
interface Place {
  readonly structuresFile: string;
  /** Whether references need an id: within structures they may lack it (2.1). */
  readonly isEntity: boolean;
  readonly model: ModelSettings;
}

/** The schema of an endpoint's documents. It accepts every document that is published for a valid record. */
export function endpointSchema(name: EndpointName, model: ModelSettings): JsonObject {
  const { title, section, classes, fields, absent, closed } = endpointNamed(name);
  const place: Place = { structuresFile: "structures.json", isEntity: true, model };
  const properties = propertiesOf(fields, classes, place);
  for (const { property } of absent) properties[property] = false;
  return {
    $schema: DIALECT,
    title,
    $comment: `Generated from the field tables: specification, section ${section}.`,
    type: "object",
    properties,
    required: requiredOf(fields),
    ...conditionsOf(fields, classes),
    ...(closed ? { additionalProperties: false } : {}),
  };
}

/** The schemas of structures and references. */
export function structureSchemas(model: ModelSettings): JsonObject {
  const place: Place = { structuresFile: "", isEntity: false, model };
  const structures = [...STRUCTURES.values()].map(({ name, section, classes, fields }) => [
    name,
    {
      $comment: `Specification, section ${section}.`,
      type: "object",
      properties: { ...propertiesOf(fields, classes, place), ...unusableOn(name, fields) },
      required: requiredOf(fields),
    },
  ]);
  return {
    $schema: DIALECT,
    title: "Structures and references",
    $defs: {
      reference: {
        $comment: "Specification, section 2.1.",
        type: "object",
        properties: propertiesOf(REFERENCE_FIELDS, [], place),
        required: ["type"],
      },
      number: {
        description:
          "A number. One that JSON cannot express, because it has too many digits or is infinite, is written with its datatype.",
        anyOf: [
          { type: "number" },
          { type: "object", required: ["@value"], properties: { "@value": UNSAYABLE_NUMBER } },
        ],
      },
      ...Object.fromEntries(structures),
    },
  };
}

function propertiesOf(fields: readonly Field[], classes: readonly ClassName[], place: Place): JsonObject {
  return Object.fromEntries(fields.map((field) => [field.property, fieldSchema(field, classes, place)]));
}

function fieldSchema(field: Field, classes: readonly ClassName[], place: Place): JsonObject {
  const { datatype, meaning, requirement, includes } = field;
  const value = valueSchema(field, classes, place);
  if (datatype !== "array") return { description: meaning, ...value };
  const array = { description: meaning, type: "array", items: value };
  if (includes !== undefined) {
    const id = { const: `${place.model.vocabBase}/${includes}` };
    return { ...array, contains: { type: "object", properties: { id }, required: ["id"] } };
  }
  return requirement === "required" ? { ...array, minItems: 1 } : array;
}

/** The schema of a field's values. A row that is not in the specification only demands a form. */
function valueSchema(field: Field, classes: readonly ClassName[], place: Place): JsonObject {
  if (!isBinding(field)) return {};
  const { range } = field;
  switch (range.kind) {
    case "context":
      return contextSchema(place.model);
    case "iri":
      // An entity that can be dereferenced by itself has an address, even within structures (2.6).
      return place.isEntity || (field.requirement === "required" && classes.some(standsAlone))
        ? { type: "string", pattern: HTTP_ADDRESS }
        : { type: "string" };
    case "class":
      return classes.length === 0 ? { type: "string" } : oneOf(classes);
    case "literal":
      return LITERALS[range.literal](place);
    case "structure":
      return anyOf(range.structures.map((name) => ({ $ref: `${place.structuresFile}#/$defs/${name}` })));
    case "concept":
    case "reference":
      return referenceSchema(range.classes, place, field.unnamedWith);
    case "term":
      return { type: "string" };
    case "entity":
      return { type: "object" };
  }
}

const LITERALS: Readonly<Record<LiteralKind, (place: Place) => JsonObject>> = {
  text: () => ({ type: "string" }),
  number: ({ structuresFile }) => ({ $ref: `${structuresFile}#/$defs/number` }),
  // Instants from quads are published unchanged, even with a fraction or an offset of zero.
  timestamp: () => ({
    type: "string",
    pattern: LITERAL_FORMS.timestamp.pattern!.replace(/Z\$$/, "([.]0+)?(Z|[+-]00:00)$"),
  }),
  "media type": () => ({ type: "string", pattern: LITERAL_FORMS["media type"].pattern! }),
  geometry: () => ({ type: "string" }),
};

/** The context's URI, or an array that contains it. The schema does not check that it is the last entry. */
function contextSchema({ contextUri }: ModelSettings): JsonObject {
  return {
    anyOf: [
      { const: contextUri },
      { type: "array", items: { type: ["string", "object"] }, contains: { const: contextUri } },
    ],
  };
}

function referenceSchema(
  classes: readonly ClassName[] | "any",
  { structuresFile, isEntity }: Place,
  unnamedWith: string | undefined,
): JsonObject {
  const names = unnamedWith === undefined ? ["id"] : ["id", unnamedWith];
  return {
    $ref: `${structuresFile}#/$defs/reference`,
    ...(classes === "any" ? {} : { properties: { type: oneOf(classes) } }),
    ...(isEntity ? anyOf(names.map((name) => ({ required: [name] }))) : {}),
  };
}

/** The properties that a structure must not have because only others of its group may: only an Acquisition has a transfer of title (2.5). */
function unusableOn(name: StructureName, own: readonly Field[]): JsonObject {
  const group = GROUPS.find(({ structures }) => structures.includes(name));
  const restricted = (group?.structures ?? []).flatMap((each) =>
    structureNamed(each).fields.filter(({ when }) => when !== undefined),
  );
  const unusable = restricted.filter(({ property }) => !own.some((field) => field.property === property));
  return Object.fromEntries(unusable.map(({ property }) => [property, false]));
}

/** The conditions for properties that only some of the classes may have (2.14). */
function conditionsOf(fields: readonly Field[], classes: readonly ClassName[]): JsonObject {
  const conditions = classes.flatMap((name) => {
    const excluded = fields.filter(({ when }) => when !== undefined && !when.includes(name));
    if (excluded.length === 0) return [];
    const properties = Object.fromEntries(excluded.map(({ property }) => [property, false]));
    return [{ anyOf: [{ not: { properties: { type: { const: name } } } }, { properties }] }];
  });
  return conditions.length === 0 ? {} : { allOf: conditions };
}

function requiredOf(fields: readonly Field[]): string[] {
  return fields.filter(({ requirement }) => requirement === "required").map(({ property }) => property);
}

function oneOf(classes: readonly ClassName[]): JsonObject {
  return classes.length === 1 ? { const: classes[0]! } : { enum: [...classes] };
}

function anyOf(schemas: readonly JsonObject[]): JsonObject {
  return schemas.length === 1 ? schemas[0]! : { anyOf: [...schemas] };
}
