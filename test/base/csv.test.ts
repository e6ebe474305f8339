/** Rows of CSV: they are read back as written, and no cell is a formula. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { csvRow } from "../../src/base/csv.js";
import { forAll, runsOf } from "../properties.js";
import { parseCsv } from "./parse-csv.js";

/** Texts full of characters that have a meaning in CSV or in a spreadsheet. */
const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: fc.constantFrom("=", "+", "-", "@", "\t", "\r", "\n", '"', ",", "'", " ", "a", "＝", "＠") }),
);

describe("a row", () => {
  it("is read by other readers as written, with an apostrophe before any formula", () => {
    forAll([fc.array(fc.array(text, { minLength: 3, maxLength: 3 }), { minLength: 1 })], runsOf(10_000), (rows) => {
      const read = parseCsv(rows.map(csvRow).join(""));
      const expected = rows.map((cells) =>
        cells.map((cell) => (/^[=+\-@\t\r\n＝＋－＠]/.test(cell) ? `'${cell}` : cell)),
      );
      expect(read).toEqual(expected);
      for (const cell of read.flat()) expect(cell).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
    });
  });

  it("of a single empty cell is not a blank line", () => {
    expect(parseCsv(["x", "", "y"].map((cell) => csvRow([cell])).join(""))).toEqual([["x"], [""], ["y"]]);
  });

  it("quotes only cells that need it", () => {
    expect(csvRow(["Delft", "a, b", 'say "so"', ""])).toBe('Delft,"a, b","say ""so""",\r\n');
  });
});
