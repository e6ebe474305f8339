/** Ranges: what the values of a property are. */
import type { ClassName } from "../vocabulary/vocabulary.js";

/** The kinds of literals. */
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
export type StructureName = DescriptiveStructureName | ActivityStructureName | ProvenancePartName;

type DescriptiveStructureName =
  | ("Type" | "Name" | "Identifier" | "Statement" | "Language" | "TimeSpan" | "Dimension" | "MonetaryAmount")
  | ("RelationshipAssignment" | "Right" | "DigitalService");

/** The structures of activities. */
export const ACTIVITIES = [
  ...(["Activity", "Creation", "Formation", "Dissolution", "Birth", "Death", "Production"] as const),
  ...(["Destruction", "PartRemoval", "Modification", "Encounter", "Acquisition"] as const),
] as const;

export type ActivityStructureName = (typeof ACTIVITIES)[number];

export type ProvenancePartName =
  `${"Acquisition" | "Payment" | "TransferOfCustody" | "Encounter" | "RightAcquisition" | "Move" | "Promise" | "Transfer"}Part`;

export type Range =
  /** The first three are the keys that JSON-LD defines: the context, the node's IRI, its class. */
  | { readonly kind: "context" }
  | { readonly kind: "iri" }
  /** No classes: any. */
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

/** One of these classes, or any when none is given. */
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

export const ACTORS = reference("Person", "Group");
/** What 2.14 and 2.16 mean by events: periods, events and activities. */
export const EVENTS = reference("Period", "Event", "Activity");
export const NAMES = structure("Name", "Identifier");
/** A monetary amount is a dimension in CIDOC-CRM, and a valuation is written as one. */
export const DIMENSIONS = structure("Dimension", "MonetaryAmount");
