/** The place of an entity on its page: coordinates in words, an outline that needs no script, and the data of the map (specification, 2.3). */
import { parseWkt } from "../../validate/compiled/geometry.js";
import { type Html, html, linkHtml, NOTHING, text } from "./markup.js";
import { fill, type Words } from "./words/words.js";

/** A position: longitude, latitude, and possibly more numbers. */
type Position = readonly number[];

/** The parts of GeoJSON that maps use (RFC 7946, 3.1). */
interface MapGeometry {
  readonly type: string;
  readonly coordinates?: unknown;
  readonly geometries?: readonly MapGeometry[];
  /** Members of a Feature and of a FeatureCollection. */
  readonly geometry?: MapGeometry;
  readonly features?: readonly { readonly geometry: MapGeometry | null }[];
}

/** The beginning of WKT with coordinates in degrees, longitude first: `<.../CRS84>`, `SRID=4326;`, or no reference system, which means CRS84. */
const DEGREES = /^(?:<[^<>]*\/CRS84>|SRID=4326;)?(?![<S])/;

/** The longest geometry to draw, in characters of GeoJSON. A longer one would make the page too heavy, so the page has only its text as written. */
const MAX_DRAWN = 20_000;
/** The same for each further place on a map. */
const MAX_DRAWN_BESIDE = 2_000;

/** Whether a position can be in degrees; metres, as in `POINT(121000 487000)`, cannot. Areas across the date line have longitudes above 180. */
const isOnEarth = ([longitude, latitude]: Position) => Math.abs(longitude!) <= 360 && Math.abs(latitude!) <= 90;

/** Reads a geometry in WKT or GeoJSON; `undefined` for anything else, for an empty one, and for coordinates that are not in degrees. */
export function geometryOf(written: string): MapGeometry | undefined {
  const trimmed = written.trim();
  try {
    let geometry: MapGeometry | undefined;
    if (trimmed.startsWith("{")) geometry = geometryIn(JSON.parse(trimmed) as MapGeometry);
    else if (DEGREES.test(trimmed)) geometry = parseWkt(trimmed) as MapGeometry | undefined;
    const drawn = geometry && withoutEmpty(geometry);
    return drawn && linesOf(drawn).flat().every(isOnEarth) ? drawn : undefined;
  } catch {
    return undefined;
  }
}

function geometryIn(json: MapGeometry): MapGeometry | undefined {
  if (json.type === "Feature") return json.geometry;
  if (json.type !== "FeatureCollection") return json;
  return { type: "GeometryCollection", geometries: json.features?.flatMap(({ geometry }) => geometry ?? []) ?? [] };
}

/** A geometry without empty parts, such as `POINT EMPTY`, which the map's library refuses; `undefined` if it has no others. */
function withoutEmpty(geometry: MapGeometry): MapGeometry | undefined {
  const geometries = geometry.geometries?.flatMap((each) => withoutEmpty(each) ?? []);
  return linesOf(geometry).length === 0 ? undefined : { ...geometry, ...(geometries && { geometries }) };
}

/** All lines of a geometry, as positions. A point is a line of one position. */
export function linesOf({ type, coordinates, geometries }: MapGeometry): readonly (readonly Position[])[] {
  return type === "GeometryCollection" ? (geometries ?? []).flatMap(linesOf) : linesIn(coordinates);
}

function linesIn(coordinates: unknown): readonly (readonly Position[])[] {
  if (!Array.isArray(coordinates) || coordinates.length === 0) return [];
  const parts: readonly unknown[] = coordinates;
  if (isPosition(parts)) return [[parts]];
  return parts.every(isPosition) ? [parts] : parts.flatMap(linesIn);
}

function isPosition(value: unknown): value is Position {
  return Array.isArray(value) && value.length >= 2 && value.every((each) => Number.isFinite(each));
}

/** The longitude, from -180 to 180, and latitude of a geometry that is a single point, else `undefined`. */
export function pointOf(geometry: MapGeometry): readonly [longitude: number, latitude: number] | undefined {
  const [position, ...others] = linesOf(geometry).flat();
  return position === undefined || others.length > 0 ? undefined : [eastOf(position[0]!), position[1]!];
}

/** Joins the parts of an area that is cut at the date line (RFC 7946, 3.1.9), by longitudes above 180. */
function overDateLine(geometry: MapGeometry): MapGeometry {
  const lines = linesOf(geometry);
  const sides = lines.map((line) => [line.every(([x]) => x! <= 0), line.every(([x]) => x! >= 0)]);
  if (boxOf(lines).width <= 180 || !sides.every((each) => each.includes(true))) return geometry;
  const across = (_: string, value: unknown) =>
    isPosition(value) && value[0]! < 0 ? [Number((value[0]! + 360).toFixed(9)), ...value.slice(1)] : value;
  const joined = JSON.parse(JSON.stringify(geometry), across) as MapGeometry;
  return boxOf(linesOf(joined)).width < boxOf(lines).width ? joined : geometry;
}

/** A longitude from -180 to 180: 190° E is 170° W. */
function eastOf(longitude: number): number {
  // `toFixed` removes the rounding error of the subtraction.
  return Math.abs(longitude) > 180 ? Number((longitude - Math.sign(longitude) * 360).toFixed(9)) : longitude;
}

export interface Placed {
  readonly name: string;
  /** The URL of its page; `undefined` if browsers cannot open it. */
  readonly url: string | undefined;
  readonly geometry: MapGeometry;
}

/** Shows the geometry of a place in words, as an outline, as data of the map, and as written. @param others further places on the map */
export function mapHtml(written: string, name: string, words: Words, others: readonly Placed[]): Html {
  const raw = html`<details class="raw"><summary>${text(words.file.record.asWritten)}</summary><p class="prose"><code>${text(written)}</code></p></details>`;
  const read = geometryOf(written);
  if (read === undefined) return raw;
  const geometry = overDateLine(read);
  const lines = linesOf(geometry);
  const point = pointOf(geometry);
  const where = point === undefined ? extentInWords(lines, words) : pointInWords(point, words);
  const drawn = JSON.stringify(geometry);
  const map =
    drawn.length > MAX_DRAWN
      ? NOTHING
      : html`<div class="map" data-geometry="${text(drawn)}" data-name="${text(name)}"${placesData(others)}>${outline(lines, words)}</div>`;
  return html`<div class="place">${map}<p class="aside">${text(where)}</p>${raw}</div>`;
}

/** A map of places that a record names, with their names below it. */
export function placesHtml(places: readonly Placed[], words: Words): Html {
  const data = placesData(places);
  if (data === NOTHING) return NOTHING;
  const names = places.map(({ name, url }) => (url === undefined ? text(name) : linkHtml(url, name)));
  return html`<div class="place"><div class="map" data-name="${text(words.file.endpoint.place.many)}"${data}></div><p class="aside">${words.list(names)}</p></div>`;
}

/** The data of places for a map, without those that would make the page too heavy. */
function placesData(places: readonly Placed[]): Html {
  const joined = places.map((place) => ({ ...place, geometry: overDateLine(place.geometry) }));
  const light = joined.filter(({ geometry }) => JSON.stringify(geometry).length <= MAX_DRAWN_BESIDE);
  return light.length === 0 ? NOTHING : html` data-places="${text(JSON.stringify(light))}"`;
}

function pointInWords([longitude, latitude]: readonly [number, number], words: Words): string {
  const { degrees, north, south, east, west } = words.file.map;
  const inDegrees = (value: number, direction: string): string =>
    fill(degrees, { value: words.decimal(String(Math.abs(value)), false), direction });
  return `${inDegrees(latitude, latitude < 0 ? south : north)}, ${inDegrees(longitude, longitude < 0 ? west : east)}`;
}

function boxOf(lines: readonly (readonly Position[])[]) {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [longitude, latitude] of lines.flat()) {
    west = Math.min(west, longitude!);
    east = Math.max(east, longitude!);
    south = Math.min(south, latitude!);
    north = Math.max(north, latitude!);
  }
  return { west, south, east, north, width: east - west };
}

function extentInWords(lines: readonly (readonly Position[])[], words: Words): string {
  const { west, south, east, north } = boxOf(lines);
  const [from, to] = [pointInWords([eastOf(west), south], words), pointInWords([eastOf(east), north], words)];
  return fill(words.file.map.extent, { from, to });
}

/** The longer side of an outline in its own coordinates. */
const OUTLINE_SIZE = 200;

/** Draws lines in proportion, for browsers without scripts; nothing for a single point. */
function outline(lines: readonly (readonly Position[])[], { file }: Words): Html {
  const { west, south, north, ...box } = boxOf(lines);
  const shrink = Math.max(0.1, Math.cos((((south + north) / 2) * Math.PI) / 180));
  const width = box.width * shrink;
  const size = Math.max(width, north - south);
  if (size === 0 || !Number.isFinite(size)) return NOTHING;
  const scale = OUTLINE_SIZE / size;
  const at = ([longitude, latitude]: Position): string =>
    `${((longitude! - west) * shrink * scale).toFixed(1)} ${((north - latitude!) * scale).toFixed(1)}`;
  const path = lines.map((line) => `M${line.map(at).join("L")}`).join("");
  const view = `-4 -4 ${Math.ceil(width * scale) + 8} ${Math.ceil((north - south) * scale) + 8}`;
  return html`<svg viewBox="${text(view)}" role="img" aria-label="${text(file.record.outline)}"><path d="${text(path)}"/></svg>`;
}
