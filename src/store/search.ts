/** The search facet of a store: finds records by name, identifier, text, class and relation, and pages through them. */
import type { Asker } from "../base/shared-thread.js";
import type { EndpointName } from "../model/tables/names.js";
import type { EndpointKey, Paged, PageQuery } from "./record.js";

/** The conditions of a search. A record must meet all that are given. */
export interface SearchQuery {
  readonly endpoint?: EndpointKey | undefined;
  /** A name or label: the whole, its beginning, or words of it, the last of which may be incomplete. */
  readonly name?: string | undefined;
  /** An identifier or its beginning. */
  readonly identifier?: string | undefined;
  /** As `name` or `identifier`, or words from names and statements together. */
  readonly text?: string | undefined;
  /** Words that it must not have, in any text. */
  readonly without?: readonly string[] | undefined;
  /** Search for exactly this text: typing errors are not corrected when nothing is found. Hits are not counted, which is faster. */
  readonly isAsWritten?: boolean | undefined;
  /** Search for all words of the text: when nothing is found, no word is left out, and no year is taken for a period. */
  readonly hasAllWords?: boolean | undefined;
  /** IRIs of classes; the entity must have one of them. */
  readonly classes?: readonly string[] | undefined;
  /** For each property, the entity or one of its activities must refer to one of the targets, and to none with `isNot`. */
  readonly relations?: readonly RelationFilter[] | undefined;
  /** The entity must stand in a relation of Linked Art (by name) to an IRI, as stated by its own record or another. */
  readonly related?: { readonly relation: string; readonly iri: string } | undefined;
  /** Its production, birth, activity ... must overlap the period between these years. */
  readonly begins?: number | undefined;
  readonly ends?: number | undefined;
  /** It must refer to this IRI, or to something narrower than it, part of it or its member, at any depth. */
  readonly under?: string | undefined;
  /** Whether there is a picture of it, in its record or in the record of a file. */
  readonly isPictured?: boolean | undefined;
  /** It must have changed within this period (see `PERIODS`) before now, or since a date (ISO 8601). */
  readonly changed?: string | undefined;
  /** Default: relevance, or by label in a search without a text. `number` is the first identifier in natural order. Records without the value come last. */
  readonly sort?: SearchOrder | undefined;
}

export interface RelationFilter {
  readonly property: string;
  readonly target: string;
  readonly isNot?: boolean | undefined;
}

export const SEARCH_ORDERS = ["relevance", "label", "date", "-date", "number", "changed", "-changed"] as const;
export type SearchOrder = (typeof SEARCH_ORDERS)[number];

export const PERIODS: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30, year: 365 };

/** The facets by which the hits of a search are counted. */
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

/** A value of a facet (an endpoint, the first year of a century, `yes`, a period, an IRI) and the number of records that have it. */
export interface FacetValue {
  readonly facet: FacetName;
  readonly value: string;
  readonly label: string;
  readonly records: number;
}

export interface Facets {
  readonly values: readonly FacetValue[];
  /** Whether the counts are estimates from a sample, because the search has very many hits. */
  readonly isEstimated: boolean;
}

/** How a record matches, best first. `value`: a whole value. `prefix`: the beginning of one. `words`: words of names. `word prefix`: with the last word incomplete. `maker`: words of names and makers. `kind`: also of all that it refers to, and its years. `text`: words of any text. `iri`: the end of its IRI. */
export type SearchRank = "value" | "prefix" | "words" | "word prefix" | "maker" | "kind" | "text" | "iri";

export interface SearchHit {
  readonly iri: string;
  readonly endpoint: EndpointName | null;
  readonly label: string;
  readonly classes: readonly string[];
  /** The first and the last year of its production, life, activity ..., if stated. */
  readonly years?: readonly [begins: number, ends: number];
  /** How the record matches the text of the search; `undefined` for a search without a text. */
  readonly rank: SearchRank | undefined;
  readonly reasons?: readonly Reason[];
}

/** A field of a record that matches words of the search (whole, incomplete or inflected), or its whole text. */
export interface Reason {
  /** `names`, `numbers`, `makers`, `kinds`, `materials`, `places`, `others` (further references), `dates`, `texts`, or `iri`. */
  readonly field: string;
  readonly words: readonly string[];
}

/** Where a window begins, and in which direction it goes. The cursor `""` means the beginning as `after`, and the end as `before`. */
export interface WindowQuery extends PageQuery {
  /** The window before this cursor. Overrides `after`. */
  readonly before?: string | undefined;
  /** In a search by label, instead of both cursors: begin at the first label that begins with this text or sorts after it. */
  readonly from?: string | undefined;
  readonly hasReasons?: boolean;
  /** Whether hits come without their classes, which require reading the whole records. */
  readonly isBrief?: boolean;
}

/** The number of hits whose label begins with a character, as it is sorted: in lower case, without marks. */
export interface LetterCount {
  readonly letter: string;
  readonly records: number;
}

export interface Window<T> extends Paged<T> {
  /** The cursor of the previous window, to be given as `before`; `undefined` in the first window. */
  readonly previous: string | undefined;
}

/** A text, and the period in which to search, if any: its first and last year, astronomical; infinite if it is open. */
export interface MeantText {
  readonly text: string;
  readonly years?: readonly [first: number, last: number] | undefined;
}

export interface SearchWindow extends Window<SearchHit> {
  /** The number of hits of the whole search, if the store counts them. */
  readonly total?: number | undefined;
  /** The text that was searched for instead, because the given one has no hits: for instance with typing errors corrected, without some words, or with its years taken for a period. */
  readonly meant?: MeantText;
  /** A similar text with words that very many more records have. The few hits may share a misspelling. */
  readonly near?: string;
}

/** Searches for records. Every method rejects with `InvalidCursorError`. */
export interface Search {
  /** The sequence number of the last change in the index; `undefined` if there is no index, or it is damaged, locked or cannot be opened. */
  sequence(): number | undefined;
  /** The same searches for one client. Clients take turns, and a search that no client waits for any more is skipped. */
  for(asker: Asker): Search;
  /**
   * A window of hits, the best rank first. Whole values and beginnings are sorted by the number of referrers, then by label (labels that begin with the text first); words by how rare they are
   * and how much other text surrounds them (BM25). Without a text, hits are sorted by label. Walking from window to window visits each unchanged record exactly once,
   * unless a publication meanwhile changes how rare the words are, and so moves it past the hit at which the last window ended.
   */
  find(query: SearchQuery, window: WindowQuery): Promise<SearchWindow>;
  /** The IRIs of all hits, in parts of at most `limit`, looked up on demand. Without `sort`, publications meanwhile do not move hits. */
  all(query: SearchQuery, limit?: number): AsyncIterable<readonly string[]>;
  /** The values of the hits, at most `limit` for each of these facets. */
  facets(query: SearchQuery, facets: readonly FacetName[], limit: number): Promise<Facets>;
  /** The first characters of the hits' labels, in order; empty for a search that is not by label. */
  letters(query: SearchQuery): Promise<readonly LetterCount[]>;
}
