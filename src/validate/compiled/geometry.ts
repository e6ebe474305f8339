/** Whether a text is a geometry: WKT (OGC Simple Features, ISO 19125) or GeoJSON (RFC 7946). */
import { getIssues } from "@placemarkio/check-geojson";
import { wktToGeoJSON } from "@terraformer/wkt";

/** The coordinate reference system that GeoSPARQL (an IRI) and EWKT (an SRID) put before the geometry. */
const REFERENCE_SYSTEM = /^(?:<[^<>\s]*>|SRID=\d+;)/;

/** Geometries with curves and surfaces, which few tools read and the parser does not. */
const BEYOND_THE_PARSER =
  /\b(?:CIRCULARSTRING|COMPOUNDCURVE|CURVEPOLYGON|MULTICURVE|MULTISURFACE|POLYHEDRALSURFACE|TIN|TRIANGLE)\b/;

/** Whether `text` is well-formed WKT or GeoJSON. */
export function isGeometry(text: string): boolean {
  const trimmed = text.trim();
  return trimmed.startsWith("{") ? getIssues(trimmed).length === 0 : isWkt(trimmed);
}

function isWkt(text: string): boolean {
  const geometry = canonicalWkt(text);
  if (BEYOND_THE_PARSER.test(geometry)) return isBalanced(geometry);
  try {
    wktToGeoJSON(geometry);
    return true;
  } catch {
    return false;
  }
}

/** WKT in the spelling that the parser knows, without a reference system: capitals, `POINT Z`, `0.5`, `2`. WKT allows others. */
export function canonicalWkt(text: string): string {
  return text
    .toUpperCase()
    .replace(REFERENCE_SYSTEM, "")
    .replace(/([A-Z]{4,}?)(ZM|Z|M)(?=\s*\()/g, "$1 $2")
    .replace(/(?<![\d.])(?<sign>[+-]?)\.(?=\d)/g, "$<sign>0.")
    .replace(/(\d)\.(?=[\s,)E])/g, "$1")
    .replace(/(?<=[\s(,])\+(?=\d)/g, "")
    .trim();
}

function isBalanced(geometry: string): boolean {
  let open = 0;
  for (const character of geometry) {
    if (character === "(") open++;
    if (character === ")" && --open < 0) return false;
  }
  return open === 0 && /(?:\)|EMPTY)$/.test(geometry);
}
