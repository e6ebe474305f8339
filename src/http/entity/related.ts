/** Which relations lead to an entity from other records, and where these are listed (linked.art/api/1.0/search, Referring Records Links). */
import { lazily } from "../../base/lazily.js";
import { REFERRING_PROPERTIES, RELATIONS, referringName } from "../../model/relations.js";
import { CLASS_NAMES, PROPERTY_NAMES, propertyIri } from "../../model/vocabulary/vocabulary.js";
import type { Store } from "../../store/store.js";

/** What a relation's name is expanded with. */
export const RELATIONS_AT = "https://linked.art/api/rels/1/";

/** Terms by the IRIs that they have on any class. */
const terms = lazily(
  (): ReadonlyMap<string, string> =>
    new Map(
      PROPERTY_NAMES.flatMap((term) =>
        [...CLASS_NAMES, undefined].flatMap((name) => {
          const iri = propertyIri(term, name);
          return iri === undefined ? [] : [[iri, term] as const];
        }),
      ),
    ),
);

/** A list that is not empty. */
export interface RelatedList {
  /** `la:objectProducedByAgent`, or `by:transferredTitleOf` where only the property says what it is. */
  readonly name: string;
  readonly href: string;
}

/**
 * The lists of records that refer to an entity: by the relations that Linked Art names for entities of its endpoint, and by
 * the properties of which those say nothing. None where the store is not searched.
 */
export async function relatedLists(store: Store, iri: string, base: string): Promise<RelatedList[]> {
  const { search } = store;
  const endpoint = (await store.find(iri))?.meta.endpoint;
  if (search === undefined || endpoint == null) return [];
  const lists: RelatedList[] = [];
  const covered = new Set<string>();
  const uri = encodeURIComponent(iri);
  for (const { name, targets, paths } of RELATIONS) {
    if (!targets.includes(endpoint) || (await search.relatedCount(name, iri)) === 0) continue;
    lists.push({ name: `la:${name}`, href: `${base}/related/${name}?uri=${uri}` });
    for (const { steps } of paths) covered.add(steps.at(-1)!.property);
  }
  const others = new Set<string>();
  for (const { property } of (await store.references?.counts(iri)) ?? []) {
    const term = property === null ? undefined : terms().get(property);
    if (term === undefined || covered.has(term)) continue;
    if (REFERRING_PROPERTIES.has(referringName(term))) others.add(referringName(term));
  }
  return [...lists, ...[...others].map((name) => ({ name: `by:${name}`, href: `${base}/search/all?${name}=${uri}` }))];
}
