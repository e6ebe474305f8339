/** An institution's own properties: rows that are not in the specification. A row here is all that such a property needs. */
import type { EndpointName, LiteralKind, StructureName } from "./tables/names.js";
import type { ClassName } from "./vocabulary/classes.js";

/** A row that is not in the specification. */
export interface OwnProperty {
  readonly on: EndpointName | StructureName;
  /** The key in documents, which must not be a term of the data model. */
  readonly term: string;
  /** The full IRI that the term stands for. */
  readonly iri: string;
  /** A kind of literal, or references: an `array` of them, or a single one. */
  readonly values: LiteralKind | { readonly reference: readonly ClassName[] | "any"; readonly array: boolean };
  readonly requirement: "required" | "recommended" | "optional";
  /** The property's meaning in a few words. */
  readonly meaning: string;
}

/** The rows for all tables. Vitrine is shipped without any. */
export const OWN_PROPERTIES = [] as const satisfies readonly OwnProperty[];
