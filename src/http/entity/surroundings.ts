/** What other records say, as texts that differ when it does: for representations that show more than their own record. */
import type { Store } from "../../store/store.js";

/** The states of records, by the numbers of their last changes; those that there are not among them. */
async function recordsState(store: Store, iris: readonly string[]): Promise<string> {
  const found = await Promise.all(iris.map((iri) => store.find(iri)));
  return JSON.stringify(found.map((record, at) => [iris[at], record?.sequence ?? null]));
}

/**
 * Which records refer to an IRI: how many by each property, and the states of the first of them.
 * @param first of how many by each property the state counts, such as those whose labels are shown
 */
export async function referrersState(store: Store, iri: string, first: number): Promise<string> {
  const { references } = store;
  if (references === undefined) return "";
  const states: (string | number | null)[] = [];
  for (const { property, records } of await references.counts(iri)) {
    states.push(property, records);
    if (property === null || first === 0) continue;
    const { items } = await references.page(iri, { property, limit: first });
    states.push(
      await recordsState(
        store,
        items.map(({ record }) => record),
      ),
    );
  }
  return JSON.stringify(states);
}
