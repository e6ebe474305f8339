/** Which texts are geometries. */
import { describe, expect, it } from "vitest";
import { isGeometry } from "../../../src/validate/compiled/geometry.js";

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
    '{"type": "Point", "coordinates": [4.9, 52.4]}',
    '{"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]}',
  ])("%j is one", (text) => expect(isGeometry(text)).toBe(true));

  it.each([
    "",
    "POINT",
    "POINT (1 2",
    "POINT (1)",
    "POINT (1, 2)",
    "POINT (1 2) and more",
    "POLYGON (0 0, 1 0, 1 1)",
    "CIRCULARSTRING(0 0, 1 1",
    "CIRCULARSTRING 0 0)(",
    "SPHERE (1 2 3)",
    "52.4, 4.9",
    '{"type": "Point"}',
    '{"type": "Point", "coordinates": ["4.9", "52.4"]}',
    '{"type": "Polygon", "coordinates": [[[0, 0], [1, 0]]]}',
    "{",
  ])("%j is none", (text) => expect(isGeometry(text)).toBe(false));
});
