/** The form of a field table: one row for each property, as in section 2 of the specification. */
import { RDF } from "../../rdf/terms.js";
import { OWN_PROPERTIES, type OwnProperty } from "../own-properties.js";
import type { ClassName } from "../vocabulary/classes.js";
import { type PropertyName, propertyIri } from "../vocabulary/vocabulary.js";
import type { LiteralKind, StructureName } from "./names.js";

/** A document key that a field table can name: a property, or one of the three keys that JSON-LD itself defines. */
export type FieldName = PropertyName | "@context" | "id" | "type";

/** The form of a value in a document. An `array` is an array even with a single element. */
type Datatype = "array" | "object" | "string" | "number" | "string or array";

type Requirement = "required" | "recommended" | "optional";

interface FieldCondition {
  /** The property may be used only on nodes of these classes. */
  readonly when?: readonly ClassName[];
  /** The values include the concept with this identifier under `{vocab_base}`. */
  readonly includes?: string;
  /** A reference that has this property may lack the id: it leads to its Digital Object instead. */
  readonly unnamedWith?: PropertyName;
  /** The timestamps that cannot be after this one. */
  readonly notBefore?: readonly PropertyName[];
}

export interface Field extends FieldCondition {
  readonly property: FieldName;
  readonly datatype: Datatype;
  readonly requirement: Requirement;
  readonly range: Range;
  /** The property's meaning in a few words. */
  readonly meaning: string;
  /** Whether the row is in the specification. Otherwise it is an own row, or one that Linked Art gives the class where the specification says "not shown". */
  readonly specified: boolean;
  /** Whether the row is an institution's own, in neither the specification nor Linked Art. */
  readonly own?: true;
}

/** A table, with the classes of the nodes that it describes. */
export interface FieldTable {
  /** The values that `type` may have. */
  readonly classes: readonly ClassName[];
  readonly fields: readonly Field[];
}

/** A row as the tables write it. A property that is neither required nor recommended is optional. */
export type FieldRow = readonly [
  property: FieldName,
  form: Datatype | `${Exclude<Requirement, "optional">} ${Datatype}`,
  range: Range,
  meaning: string,
  condition?: FieldCondition,
];

/** The rows of a table in the specification. */
export function specified(rows: readonly FieldRow[]): readonly Field[] {
  return rows.map((row) => field(row, true));
}

/** The rows that Linked Art adds where the specification shows no table. */
export function unspecified(rows: readonly FieldRow[]): readonly Field[] {
  return rows.map((row) => field(row, false));
}

/** An institution's own rows for the table of an endpoint or structure. */
export function ownFields(table: OwnProperty["on"], rows: readonly OwnProperty[] = OWN_PROPERTIES): readonly Field[] {
  return rows.filter(({ on }) => on === table).map(ownField);
}

function ownField({ term, values, requirement, meaning }: OwnProperty): Field {
  const row = { property: term as FieldName, requirement, meaning, specified: false, own: true } as const;
  if (typeof values !== "string") {
    const range: Range = { kind: "reference", classes: values.reference };
    return { ...row, datatype: values.array ? "array" : "object", range };
  }
  return { ...row, datatype: values === "number" ? "number" : "string", range: { kind: "literal", literal: values } };
}

/** Whether values that do not fit the row are a violation. If it is a row that Linked Art adds, they are only a warning, since Linked Art leaves more open than the tables. */
export function isBinding({ specified, own }: Field): boolean {
  return specified || own === true;
}

function field([property, form, range, meaning, condition]: FieldRow, specified: boolean): Field {
  const requirement = (["required", "recommended"] as const).find((each) => form.startsWith(each)) ?? "optional";
  const datatype = form.replace(`${requirement} `, "") as Datatype;
  return { property, datatype, requirement, range, meaning, specified, ...condition };
}

/** The RDF property of a row, on nodes of this class. `undefined` for `@context` and `id`, which are not triples. */
export function fieldIri(property: FieldName, onClass: ClassName): string | undefined {
  return property === "type" ? RDF.type : propertyIri(property, onClass);
}

/** The IRIs of the properties whose rows are wanted, on the classes of their tables. */
export function irisOfRows(tables: readonly FieldTable[], isWanted: (field: Field) => boolean): ReadonlySet<string> {
  const iris = tables.flatMap(({ classes, fields }) =>
    fields.filter(isWanted).flatMap(({ property }) => classes.map((each) => fieldIri(property, each)!)),
  );
  return new Set(iris);
}

/** A table in which rows of `exceptions` replace those with the same property; the other exceptions follow at the end. */
export function withExceptions(table: readonly Field[], exceptions: readonly Field[]): readonly Field[] {
  const replaced = table.map((row) => exceptions.find(({ property }) => property === row.property) ?? row);
  return [...replaced, ...exceptions.filter((row) => !replaced.includes(row))];
}

export interface Structure extends FieldTable {
  readonly name: StructureName;
  /** The section of the specification that has its table, or says that the table is not shown. */
  readonly section: string;
}

export type Range =
  /** The ranges of the three keys that JSON-LD defines: first the context, then the node's IRI and its class. */
  | { readonly kind: "context" }
  | { readonly kind: "iri" }
  /** An empty list means any class. */
  | { readonly kind: "class"; readonly classes: readonly ClassName[] }
  | { readonly kind: "literal"; readonly literal: LiteralKind }
  /** A term of the vocabulary, written as such, that stands for its IRI. */
  | { readonly kind: "term" }
  /** Nodes embedded in the record, each in the form of one of these structures. */
  | { readonly kind: "structure"; readonly structures: readonly StructureName[] }
  /** References to concepts, which are embedded like structures but say no more than references do. */
  | { readonly kind: "concept"; readonly classes: readonly ClassName[] }
  /** References to entities that have records of their own. */
  | { readonly kind: "reference"; readonly classes: readonly ClassName[] | "any" }
  /** An embedded description that follows any endpoint's table, or a reference to any resource. */
  | { readonly kind: "entity" };

export const CONTEXT: Range = { kind: "context" };
export const IRI: Range = { kind: "iri" };
export const TERM: Range = { kind: "term" };
export const TEXT: Range = { kind: "literal", literal: "text" };
export const NUMBER: Range = { kind: "literal", literal: "number" };
export const TIMESTAMP: Range = { kind: "literal", literal: "timestamp" };
export const MEDIA_TYPE: Range = { kind: "literal", literal: "media type" };
export const GEOMETRY: Range = { kind: "literal", literal: "geometry" };
export const ANY_ENTITY: Range = { kind: "entity" };
export const ANY_REFERENCE: Range = { kind: "reference", classes: "any" };

/** One of these classes; any class when none is given. */
export function oneOf(...classes: ClassName[]): Range {
  return { kind: "class", classes };
}

/** Nodes embedded in the record, in the form of one of these structures. */
export function structure(...structures: StructureName[]): Range {
  return { kind: "structure", structures };
}

/** References to concepts of these classes. */
export function concept(...classes: ClassName[]): Range {
  return { kind: "concept", classes };
}

/** References to entities of these classes. */
export function reference(...classes: ClassName[]): Range {
  return { kind: "reference", classes };
}

/** Whether the values of a range may be one of these structures. */
export function leadsTo(range: Range, structures: readonly StructureName[]): boolean {
  return range.kind === "structure" && range.structures.some((each) => structures.includes(each));
}

export const ACTORS = reference("Person", "Group");
/** Events in the sense of 2.14 and 2.16: periods, events and activities. */
export const EVENTS = reference("Period", "Event", "Activity");
export const NAMES = structure("Name", "Identifier");
/** In CIDOC-CRM a monetary amount is a dimension, and a valuation is written as one. */
export const DIMENSIONS = structure("Dimension", "MonetaryAmount");
