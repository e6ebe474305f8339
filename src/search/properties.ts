/** The numbers of properties in the search index, and the column that has the words of what each refers to. */
import { groupBy } from "../base/entries.js";
import { REFERRING_PROPERTIES } from "../model/relations.js";
import { ENDPOINTS } from "../model/tables/endpoints.js";
import type { EndpointName } from "../model/tables/names.js";
import { CLASS_NAMES, classIri, propertyIri } from "../model/vocabulary/vocabulary.js";
import type { TextColumn } from "./schema.js";

/** The property of an entity's class, which is indexed as a reference unless its endpoint implies it. */
export const CLASS = 127;
/** The class that an endpoint implies, because all its records have it. */
export const IMPLIED_CLASSES: ReadonlyMap<EndpointName | null, string> = new Map(
  ENDPOINTS.flatMap(({ name, classes: [only, ...others] }) => (others.length === 0 ? [[name, classIri(only!)!]] : [])),
);
/** The property of the licences of an entity and of the pictures that it shows. */
export const LICENCE = 126;
/** The property of the files of its pictures that an entity only names. */
export const NAMED_FILE = 125;
/** Roles of Linked Art's relations have lower numbers; terms of the field tables have this number or a higher one. */
export const FIRST_TERM = 128;

const TERMS: readonly string[] = [...new Set(REFERRING_PROPERTIES.values())];

/** The number of a term of the field tables, or of `licence`; `undefined` for a term that does not refer to entities. */
export function termNumber(term: string): number | undefined {
  if (term === "licence") return LICENCE;
  const at = TERMS.indexOf(term);
  return at === -1 ? undefined : FIRST_TERM + at;
}

/** The property of IRIs that name the same entity elsewhere. */
export const EQUIVALENT = termNumber("equivalent")!;

/** The column for the words of what a term refers to. Default: `others`. */
const COLUMN_OF: Readonly<Record<string, TextColumn>> = {
  carried_out_by: "makers",
  classified_as: "kinds",
  made_of: "materials",
  technique: "materials",
  took_place_at: "places",
  residence: "places",
  current_location: "places",
};

/** The terms of each predicate IRI: a term may have several IRIs, one for each class, and several terms may share one. */
export const MEANINGS = groupBy(
  TERMS.flatMap((term, at) => {
    const iris = new Set([undefined, ...CLASS_NAMES].flatMap((name) => propertyIri(term, name) ?? []));
    return [...iris].map((iri) => ({ iri, term, number: FIRST_TERM + at, column: COLUMN_OF[term] ?? "others" }));
  }),
  ({ iri }) => iri,
);
