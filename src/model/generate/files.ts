/** The files that are generated from the model and published by the service: context, frames, shapes and schemas. */
import type { JsonObject } from "../../rdf/record-graph.js";
import { endpointShapesFile, structureShapesFile } from "../rules/shapes.js";
import { DEFAULT_MODEL, type ModelSettings } from "../settings.js";
import { ENDPOINTS, endpointNamed } from "../tables/endpoints.js";
import type { EndpointName } from "../tables/names.js";
import { contextFile } from "../vocabulary/context.js";
import { endpointSchema, structureSchemas } from "./json-schemas.js";

/** All files with their generated content, by path from the repository's root. A new kind of file is one more entry. */
export function modelFiles(model: ModelSettings = DEFAULT_MODEL) {
  return [
    { path: "data/context.json", content: contextFile() },
    ...ENDPOINTS.flatMap(({ name }) => [
      { path: `frames/${name}.json`, content: jsonFile(endpointFrame(name, model)) },
      { path: `shapes/${name}.ttl`, content: endpointShapesFile(name, model) },
      { path: `schemas/${name}.json`, content: jsonFile(endpointSchema(name, model)) },
    ]),
    { path: "shapes/structures.ttl", content: structureShapesFile(model) },
    { path: "schemas/structures.json", content: jsonFile(structureSchemas(model)) },
  ];
}

function jsonFile(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Describes a node in full at each place, and omits properties that it lacks. */
const IN_FULL: JsonObject = { "@embed": "@always", "@omitDefault": true };

/** The frame of an endpoint's records (JSON-LD 1.1 Framing): with a record's `id` it yields the record's document, except for the array form that tables require. */
function endpointFrame(endpoint: EndpointName, { contextUri }: ModelSettings): JsonObject {
  const { classes, fields } = endpointNamed(endpoint);
  const frame: JsonObject = {
    "@context": contextUri,
    type: classes.length === 1 ? classes[0]! : [...classes],
    ...IN_FULL,
  };
  for (const { property, range } of fields)
    if (range.kind !== "context" && range.kind !== "iri" && range.kind !== "class") frame[property] = { ...IN_FULL };
  return frame;
}
