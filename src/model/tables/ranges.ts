/** Ranges: what the values of a property are. */
import type { ClassName } from "../vocabulary/classes.js";
import type { LiteralKind, StructureName } from "./names.js";

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

/** Whether values of a range may be one of these structures. */
export function leadsTo(range: Range, structures: readonly StructureName[]): boolean {
  return range.kind === "structure" && range.structures.some((each) => structures.includes(each));
}

export const ACTORS = reference("Person", "Group");
/** Events as 2.14 and 2.16 understand them: periods, events and activities. */
export const EVENTS = reference("Period", "Event", "Activity");
export const NAMES = structure("Name", "Identifier");
/** A monetary amount is a dimension in CIDOC-CRM, and a valuation is written as one. */
export const DIMENSIONS = structure("Dimension", "MonetaryAmount");
