/** The report as CSV (RFC 4180) for curators: a row for each result, with the record's label and identifiers, and for each deletion. */
import { BYTE_ORDER_MARK, csvRow } from "../../base/csv.js";
import { decodeEscapes } from "../../rdf/ntriples/escapes.js";
import type { RecordDifference, RecordResults } from "../results.js";
import type { ReportForm } from "./form.js";

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
] as const;

/** The form of a report in CSV. */
export function csvForm(): ReportForm {
  return {
    head: BYTE_ORDER_MARK + csvRow(COLUMNS),
    record: rowsOf,
    deletion: (iri) => rowOf({ record: iri, severity: "Deletion", message: "The input lacks this record." }),
    difference,
    identity: ({ iri, problem }) => rowOf({ record: iri, severity: "Identity", message: problem }),
    tail: () => "",
  };
}

const KINDS = { create: "Creation", update: "Update", delete: "Deletion" } as const;

function difference({ iri, kind, differences }: RecordDifference): string {
  // Deletions have rows of their own.
  if (kind === "delete") return "";
  if (differences.length === 0) return rowOf({ record: iri, severity: KINDS[kind] });
  return differences
    .map(({ property, before, after }) => {
      const message = `${JSON.stringify(before)} became ${JSON.stringify(after)}`;
      return rowOf({ record: iri, severity: KINDS[kind], path: property, message });
    })
    .join("");
}

function rowsOf(record: RecordResults): string {
  const { iri, label, identifiers, endpoint, source, results, changes = [] } = record;
  const about = { record: iri ?? "", label, identifiers: identifiers.join("; "), endpoint: endpoint ?? "", source };
  const found = results.map(({ severity, path, message, value, rule, focus }) =>
    rowOf({ ...about, severity, path, message, value: plain(value), rule, focus: plain(focus) }),
  );
  const changed = changes.map(({ path, before, after, rule }) => {
    const message = `${JSON.stringify(before)} became ${JSON.stringify(after)}`;
    return rowOf({ ...about, severity: "Change", path, message, rule });
  });
  return [...found, ...changed].join("");
}

/** A term as people write it: the text of a literal, an IRI without its brackets. */
function plain(term: string | null): string {
  if (term === null) return "";
  if (term.startsWith("<")) return term.slice(1, -1);
  const [, text] = /^"((?:[^"\\]|\\.)*)"/s.exec(term) ?? [];
  return text === undefined ? term : decodeEscapes(text);
}

function rowOf(cells: Partial<Record<(typeof COLUMNS)[number], string>>): string {
  return csvRow(COLUMNS.map((column) => cells[column] ?? ""));
}
