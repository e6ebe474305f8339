/** The forms of a report: how what was found is written down. That in HTML has a file of its own. */
import { BYTE_ORDER_MARK, csvRow } from "../../base/csv.js";
import { SH, SHAPES } from "../../model/rules/shapes.js";
import { PREFIXES } from "../../model/vocabulary/vocabulary.js";
import { decodeEscapes } from "../../rdf/characters.js";
import { formatTerm } from "../../rdf/ntriples/writer.js";
import { iri, literal } from "../../rdf/terms.js";
import { type IdentityProblem, isValid, type RecordDifference, type RecordResults, type Result } from "../results.js";
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

/** The summary is known last and stands first: room is left for it, and JSON does not mind the blanks. */
const ROOM = 600;

/** The report as JSON (DESIGN.md, Reports): a summary, an entry for each record that has results, the IRIs of deleted records. */
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

/** The report as CSV (RFC 4180) for curators: a row for each result, with the record's label and identifiers, and for each deletion. */
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

/** The constraint component of rules that no shape can say. */
const BEYOND_SHAPES = `${SHAPES}BeyondShapesConstraintComponent`;

const HEAD = `@prefix sh: <${SH}> .
@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix rdfs: <${PREFIXES.rdfs}> .

`;

/** The report as a SHACL validation report in Turtle (SHACL, section 3.6). */
export function turtleForm(): ReportForm {
  let conforms = true;
  return {
    head: HEAD,
    record(record, index) {
      if (record.results.length > 0) conforms = false;
      return record.results.map((result) => `${resultBlock(result, record, index)}\n`).join("");
    },
    tail: () => `_:report a sh:ValidationReport ;\n    sh:conforms ${conforms} .\n`,
  };
}

function resultBlock(result: Result, record: RecordResults, index: number): string {
  const { severity, property, value, rule, message, component, focus } = result;
  const lines = [
    "a sh:ValidationResult",
    `sh:focusNode ${node(focus ?? (record.iri === null ? "[]" : formatTerm(iri(record.iri))), index)}`,
    ...(property === null ? [] : [`sh:resultPath ${formatTerm(iri(property))}`]),
    ...(value === null ? [] : [`sh:value ${node(value, index)}`]),
    `sh:resultSeverity sh:${severity}`,
    `sh:resultMessage ${formatTerm(literal(message))}`,
    `sh:sourceShape ${formatTerm(iri(rule))}`,
    `sh:sourceConstraintComponent ${formatTerm(iri(component ?? BEYOND_SHAPES))}`,
    `dcterms:source ${formatTerm(literal(record.source))}`,
    ...(record.iri === null ? [] : [`rdfs:seeAlso ${formatTerm(iri(record.iri))}`]),
  ];
  return `_:report sh:result [\n    ${lines.join(" ;\n    ")}\n] .`;
}

/** Labels of blank nodes belong to a record, so each record's get a beginning of their own. */
function node(term: string, index: number): string {
  return term.startsWith("_:") ? `_:r${index}-${term.slice(2)}` : term;
}
