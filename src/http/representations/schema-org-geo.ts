/** Geometries as schema.org has them: a point as coordinates, an area as a shape of its outer lines. */
import type { Json, JsonObject } from "../../rdf/record-graph.js";
import { geometryOf, linesOf, pointOf } from "../pages/maps.js";

/** @param written WKT or GeoJSON, as records have it (specification, 2.3: `defined_by`) */
export function geoOf(written: string): JsonObject | undefined {
  const geometry = geometryOf(written);
  if (geometry === undefined) return undefined;
  const point = pointOf(geometry);
  if (point !== undefined) {
    return { "@type": "GeoCoordinates", latitude: double(point[1]), longitude: double(point[0]) };
  }
  const [line] = linesOf(geometry);
  if (line === undefined || !/Polygon$/.test(geometry.type)) return undefined;
  return {
    "@type": "GeoShape",
    polygon: line.map(([longitude, latitude]) => `${latitude} ${longitude}`).join(" "),
  };
}

/** Numbers of JSON without a fraction become integers in RDF, and coordinates are none. */
function double(value: number): Json {
  return Number.isInteger(value)
    ? { "@value": String(value), "@type": "http://www.w3.org/2001/XMLSchema#double" }
    : value;
}
