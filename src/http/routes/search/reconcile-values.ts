/** Values of records as reconciliation clients get them for the columns of a table (Reconciliation Service API 0.2, 8). */
import { CONTENT } from "../../../model/found-by.js";
import { ENDPOINTS, type EndpointName, endpointNamed } from "../../../model/tables/endpoints.js";
import type { Field } from "../../../model/tables/fields.js";
import { structureNamed } from "../../../model/tables/structures.js";
import { className, propertyIri } from "../../../model/vocabulary/vocabulary.js";
import { objectsOf, type RecordGraph, rootOf } from "../../../rdf/record-graph.js";
import { RDF, RDFS_LABEL, XSD } from "../../../rdf/terms.js";

/** A value in a cell. */
type CellValue =
  | { readonly id: string; readonly name: string }
  | { readonly str: string }
  | { readonly float: number }
  | { readonly date: string };

/** Values of one cell. */
const MAX_VALUES = 100;
const MAX_STEPS = 5;

const DATE =
  /^(-?(?:[1-9][0-9]*)?[0-9]{4})-(1[0-2]|0[1-9])-(3[01]|0[1-9]|[12][0-9])T(2[0-3]|[01][0-9]):([0-5][0-9]):([0-5][0-9])(\.[0-9]+)?(Z|[+-](?:2[0-3]|[01][0-9]):[0-5][0-9])?$/;

/** Where a structure says what it is: the first of these that it has. */
const SAYINGS = [
  CONTENT,
  propertyIri("begin_of_the_begin")!,
  propertyIri("value")!,
  propertyIri("identified_by")!,
  RDFS_LABEL,
];

/** What a record has at the end of a path of terms: `made_of`, `produced_by/carried_out_by`. */
export function cellValues(graph: RecordGraph, path: string): CellValue[] {
  let nodes = [rootOf(graph)].filter((node) => node !== -1);
  for (const term of path.split("/").slice(0, MAX_STEPS)) {
    nodes = nodes.flatMap((node) => objectsOf(graph, node, iriOf(graph, node, term))).slice(0, 10 * MAX_VALUES);
  }
  return nodes.slice(0, MAX_VALUES).flatMap((node) => cellOf(graph, node, 0) ?? []);
}

/** What a term means on a node of its class. */
function iriOf(graph: RecordGraph, node: number, term: string): string {
  const types = objectsOf(graph, node, RDF.type).map((type) => className(graph.terms[type]!.value));
  const [onClass] = types.flatMap((type) => (type === undefined ? [] : (propertyIri(term, type) ?? [])));
  return term === "_label" ? RDFS_LABEL : (onClass ?? propertyIri(term) ?? term);
}

function cellOf(graph: RecordGraph, node: number, depth: number): CellValue | undefined {
  const term = graph.terms[node]!;
  if (term.termType === "Literal") {
    const { value, datatype } = term;
    if (datatype === `${XSD.dateTime}` && DATE.test(value)) return { date: value };
    const isNumber = /(?:integer|decimal|double|float)$/.test(datatype) && Number.isFinite(Number(value));
    return isNumber ? { float: Number(value) } : { str: value };
  }
  const says = SAYINGS.flatMap((predicate) => objectsOf(graph, node, predicate));
  if (term.termType === "NamedNode") {
    const [label] = objectsOf(graph, node, RDFS_LABEL);
    return { id: term.value, name: label === undefined ? term.value : graph.terms[label]!.value };
  }
  return says[0] === undefined || depth > 2 ? undefined : cellOf(graph, says[0], depth + 1);
}

/** A column that may be asked for. */
interface Column {
  /** A path of terms. */
  readonly id: string;
  readonly name: string;
}

const NOT_COLUMNS = ["@context", "id", "type"];
const OF_ACTIVITIES = ["carried_out_by", "took_place_at", "timespan", "technique"];

/** The columns of an endpoint's field table, with what its activities say in one step more; of all endpoints without one. */
export function columnsOf(endpoint: EndpointName | undefined): Column[] {
  const columns = new Map<string, Column>();
  for (const { fields } of endpoint === undefined ? ENDPOINTS : [endpointNamed(endpoint)]) {
    for (const field of fields) {
      if (NOT_COLUMNS.includes(field.property)) continue;
      const further = activityFields(field);
      if (further.length === 0) columns.set(field.property, { id: field.property, name: inWords(field.property) });
      for (const { property } of further) {
        const id = `${field.property}/${property}`;
        columns.set(id, { id, name: `${inWords(field.property)}: ${inWords(property).toLowerCase()}` });
      }
    }
  }
  return [...columns.values()];
}

/** What a field's activities say that is a column of its own. */
function activityFields({ range }: Field): readonly Field[] {
  if (range.kind !== "structure") return [];
  const fields = range.structures.flatMap((name) => structureNamed(name).fields);
  if (!fields.some(({ property }) => property === "carried_out_by")) return [];
  return fields.filter(({ property }) => OF_ACTIVITIES.includes(property));
}

/** A column by its id. */
export function columnNamed(id: string): Column {
  return { id, name: id.split("/").map(inWords).join(": ") };
}

function inWords(term: string): string {
  const words = term.replace(/^_/, "").replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
