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

/** Build the search index of a store anew. Throws what SQLite does. */
export function rebuildSearch(settings: StoreSettings): Promise<void> {
  return withIndex(settings, (index) => index.follow({ isAnew: true }));
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
