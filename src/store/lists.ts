/** The facet of a store that walks through its records, in several orders. */
import type { EndpointName } from "../model/tables/names.js";
import type { EndpointKey, Paged, PageQuery, StoredRecord } from "./record.js";

export interface Listed {
  readonly iri: string;
  /** At most `MAX_KEPT_LABEL` characters of its label. */
  readonly label: string;
}

/** Records' numbers are taken together in blocks of so many, as pages of a sitemap are. */
export const NUMBERS_A_BLOCK = 10_000;

/** A record by the number that it got when it was created. */
export interface NumberedEntry {
  readonly iri: string;
  /** When it last changed, in milliseconds since 1970. */
  readonly modified: number;
}

/** All records, in several orders. */
export interface Lists {
  /** In IRI order, or only those of one endpoint, as they were at first. It is not to be left standing half-way: what it looked at cannot be used again on disk. */
  records(endpoint?: EndpointName): AsyncIterable<StoredRecord>;
  /** An endpoint's records by label without regard to case and marks, then by IRI; a page costs what it holds. Rejects with `InvalidCursorError`. */
  page(endpoint: EndpointKey, query: PageQuery): Promise<Paged<Listed>>;
  /** As they were created: those with at most `count` numbers from `first` on, of which some may be gone; and the last number that any record got. */
  numbered(
    first: number,
    count: number,
  ): Promise<{ readonly records: readonly NumberedEntry[]; readonly last: number }>;
  /** When the records of each block of numbers last changed or went, in milliseconds since 1970. Costs what there are blocks. */
  blockTimes(): Promise<readonly number[]>;
}
