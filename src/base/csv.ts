/** Rows of CSV (RFC 4180) that a spreadsheet displays and never evaluates as formulas. */

/** The mark at the beginning of a file that tells spreadsheets it is UTF-8. */
export const BYTE_ORDER_MARK = "\uFEFF";

/** Where a formula could begin, also with a full-width sign. Where commas separate decimals, spreadsheets separate cells by semicolons or tabs, and read quotes and line breaks within a cell of ours in their own way. */
const FORMULA = /^(?=[\t\r\n])|(?=[=+\-@＝＋－＠])(?<=^|[;\t\r\n]"*)/g;

/**
 * A row. What a spreadsheet would evaluate as a formula gets a leading apostrophe, which makes it text.
 * @example
 * csvRow(["Delft, view of", "=1+1"]); // => "\"Delft, view of\",'=1+1\r\n"
 */
export function csvRow(cells: readonly string[]): string {
  // Readers of CSV skip an empty line.
  if (cells.length === 1 && cells[0] === "") return '""\r\n';
  return `${cells.map((text) => csvCell(text.replace(FORMULA, "'"))).join(",")}\r\n`;
}

/** A cell, in quotation marks if it needs them. */
export function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
