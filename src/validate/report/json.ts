/** The report as JSON (DESIGN.md, Reports): a summary, an entry for each record that has results, the IRIs of deleted records. */
import { isValid, type RecordResults } from "../results.js";
import type { ReportForm, ReportSummary } from "./form.js";
import type { RuleCount } from "./tally.js";

/** The summary is known last and stands first: room is left for it, and JSON does not mind the blanks. */
const ROOM = 600;

/** The form of a report in JSON. */
export function jsonForm(): ReportForm {
  return {
    head: headOf("{}"),
    record: (record, index) => `${index === 0 ? "\n" : ",\n"}${JSON.stringify(entryOf(record))}`,
    deletion: (iri, index) => member("deletions", iri, index),
    difference: (difference, index) => member("differences", difference, index),
    identity: (identity, index) => member("identities", identity, index),
    tail: (_summary, _records, rules) =>
      `${rules.map((rule, index) => member("rules", ruleOf(rule), index)).join("")}\n]}\n`,
    headAtEnd: (summary: ReportSummary) => headOf(JSON.stringify(summary)),
  };
}

/** A member of a further list; the first of them ends the list before. */
function member(list: string, value: unknown, index: number): string {
  return `${index === 0 ? `\n],\n"${list}": [\n` : ",\n"}${JSON.stringify(value)}`;
}

/** A broken rule: how often, what is said of it, and where first. */
function ruleOf({ example, record, results, records, messages }: RuleCount): object {
  const { rule, severity, path } = example;
  const first = { iri: record.iri, source: record.source, path };
  return { rule, severity, records, results, messages, first };
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
    results: results.map(({ severity, path, focus, value, message, rule }) => {
      return { severity, path, focus, value, message, rule, source };
    }),
    ...(changes === undefined ? {} : { changes }),
  };
}
