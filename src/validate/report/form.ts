/** The form of a report: how what was found is written down. */
import type { IdentityProblem, RecordDifference, RecordResults } from "../results.js";
import type { RuleCount } from "./tally.js";

export type ReportSummary = Readonly<Record<string, number>>;

/** Parts of a report after all records with results, in this order: records that a load deletes, those it changes, IRIs that come back as something else. */
export interface Further {
  readonly deletion: string;
  readonly difference: RecordDifference;
  readonly identity: IdentityProblem;
}

/** How a report is written down; `index` counts what is alike. What a form has no place for is left out. */
export interface ReportForm extends FurtherForms {
  readonly head: string;
  /** A record with results, or with changes. */
  record(record: RecordResults, index: number): string;
  /** The end; `records` had results or changes, and `rules` are broken. */
  tail(summary: ReportSummary, records: number, rules: readonly RuleCount[]): string;
  /** Written over the head, and not longer than it. */
  headAtEnd?(summary: ReportSummary): string;
}

export type FurtherForms = { readonly [Kind in keyof Further]?: (item: Further[Kind], index: number) => string };
