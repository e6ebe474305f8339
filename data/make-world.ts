/** Draws the coasts and borders of maps without tiles, of Natural Earth 1:50m (public domain) by npm's world-atlas: `npm run world`. */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { merge, mesh } from "topojson-client";
import { presimplify, simplify } from "topojson-simplify";
import type { GeometryCollection, Polygon, Topology } from "topojson-specification";

const OUTPUT = "assets/world.json";

/** Triangles of fewer square degrees are straightened, and islands of fewer are left out. */
const LEAST_BEND = 0.002;
const LEAST_ISLAND = 0.01;
/** Coordinates are whole fiftieths of a degree: two kilometres. */
const UNITS = 50;
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

type Position = readonly [longitude: number, latitude: number];

/** A number as source maps have theirs (VLQ): five bits a digit, the lowest for the sign, more digits to follow marked by 32. */
function digits(number: number): string {
  let left = number < 0 ? -number * 2 + 1 : number * 2;
  let written = "";
  for (; left >= 32; left = Math.floor(left / 32)) written += DIGITS[32 + (left % 32)]!;
  return written + DIGITS[left]!;
}

/** Positions, each as its difference from the one before. */
function written(line: readonly Position[]): string {
  let [x, y] = [0, 0];
  let text = "";
  for (const [longitude, latitude] of line) {
    const [nextX, nextY] = [Math.round(longitude * UNITS), Math.round(latitude * UNITS)];
    if (text !== "" && nextX === x && nextY === y) continue;
    text += digits(nextX - x) + digits(nextY - y);
    [x, y] = [nextX, nextY];
  }
  return text;
}

/** A line that goes on beyond 180 degrees where it crosses them. */
function unrolled(line: readonly Position[]): Position[] {
  let turns = 0;
  return line.map(([longitude, latitude], at) => {
    const step = longitude - (line[at - 1]?.[0] ?? longitude);
    if (Math.abs(step) > 180) turns -= Math.sign(step);
    return [longitude + turns * 360, latitude];
  });
}

/** A ring as it is drawn: one that crosses 180 degrees on both sides of the map, and one around a pole with the pole. */
function drawn(ring: readonly Position[]): Position[][] {
  const line = unrolled(ring);
  const [[first], [last]] = [line[0]!, line.at(-1)!];
  if (Math.abs(last - first) > 180) return [[...line, [last, -90], [first, -90]]];
  const beyond = [-360, 360].map((turn) => within(line.map(([x, y]) => [x + turn, y])));
  return [line, ...beyond.filter(({ length }) => length > 2)];
}

/** What of a ring lies between 180 degrees west and east (Sutherland and Hodgman). */
function within(ring: readonly Position[]): Position[] {
  return [-1, 1].reduce<Position[]>(
    (left, side) =>
      left.flatMap(([x, y], at): Position[] => {
        const [beforeX, beforeY] = left.at(at - 1)!;
        const isIn = x * side <= 180;
        const crossing = (180 * side - beforeX) / (x - beforeX);
        const cut: Position[] =
          isIn === beforeX * side <= 180 ? [] : [[180 * side, beforeY + crossing * (y - beforeY)]];
        return isIn ? [...cut, [x, y]] : cut;
      }),
    [...ring],
  );
}

/** Square degrees (the shoelace formula). */
function areaOf(ring: readonly Position[]): number {
  const doubled = ring.reduce((sum, [x, y], at) => {
    const [nextX, nextY] = ring[(at + 1) % ring.length]!;
    return sum + x * nextY - nextX * y;
  }, 0);
  return Math.abs(doubled) / 2;
}

const source = createRequire(import.meta.url).resolve("world-atlas/countries-50m.json");
const whole = JSON.parse(readFileSync(source, "utf8")) as Topology<{ countries: GeometryCollection }>;
const topology = simplify(presimplify(whole), LEAST_BEND);
const { countries } = topology.objects;
const rings = merge(topology, countries.geometries as Polygon[]).coordinates.flat() as unknown as Position[][];
const borders = mesh(topology, countries, (left, right) => left !== right).coordinates as unknown as Position[][];
const world = {
  land: rings
    .flatMap(drawn)
    .filter((ring) => areaOf(ring) > LEAST_ISLAND)
    .map(written),
  borders: borders.map((line) => written(unrolled(line))),
};
writeFileSync(OUTPUT, `${JSON.stringify(world)}\n`);
