/** The facet of a store that knows who refers to whom. */
import type { Paged, PageQuery } from "./record.js";

/** A record that refers to an IRI, and the property by which it does. */
export interface Reference {
  readonly record: string;
  /** The predicate's IRI; `null` for those beyond the first 65,534 predicates of a store, which have no numbers. */
  readonly property: string | null;
}

export interface ReferenceCount {
  readonly property: string | null;
  readonly records: number;
}

export interface References {
  /** In an order that stays, all by one property together; a page costs what it holds. Rejects with `InvalidCursorError`. */
  page(iri: string, query: PageQuery & { readonly property?: string }): Promise<Paged<Reference>>;
  /** How many records, by property. Costs what there are properties, not records. */
  counts(iri: string): Promise<readonly ReferenceCount[]>;
}
