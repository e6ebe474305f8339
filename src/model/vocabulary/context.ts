/** The data model's JSON-LD context, generated from the vocabulary. */
import type { JsonObject } from "../../rdf/record-graph.js";
import { CLASSES, FAMILIES, type FamilyName, type ScopedTerm } from "./classes.js";
import { PROPERTY_ROWS, type PropertyRow, type ValueKind } from "./properties.js";
import { PREFIXES } from "./vocabulary.js";

const COERCION: Readonly<Record<ValueKind, string | undefined>> = {
  reference: "@id",
  dateTime: "xsd:dateTime",
  term: "@vocab",
  literal: undefined,
};

/** The context document: all terms of the vocabulary, with a family's terms in the scoped context of each of its classes. */
export function contextDocument(): JsonObject {
  const context: JsonObject = { "@version": 1.1, ...PREFIXES, id: "@id", type: "@type" };
  for (const [term, iri, family] of CLASSES)
    context[term] = family === undefined ? { "@id": iri } : { "@id": iri, "@context": scopedContext(family) };
  for (const row of PROPERTY_ROWS) context[row[0]] = termDefinition(row);
  return { "@context": context };
}

function termDefinition([, iri, value, container]: PropertyRow): JsonObject {
  const definition: JsonObject = { "@id": iri };
  const coercion = COERCION[value];
  if (coercion !== undefined) definition["@type"] = coercion;
  if (container === "set") definition["@container"] = "@set";
  return definition;
}

function scopedContext(family: FamilyName): JsonObject {
  const terms: Readonly<Partial<Record<ScopedTerm, string>>> = FAMILIES[family];
  const context: JsonObject = {};
  for (const [term, iri] of Object.entries(terms)) context[term] = termDefinition([term, iri, "reference", "set"]);
  // Linked Art omits the following for events.
  if (terms.part_of === undefined || family === "event") return context;
  const defined = (term: string): JsonObject => termDefinition(PROPERTY_ROWS.find((row) => row[0] === term)!);
  // As a value of `assigned_property`, `part_of` means the family's property, although the value is on another node.
  const assigned = { ...defined("assigned_property"), "@context": { part_of: { "@id": terms.part_of } } };
  return { ...context, attributed_by: { ...defined("attributed_by"), "@context": { assigned_property: assigned } } };
}

/** The context document as its file has it: one term per line, so that a change of one term is a change of one line. */
export function contextFile(): string {
  const terms = Object.entries(contextDocument()["@context"] as JsonObject);
  const lines = terms.map(([term, definition]) => `    ${JSON.stringify(term)}: ${JSON.stringify(definition)}`);
  return `{\n  "@context": {\n${lines.join(",\n")}\n  }\n}\n`;
}
