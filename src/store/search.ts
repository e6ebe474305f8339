/** The facet of a store that searches: records by name, identifier, text, class and relation, and walks through them. */
import type { EndpointName } from "../model/tables/endpoints.js";
import type { EndpointKey } from "./store.js";

/** What searches find records by; all that the given members say has to be so. */
export interface SearchQuery {
  /** Only records of this endpoint. */
  readonly endpoint?: EndpointKey | undefined;
  /** A name or label: whole, how it begins, or words of it, of which the last may be begun. */
  readonly name?: string | undefined;
  /** An identifier, whole or how it begins. */
  readonly identifier?: string | undefined;
  /** As `name` or `identifier`, or words that names and statements have together. */
  readonly text?: string | undefined;
  /** The IRIs of classes of which the entity has one. */
  readonly classes?: readonly string[] | undefined;
  /** What the entity, or one of its activities, refers to by one of these properties (terms). */
  readonly relations?: readonly { readonly property: string; readonly target: string }[] | undefined;
}

/**
 * How well a record matches, the best first: a value, how one begins, words of names, the last of them begun, words that
 * names have together with makers, with all that it refers to and its years, with any text; how its IRI ends.
 */
export const SEARCH_RANKS = ["value", "prefix", "words", "word prefix", "maker", "kind", "text", "iri"] as const;
export type SearchRank = (typeof SEARCH_RANKS)[number];

/** A record that a search found. */
export interface SearchHit {
  readonly iri: string;
  readonly endpoint: EndpointName | null;
  readonly label: string;
  readonly classes: readonly string[];
  /** How the text of the search stands in it; `undefined` for a search without one. */
  readonly rank: SearchRank | undefined;
}

/** Where to begin, and in which direction; `""` is the beginning, or before it the end, of all. */
export interface WindowQuery {
  readonly after?: string | undefined;
  /** Goes before `after`. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** Part of such a list. */
export interface Window<T> {
  readonly items: readonly T[];
  /** To be given as `after` for what follows, as `before` for what is ahead; `undefined` where there is nothing. */
  readonly next: string | undefined;
  readonly previous: string | undefined;
}

/** Records that a search found. */
export interface SearchWindow extends Window<SearchHit> {
  /** How many the whole search finds, where the store counts them. */
  readonly total?: number;
  /** The text for which it was looked, where nothing is found for the one that was asked for: without life dates, without slips. */
  readonly meant?: string;
}

/** Records by what they are found by. All of it rejects with `InvalidCursorError`. */
export interface Search {
  /**
   * The best first, by rank: within whole values and beginnings what much refers to, then by label; within words by how rare they are
   * and what else they stand with (BM25). Without a text, by label. Records that do not change are neither missed nor met twice
   * in a walk, unless something is published meanwhile that makes words rarer or less so.
   */
  find(query: SearchQuery, window: WindowQuery): Promise<SearchWindow>;
  /** The records that stand in a relation of Linked Art (its name) to an IRI, by label. */
  related(relation: string, iri: string, window: WindowQuery): Promise<Window<string>>;
  /** How many those are. */
  relatedCount(relation: string, iri: string): Promise<number>;
}
