/** The report as a SHACL validation report in Turtle (SHACL, section 3.6). */
import { SH, SHAPES } from "../../model/rules/shapes.js";
import { PREFIXES } from "../../model/vocabulary/vocabulary.js";
import { formatTerm } from "../../rdf/ntriples/writer.js";
import { iri, literal } from "../../rdf/terms.js";
import type { RecordResults, Result } from "../results.js";
import type { ReportForm } from "./form.js";

/** The constraint component of rules that no shape can say. */
const BEYOND_SHAPES = `${SHAPES}BeyondShapesConstraintComponent`;

const HEAD = `@prefix sh: <${SH}> .
@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix rdfs: <${PREFIXES.rdfs}> .

`;

/** The form of a report in Turtle. */
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
