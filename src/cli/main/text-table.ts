/** Tables on a terminal, and query results for people, with short names for IRIs. */
import { counted } from "../../base/counted.js";
import { solutionsIn } from "../../engine/engine-access.js";
import { PREFIXES } from "../../model/vocabulary/vocabulary.js";
import type { Term } from "../../rdf/terms.js";

/** SPARQL's JSON results as a table. */
export function table(json: string): string {
  const solutions = solutionsIn(json);
  if (solutions === undefined) return JSON.parse(json).boolean === true ? "yes\n" : "no\n";
  const { names } = solutions;
  const rows = solutions.rows.map((row) => names.map((name) => short(row[name])));
  const widths = widthsOf([names, ...rows]);
  const lines = columns([names, widths.map((width) => "-".repeat(width)), ...rows]);
  return `${lines.join("\n")}\n(${counted(rows.length, "row")})\n`;
}

/** Rows of cells as lines, with aligned columns. @param numbers the columns that are aligned on the right @param most the maximum width of a column, in characters */
export function columns(
  rows: readonly (readonly string[])[],
  numbers: readonly number[] = [],
  most = Number.POSITIVE_INFINITY,
): string[] {
  const widths = widthsOf(rows).map((width) => Math.min(most, width));
  return rows.map((row) => {
    const cells = row.map((cell, column) => {
      const space = " ".repeat(Math.max(0, widths[column]! - widthOf(cell)));
      return numbers.includes(column) ? space + cell : cell + space;
    });
    return cells.join("  ").trimEnd();
  });
}

/** A table with a title above it, indented. @param numbers as for `columns` */
export function titledTable(title: string, rows: readonly (readonly string[])[], numbers: readonly number[]): string {
  const lines = columns(rows, numbers).map((line) => `  ${line}\n`);
  return `${title}\n${lines.join("")}`;
}

function widthsOf(rows: readonly (readonly string[])[]): number[] {
  const [first = []] = rows;
  return first.map((_, column) => rows.reduce((width, row) => Math.max(width, widthOf(row[column]!)), 0));
}

function short(term: Term | undefined): string {
  if (term === undefined) return "";
  const { termType, value, language } = term;
  if (termType === "BlankNode") return `_:${value}`;
  if (termType === "Literal") return value.replace(/\s+/g, " ") + (language === "" ? "" : ` @${language}`);
  for (const [prefix, namespace] of Object.entries(PREFIXES)) {
    const local = value.slice(namespace.length);
    if (value.startsWith(namespace) && /^[\w-]+$/.test(local)) return `${prefix}:${local}`;
  }
  return value;
}

const MARK = /\p{M}/u;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

/** The width of a text on a terminal: wide characters, such as Chinese ones, take two columns, and combining marks none. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text) if (!MARK.test(character)) width += WIDE.test(character) ? 2 : 1;
  return width;
}
