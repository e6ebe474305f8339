/** Properties of an institution's own: rows outside the specification. One row here is all that such a property takes. */
import type { EndpointName, LiteralKind, StructureName } from "./tables/names.js";
import type { ClassName } from "./vocabulary/classes.js";

/** A row that the specification does not have. */
export interface OwnProperty {
  /** The endpoint or the structure whose table has it. */
  readonly on: EndpointName | StructureName;
  /** Its key in documents; no term of the data model. */
  readonly term: string;
  /** The IRI that the term stands for, in full. */
  readonly iri: string;
  /** A literal or a reference; an `array` of references, or one of them. */
  readonly values: LiteralKind | { readonly reference: readonly ClassName[] | "any"; readonly array: boolean };
  readonly requirement: "required" | "recommended" | "optional";
  /** The property's meaning in a few words. */
  readonly meaning: string;
}

/** The rows of all tables. Vitrine is shipped without any. */
export const OWN_PROPERTIES = [] as const satisfies readonly OwnProperty[];

export type OwnTerm = (typeof OWN_PROPERTIES)[number]["term"];
