/** The checking of a search index, and its rebuilding. */
import { openStore } from "../store/open.js";
import { SearchIndex } from "./search-index.js";

interface StoreSettings {
  /** The folder of the embedded store. */
  readonly directory: string;
}

/** What is wrong with the search index of a sound store, a sentence each. */
export function searchProblems(settings: StoreSettings): Promise<readonly string[]> {
  return withIndex(settings, (index) => index.problems());
}

/** Build the search index of a store anew; after `signal` it stays as it was. Throws what SQLite does, and the signal's reason. */
export function rebuildSearch(settings: StoreSettings, signal?: AbortSignal): Promise<void> {
  return withIndex(settings, (index) => index.follow({ isAnew: true, signal }));
}

async function withIndex<T>({ directory }: StoreSettings, work: (index: SearchIndex) => Promise<T>): Promise<T> {
  await using store = await openStore({ directory });
  const index = new SearchIndex(directory, store);
  try {
    return await work(index);
  } finally {
    index.close();
  }
}
