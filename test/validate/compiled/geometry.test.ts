/** Texts that are geometries, and texts that are not. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LITERAL_FORMS } from "../../../src/model/rules/shapes.js";
import { isGeometry, parseWkt } from "../../../src/validate/compiled/geometry.js";
import { forAll, runsOf } from "../../properties.js";

describe("WKT and GeoJSON", () => {
  it.each([
    "POINT (4.9 52.4)",
    "point(4.9 52.4)",
    "POINT Z (1 2 3)",
    "POINTZM(1 2 3 4)",
    "POINT EMPTY",
    "LINESTRING (1 2, 3 4)",
    "POLYGON ((0 0, 1 0, 1 1, 0 0), (0.2 0.2, 0.4 0.2, 0.4 0.4, 0.2 0.2))",
    "MULTIPOINT ((1 2), (3 4))",
    "MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)))",
    "GEOMETRYCOLLECTION (POINT (1 2), LINESTRING (0 0, 1 1))",
    "SRID=4326;POINT(1 2)",
    "<http://www.opengis.net/def/crs/OGC/1.3/CRS84> POINT(1 2)",
    "POINT(+.5 -2.)",
    "POINT(1e3 -2.5E-2)",
    "  POINT\n(1\t2)  ",
    "CIRCULARSTRING(0 0, 1 1, 1 0)",
    "GEOMETRYCOLLECTION (CIRCULARSTRING(0 0, 1 1, 1 0))",
    "CIRCULARSTRING EMPTY",
    "SRID=4326; COMPOUNDCURVE((0 0, 1 1), CIRCULARSTRING(1 1, 2 2, 3 1))",
    "GEOMETRYCOLLECTION EMPTY",
    "LINESTRING M (1 2 3, 4 5 6)",
    ' {"type": "Point", "coordinates": [4.9, 52.4]} ',
    '{"type": "Point", "coordinates": [4.9, 52.4]}',
    '{"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]}',
  ])("include %j", (text) => expect(isGeometry(text)).toBe(true));

  it.each([
    "",
    "POINT",
    "POINT (1 2",
    "POINT (1)",
    "POINT (1, 2)",
    "POINT (1 2 3 4 5)",
    "LINESTRING (1 2, 3)",
    "POINT (1 2) and more",
    "POLYGON (0 0, 1 0, 1 1)",
    "CIRCULARSTRING(0 0, 1 1",
    "CIRCULARSTRING((0 0, 1 1)",
    "CIRCULARSTRING(0 0, 1 1) x",
    "CIRCULARSTRING EMPTY x",
    "POINTZ M (1 2 3 4)",
    "POINT ZA (1 2)",
    "POINT AZ (1 2)",
    "SPHERE EMPTY",
    "MULTIPOINT ((1 2, 3 4))",
    "POINT (1 2) #",
    "#",
    "CIRCULARSTRING 0 0)(",
    "SPHERE (1 2 3)",
    "52.4, 4.9",
    '{"type": "Point"}',
    '{"type": "Point", "coordinates": ["4.9", "52.4"]}',
    '{"type": "Polygon", "coordinates": [[[0, 0], [1, 0]]]}',
    "{",
  ])("do not include %j", (text) => expect(isGeometry(text)).toBe(false));
});

describe("WKT", () => {
  it("is parsed as the equivalent GeoJSON", () => {
    expect(parseWkt("<http://www.opengis.net/def/crs/OGC/1.3/CRS84> POINT Z (1 -.5 3.)")).toEqual({
      type: "Point",
      coordinates: [1, -0.5, 3],
    });
    expect(parseWkt(" SRID=4326;POINT(1 2)")).toEqual({ type: "Point", coordinates: [1, 2] });
    expect(parseWkt("GEOMETRYCOLLECTION (MULTIPOINT (1 2, (3 4)), POLYGON ((0 0, 1 0, 0 0)), POINT EMPTY)")).toEqual({
      type: "GeometryCollection",
      geometries: [
        {
          type: "MultiPoint",
          coordinates: [
            [1, 2],
            [3, 4],
          ],
        },
        {
          type: "Polygon",
          coordinates: [
            [
              [0, 0],
              [1, 0],
              [0, 0],
            ],
          ],
        },
        { type: "Point", coordinates: [] },
      ],
    });
    expect(parseWkt("CIRCULARSTRING(0 0, 1 1, 1 0)")).toBeUndefined();
  });

  it("is read back as the same coordinates", () => {
    const position = fc.tuple(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer());
    const line = fc.array(position, { minLength: 1 });
    forAll([fc.array(fc.array(line, { minLength: 1 }), { minLength: 1 })], runsOf(1_000), (polygons) => {
      const list = (items: readonly string[]): string => `(${items.join(", ")})`;
      const written = polygons.map((rings) => list(rings.map((ring) => list(ring.map((each) => each.join(" "))))));
      const { coordinates } = parseWkt(`MultiPolygon ${list(written)}`) as { coordinates: unknown };
      expect(JSON.stringify(coordinates)).toBe(JSON.stringify(polygons));
    });
  });

  it("is checked quickly at any size and depth", () => {
    const points = Array.from({ length: 200_000 }, (_, at) => `${at % 90} 1.5`).join(", ");
    expect(isGeometry(`MULTIPOINT (${points})`)).toBe(true);
    expect(isGeometry(`MULTIPOINT (${points}, x)`)).toBe(false);
    const deep = (levels: number): string => `${"GEOMETRYCOLLECTION (".repeat(levels)}POINT (1 2)${")".repeat(levels)}`;
    expect(isGeometry(deep(32))).toBe(true);
    expect(isGeometry(deep(33))).toBe(false);
    expect(isGeometry(deep(100_000))).toBe(false);
    expect(isGeometry(`POINT (${"1".repeat(300_000)}_ 2)`)).toBe(false);
    expect(isGeometry(`POLYGON ${"(".repeat(1_000_000)}`)).toBe(false);
    expect(isGeometry(" ".repeat(1_000_000))).toBe(false);
  });

  it.each(["", "POINT", "SRID=4326;", "POINT Z"])(
    "is recognized quickly by its beginning, whatever blanks follow %j",
    (text) => {
      const { pattern, flags } = LITERAL_FORMS.geometry;
      const beginning = new RegExp(pattern!, flags);
      expect(beginning.test(`${text}${" ".repeat(200_000)}x`)).toBe(false);
      expect(beginning.test(`${" ".repeat(200_000)}<http://www.opengis.net/def/crs/OGC/1.3/CRS84>  POINT  ZM  (`)).toBe(
        true,
      );
    },
  );
});
