/** For reconciliation clients (Reconciliation Service API 0.2, 8) and tables: the columns of records, the values of cells, and one-line descriptions of records. */
import { didYouMean } from "../../../base/did-you-mean.js";
import { plainText } from "../../../base/plain-text.js";
import { beginning } from "../../../base/shortened.js";
import { ENDPOINTS, endpointNamed } from "../../../model/tables/endpoints.js";
import type { Field } from "../../../model/tables/fields.js";
import type { EndpointName } from "../../../model/tables/names.js";
import { structureNamed } from "../../../model/tables/structures.js";
import { CLASS_NAMES, PROPERTY_NAMES } from "../../../model/vocabulary/vocabulary.js";
import type { RecordGraph } from "../../../rdf/record-graph.js";
import { XSD } from "../../../rdf/terms.js";
import { foldedForm } from "../../../search/forms.js";
import type { StoredRecord } from "../../../store/record.js";
import type { Store } from "../../../store/store.js";
import { digitsOf, unitSymbol } from "../../pages/amounts.js";
import { captionOf, makersOf, nodeLabel, timeSpanInWords } from "../../pages/caption.js";
import { descriptionOf, type ResourceDescription } from "../../pages/description.js";
import { labelsOf } from "../../pages/entries.js";
import { languageOf } from "../../pages/languages.js";
import { ENGLISH_WORDS } from "../../pages/words/words.js";

type CellValue =
  | { readonly id: string; readonly name: string }
  | { readonly str: string }
  | { readonly float: number }
  | { readonly date: string };

/** The label of an entity, by its IRI, that a record names without one. */
type LabelOf = (iri: string) => string | undefined;

export interface ValueSettings {
  /** The maximum number of values of a cell, up to `MAX_VALUES`; 0 for that number. */
  readonly limit?: number | undefined;
  /** Only names and statements in this language, or without a language. */
  readonly language?: string | undefined;
  /** The form of other entities: IRI and name, or one of these as text. Default: `entity`. */
  readonly content?: "entity" | "name" | "id" | undefined;
  /** Default: an entity without a label is named by its IRI. */
  readonly labelOf?: LabelOf | undefined;
}

const MAX_VALUES = 100;
const MAX_STEPS = 6;
/** The names that a step of a path can have; a concept is named by its number. */
const STEPS: readonly string[] = [...PROPERTY_NAMES, ...CLASS_NAMES];

const DATE =
  /^(-?(?:[1-9][0-9]*)?[0-9]{4})-(1[0-2]|0[1-9])-(3[01]|0[1-9]|[12][0-9])T(2[0-3]|[01][0-9]):([0-5][0-9]):([0-5][0-9])(\.[0-9]+)?(Z|[+-](?:2[0-3]|[01][0-9]):[0-5][0-9])?$/;

/** The values of a cell, at the end of a path in a record: a maker as an entity, a date as the record words it, `44.5 cm (height)`. */
export function cellValues(graph: RecordGraph, path: string, settings: ValueSettings = {}): CellValue[] {
  const description = descriptionOf(graph);
  const values = nodesAlong(graph, path).flatMap((node) => cellOf(description, node, settings) ?? []);
  return values.slice(0, Math.min(settings.limit || MAX_VALUES, MAX_VALUES));
}

/** What is made of cells with the labels of records here that the record refers to without one. Most records need none. */
export async function withLabels<T>(store: Store, make: (labelOf: LabelOf) => T): Promise<T> {
  const unnamed = new Set<string>();
  const made = make((iri) => void unnamed.add(iri));
  const found = [...unnamed].map(async (iri) => [iri, (await store.find(iri))?.meta.label] as const);
  const labels = new Map((await Promise.all(found)).filter(([, label]) => label));
  return labels.size === 0 ? made : make((iri) => labels.get(iri));
}

/** A value as text. */
export function valueWords(value: CellValue): string {
  if ("id" in value) return value.name;
  if ("str" in value) return value.str;
  return "date" in value ? value.date.replace(/T.*$/, "") : String(value.float);
}

/** The nodes at the end of a path of terms. A class (`identified_by/Identifier`) or the number of a concept (`dimension/300055644`) after a term filters its nodes. */
export function nodesAlong(graph: RecordGraph, path: string): readonly number[] {
  const description = descriptionOf(graph);
  let nodes = [description.root].filter((node) => node !== -1);
  for (const step of path.split("/").slice(0, MAX_STEPS)) {
    if (/^\d+$/.test(step)) nodes = nodes.filter((node) => description.isClassified(node, step));
    else if (/^[A-Z]/.test(step)) nodes = nodes.filter((node) => description.isOf(node, step));
    else nodes = nodes.flatMap((node) => valuesAt(description, node, step)).slice(0, 10 * MAX_VALUES);
  }
  return [...new Set(nodes)];
}

function valuesAt(description: ResourceDescription, node: number, term: string): readonly number[] {
  const values = description.values(node, term);
  return values.length > 0 ? values : description.along(node, "part", term);
}

function cellOf(description: ResourceDescription, node: number, settings: ValueSettings): CellValue | undefined {
  const { termType, value, datatype, language } = description.terms[node]!;
  if (termType === "Literal") {
    if (datatype === XSD.dateTime && DATE.test(value)) return { date: value };
    const isNumber = /(?:integer|decimal|double|float)$/.test(datatype) && Number.isFinite(Number(value));
    return isNumber ? { float: Number(value) } : isInLanguage(language, settings) ? { str: value } : undefined;
  }
  const [content] = description.values(node, "content");
  if (content !== undefined) {
    const isIn = isInLanguage(languageOf(description, node, content), settings);
    return isIn ? { str: plainText(description.terms[content]!.value, description.text(node, "format")) } : undefined;
  }
  const wording = description.isOf(node, "TimeSpan")
    ? timeSpanInWords(description, node)?.text
    : amountWords(description, node);
  if (wording !== undefined) return { str: wording };
  const name = nodeLabel(description, node);
  if (termType !== "NamedNode") return name === undefined ? undefined : { str: name };
  if (settings.content === "id") return { str: value };
  const shown = name ?? settings.labelOf?.(value) ?? value;
  return settings.content === "name" ? { str: shown } : { id: value, name: shown };
}

function isInLanguage(language: string | undefined, { language: only = "" }: ValueSettings): boolean {
  const [own, wanted] = [(language ?? "").toLowerCase(), only.toLowerCase()];
  return wanted === "" || own === "" || own === wanted || own.startsWith(`${wanted}-`);
}

/** The properties of a dimension or a sum of money that have its amount. */
export const AMOUNT_TERMS = ["value", "lower_value_limit", "upper_value_limit"] as const;

/** The text of a dimension or a sum of money: `44.5 cm (height)`. */
function amountWords(description: ResourceDescription, node: number): string | undefined {
  const [value, lower, upper] = AMOUNT_TERMS.map((term) => description.text(node, term));
  const number = value ?? [lower, upper].filter((limit) => limit !== undefined).join("–");
  if (number === "") return undefined;
  const labels = (term: string): string[] =>
    description.values(node, term).flatMap((each) => description.text(each, "_label") ?? []);
  const units = [...labels("unit").map(unitSymbol), ...labels("currency")];
  const kinds = labels("classified_as").join(", ").toLowerCase();
  return `${[digitsOf(number) ?? number, ...units].join(" ")}${kinds === "" ? "" : ` (${kinds})`}`;
}

type Column = { readonly id: string; readonly name: string };

/** The names of columns, as cataloguers call them, the most wanted first. */
const NAMES: Readonly<Record<string, string>> = {
  _label: "Label",
  "identified_by/Name": "Name",
  "identified_by/Identifier": "Number",
  "produced_by/carried_out_by": "Maker",
  "produced_by/timespan": "Date made",
  "created_by/carried_out_by": "Creator",
  "created_by/timespan": "Date created",
  "born/timespan": "Birth date",
  "died/timespan": "Death date",
  "formed_by/timespan": "Founding date",
  "dissolved_by/timespan": "Closing date",
  timespan: "Date",
  classified_as: "Kind",
  "classified_as/300263369": "Occupation",
  "classified_as/300379842": "Nationality",
  "classified_as/300055147": "Gender",
  "born/took_place_at": "Birth place",
  "died/took_place_at": "Death place",
  "carried_out/timespan": "Active",
  "carried_out/took_place_at": "Place of activity",
  "formed_by/took_place_at": "Founding place",
  made_of: "Material",
  "produced_by/technique": "Technique",
  dimension: "Dimensions",
  "dimension/300055644": "Height",
  "dimension/300055647": "Width",
  "dimension/300072633": "Depth",
  "produced_by/took_place_at": "Place made",
  "created_by/took_place_at": "Place created",
  "produced_by/timespan/begin_of_the_begin": "Date made, earliest",
  "produced_by/timespan/end_of_the_end": "Date made, latest",
  residence: "Residence",
  took_place_at: "Place",
  carried_out_by: "Carried out by",
  participant: "Participant",
  current_custodian: "Keeper",
  current_owner: "Owner",
  current_location: "Location",
  "referred_to_by/300435416": "Description",
  "referred_to_by/300435429": "Material statement",
  "referred_to_by/300435430": "Dimension statement",
  "referred_to_by/300026687": "Credit line",
  referred_to_by: "Notes",
  equivalent: "Same elsewhere",
  member_of: "Member of",
  part_of: "Part of",
  broader: "Broader concept",
  "part/transferred_title_of": "Transferred",
  "part/transferred_title_from": "Previous owner",
  "part/transferred_title_to": "New owner",
  "encountered_by/timespan": "Find date",
  "encountered_by/took_place_at": "Find place",
  "encountered_by/carried_out_by": "Finder",
  "destroyed_by/timespan": "Date destroyed",
  "attributed_by/assigned": "Related to",
};
const ORDER = Object.keys(NAMES);
const TITLED: readonly string[] = ["object", "visual", "text", "abstract", "digital"];

const ONLY_OF = [
  [/^classified_as\/3/, "person"],
  [/^referred_to_by\/(?!300435416)/, "object"],
] as const;

const NOT_COLUMNS = ["@context", "id", "type"];
const OF_ACTIVITIES = ["carried_out_by", "took_place_at", "timespan"];

/** The columns of an endpoint's field table, the most wanted first. Without an endpoint, those of all field tables. */
export function columnsOf(endpoint: EndpointName | undefined): Column[] {
  const fields = (endpoint === undefined ? ENDPOINTS : [endpointNamed(endpoint)]).flatMap((each) => each.fields);
  const ids = new Set(fields.filter(({ property }) => !NOT_COLUMNS.includes(property)).flatMap(idsOf));
  return [...ids]
    .filter((id) => ONLY_OF.every(([ids, only]) => !ids.test(id) || (endpoint ?? only) === only))
    .sort((a, b) => (ORDER.indexOf(a) + 1 || Infinity) - (ORDER.indexOf(b) + 1 || Infinity) || 0)
    .map((id) => columnNamed(id, endpoint));
}

/** The columns of a field: those in `NAMES`, or else the field itself or the columns of its activities. */
function idsOf({ property, range }: Field): readonly string[] {
  const named = ORDER.filter((id) => id === property || id.startsWith(`${property}/`));
  if (named.length > 0 || range.kind !== "structure") return named.length > 0 ? named : [property];
  const terms = range.structures.flatMap((name) => structureNamed(name).fields).map((field): string => field.property);
  if (!terms.includes("carried_out_by")) return [property];
  return OF_ACTIVITIES.filter((term) => terms.includes(term)).map((term) => `${property}/${term}`);
}

/** The path of the column with a name, such as `Maker`. */
export function pathCalled(name: string): string | undefined {
  return ORDER.find((id) => foldedForm(NAMES[id]!) === foldedForm(name));
}

/** A column by its path. If a property is unknown, the name says so: a client has no other place for it. */
export function columnNamed(id: string, endpoint?: EndpointName | null): Column {
  if (id === "identified_by/Name" && TITLED.includes(endpoint ?? "")) return { id, name: "Title" };
  if (id === "identified_by/Identifier" && endpoint === "object") return { id, name: "Inventory number" };
  if (ORDER.includes(id)) return { id, name: NAMES[id]! };
  const steps = id.split("/").map((step) => (/^\d+$/.test(step) ? step : ENGLISH_WORDS.property(step)));
  const name = steps.map((words, at) => (at === 0 ? words : words.toLowerCase())).join(": ");
  return { id, name: columnProblem(id) ?? name };
}

/** What is wrong with the path of a column, and the path that was probably meant; `undefined` if nothing is. @param others further columns */
export function columnProblem(id: string, others: readonly string[] = []): string | undefined {
  const steps = id.split("/");
  if (steps.length > MAX_STEPS) return `A column's path may have up to ${MAX_STEPS} steps; ${id} has more.`;
  const unknown = steps.find((step) => !STEPS.includes(step) && !/^\d+$/.test(step));
  if (unknown === undefined && !/^[\dA-Z]/.test(id)) return undefined;
  // A class or a concept filters what a property before it has.
  const why = unknown === undefined ? "a path begins with a property" : `no property is called ${unknown || "nothing"}`;
  const path = pathCalled(id) ?? ORDER.find((each) => each.endsWith(`/${id}`));
  const near = path === undefined ? didYouMean(unknown ?? "", [...STEPS, ...others]) : `: did you mean ${path}?`;
  return `There is no column ${id}: ${why}${near}`;
}

const PLACES: Partial<Readonly<Record<EndpointName, string>>> = {
  person: "born/took_place_at",
  group: "residence",
  place: "part_of",
  event: "took_place_at",
  provenance: "took_place_at",
};

/** A one-line description of a record: `Person: Dutch, Painter, 1632 – 1675, Delft`. */
export async function describedBy(store: Store, { graph, meta: { endpoint } }: StoredRecord, words = ENGLISH_WORDS) {
  if (endpoint === null) return "";
  const description = descriptionOf(graph);
  const labels = await labelsOf(store, description, makersOf(description));
  const { kind, makers, date, number } = captionOf(description, words, labels);
  const all = await withLabels(store, (labelOf) => cellValues(graph, PLACES[endpoint] ?? "", { labelOf }));
  const places = all.filter((value) => !("id" in value) || value.name !== value.id);
  const parts = [kind, makers, date, endpoint === "object" ? number : "", ...places.slice(0, 1).map(valueWords)];
  const line = parts.filter((each) => each !== "").join(", ");
  return `${words.file.endpoint[endpoint].one}${line === "" ? "" : `: ${beginning(line, 200)}`}`;
}
