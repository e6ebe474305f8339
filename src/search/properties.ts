/** Numbers in the search index, of endpoints and of the properties by which a record refers to an entity; and the column that has the words of each. */
import { REFERRING_PROPERTIES } from "../model/relations.js";
import { CLASS_NAMES, propertyIri } from "../model/vocabulary/vocabulary.js";
import type { TextColumn } from "./schema.js";

/** The class of an entity, which it refers to as well. */
export const CLASS = 127;
/** By what it, and the pictures that it shows, may be reused. */
export const LICENCE = 126;
/** Roles of Linked Art's relations have the numbers below; terms of the field tables those from here on. */
export const FIRST_TERM = 128;

const TERMS: readonly string[] = [...new Set(REFERRING_PROPERTIES.values())];

/** The number of a term of the field tables, or of `licence`; `undefined` for one that refers to nothing. */
export function termNumber(term: string): number | undefined {
  if (term === "licence") return LICENCE;
  const at = TERMS.indexOf(term);
  return at === -1 ? undefined : FIRST_TERM + at;
}

interface Meaning {
  readonly term: string;
  readonly number: number;
  /** The column that has what it refers to. */
  readonly column: TextColumn;
}

const COLUMN_OF: Readonly<Record<string, TextColumn>> = {
  carried_out_by: "makers",
  classified_as: "kinds",
  made_of: "materials",
  technique: "materials",
  took_place_at: "places",
  residence: "places",
  current_location: "places",
};

/** The terms of a predicate, by its IRI: a term may have several IRIs, one a class, and several terms one. */
export const MEANINGS: ReadonlyMap<string, readonly Meaning[]> = meanings();

function meanings(): ReadonlyMap<string, Meaning[]> {
  const found = new Map<string, Meaning[]>();
  for (const [at, term] of TERMS.entries()) {
    const meaning: Meaning = { term, number: FIRST_TERM + at, column: COLUMN_OF[term] ?? "others" };
    for (const iri of new Set([undefined, ...CLASS_NAMES].flatMap((name) => propertyIri(term, name) ?? []))) {
      found.set(iri, [...(found.get(iri) ?? []), meaning]);
    }
  }
  return found;
}
