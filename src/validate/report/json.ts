/** The report as JSON (DESIGN.md, Reports): a summary, an entry for each record that has results, the IRIs of deleted records. */

import { isValid, type RecordResults } from "../results.js";
import type { ReportForm, ReportSummary } from "./report.js";

/** The summary is known last and stands first: room is left for it, and JSON does not mind the blanks. */
const ROOM = 600;

export function jsonForm(): ReportForm {
  return {
    head: headOf("{}"),
    record: (record, index) => `${index === 0 ? "\n" : ",\n"}${JSON.stringify(entryOf(record))}`,
    deletion: (iri, index) => `${index === 0 ? '\n],\n"deletions": [\n' : ",\n"}${JSON.stringify(iri)}`,
    tail: () => "\n]}\n",
    headAtEnd: (summary: ReportSummary) => headOf(JSON.stringify(summary)),
  };
}

function headOf(summary: string): string {
  return `{"summary": ${`${summary},`.padEnd(ROOM)}\n"records": [`;
}

function entryOf({ iri, endpoint, source, results, isKept, changes, mendable }: RecordResults): object {
  return {
    iri,
    endpoint,
    valid: isValid(results),
    ...(isKept ? { kept: true } : {}),
    ...(mendable === undefined ? {} : { mendable: mendable.isWhole }),
    results: results.map(({ severity, path, focus, value, message, rule }) => ({
      severity,
      path,
      focus,
      value,
      message,
      rule,
      source,
    })),
    ...(changes === undefined ? {} : { changes }),
  };
}
