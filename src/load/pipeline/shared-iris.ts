/** IRIs that documents of an input share: a number that a script did not find makes one record of many. */
import type { Batch, SharedIri } from "./work.js";

const MAX_IRIS = 10_000;

/** Counts documents by the IRI that they share within a batch: an IRI that many share is shared in most batches, and the others cost nothing. */
export class SharedIris {
  readonly #documents = new Map<string, number>();
  readonly #keys: Float64Array[] = [];

  add({ shared = [], keys }: Pick<Batch, "shared" | "keys">): void {
    if (keys !== undefined) this.#keys.push(keys);
    for (const { iri, documents } of shared) {
      const known = this.#documents.get(iri);
      if (known === undefined && this.#documents.size >= MAX_IRIS) continue;
      this.#documents.set(iri, (known ?? 0) + documents);
    }
  }

  /** The one that the most documents share, and how many do at least. */
  get most(): SharedIri | undefined {
    let most: SharedIri | undefined;
    for (const [iri, documents] of this.#documents) if (documents > (most?.documents ?? 0)) most = { iri, documents };
    return most;
  }

  /** How many IRIs came more than once, wherever in the input; 0 where batches have no keys. */
  get repeated(): number {
    const keys = new Float64Array(this.#keys.reduce((sum, { length }) => sum + length, 0));
    let end = 0;
    for (const each of this.#keys) {
      keys.set(each, end);
      end += each.length;
    }
    keys.sort();
    return keys.reduce((sum, key, at) => (key === keys[at - 1] && key !== keys[at - 2] ? sum + 1 : sum), 0);
  }
}
