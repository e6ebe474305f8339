/** The report of a load as JSON: one entry for each record that has results (DESIGN.md, Reports). */
import type { LoadSummary } from "./load.js";

interface ReportResult {
  readonly severity: "Violation" | "Warning";
  /** Terms joined by `/`. */
  readonly path: string;
  readonly focus: string | null;
  readonly value: string | null;
  readonly message: string;
  readonly rule: string | null;
  /** `file:line`. */
  readonly source: string | null;
}

interface ReportRecord {
  readonly iri: string | null;
  readonly endpoint: string | null;
  readonly valid: boolean;
  readonly results: readonly ReportResult[];
}

export interface Report {
  readonly summary: { readonly [name: string]: number };
  readonly records: readonly ReportRecord[];
}

/** What a load refused, as a report. */
export function refusalReport(summary: LoadSummary): Report {
  const { refusals, records, created, replaced, unchanged, deleted } = summary;
  return {
    summary: {
      records,
      valid: records - refusals.length,
      invalid: refusals.length,
      warnings: 0,
      created,
      replaced,
      unchanged,
      deleted,
      refused: refusals.length,
    },
    records: refusals.map(({ source, iri, losses }) => ({
      iri,
      endpoint: null,
      valid: false,
      results: losses.map(({ path, problem }) => ({
        severity: "Violation",
        path: path.replace(/\[\d+\]/g, ""),
        focus: null,
        value: null,
        message: path === "" ? problem : `${path} ${problem}`,
        rule: null,
        source,
      })),
    })),
  };
}
