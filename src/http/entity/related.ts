/** Relations that lead to an entity from other records, with the addresses of their lists (linked.art/api/1.0/search, Referring Records Links). */
import { RELATIONS } from "../../model/relations.js";
import type { Store } from "../../store/store.js";

/** What a relation's name is expanded with. */
export const RELATIONS_AT = "https://linked.art/api/rels/1/";

/** A list that is not empty. */
export interface RelatedList {
  /** The relation's name, such as `objectProducedByAgent`. */
  readonly name: string;
  readonly href: string;
}

/** The lists of records that refer to an entity by the relations that Linked Art names for its endpoint. None where the store is not searched. */
export async function relatedLists(store: Store, iri: string, base: string): Promise<RelatedList[]> {
  const { search } = store;
  const endpoint = (await store.find(iri))?.meta.endpoint;
  if (search === undefined || endpoint == null) return [];
  const lists: RelatedList[] = [];
  const uri = encodeURIComponent(iri);
  for (const { name, targets } of RELATIONS) {
    if (!targets.includes(endpoint) || (await search.relatedCount(name, iri)) === 0) continue;
    lists.push({ name, href: `${base}/related/${name}?uri=${uri}` });
  }
  return lists;
}
