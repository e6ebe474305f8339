/** The endpoints' JSON-LD 1.1 frames, generated from the field tables. */
import type { JsonObject } from "../../rdf/record-graph.js";
import type { ModelSettings } from "../settings.js";
import { type EndpointName, endpointNamed } from "../tables/endpoints.js";

/** At each place a node is described in full, and properties that it lacks are left out. */
const IN_FULL: JsonObject = { "@embed": "@always", "@omitDefault": true };

/**
 * The frame of an endpoint's records (JSON-LD 1.1 Framing), which names the table's properties and drops no others. With
 * the record's `id` added it gives that record's document, but for the array form that the field tables add.
 */
export function endpointFrame(endpoint: EndpointName, { contextUri }: ModelSettings): JsonObject {
  const { classes, fields } = endpointNamed(endpoint);
  const frame: JsonObject = {
    "@context": contextUri,
    type: classes.length === 1 ? classes[0]! : [...classes],
    ...IN_FULL,
  };
  for (const { property, range } of fields) {
    if (range.kind !== "context" && range.kind !== "iri" && range.kind !== "class") frame[property] = { ...IN_FULL };
  }
  return frame;
}
