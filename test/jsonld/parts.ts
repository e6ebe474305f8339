/** Parts of documents that many tests need. */
import type { JsonObject } from "./documents.js";

/** A time-span from the beginning of one day or year to the end of another. */
export function timeSpan(begin: string, end = begin, more: JsonObject = {}): JsonObject {
  const [from, to] = [begin.length === 4 ? `${begin}-01-01` : begin, end.length === 4 ? `${end}-12-31` : end];
  return { type: "TimeSpan", begin_of_the_begin: `${from}T00:00:00Z`, end_of_the_end: `${to}T23:59:59Z`, ...more };
}

/** A Digital Object with the URL of its file. */
export function fileAt(url: string, more: JsonObject = {}): JsonObject {
  return { type: "DigitalObject", access_point: [{ id: url, type: "DigitalObject" }], ...more };
}

/** The kinds of a width and of a height. */
export const [WIDTH, HEIGHT] = ["300055647", "300055644"] as const;

/** A dimension, by default in pixels. */
export function dimension(kind: string, value: number, unit = "http://vocab.getty.edu/aat/300266190"): JsonObject {
  const classified_as = [{ id: `http://vocab.getty.edu/aat/${kind}`, type: "Type" }];
  return { type: "Dimension", value, classified_as, unit: { id: unit, type: "MeasurementUnit" } };
}

/** That a file is available from an image service. */
export function fromService(url: string, protocol = "http://iiif.io/api/image"): JsonObject {
  const access_point = [{ id: url, type: "DigitalObject" }];
  const conforms_to = [{ id: protocol, type: "InformationObject" }];
  return { digitally_available_via: [{ type: "DigitalService", access_point, conforms_to }] };
}
