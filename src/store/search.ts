/** The facet of a store that searches: records by name, identifier, text, class and relation, and walks through them. */
import type { EndpointName } from "../model/tables/names.js";
import type { EndpointKey, Paged, PageQuery } from "./record.js";

/** The conditions of a search: records meet all that are given. */
export interface SearchQuery {
  readonly endpoint?: EndpointKey | undefined;
  /** A name or label: whole, how it begins, or words of it, of which the last may be begun. */
  readonly name?: string | undefined;
  /** An identifier, whole or how it begins. */
  readonly identifier?: string | undefined;
  /** As `name` or `identifier`, or words that names and statements have together. */
  readonly text?: string | undefined;
  /** Where nothing is found, nothing else is looked for: no slip is mended. Nothing is counted, which is faster. */
  readonly isAsWritten?: boolean | undefined;
  /** The IRIs of classes of which the entity has one. */
  readonly classes?: readonly string[] | undefined;
  /** References of the entity, or of one of its activities, by each of these properties to one of its targets, and to none of those with `isNot`. */
  readonly relations?: readonly RelationFilter[] | undefined;
  /** Stands in a relation of Linked Art (its name) to an IRI, by what it says or others say of it. */
  readonly related?: RelatedFilter | undefined;
  /** Its production, birth, activity ... lies between these years, or overlaps them. */
  readonly begins?: number | undefined;
  readonly ends?: number | undefined;
  /** Refers to this IRI, or to what is narrower than it, part of it or its member, however far down. */
  readonly under?: string | undefined;
  /** Whether there is a picture of it, in its record or in one of a file. */
  readonly isPictured?: boolean | undefined;
  /** Was last changed in such a period until now, or since a date (ISO 8601). */
  readonly changed?: string | undefined;
  /** Default: relevance; by label without a text. Numbers: the first identifier in natural order. What has none comes last. */
  readonly sort?: SearchOrder | undefined;
}

export interface RelationFilter {
  readonly property: string;
  readonly target: string;
  readonly isNot?: boolean | undefined;
}

export interface RelatedFilter {
  readonly relation: string;
  readonly iri: string;
}

export const SEARCH_ORDERS = ["relevance", "label", "date", "-date", "number", "changed", "-changed"] as const;
export type SearchOrder = (typeof SEARCH_ORDERS)[number];

export const PERIODS: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30, year: 365 };

/** The facets by which the records that a search finds are counted. */
export const FACETS = [
  "endpoint",
  "century",
  "decade",
  "classified_as",
  "carried_out_by",
  "made_of",
  "technique",
  "took_place_at",
  "member_of",
  "current_owner",
  "current_custodian",
  "language",
  "picture",
  "licence",
  "changed",
] as const;
export type FacetName = (typeof FACETS)[number];

/** How many of the records have a value of a facet: an endpoint, the first year of a century, `yes`, a period, an IRI. */
export interface FacetValue {
  readonly facet: FacetName;
  readonly value: string;
  readonly label: string;
  readonly records: number;
}

export interface Facets {
  readonly values: readonly FacetValue[];
  /** Whether so many records are found that these are estimates, of a sample. */
  readonly isEstimated: boolean;
}

/**
 * How well a record matches, the best first: a value, how one begins, words of names, the last of them begun, words that
 * names have together with makers, with all that it refers to and its years, with any text; how its IRI ends.
 */
export const SEARCH_RANKS = ["value", "prefix", "words", "word prefix", "maker", "kind", "text", "iri"] as const;
export type SearchRank = (typeof SEARCH_RANKS)[number];

export interface SearchHit {
  readonly iri: string;
  readonly endpoint: EndpointName | null;
  readonly label: string;
  readonly classes: readonly string[];
  /** The first and the last year of its production, life, activity ..., as far as it says. */
  readonly years?: readonly [begins: number, ends: number];
  /** How the text of the search stands in it; `undefined` for a search without one. */
  readonly rank: SearchRank | undefined;
  readonly reasons?: readonly Reason[];
}

/** In which field of a record words of a search stand, themselves, begun or inflected; or the whole text of it. */
export interface Reason {
  /** `names`, `numbers`, `makers`, `kinds`, `materials`, `places`, `others` that it refers to, `dates`, `texts`, or `iri`. */
  readonly field: string;
  readonly words: readonly string[];
}

/** Where to begin, and in which direction; `""` is the beginning, or before it the end, of all. */
export interface WindowQuery extends PageQuery {
  /** Goes before `after`. */
  readonly before?: string | undefined;
  /** Of a search that is by label, in place of both: how the first label begins, or the next after that. */
  readonly from?: string | undefined;
  readonly hasReasons?: boolean;
  /** Whether hits lack their classes, for which alone whole records are read. */
  readonly isBrief?: boolean;
}

/** How many labels of a search begin with a character, as sorting has it: lower case, without marks. */
export interface LetterCount {
  readonly letter: string;
  readonly records: number;
}

export interface Window<T> extends Paged<T> {
  /** To be given as `before` for what is ahead; `undefined` where there is nothing. */
  readonly previous: string | undefined;
}

export interface SearchWindow extends Window<SearchHit> {
  /** How many the whole search finds, where the store counts them. */
  readonly total?: number | undefined;
  /** The text for which it was looked, where nothing is found for the one that was asked for: without life dates, without slips. */
  readonly meant?: string;
}

/** Records by what they are found by. All of it rejects with `InvalidCursorError`. */
export interface Search {
  /**
   * The best first, by rank: within whole values and beginnings what much refers to, then by label (labels that begin so first); within words by how rare they are
   * and what else they stand with (BM25). Without a text, by label. Records that do not change are neither missed nor met twice
   * in a walk, unless something is published meanwhile that makes words rarer or less so.
   */
  find(query: SearchQuery, window: WindowQuery): Promise<SearchWindow>;
  /**
   * The IRIs of all those records, in parts of at most `limit` that are looked up as they are asked for. With a text they come in an
   * order that has nothing to do with it, unless `sort` says one, so that no publication meanwhile moves them.
   */
  all(query: SearchQuery, limit?: number): AsyncIterable<readonly string[]>;
  /** Values that those records share, at most `limit` of each of these facets. */
  facets(query: SearchQuery, facets: readonly FacetName[], limit: number): Promise<Facets>;
  /** By what the labels of a search begin, in their order; nothing for a search that is not by label. */
  letters(query: SearchQuery): Promise<readonly LetterCount[]>;
}
