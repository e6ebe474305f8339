/** The forms of a report, except HTML, which has its own file. */
import { BYTE_ORDER_MARK, csvRow } from "../../base/csv.js";
import { shortened } from "../../base/shortened.js";
import { SH, SHAPES } from "../../model/rules/shapes.js";
import { PREFIXES } from "../../model/vocabulary/vocabulary.js";
import { decodeEscapes, QUOTED } from "../../rdf/characters.js";
import { formatTerm } from "../../rdf/ntriples/writer.js";
import { iri, iriProblem, literal, XSD } from "../../rdf/terms.js";
import type { RecordDifference, RecordResults, Result } from "../results.js";
import { type Difference, type IdentityProblem, isValid } from "../results.js";
import type { RuleCount } from "./tally.js";

export type ReportSummary = Readonly<Record<string, number>>;

/** The parts of a report after the records, in this order: deleted records, changed records, and IRIs that return as another entity. */
export interface Further {
  readonly deletion: RecordDifference;
  readonly difference: RecordDifference;
  readonly identity: IdentityProblem;
}

/** How a report is written. `index` counts the items of one kind. A form omits what it has no place for. */
export interface ReportForm extends FurtherForms {
  readonly head: string;
  record(record: RecordResults, index: number): string;
  /** Writes the end, after `records` records with results or changes; `rules` are the broken rules. */
  tail(summary: ReportSummary, records: number, rules: readonly RuleCount[]): string;
}

export type FurtherForms = { readonly [Kind in keyof Further]?: (item: Further[Kind], index: number) => string };

/** The report as JSON (docs/publish/validation.md): an entry for each record with results, further lists, and the summary, which is known last. */
export function jsonForm(): ReportForm {
  return {
    head: '{"records": [',
    record: (record, index) => `${index === 0 ? "\n" : ",\n"}${JSON.stringify(entryOf(record))}`,
    deletion: ({ iri }, index) => member("deletions", iri, index),
    difference: ({ iri, kind, differences }, index) => member("differences", { iri, kind, differences }, index),
    identity: (identity, index) => member("identities", identity, index),
    tail: (summary, _records, rules) =>
      `${rules.map((rule, index) => member("rules", ruleOf(rule), index)).join("")}\n],\n"summary": ${JSON.stringify(summary)}}\n`,
  };
}

/** A member of a further list. The first member also ends the list before. */
function member(list: string, value: unknown, index: number): string {
  return `${index === 0 ? `\n],\n"${list}": [\n` : ",\n"}${JSON.stringify(value)}`;
}

/** A broken rule, with its counts, its messages and its first place. */
function ruleOf({ example, record, results, records, messages }: RuleCount): object {
  const { rule, severity, path } = example;
  const first = { iri: record.iri, source: record.source, path };
  return { rule, severity, records, results, messages, first };
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

/** Excel has at most 32,767 characters in a cell. */
const MAX_CELL = 32_000;

const COLUMNS = [
  ...(["record", "label", "identifiers", "endpoint", "severity", "path"] as const),
  ...(["message", "value", "rule", "focus", "source"] as const),
];

/** The report as CSV (RFC 4180) for curators: a row for each result, with the record's label and identifiers, and for each deletion. */
export function csvForm(): ReportForm {
  return {
    head: BYTE_ORDER_MARK + csvRow(COLUMNS),
    record: rowsOf,
    deletion: (record) => rowOf({ ...cellsOf(record), severity: "Deletion", message: "The input lacks this record." }),
    difference,
    identity: ({ iri, problem }) => rowOf({ record: iri, severity: "Identity", message: problem }),
    tail: () => "",
  };
}

const KINDS = { create: "Creation", update: "Update", delete: "Deletion" } as const;

function difference(record: RecordDifference): string {
  // Deletions have rows of their own.
  if (record.kind === "delete") return "";
  const about = { ...cellsOf(record), severity: KINDS[record.kind] };
  const rows = record.differences.map((each) => rowOf({ ...about, path: each.property, message: became(each) }));
  return rows.join("") || rowOf(about);
}

function became({ before, after }: Pick<Difference, "before" | "after">): string {
  return `${JSON.stringify(before)} became ${JSON.stringify(after)}`;
}

/** The cells that name a record. */
function cellsOf({ iri, label, identifiers, endpoint }: RecordDifference | RecordResults) {
  return { record: iri ?? "", label, identifiers: identifiers.join("; "), endpoint: endpoint ?? "" };
}

function rowsOf(record: RecordResults): string {
  const { source, results, changes = [] } = record;
  const about = { ...cellsOf(record), source };
  const found = results.map(({ severity, path, message, value, rule, focus }) =>
    rowOf({ ...about, severity, path, message, value: plain(value), rule, focus: plain(focus) }),
  );
  const changed = changes.map((change) =>
    rowOf({ ...about, severity: "Change", path: change.path, message: became(change), rule: change.rule }),
  );
  return [...found, ...changed].join("");
}

/** A term in plain form: the text of a literal, an IRI without brackets. */
function plain(term: string | null): string {
  if (term === null) return "";
  if (term.startsWith("<")) return term.slice(1, -1);
  const [text] = LITERAL.exec(term) ?? [];
  return text === undefined ? term : decodeEscapes(text.slice(1, -1));
}

function rowOf(cells: Partial<Record<(typeof COLUMNS)[number], string>>): string {
  return csvRow(COLUMNS.map((column) => shortened(cells[column] ?? "", MAX_CELL)));
}

/** The constraint component of rules that no shape can express. */
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
    ...(property === null || iriProblem(property) !== undefined ? [] : [`sh:resultPath ${formatTerm(iri(property))}`]),
    ...(value === null ? [] : [`sh:value ${node(value, index)}`]),
    `sh:resultSeverity sh:${severity}`,
    `sh:resultMessage ${formatTerm(literal(message))}`,
    `sh:sourceShape ${formatTerm(iri(rule))}`,
    `sh:sourceConstraintComponent ${formatTerm(iri(component ?? BEYOND_SHAPES))}`,
    `dcterms:source ${formatTerm(literal(record.source))}`,
    ...(record.iri === null ? [] : [`rdfs:seeAlso ${node(formatTerm(iri(record.iri)), index)}`]),
  ];
  return `_:report sh:result [\n    ${lines.join(" ;\n    ")}\n] .`;
}

/** The text of a literal, and what may follow it: a language or a datatype. */
const LITERAL = new RegExp(`^${QUOTED}`, "s");
const TAG = /^(?:@[a-z]+(?:-[a-z\d]+)*|\^\^<([^>]*)>)?$/i;

/** A term of a record as Turtle. A blank node gets the record's prefix, since the same label in two records names two nodes. An invalid IRI becomes the identifier of a blank node, and a literal with an invalid datatype or language a plain one: otherwise they could be read as other triples. */
function node(term: string, index: number): string {
  if (term.startsWith("_:")) return `_:r${index}-${term.slice(2)}`;
  if (term.startsWith("<") && iriProblem(term.slice(1, -1)) !== undefined)
    return `[ dcterms:identifier ${formatTerm(literal(plain(term)))} ]`;
  if (!term.startsWith('"')) return term;
  const [tag, datatype = XSD.string] = TAG.exec(term.replace(LITERAL, "")) ?? [];
  return tag !== undefined && iriProblem(datatype) === undefined ? term : formatTerm(literal(plain(term)));
}
