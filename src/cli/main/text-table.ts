/** Tables on a terminal, and query results for people, with short names for IRIs. */
import { counted } from "../../base/counted.js";
import { PREFIXES } from "../../model/vocabulary/vocabulary.js";

/** A term in SPARQL's JSON results (SPARQL 1.1 Query Results JSON Format, 3.2.2). */
interface JsonTerm {
  readonly type: string;
  readonly value: string;
  readonly "xml:lang"?: string;
}

interface JsonResults {
  readonly head: { readonly vars?: readonly string[] };
  readonly boolean?: boolean;
  readonly results?: { readonly bindings: readonly Readonly<Record<string, JsonTerm>>[] };
}

/** SPARQL's JSON results as a table. */
export function table(json: string): string {
  const { head, boolean, results } = JSON.parse(json) as JsonResults;
  if (results === undefined) return `${boolean === true ? "yes" : "no"}\n`;
  const { vars: names = [] } = head;
  const rows = results.bindings.map((binding) =>
    names.map((name) => short(Object.hasOwn(binding, name) ? binding[name] : undefined)),
  );
  const widths = widthsOf([names, ...rows]);
  const lines = columns([names, widths.map((width) => "-".repeat(width)), ...rows]);
  return `${lines.join("\n")}\n(${counted(rows.length, "row")})\n`;
}

interface ColumnForm {
  /** The columns of numbers, which are aligned on the right. */
  readonly numbers?: readonly number[];
  /** The maximum width of a column, in characters. */
  readonly most?: number;
}

/** Rows of cells as lines, with aligned columns. */
export function columns(
  rows: readonly (readonly string[])[],
  { numbers = [], most = Number.POSITIVE_INFINITY }: ColumnForm = {},
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

function widthsOf(rows: readonly (readonly string[])[]): number[] {
  const [first = []] = rows;
  return first.map((_, column) => rows.reduce((width, row) => Math.max(width, widthOf(row[column]!)), 0));
}

function short(term: JsonTerm | undefined): string {
  if (term === undefined) return "";
  if (term.type === "bnode") return `_:${term.value}`;
  if (term.type !== "uri") return term.value.replace(/\s+/g, " ") + (term["xml:lang"] ? ` @${term["xml:lang"]}` : "");
  for (const [prefix, namespace] of Object.entries(PREFIXES)) {
    const local = term.value.slice(namespace.length);
    if (term.value.startsWith(namespace) && /^[\w-]+$/.test(local)) return `${prefix}:${local}`;
  }
  return term.value;
}

const MARK = /\p{M}/u;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

/** The width of a text on a terminal: wide characters, such as Chinese ones, take two columns, and combining marks none. */
function widthOf(text: string): number {
  return [...text].reduce((sum, character) => sum + (MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1), 0);
}
