/** Rows of CSV: they are read back as written, and no cell is a formula. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { csvRow } from "../../src/base/csv.js";
import { forAll, runsOf } from "../properties.js";
import { parseCsv } from "./parse-csv.js";

/** Texts full of characters that have a meaning in CSV or in a spreadsheet. */
const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: fc.constantFrom("=", "+", "-", "@", "\t", "\r", "\n", '"', ",", ";", "'", " ", "a", "＝", "＠") }),
);

/** A text without the apostrophes before formulas. */
const unmarked = (cell: string): string => cell.replace(/'+(?=[=+\-@\t\r\n＝＋－＠])/g, "");

/** The cells as a spreadsheet with another separator reads them: only a quote at the beginning of a cell quotes, up to the next single one. */
function cellsBy(separator: string, csv: string): string[] {
  const cell = new RegExp(`(?:"((?:[^"]|"")*)(?:"|$))?([^${separator}\r\n]*)(?:[${separator}\r\n]|$)`, "y");
  const cells: string[] = [];
  while (cell.lastIndex < csv.length) {
    const [, quoted = "", plain = ""] = cell.exec(csv)!;
    cells.push(quoted.replaceAll('""', '"') + plain);
  }
  return cells;
}

describe("a row", () => {
  it("is read by other readers as written, with an apostrophe before any formula", () => {
    forAll([fc.array(fc.array(text, { minLength: 3, maxLength: 3 }), { minLength: 1 })], runsOf(10_000), (rows) => {
      const read = parseCsv(rows.map(csvRow).join(""));
      expect(read.map((cells) => cells.map(unmarked))).toEqual(rows.map((cells) => cells.map(unmarked)));
      for (const cell of read.flat()) expect(cell).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
    });
  });

  it.each([";", "\t"])("has no formula for spreadsheets that separate cells by %j", (separator) => {
    forAll([fc.array(fc.array(text, { minLength: 3, maxLength: 3 }), { minLength: 1 })], runsOf(10_000), (rows) => {
      for (const cell of cellsBy(separator, rows.map(csvRow).join(""))) expect(cell).not.toMatch(/^[=+\-@＝＋－＠]/);
    });
    expect(csvRow(["x;=1+1", 'a;"=1', "b\n@c", "8 x 4; -3"])).toBe(`x;'=1+1,"a;""'=1","b\n'@c",8 x 4; -3\r\n`);
  });

  it("of a single empty cell is not a blank line", () => {
    expect(parseCsv(["x", "", "y"].map((cell) => csvRow([cell])).join(""))).toEqual([["x"], [""], ["y"]]);
  });

  it("quotes only cells that need it", () => {
    expect(csvRow(["Delft", "a, b", 'say "so"', ""])).toBe('Delft,"a, b","say ""so""",\r\n');
  });
});
