/** The report as CSV (RFC 4180) for curators: a row for each result, with the record's label and identifiers, and for each deletion. */

import type { RecordResults } from "../results.js";
import type { ReportForm } from "./report.js";

const COLUMNS = [
  "record",
  "label",
  "identifiers",
  "endpoint",
  "severity",
  "path",
  "message",
  "value",
  "rule",
  "focus",
  "source",
];

/** By this mark spreadsheets know that the file is UTF-8. */
const BYTE_ORDER_MARK = "\uFEFF";

export function csvForm(): ReportForm {
  return { head: BYTE_ORDER_MARK + row(COLUMNS), record: rowsOf, deletion, tail: () => "" };
}

function deletion(iri: string): string {
  const known: Readonly<Record<string, string>> = {
    record: iri,
    severity: "Deletion",
    message: "The input lacks this record.",
  };
  return row(COLUMNS.map((column) => known[column] ?? ""));
}

function rowsOf({ iri, label, identifiers, endpoint, source, results }: RecordResults): string {
  return results
    .map(({ severity, path, message, value, rule, focus }) =>
      row([
        iri ?? "",
        label,
        identifiers.join("; "),
        endpoint ?? "",
        severity,
        path,
        message,
        value ?? "",
        rule,
        focus ?? "",
        source,
      ]),
    )
    .join("");
}

function row(cells: readonly string[]): string {
  return `${cells.map(cell).join(",")}\r\n`;
}

/** A text that a spreadsheet would run as a formula is given an apostrophe, which makes it text. */
function cell(text: string): string {
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
