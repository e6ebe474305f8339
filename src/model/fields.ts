/** The form of a field table: one row a property, as in section 2 of the specification. */
import { RDF } from "../rdf/terms.js";
import { type ClassName, type PropertyName, propertyIri } from "./vocabulary.js";

/** A key of a document that a field table can name: a property, or one of the three that JSON-LD itself defines. */
export type FieldName = PropertyName | "@context" | "id" | "type";

/** The form of a value in a document; an `array` is one even of a single element. */
export type Datatype = "array" | "object" | "string" | "number" | "string or array";

export type Requirement = "required" | "recommended" | "optional";

/** What a string or a number says. */
export type LiteralKind =
  | "text"
  | "number"
  /** ISO 8601 in UTC, `YYYY-MM-DDThh:mm:ssZ`, negative and five-digit years included. */
  | "timestamp"
  /** `type/subtype` */
  | "media type"
  /** WKT or GeoJSON */
  | "geometry";

/** The structures that occur inside documents; `structures.ts` and `provenance-parts.ts` have their tables. */
export type StructureName =
  | "Type"
  | "Name"
  | "Identifier"
  | "Statement"
  | "Language"
  | "TimeSpan"
  | "Dimension"
  | "MonetaryAmount"
  | "RelationshipAssignment"
  | "Right"
  | "DigitalService"
  | ActivityStructureName
  | ProvenancePartName;

export type ActivityStructureName =
  | "Activity"
  | "Creation"
  | "Formation"
  | "Dissolution"
  | "Birth"
  | "Death"
  | "Production"
  | "Destruction"
  | "PartRemoval"
  | "Modification"
  | "Encounter"
  | "Acquisition";

export type ProvenancePartName =
  | "AcquisitionPart"
  | "PaymentPart"
  | "TransferOfCustodyPart"
  | "EncounterPart"
  | "RightAcquisitionPart"
  | "MovePart"
  | "PromisePart"
  | "TransferPart";

/** What a property's values are. */
export type Range =
  /** The keys that JSON-LD defines: the context, the node's IRI, its class. */
  | { readonly kind: "context" }
  | { readonly kind: "iri" }
  | { readonly kind: "class"; readonly classes: readonly ClassName[] }
  | { readonly kind: "literal"; readonly literal: LiteralKind }
  /** A word of the vocabulary, written as such, that stands for its IRI. */
  | { readonly kind: "term" }
  /** Nodes embedded in the record, each in the form of one of these structures. */
  | { readonly kind: "structure"; readonly structures: readonly StructureName[] }
  /** References to concepts: embedded like structures, and saying no more than references do. */
  | { readonly kind: "concept"; readonly classes: readonly ClassName[] }
  /** References to entities that have records of their own. */
  | { readonly kind: "reference"; readonly classes: readonly ClassName[] | "any" }
  /** An embedded description that follows any endpoint's table, or a reference to any resource. */
  | { readonly kind: "entity" };

/** What holds for some rows only. */
export interface FieldCondition {
  /** The property is usable on nodes of these classes only. */
  readonly when?: readonly ClassName[];
  /** The values include the concept with this identifier under `{vocab_base}`. */
  readonly includes?: string;
}

/** One row of a field table. */
export interface Field extends FieldCondition {
  readonly property: FieldName;
  readonly datatype: Datatype;
  readonly requirement: Requirement;
  readonly range: Range;
  /** What the property says, in a few words. */
  readonly meaning: string;
  /** Whether the specification has this row; otherwise it is what Linked Art gives the class where the specification says "not shown". */
  readonly specified: boolean;
}

/** A row as the tables write it. */
export type FieldRow = readonly [
  property: FieldName,
  datatype: Datatype,
  requirement: Requirement,
  range: Range,
  meaning: string,
  condition?: FieldCondition,
];

/** The rows of a table of the specification. */
export function specified(rows: readonly FieldRow[]): readonly Field[] {
  return rows.map((row) => field(row, true));
}

/** Rows that Linked Art adds where the specification shows no table. */
export function unspecified(rows: readonly FieldRow[]): readonly Field[] {
  return rows.map((row) => field(row, false));
}

function field([property, datatype, requirement, range, meaning, condition]: FieldRow, specified: boolean): Field {
  return { property, datatype, requirement, range, meaning, specified, ...condition };
}

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

export function oneOf(...classes: ClassName[]): Range {
  return { kind: "class", classes };
}

export function structure(...structures: StructureName[]): Range {
  return { kind: "structure", structures };
}

export function concept(...classes: ClassName[]): Range {
  return { kind: "concept", classes };
}

export function reference(...classes: ClassName[]): Range {
  return { kind: "reference", classes };
}

/**
 * The RDF property behind a row, on nodes of this class: `part_of` differs from class to class. `undefined` for
 * `@context` and `id`, which no triple states.
 */
export function fieldIri(property: FieldName, onClass: ClassName): string | undefined {
  return property === "type" ? RDF.type : propertyIri(property, onClass);
}

/** A table with some rows replaced, in place, by rows of `exceptions`; its further rows follow. */
export function withExceptions(table: readonly Field[], exceptions: readonly Field[]): readonly Field[] {
  const replaced = table.map((row) => exceptions.find(({ property }) => property === row.property) ?? row);
  return [...replaced, ...exceptions.filter((row) => !replaced.includes(row))];
}
