/** The check that a text is a geometry: WKT (OGC Simple Features, ISO 19125) or GeoJSON (RFC 7946). */
import { getIssues } from "@placemarkio/check-geojson";

/** The coordinate reference system that GeoSPARQL (as an IRI) and EWKT (as an SRID) put before the geometry. */
const REFERENCE_SYSTEM = /^(?:<[^<>\s]*>|SRID=\d+;)/i;

/** Geometries with curves and surfaces, which few tools read. Only their parentheses are checked. */
const CURVED =
  /\b(?:CIRCULARSTRING|COMPOUNDCURVE|CURVEPOLYGON|MULTICURVE|MULTISURFACE|POLYHEDRALSURFACE|TIN|TRIANGLE)\b/i;

/** A geometry as GeoJSON writes it (RFC 7946, 3.1). */
type WktGeometry =
  | { readonly type: string; readonly coordinates: unknown }
  | { readonly type: "GeometryCollection"; readonly geometries: readonly WktGeometry[] };

/**
 * Whether `text` is well-formed WKT or GeoJSON.
 * @example
 * ["POINT (4.36 52.01)", "Delft"].map(isGeometry); // => [true, false]
 */
export function isGeometry(text: string): boolean {
  const trimmed = text.trim();
  if (trimmed.startsWith("{")) return getIssues(trimmed).length === 0;
  const geometry = trimmed.replace(REFERENCE_SYSTEM, "").trim();
  return CURVED.test(geometry) ? isBalanced(geometry) : parseWkt(geometry) !== undefined;
}

function isBalanced(geometry: string): boolean {
  let open = 0;
  for (let at = 0; at < geometry.length; at++) {
    if (geometry[at] === "(") open++;
    if (geometry[at] === ")" && --open < 0) return false;
  }
  return open === 0 && /(?:\)|EMPTY)$/i.test(geometry);
}

/** The GeoJSON type and the nesting of its coordinates, by the WKT type. */
const TYPES: ReadonlyMap<string, readonly [type: string, levels: number]> = new Map([
  ["POINT", ["Point", 0]],
  ["LINESTRING", ["LineString", 1]],
  ["POLYGON", ["Polygon", 2]],
  ["MULTIPOINT", ["MultiPoint", 1]],
  ["MULTILINESTRING", ["MultiLineString", 2]],
  ["MULTIPOLYGON", ["MultiPolygon", 3]],
]);

const MAX_COLLECTION_DEPTH = 32;

/** A word, a number, or a mark. Sticky, so that a text is read once from beginning to end. */
const TOKEN = /\s*(?:([A-Z]+)|([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:E[+-]?\d+)?(?![\w.]))|([(),])|$)/iy;

/**
 * Well-Known Text as GeoJSON, whatever its reference system; `undefined` for curves and for other texts. Takes linear time.
 * @example
 * parseWkt("POINT (4.36 52.01)"); // => { type: "Point", coordinates: [4.36, 52.01] }
 */
export function parseWkt(text: string): WktGeometry | undefined {
  try {
    return new WktParser(text.trim().replace(REFERENCE_SYSTEM, "")).whole();
  } catch (error) {
    if (error !== NO_WKT) throw error;
    return undefined;
  }
}

const NO_WKT = new Error("no Well-Known Text");

class WktParser {
  #at = 0;
  /** The next token: a word in capitals, a number, a mark, or the end. */
  #next: string | number | undefined;

  constructor(private readonly text: string) {
    this.#advance();
  }

  whole(): WktGeometry {
    const geometry = this.#geometry(0);
    if (this.#next !== undefined) throw NO_WKT;
    return geometry;
  }

  #geometry(depth: number): WktGeometry {
    // The dimension may be a separate word, or the end of the type.
    const [, name = "", dimension] = /^([A-Z]*?)(ZM|Z|M)?$/.exec(String(this.#next)) ?? [];
    this.#advance();
    if (dimension === undefined && /^(?:Z|M|ZM)$/.test(String(this.#next))) this.#advance();
    if (name === "GEOMETRYCOLLECTION") {
      if (depth === MAX_COLLECTION_DEPTH) throw NO_WKT;
      const geometries = this.#skips("EMPTY") ? [] : this.#list(() => this.#geometry(depth + 1));
      return { type: "GeometryCollection", geometries };
    }
    const [type, levels] = TYPES.get(name) ?? [];
    if (type === undefined || levels === undefined) throw NO_WKT;
    if (this.#skips("EMPTY")) return { type, coordinates: [] };
    if (type === "MultiPoint") return { type, coordinates: this.#list(() => this.#point()) };
    return { type, coordinates: levels === 0 ? this.#point() : this.#nested(levels) };
  }

  #nested(levels: number): unknown[] {
    return this.#list<unknown>(() => (levels === 1 ? this.#position() : this.#nested(levels - 1)));
  }

  /** One position in parentheses; within a MultiPoint they may be missing. */
  #point(): number[] {
    if (typeof this.#next === "number") return this.#position();
    const [position, ...others] = this.#list(() => this.#position());
    if (position === undefined || others.length > 0) throw NO_WKT;
    return position;
  }

  #list<Item>(item: () => Item): Item[] {
    const items: Item[] = [];
    if (!this.#skips("(")) throw NO_WKT;
    do items.push(item());
    while (this.#skips(","));
    if (!this.#skips(")")) throw NO_WKT;
    return items;
  }

  #position(): number[] {
    const position: number[] = [];
    for (; typeof this.#next === "number"; this.#advance()) position.push(this.#next);
    if (position.length < 2 || position.length > 4) throw NO_WKT;
    return position;
  }

  #skips(token: string): boolean {
    if (this.#next !== token) return false;
    this.#advance();
    return true;
  }

  #advance(): void {
    TOKEN.lastIndex = this.#at;
    const match = TOKEN.exec(this.text);
    if (match === null) throw NO_WKT;
    this.#at = TOKEN.lastIndex;
    const [, word, number, mark] = match;
    this.#next = word?.toUpperCase() ?? (number === undefined ? mark : Number(number));
  }
}
