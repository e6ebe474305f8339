/** Rows of CSV (RFC 4180) that a spreadsheet shows and never runs. */

/** The mark at its beginning by which spreadsheets know that a file is UTF-8. */
export const BYTE_ORDER_MARK = "\uFEFF";

/** The beginning of a formula; in its wide forms, too, where Chinese or Japanese is written. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/**
 * A row. A text that a spreadsheet would run as a formula is given an apostrophe, which makes it text.
 * @example
 * csvRow(["Delft, view of", "=1+1"]); // => "\"Delft, view of\",'=1+1\r\n"
 */
export function csvRow(cells: readonly string[]): string {
  // A line without anything would be no row to those who read it.
  return cells.length === 1 && cells[0] === "" ? '""\r\n' : `${cells.map(cell).join(",")}\r\n`;
}

function cell(text: string): string {
  const inert = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
