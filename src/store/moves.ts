/** Destinations of moved IRIs, however often they were moved. */
import type { Store } from "./store.js";

/**
 * Where an IRI leads in the end: chains of moves are followed to their last target. An IRI that was not moved leads to itself, and one whose
 * moves form a circle to where the circle closes.
 */
export async function whereMoved(store: Store, iri: string): Promise<string> {
  const passed = new Set<string>();
  let at = iri;
  while (!passed.has(at)) {
    passed.add(at);
    if ((await store.find(at)) !== undefined) return at;
    const target = (await store.tombstone(at))?.target;
    if (target === undefined) return at;
    at = target;
  }
  return at;
}
